"""Models could be read from files alone."""

import pytest

from tests.cli.tools import ROOT, run

FOLDER = ROOT / "models/running_example"
ENV = (FOLDER / "environment.lts").read_bytes()
OTHERS = ("--ctrl", FOLDER / "controller.lts", "--prop", FOLDER / "property.lts")


@pytest.mark.parametrize("name", ["-", "/dev/stdin"])
def test_a_model_comes_from_standard_input(name, tmp_path):
    files = run("compute", "--env", FOLDER / "environment.lts", *OTHERS)
    stdin = run("compute", "--env", name, *OTHERS, "--from", "lts", stdin=ENV)
    assert (stdin.code, stdin.err) == (files.code, files.err)
    # Without names of files they are called E and C.
    named = files.out.replace("the environment and the controller", "E and C")
    told = [" ".join(text.split()[:-2]) for text in (stdin.out, named)]
    assert told[0] == told[1]
    for args in (("show", name), ("lint", name), ("convert", name, tmp_path / "e.aut")):
        done = run(*args, "--from", "lts", stdin=ENV)
        assert done.code == 0, done.err
    assert (tmp_path / "e.aut").read_text().startswith("des (0, ")
    sides = ("--ctrl", FOLDER / "controller.lts")
    done = run("compare", "--env", name, *OTHERS, *sides, "--from", "lts", stdin=ENV)
    assert done.code == 0, done.err


def test_its_format_is_told_and_it_is_one_model():
    done = run("show", "-", stdin=ENV)
    assert (done.code, "specify --from" in done.err) == (2, True)
    done = run("show", "-", "--from", "cobol", stdin=ENV)
    assert (done.code, "[format-from]" in done.err) == (2, True)
    done = run("compute", "--env", "-", "--ctrl", "-", "--prop", "-", "--from", "lts")
    assert (done.code, "[usage-stdin]" in done.err) == (2, True)
    assert "[usage-stdin]" in run("lint", "-", "/dev/stdin", "--from", "lts").err


def test_a_dash_in_a_case_is_a_file(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "c.toml").write_text(
        'environment = "-"\ncontroller = "-"\nproperties = ["-"]'
    )
    done = run("compute", "c.toml", stdin=ENV)
    assert (done.code, "[format-suffix]" in done.err) == (2, True)


def test_a_process_of_it_may_be_named():
    text = b"A = (a -> A).\nB = (b -> B)."
    assert "b" in run("show", "/dev/stdin#B", "--from", "lts", stdin=text).out


def test_a_hash_in_the_name_of_a_folder(tmp_path):
    folder = tmp_path / "C#1"
    folder.mkdir()
    (folder / "m#2.lts").write_text(ENV.decode())
    (folder / "m.lts").write_text("A = (a -> A).\nB = (b -> B).")
    assert run("show", folder / "m#2.lts").code == 0
    assert run("show", f"{folder}/m.lts#B").code == 0
    assert run("show", f"{folder}/m.lts#C").code == 2
