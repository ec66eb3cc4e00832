"""Words of Python's readers, and texts that took them minutes and gigabytes."""

import json
from time import monotonic

import pytest

from symrob.files.csvtext import cell
from symrob.files.tomltext import MAX_PARTS, parsed
from tests.cli.tools import run


@pytest.fixture
def show(tmp_path):
    def shown(name, content):
        path = tmp_path / name
        path.write_bytes(content if isinstance(content, bytes) else content.encode())
        command = "compute" if name.endswith(".toml") else "show"
        return run(command, path)

    return shown


def test_dotted_names_are_counted_before_they_are_parsed(show):
    start = monotonic()
    for text in (
        ".".join("a" * 40_000) + " = 1",
        "[" + ".".join("a" * 40_000) + "]",
        "x = {" + ' . "b"' * 0 + ".".join(["'a'"] * 10_000) + " = 1}",
    ):
        done = show("case.toml", text)
        assert done.code == 2
        assert f"more than {MAX_PARTS} parts" in done.err
    assert monotonic() - start < 2


def test_dots_in_texts_and_comments_are_no_names():
    dots = ".".join("a" * 100)
    for text in (
        f'# {dots}\nx = "{dots}"',
        f"x = '''\n{dots}'''",
        f'x = """\n{dots}"""',
    ):
        assert parsed(text) is not None
    assert parsed(dots + " = 1") is None


@pytest.mark.parametrize(
    ("name", "content", "words"),
    [
        ("case.toml", 'title = "é"'.encode("utf-16"), "looks like UTF-16"),
        ("case.toml", 'title = "é"'.encode("latin-1"), "0xe9 is not UTF-8"),
        ("m.lts", "// é\nP = STOP.".encode("latin-1"), "save the file as UTF-8"),
        ("m.json", '{"a": ' + "9" * 5000 + "}", "a number has too many digits"),
        ("m.json", '{"states": 1,}', "remove the comma"),
        ("m.json", "{\n# one\n}", "JSON has no comments"),
        ("m.json", '{"alphabet": [], "states": ["X"], "transitions": []}', "'names'"),
        ("m.fsm", "# DES\n1\n", "no comments"),
        ("m.aut", "# AUT\n", "no comments"),
        ("case.toml", "x = " + "9" * 5000, "too many digits"),
    ],
)
def test_what_is_wrong_is_said_in_our_words(show, name, content, words):
    done = show(name, content)
    assert done.code == 2
    assert words in done.err
    for leaked in ("sys.set_int", "codec", "Exceeds", "Expecting"):
        assert leaked not in done.err


def test_a_tab_behind_the_number_of_states(show):
    assert show("m.fsm", "1\t\n\nA\t0\t1\t\na\tA\tc\to\t\n").code == 0


def test_names_without_an_end_are_shown_without_their_middle():
    done = run("show", "x" * 100_000 + ".lts")
    assert done.code == 2
    assert len(done.err) < 1000
    assert "x…x" in done.err


def test_formulas_of_full_width_are_texts():
    for risky in ("＝1+1", "＋1", "\u3000＝1", "=1"):
        assert cell(risky).startswith("'")
    assert cell("Ｅ 1") == "Ｅ 1"
    assert json.dumps(cell(3)) == "3"
