"""No command writes a file that it reads, nor waits for a pipe that nobody reads."""

import os
import shutil
import subprocess
import sys
import threading

import pytest

from tests.cli.tools import ROOT, run, spawn

WEIGHTS = "[[weight]]\nvalue = 2\n"
MODELS = ("environment.lts", "controller.lts", "property.lts")


@pytest.fixture(scope="module")
def files(tmp_path_factory):
    """A case with all the files that one can have."""
    tmp_path = tmp_path_factory.mktemp("files")
    for name in MODELS:
        shutil.copy(ROOT / "models/running_example" / name, tmp_path / name)
    (tmp_path / "imported.aut").write_text('des (0, 1, 1)\n(0, "a", 0)\n')
    (tmp_path / "imports.lts").write_text('import I = "imported.aut"\n||X = I.\n')
    (tmp_path / "words.toml").write_text('[words.actions]\na = "push"\n')
    (tmp_path / "weights.toml").write_text(WEIGHTS)
    (tmp_path / "chances.toml").write_text('[probability]\n"*,*,*" = 0.01\n')
    roles = 'environment = "environment.lts"\ncontroller = "controller.lts"\n'
    rules = 'properties = ["property.lts"]\nwords = "words.toml"\n'
    (tmp_path / "case.toml").write_text(roles + rules)
    (tmp_path / "top.toml").write_text(
        f'{roles}{rules}top = 1\nweights = "weights.toml"'
    )
    case = tmp_path / "case.toml"
    run("candidates", case, "--out", tmp_path / "table.csv")
    (tmp_path / "tabled.toml").write_text(
        f'{roles}{rules}[faults]\ntable = "table.csv"'
    )
    (tmp_path / "result.json").write_text(run("compute", case, "--format", "json").out)
    (tmp_path / "policy.toml").write_text(
        "vacuous = true\n"
        '[[as_robust_as]]\nbaseline = "result.json"\n'
        '[[as_robust_as]]\ncontroller = "controller.lts"\n'
    )
    return tmp_path


@pytest.fixture
def folder(files, tmp_path, monkeypatch):
    """A copy of them, which is the working folder."""
    folder = tmp_path / "copy"
    shutil.copytree(files, folder)
    monkeypatch.chdir(folder)
    return folder


GIVEN = tuple(
    word
    for option, name in zip(("--env", "--ctrl", "--prop"), MODELS, strict=True)
    for word in (option, name)
)
# Calls of all commands that write, each with files that it reads.
CALLS = [
    *(
        ((command, "case.toml", *more, "--out"), ("case.toml", "words.toml", *MODELS))
        for command, *more in (
            ("explore",),
            ("candidates", "--force"),
            ("monitor",),
            ("draw", "--format", "dot"),
            ("draw", "--format", "dot", "--verdicts"),
            ("draw", "--format", "svg", "--classes"),
            ("risk", "--probability", "chances.toml"),
            ("batch",),
        )
    ),
    *(
        ((command, *GIVEN, *more), MODELS)
        for command, *more in (
            ("explore", "--out"),
            ("candidates", "--force", "--out"),
            ("monitor", "--out"),
            ("draw", "--format", "dot", "--out"),
            ("compute", "--certificate"),
            ("cuts", "--certificate"),
            ("gate", "policy.toml", "--certificate"),
        )
    ),
    (("compute", "case.toml", "--certificate"), ("case.toml", "words.toml", *MODELS)),
    (("compute", "top.toml", "--certificate"), ("weights.toml",)),
    (
        (
            "compute",
            "case.toml",
            "--weights",
            "weights.toml",
            "--top=1",
            "--certificate",
        ),
        ("weights.toml",),
    ),
    (("cuts", "tabled.toml", "--certificate"), ("table.csv",)),
    (("cuts", "case.toml", "--table", "table.csv", "--certificate"), ("table.csv",)),
    (("explore", "case.toml", "--compare", "top.toml", "--out"), ("top.toml",)),
    (
        ("explore", "case.toml", "--probability", "chances.toml", "--out"),
        ("chances.toml",),
    ),
    (
        ("candidates", "case.toml", "--force", "--table", "table.csv", "--out"),
        ("table.csv",),
    ),
    (
        ("risk", "case.toml", "--probability", "chances.toml", "--out"),
        ("chances.toml",),
    ),
    (
        ("draw", "case.toml", "--format=dot", "--deviation", "result.json#1", "--out"),
        ("result.json",),
    ),
    (
        ("draw", "imports.lts#X", "--format", "dot", "--out"),
        ("imports.lts", "imported.aut"),
    ),
    (
        ("gate", "policy.toml", "case.toml", "--certificate"),
        ("policy.toml", "case.toml", "result.json", "controller.lts"),
    ),
    (("compare", "case.toml", "top.toml", "--certificate"), ("case.toml", "top.toml")),
    # Without `--disable` it finds no guard that it would write.
    (("repair", *GIVEN, "--out"), MODELS),
    (("convert", "imports.lts#X"), ("imports.lts",)),
    (("convert", "environment.lts", "--extra-states", "1"), ("environment.lts",)),
    (("convert", "case.toml", "--closed-loop"), MODELS),
    (
        ("batch", "top.toml", "--out"),
        ("top.toml", "weights.toml", "words.toml", *MODELS),
    ),
    (("batch", "tabled.toml", "--out"), ("table.csv",)),
]
PAIRS = [(c, file, file == files[0]) for c, files in CALLS for file in files]


@pytest.mark.parametrize(
    ("call", "file", "writes"),
    PAIRS,
    ids=[f"{c[0]}-{f}-{n}" for n, (c, f, _) in enumerate(PAIRS)],
)
def test_no_input_is_written(folder, call, file, writes):
    before = {path.name: path.read_bytes() for path in folder.iterdir()}
    (folder / "sub").mkdir()
    ways = {
        "itself": file,
        "another path": f"sub/../{file}",
        "absolute": folder / file,
        "link": folder / "sub" / file,
        "hard link": folder / "sub" / f"hard-{file}",
    }
    ways["link"].symlink_to(folder / file)
    ways["hard link"].hardlink_to(folder / file)
    for way, out in ways.items():
        done = run(*call, out)
        assert done.code == 2, (way, done.out)
        assert "[usage-overwrite]" in done.err, (way, done.err)
        assert not done.out, way
        now = {p.name: p.read_bytes() for p in folder.iterdir() if p.is_file()}
        assert now == before, way
    assert ways["link"].is_symlink()
    if writes and call[0] != "repair":
        # And the call is one that writes where it may.
        free = f"free{os.path.splitext(file)[1]}" if call[0] == "convert" else "free"
        done = run(*call, free)
        assert (folder / free).exists(), done.err


def test_standard_input_is_not_written_either(folder):
    call = "draw - --from lts --format svg --out environment.lts"
    before = (folder / "environment.lts").read_bytes()
    with open(folder / "environment.lts") as stdin:
        done = subprocess.run(
            [sys.executable, "-m", "symrob", *call.split()],
            stdin=stdin,
            capture_output=True,
            text=True,
        )
    assert done.returncode == 2
    assert "[usage-overwrite]" in done.stderr
    assert (folder / "environment.lts").read_bytes() == before


def test_files_that_are_written_beside_are_not_lost(folder):
    model = "x.lab"
    shutil.copy("environment.lts", model)
    before = (folder / model).read_bytes()
    for call in (
        ("convert", model, "x.tra", "--from", "lts"),
        ("convert", "environment.lts", "x.tra"),
    ):
        done = run(*call)
        assert done.code == 2
        assert "x.lab: error: " in done.err
        assert not (folder / "x.tra").exists()
        assert not (folder / "x.sta").exists()
        assert (folder / model).read_bytes() == before
    (folder / "x.tra").touch()
    done = run("convert", model, "x.tra", "--from", "lts")
    assert "[usage-overwrite]" in done.err
    assert (folder / model).read_bytes() == before
    # What symrob wrote itself, it writes again.
    assert run("convert", "environment.lts", "y.tra").code == 0
    assert run("convert", "controller.lts", "y.tra").code == 0


def test_a_table_that_is_filled_in_is_kept(folder):
    table = folder / "table.csv"
    table.write_text(table.read_text() + "filled in\n")
    before = table.read_text()
    done = run("candidates", "case.toml", "--out", "table.csv")
    assert done.code == 2
    assert "[usage-exists]" in done.err
    assert "--force" in done.err
    assert table.read_text() == before
    assert run("candidates", "case.toml", "--out", "table.csv", "--force").code == 0
    assert "filled in" not in table.read_text()
    (folder / "empty.csv").touch()
    assert run("candidates", "case.toml", "--out", "empty.csv").code == 0
    assert (folder / "empty.csv").read_text() == table.read_text()
    assert run("candidates", "case.toml", "--out", os.devnull).code == 0


WRITING = [
    ("explore", "case.toml", "--out"),
    ("candidates", "case.toml", "--out"),
    ("monitor", "case.toml", "--out"),
    ("draw", "case.toml", "--format", "dot", "--out"),
    ("risk", "case.toml", "--probability", "chances.toml", "--out"),
    ("compute", "case.toml", "--certificate"),
    ("batch", "case.toml", "--out"),
]


@pytest.mark.parametrize("call", WRITING, ids=[call[0] for call in WRITING])
def test_a_pipe_that_nobody_reads_is_not_waited_for(folder, call):
    os.mkfifo("pipe")
    done = run(*call, "pipe")
    assert done.code == 2
    assert "pipe: error: cannot write: no process reads from this pipe" in done.err
    os.mkfifo("pipe.aut")
    assert run("convert", "environment.lts", "pipe.aut").code == 2


@pytest.mark.parametrize("call", WRITING, ids=[call[0] for call in WRITING])
def test_pipes_and_devices_are_written(folder, call):
    os.mkfifo("pipe")
    read = []
    # Opened for both, so that neither end waits for the other.
    end = os.open("pipe", os.O_RDWR)
    reader = threading.Thread(target=lambda: read.append(_all(end)))
    reader.start()
    done = run(*call, "pipe")
    os.write(end, b"\0END")
    reader.join()
    os.close(end)
    assert done.code == 0, done.err
    assert len(read[0]) > 100
    assert run(*call, os.devnull).code == 0
    given = [folder / word if "." in word else word for word in call[1:]]
    done = spawn(call[0], *given, "/dev/stdout")
    assert done.code == 0, done.err
    assert len(done.out) > 100


def _all(end):
    found = b""
    while not found.endswith(b"\0END"):
        found += os.read(end, 1 << 16)
    return found[:-4]
