"""What a message quotes of a stranger's text is bounded, however long that is."""

import json

import pytest

import symrob
from symrob.errors import Diagnostic, SymrobError, brief, window
from tests.cli.tools import run, spawn

WORDS = "no " + "word and " * 10_000 + "x"
WORD = "w" * 90_000
# Characters of all that is said of one mistake.
MOST = 2_500


@pytest.fixture
def case(tmp_path):
    for name, text in {
        "e.lts": "E = (a -> E).",
        "c.lts": "C = (a -> C).",
        "p.lts": "property P = (a -> P).",
    }.items():
        (tmp_path / name).write_text(text)
    path = tmp_path / "case.toml"
    path.write_text(
        'environment = "e.lts"\ncontroller = "c.lts"\nproperties = ["p.lts"]\n'
    )
    return path


def lines(case, text):
    path = case.parent / "other.toml"
    path.write_text(text)
    return path


@pytest.mark.parametrize("long", [WORDS, WORD], ids=["words", "word"])
@pytest.mark.parametrize(
    "arguments",
    [
        ["compute", "--prop", "{}", "--env", "e.lts", "--ctrl", "c.lts"],
        ["compute", "--env", "{}", "--ctrl", "c.lts", "--prop", "p.lts"],
        ["compute", "{}"],
        ["compute", "case.toml", "--timeout", "{}"],
        ["compute", "case.toml", "--{}"],
        ["compute", "case.toml", "--format", "{}"],
        ["compute", "case.toml", "--among", "{}"],
        ["compute", "case.toml", "--const", "{}"],
        ["{}"],
        ["explain", "case.toml", "--transition", "{}"],
        ["explain", "case.toml", "--transition", "{},a,E"],
        ["monitor", "case.toml", "--observe", "{}"],
        ["repair", "case.toml", "--disable", "{}"],
        ["convert", "e.lts", "{}"],
        ["batch", "{}"],
        ["results", "{}"],
    ],
    ids=lambda arguments: " ".join(arguments),
)
def test_of_the_command_line(case, monkeypatch, arguments, long):
    monkeypatch.chdir(case.parent)
    result = spawn_or_run([a.format(long) for a in arguments])
    assert result.code == 2
    assert 0 < len(result.err) < MOST
    assert "…" in result.err or "'" not in result.err or len(result.err) < 500


def spawn_or_run(arguments):
    """Usage errors are told by the process itself."""
    done = run(*arguments)
    return done if "Usage:" not in done.err else spawn(*arguments)


@pytest.mark.parametrize("long", [WORDS, WORD], ids=["words", "word"])
@pytest.mark.parametrize(
    ("command", "text"),
    [
        ("compute", 'properties = ["{}"]\nenvironment="e.lts"\ncontroller="c.lts"'),
        ("compute", '"{}" = 1'),
        ("compute", 'environment = "{}"\ncontroller="c.lts"\nproperties=["p.lts"]'),
        ("compute", '[faults]\n"{}" = 3'),
        ("compute", '[words.actions]\n"{}" = "x"'),
        ("risk", '[probability]\n"{}" = 3'),
        ("gate", '[[tolerates]]\ntransitions = ["{}"]'),
        ("gate", '[[tolerates]]\n"{}" = 1'),
    ],
)
def test_of_a_file_of_toml(case, command, text, long):
    other = lines(case, text.format(long))
    more = [case] if command == "gate" else []
    result = run(command, other, *more)
    assert result.code == 2
    assert 0 < len(result.err) < 3 * MOST
    assert max(map(len, result.err.splitlines())) < MOST


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("m.lts", f"P = (a -> {WORD})."),
        ("m.lts", f"P = (a -> {'b -> ' * 20_000}P) oops."),
        ("m.aut", f'des (0, 1, 1)\n(0, "{WORDS}", 5)\n'),
        ("m.json", json.dumps({"alphabet": [], "states": 1, "transitions": [WORDS]})),
        ("m.json", '{"' + WORDS + '" 1}'),
        ("m.cif", f"automaton a: {WORDS}"),
        ("m.fsm", WORDS),
        ("m.scxml", f'<scxml xmlns="x" {WORD}="1"'),
    ],
)
def test_of_a_model(tmp_path, name, text):
    (tmp_path / name).write_text(text)
    result = run("show", tmp_path / name)
    assert result.code == 2
    assert 0 < len(result.err) < MOST


def test_in_python_and_json():
    problem = Diagnostic("x", f"'{WORDS}' is wrong", hint=WORDS)
    assert len(problem.message) < MOST
    assert problem.message.startswith("'no word")
    assert problem.message.endswith("x' is wrong")
    assert len(problem.hint) < MOST
    with pytest.raises(SymrobError) as caught:
        symrob.load(WORD)
    assert len(str(caught.value)) < MOST
    assert brief("short words stay") == "short words stay"


@pytest.mark.parametrize("long", [WORDS, WORD], ids=["words", "word"])
def test_of_lint(long):
    result = run("lint", long)
    assert result.code == 2
    assert 0 < len(result.out) < MOST


def test_a_window_of_a_long_line_holds_what_is_underlined():
    for column in (1, 2, 50, 5_000, 9_990, 10_000):
        line = "".join(f"{n % 10}" for n in range(10_000))
        line = f"{line[: column - 1]}X{line[column:]}"
        for length in (1, 7, 100_000):
            shown, at, count = window(line, column, length)
            assert len(shown) <= 162
            assert shown[at - 1] == "X"
            assert 1 <= count <= max(1, length)
            assert at - 1 + count <= len(shown)
            assert (shown[0] == "…") == (column > 60)
    assert window("short", 3, 2) == ("short", 3, 2)
    told = str(Diagnostic("x", "m", file="f", line=1, column=9_000, source=line))
    place, source, caret = told.splitlines()
    assert place.startswith("f:1:9000: ")
    assert len(source) < 170
    assert caret.strip() == "^"
