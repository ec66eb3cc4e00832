"""Bad input: each kind has its message, its place, its exit code; no traceback.

`run` lets every exception through, so a traceback fails a test by itself.
"""

import pytest

from tests.cli.calls import case_text
from tests.cli.tools import ROOT, run

FOLDER = "models/running_example"
ENV = f"{FOLDER}/environment.lts"
CTRL = f"{FOLDER}/controller.lts"
PROP = f"{FOLDER}/property.lts"


def compute(env=ENV, ctrl=CTRL, prop=PROP, *more, command="compute"):
    return run(command, "--env", env, "--ctrl", ctrl, "--prop", prop, *more)


def rejected(done, code, *words):
    """Check exit code and message; nothing is on standard output."""
    assert done.code == 2, done.out
    assert f"[{code}]" in done.err
    assert done.out == ""
    for word in words:
        assert word in done.err, done.err


COMMANDS = ("compute", "check")


# --- files ----------------------------------------------------------------


@pytest.mark.parametrize("command", COMMANDS)
def test_missing_file(command):
    done = compute("nowhere.lts", command=command)
    rejected(done, "file-missing", "nowhere.lts: error: ", "No such file")


@pytest.mark.parametrize("suffix", [".aut", ".fsm", ".json"])
def test_missing_file_of_another_format(suffix):
    rejected(run("show", f"nowhere{suffix}"), "file-missing", f"nowhere{suffix}")


@pytest.mark.parametrize("text", ["", "\n \n", "// only a comment\n"])
def test_empty_file(write, text):
    path = write("empty.lts", text)
    rejected(compute(path), "fsp-empty", f"{path}: error: ", "defines no process")


@pytest.mark.parametrize("suffix", [".aut", ".fsm", ".json"])
def test_empty_file_of_another_format(write, suffix):
    rejected(run("show", write(f"empty{suffix}", "")), "file-empty")


def test_syntax_error_has_place_and_caret(write):
    path = write("e.lts", "E = (a -> F),\nF = (b => E).\n")
    done = compute(path)
    rejected(done, "fsp-syntax", f"{path}:2:8: error: expected '->', found '='")
    assert "  F = (b => E).\n         ^" in done.err


def test_undefined_process_is_suggested(write):
    path = write("e.lts", "E = (a -> DONE), DNE = (b -> E).")
    done = compute(path)
    rejected(done, "fsp-undefined-local", f"{path}:1:11", "did you mean 'DNE'?")


def test_process_that_the_file_does_not_define():
    done = compute(ctrl="models/therac25/machines.lts#THERAC52")
    rejected(done, "fsp-no-process", "did you mean 'THERAC25'")


def test_several_composites_are_listed():
    done = compute(ctrl="models/therac25/machines.lts")
    rejected(done, "fsp-ambiguous", "THERAC25, THERAC25_FIX, THERAC20")


@pytest.mark.parametrize("name", ["model.txt", "model", "model.lts.gz"])
def test_wrong_suffix(write, name):
    rejected(compute(write(name, "P = STOP.")), "format-suffix", ".lts, .fsp, .aut")


def test_file_that_is_no_text(tmp_path):
    path = tmp_path / "bytes.lts"
    path.write_bytes(b"P = (a -> P).\xff")
    rejected(compute(path), "file-encoding", "not UTF-8")


def test_folder_instead_of_a_file(tmp_path):
    path = tmp_path / "folder.lts"
    path.mkdir()
    rejected(compute(path), "file-directory", "directory")


def test_problems_of_all_files_at_once(write):
    env = write("e.lts", "E = (a -> ).\nX = (b -> ).")
    ctrl = write("c.lts", "C = (a -> NOWHERE).")
    prop = write("p.aut", "des (0, 1, 1)\n(0, a, 7)\n")
    done = compute(env, ctrl, prop, "--env-prop", "missing.json")
    rejected(done, "fsp-syntax", f"{env}:1:", f"{env}:2:", f"{ctrl}:1:11", f"{prop}:2:")
    assert "missing.json" in done.err
    assert done.err.count(": error: ") == 5


# --- models in their roles ------------------------------------------------


def test_environment_with_error(write):
    done = compute(write("e.lts", "E = (a -> ERROR | b -> E)."))
    rejected(done, "problem-environment-error", "from state E on a", "--env-prop")


@pytest.mark.parametrize("command", COMMANDS)
def test_nominal_system_violates_the_property(write, command):
    prop = write("p.lts", "property P = (b -> P) + {a}.")
    done = compute(prop=prop, command=command)
    assert done.code == 1
    assert done.out == ""
    assert "[nominal-property]" in done.err
    assert "p.lts" in done.err
    assert done.err.splitlines()[-4:] == [
        "  start     environment: S1; controller: CONTROLLER",
        "   1  environment+controller  a  environment: S1 → S2",
        "  violates p.lts",
        "            at this point it allows only: b",
    ]


@pytest.mark.parametrize("command", COMMANDS)
def test_environment_violates_the_constraint(write, command):
    rule = write("rule.lts", "property P = (b -> P) + {a}.")
    done = compute(ENV, CTRL, PROP, "--env-prop", rule, command=command)
    assert done.code == 1
    assert "[nominal-constraint]" in done.err
    *_, step, violates, allowed = done.err.splitlines()
    assert step.split()[:3] == ["1", "environment", "a"]
    assert violates == "  violates rule.lts"
    assert allowed.strip() == "at this point it allows only: b"


def test_constraint_on_foreign_actions(write):
    rule = write("rule.lts", "property P = (a -> P | launch -> P).")
    done = compute(ENV, CTRL, PROP, "--env-prop", rule)
    rejected(done, "problem-constraint-alphabet", "launch")


def test_no_transitions_at_all(write):
    still = write("still.lts", "P = STOP.")
    done = compute(still, still, still)
    assert done.code == 0
    assert "0 actions, 0 transitions; 0 transitions could be added" in done.out
    assert "|Δ| = 1" in done.out


def test_alphabet_without_transitions(write):
    still = write("still.lts", "P = STOP + {a, b}.")
    done = compute(still, still, still)
    assert done.code == 0
    assert "2 actions, 0 transitions; 2 transitions could be added" in done.out
    assert "|Δ| = 1: 1 maximal deviation; the largest has 2 " in done.out


# --- limits ---------------------------------------------------------------


@pytest.mark.parametrize(
    "text",
    [
        "range R = 0..1000000000\nP = P[0], P[i:R] = (a[i] -> P[(i+1)%10]).",
        "P = (a[i:0..1000000000] -> P).",
        "set S = {a[0..1000000000]}\nP = (S -> P).",
        "||S = (forall [i:0..1000000000] p[i]:P). P = (a -> P).",
        "const N = 1000000000\nP = P[0], P[i:0..N] = (when (i<N) up -> P[i+1]).",
        "P = P[0], P[i:0..99999][j:0..99999] = (a -> P[i][j]).",
    ],
)
def test_range_of_a_billion(write, text):
    path = write("e.lts", text)
    done = compute(path)
    assert done.code == 3
    assert f"{path}:" in done.err
    assert "more than the limit of" in done.err
    assert "raises this limit" in done.err


COUNTER = "P = P[0], P[i:0..20] = (when (i<20) a[i] -> P[i+1])."


@pytest.mark.parametrize(
    ("name", "small", "large", "text"),
    [
        ("max-states", 5, 50, COUNTER),
        ("max-transitions", 5, 50, COUNTER),
        ("max-expansion", 5, 50, COUNTER),
        (
            "max-nesting",
            5,
            50,
            "P = (when " + "(" * 10 + "1" + ")" * 10 + " a -> P).",
        ),
    ],
)
@pytest.mark.parametrize("command", ["compute", "check", "show", "lint", "convert"])
def test_bounds_have_the_options_that_messages_name(
    write, tmp_path, name, small, large, text, command
):
    path = write("p.lts", text)
    args = {
        "compute": ["--env", path, "--ctrl", path, "--prop", path],
        "check": ["--env", path, "--ctrl", path, "--prop", path],
        "convert": [path, tmp_path / "p.json"],
    }.get(command, [path])
    done = run(command, *args, "--bound", f"{name}={small}")
    assert done.code in (2, 3)
    assert f"{name} " in done.err + done.out
    assert run(command, *args, "--bound", f"{name}={large}").code == 0


def test_bound_on_a_product(write):
    text = "P = (a -> Q), Q = (b -> P).\n||S = (forall [i:0..9] p[i]:P)."
    path = write("s.lts", text)
    assert run("show", path).code == 0
    done = run("show", path, "--product", "--bound", "max-states=1000")
    assert done.code == 3
    assert "--bound max-states" in done.err
    assert run("show", path, "--product", "--bound", "max-states=1024").code == 0


# --- options and case files -----------------------------------------------


@pytest.mark.parametrize(
    ("args", "code"),
    [
        (["--const", "SPEED=9"], "case-constant"),
        (["--const", "SPEED"], "usage-const"),
        (["--const", "A=1", "--const", "A=2"], "usage-const"),
        (["--format", "yaml"], "usage-format"),
        (["--algorithm", "magic"], "usage-option"),
        (["--limit", "0"], "usage-option"),
        (["--timeout", "0"], "usage-option"),
        (["--bound", "max-nesting=0"], "usage-option"),
        (["--bound", "max-nesting"], "usage-option"),
        (["--bound", "max-nestin=9"], "usage-option"),
        (["--bound", "max-nesting=1e3"], "usage-option"),
        (["--bound", "max-file=9", "--bound", "max-file=9"], "usage-option"),
    ],
)
def test_options_out_of_range(args, code):
    rejected(compute(ENV, CTRL, PROP, *args), code, args[-2].lstrip("-").split("=")[0])


def test_all_options_out_of_range_at_once():
    done = compute(ENV, CTRL, PROP, "--limit", "0", "--timeout", "-1")
    rejected(done, "usage-option", "--limit", "--timeout")


def test_no_models():
    rejected(run("compute"), "usage-models", "--env, --ctrl, --prop missing")


def test_case_and_models():
    done = run("compute", f"{FOLDER}/running_example.toml", "--env", ENV)
    rejected(done, "usage-case")


@pytest.mark.parametrize("command", ["compute", "check", "lint"])
def test_case_with_unknown_keys(write, command):
    path = write(
        "case.toml",
        'enviroment = "e.lts"\ncontroller = 3\nproperties = []\n[paper]\ndelt = 1\n',
    )
    done = run(command, path)
    assert done.code == 2
    printed = done.err + done.out
    for words in (
        "the key 'environment' is missing",
        "unknown key 'enviroment'",
        "did you mean 'environment'?",
        "'controller' must be the path of a model",
        "'properties' must be a non-empty list",
        "unknown key 'paper.delt'",
        "did you mean 'delta'?",
    ):
        assert words in printed
    assert f"{path}:1:1: error: unknown key 'enviroment'" in printed
    assert f"{path}:5:1: error: unknown key 'paper.delt'" in printed


def test_case_that_is_no_toml(write):
    path = write("case.toml", 'title = "x"\nenvironment = [\n\ncontroller = 4\n')
    done = run("compute", path)
    rejected(done, "toml-syntax", f"{path}:4:", "  controller = 4\n")


def test_case_that_is_missing():
    rejected(run("compute", "nowhere.toml"), "file-missing", "nowhere.toml")


def test_what_took_the_text_away_is_told_with_what_is_missing(tmp_path):
    """A comment that is never closed leaves a text that defines nothing."""
    file = tmp_path / "open.lts"
    file.write_text("/* never closed\nP = (a -> P).")
    nurse = ROOT / "models/therac25/nurse.lts"
    models = ("--env", file, "--ctrl", nurse, "--prop", nurse)
    for command in (("show", file), ("lint", file), ("compute", *models)):
        done = run(*command)
        assert done.code == 2
        told = done.out + done.err
        assert "[fsp-comment]" in told
        assert "[fsp-empty]" in told


OVEN = """USER = SHUT,
SHUT = (open -> AJAR | start -> BUSY),
AJAR = (close -> SHUT),
BUSY = (ready -> SHUT).
OVEN = (start -> heat -> ready -> OVEN).
"""
CLOSED = "no heat between open and close"


@pytest.mark.parametrize("roles", [("#USER", ""), ("", "#OVEN"), ("", "")])
def test_a_file_that_is_both_plan_and_controller(roles, tmp_path):
    (tmp_path / "oven.lts").write_text(OVEN, encoding="utf-8")
    case = tmp_path / "case.toml"
    environment, controller = (f"oven.lts{part}" for part in roles)
    case.write_text(case_text(environment, controller, CLOSED), encoding="utf-8")
    done = run("summary", case)
    assert (done.code, done.out) == (2, "")
    assert "[case-same-process]" in done.err
    whole, column = ("environment", 1) if roles[0] == "" else ("controller", 2)
    assert f"case.toml:{column}:1: error: the {whole} is the whole file" in done.err
    right = "#USER" if whole == "environment" else "#OVEN"
    assert f"oven.lts{right}'" in done.err
    case.write_text(case_text("oven.lts#USER", "oven.lts#OVEN", CLOSED), "utf-8")
    assert "12 hazardous" in run("summary", case).out


def test_a_sentence_of_another_shape_is_no_path(tmp_path):
    (tmp_path / "oven.lts").write_text(OVEN, encoding="utf-8")
    case = tmp_path / "case.toml"
    case.write_text(
        case_text("oven.lts#USER", "oven.lts#OVEN", "the door is never open"), "utf-8"
    )
    done = run("check", case)
    assert done.code == 2
    assert "not a known property sentence: 'the door is never open'" in done.err
    assert "the known sentences: never A; " in done.err


def test_a_warning_asks_whether_e_and_c_are_swapped():
    folder = "models/therac25"
    env, ctrl = f"{folder}/nurse.lts", f"{folder}/machines.lts#THERAC25"
    prop = f"{folder}/xflat.lts"
    question = "are E and C swapped? C has no action that E lacks"
    assert question in compute(ctrl, env, prop, command="check").err
    assert "swapped" not in compute(env, ctrl, prop, command="check").err
