"""Runs as sentences, against the run itself: nothing is lost, nothing is too wide."""

import random
import re

import pytest

from symrob.errors import Trace, TraceStep
from symrob.report.run import run_line, trace_lines
from symrob.report.text import WIDEST
from symrob.words import Words
from tests.cli.calls import case_text
from tests.cli.tools import run

RUN = Trace(
    TraceStep("", "AT_REST", ("IDLE", "SHUT"), ("OK",)),
    (
        TraceStep("tau", "AWAKE", ("IDLE", "SHUT"), ("OK",), who="E"),
        TraceStep("line.2.go", "AWAKE", ("BUSY", "OPEN"), ("OK",), True, "both"),
        TraceStep("tau", "AWAKE", ("BUSY", "OPEN"), ("OK",), who="C"),
        TraceStep("done", "AWAKE", ("ERROR", "OPEN"), ("ERROR",), who="C"),
    ),
    "p.lts#P (Q~2)",
    ("MOTOR", "line.2:DOOR"),
)
WORDS = Words(
    actions={"line.*.go": "line * starts * times"},
    states={"MOTOR.BUSY": "running", "BUSY": "wrong", "OPEN": "ajar"},
    components={"E": "worker", "line.*:DOOR": "door *"},
    properties={"p.lts#P": "nobody is hurt", "p.lts": "wrong"},
)


def test_steps_say_who_acts_and_what_changes():
    assert list(trace_lines(RUN)) == [
        "  start     E: AT_REST; MOTOR: IDLE; line.2:DOOR: SHUT",
        "   1  E     tau                E: AT_REST → AWAKE",
        "   2  both  line.2.go (added)  MOTOR: IDLE → BUSY; line.2:DOOR: SHUT → OPEN",
        "   3  C     tau",
        "   4  C     done               MOTOR: BUSY → ERROR",
        "  violated: p.lts#P (Q~2)",
    ]
    assert run_line(RUN) == "tau → line.2.go (added) → tau → done"


def test_words_stand_for_names():
    assert list(trace_lines(RUN, WORDS)) == [
        "  start     worker: AT_REST; MOTOR: IDLE; door 2: SHUT",
        "   1  E     tau  worker: AT_REST → AWAKE",
        "   2  both  line 2 starts 2 times (added)  "
        "MOTOR: IDLE → running; door 2: SHUT → ajar",
        "   3  C     tau",
        "   4  C     done  MOTOR: running → ERROR",
        "  violated: nobody is hurt (p.lts#P (Q~2))",
    ]
    assert run_line(RUN, WORDS) == "tau → line 2 starts 2 times (added) → tau → done"


def test_runs_without_steps_or_controller():
    at_once = Trace(TraceStep("", "0"), (), "p.lts")
    lines = ["  start     E: 0", "  violated: p.lts"]
    assert list(trace_lines(at_once)) == lines
    assert run_line(at_once) == "doing nothing"


@pytest.mark.parametrize("seed", range(60))
def test_nothing_is_lost_and_nothing_too_wide(seed):
    rng = random.Random(seed)
    told = random_run(rng, "abAB[1]._", rng.choice((3, 20, 45)))
    lines = list(trace_lines(told))
    assert max(map(len, lines)) <= WIDEST
    assert read_back(lines, told.components) == told


@pytest.mark.parametrize("seed", range(20))
def test_hostile_names_neither_steer_a_terminal_nor_widen_a_line(seed):
    told = random_run(random.Random(seed), "a \x1b\n\t\u202e\xa0; →", 300)
    for line in [*trace_lines(told, widest=70), run_line(told)]:
        assert line.isprintable()
    assert max(map(len, trace_lines(told, widest=70))) <= 70
    heads = [line[:12].strip() for line in trace_lines(told, widest=70)]
    assert [h for h in heads if h and h != "violated:"] == [
        "start",
        *(f"{n}  {step.who}".strip() for n, step in enumerate(told.steps, 1)),
    ]


def random_run(rng, letters, longest):
    """A run of three parts; in each step any of them may move."""

    def name():
        return "".join(rng.choices(letters, k=rng.randint(1, longest)))

    states = [name() for _ in range(4)]
    parts = (name(), name())
    parts = parts if len({"E", *parts}) == 3 else ("F", "G")

    def step(action, added, who):
        return TraceStep(action, states[0], tuple(states[1:3]), (), added, who)

    start = step("", False, "")
    steps = []
    for _ in range(rng.randint(1, 12)):
        states[:3] = [name() if rng.random() < 0.5 else state for state in states[:3]]
        who = rng.choice(["E", "C", "both"])
        steps.append(step(name(), who != "C" and rng.random() < 0.3, who))
    return Trace(start, tuple(steps), name(), parts)


def read_back(lines, parts):
    """The run that lines tell, by their form alone."""
    whole = []
    for line in lines:
        if line.startswith(" " * 12):
            whole[-1] += "  " + line.strip()
        else:
            whole.append(line.strip())
    start, *steps, violated = whole
    states = dict(re.split(": +", s) for s in re.split(r";? +(?=\S+: )", start)[1:])
    order = ("E", *parts)
    told = [step_of("", states, order)]
    for line in steps:
        _number, who, action, rest = re.fullmatch(
            r"(\d+)  (E|C|both) +(\S+(?: \(added\))?)(?: +(.*))?", line
        ).groups()
        for change in re.split(r"; +", rest) if rest else ():
            part, old, new = re.fullmatch(r"(\S+): +(\S+) +→ +(\S+)", change).groups()
            assert states[part] == old != new
            states[part] = new
        told.append(step_of(action.split()[0], states, order, " " in action, who))
    return Trace(told[0], tuple(told[1:]), violated.split(": ")[1], parts)


def step_of(action, states, order, added=False, who=""):
    environment, *components = (states[part] for part in order)
    return TraceStep(action, environment, tuple(components), (), added, who)


# --- words of a case -------------------------------------------------------


E = "E = (a -> b -> E)."
C = "C = ({a, b} -> C)."
P = "property P = (a -> P) + {b}."


@pytest.fixture
def case(tmp_path):
    def make(words, folder="case"):
        home = tmp_path / folder
        home.mkdir(exist_ok=True)
        for name, text in (("e", E), ("c", C), ("p", P)):
            (home / f"{name}.lts").write_text(text, encoding="utf-8")
        path = home / "case.toml"
        path.write_text(case_text("e.lts", "c.lts", "p.lts") + words, encoding="utf-8")
        return path

    return make


def test_words_reach_the_run_of_an_unsafe_plan(case):
    done = run(
        "check",
        case(
            '[words.actions]\na = "begin"\nb = "the \\u001b[31mend"\n'
            '[words.states.E]\nE = "at rest"\n[words.components]\nE = "man"\n'
            '[words.properties]\n"p.lts" = "never b"\n'
        ),
    )
    assert done.code == 1
    assert done.err.splitlines()[-1].strip() == "violated: never b (p.lts)"
    assert "begin" in done.err
    assert "man: at rest" in done.err
    assert "the \\x1b[31mend" in done.err


def test_all_that_is_wrong_with_words_is_told_with_its_place(case):
    text = (
        "[words]\nstate = {}\ncomponents = 4\n[words.actions]\na = 3\n"
        'b = ""\n"x*y*" = "z"\nv.enter = "in"\n"v.enter" = "in"\n'
        f'c = "{"c" * 201}"\n[words.states]\n"" = "nothing"\nq = ["r"]\n'
    )
    path = case(text)
    done = run("check", path)
    assert done.code == 2
    assert done.err.count(": error: ") == 9
    first = path.read_text(encoding="utf-8").splitlines().index("[words]") + 1
    for below, part in (
        (1, "unknown key 'words.state'"),
        (2, "'words.components' must be a table"),
        (4, "'words.actions.a' must be a text of 1 to 200 characters"),
        (5, "'words.actions.b' must be a text"),
        (6, "'words.actions.x*y*' must have a name with at most one *"),
        (8, "'words.actions.v.enter' is given twice"),
        (9, "'words.actions.c' must be a text"),
        (11, "'words.states.' must have a name of 1 to"),
        (12, "'words.states.q' must be a text"),
    ):
        (line,) = [e for e in done.err.splitlines() if part in e and ": error" in e]
        assert line.startswith(f"{path}:{first + below}:"), line


def test_too_many_words(case):
    words = "".join(f'a{i} = "b"\n' for i in range(1001))
    done = run("check", case(f"[words.actions]\n{words}"))
    assert done.code == 2
    assert "'words.actions' has more than 1,000 words" in done.err


def test_names_that_no_model_has_are_doubts(case):
    unknown = "".join(f'{k} = "x"\n' for k in "zyxwvutsrq")
    text = (
        '[words.actions]\na = "x"\n"*" = "y"\n"c*" = "z"\n'
        f'[words.states]\n"E.E" = "x"\nCC = "y"\n[words.components]\n{unknown}'
        '[words.properties]\n"p.lts" = "x"\n"p.lst" = "x"\n'
    )
    doubts = [e for e in run("check", case(text)).err.splitlines() if "case-words" in e]
    assert len(doubts) == 12
    assert "words.actions: no model has the name 'c*'" in doubts[0]
    assert "words.states: no model has the name 'CC'" in doubts[1]
    assert "words.components: no model has the names of 2 more words" in doubts[10]
    assert "words.properties: no model has the name 'p.lst'" in doubts[11]
    assert run("check", case(text), "--strict").code == 2


def test_words_in_a_file_of_their_own(case, tmp_path):
    path = case('words = "words.toml"\n')
    words = path.parent / "words.toml"
    words.write_text('[words.actions]\na = "begin"\nother = "x"\n', encoding="utf-8")
    done = run("check", path)
    assert done.code == 1
    assert "begin" in done.err
    # Other cases may have what this one lacks.
    assert "case-words" not in done.err
    assert "file of words" in run("check", words).err
    assert "this is a model" in run("check", case('words = "e.lts"\n')).err
    words.write_text('[words.actions]\na = 1\n[more]\nb = "c"\n', encoding="utf-8")
    done = run("check", case('words = "words.toml"\n'))
    assert done.code == 2
    assert f"{words}:2:1: error" in done.err
    assert f"{words}:3:1: error: unknown key 'more'" in done.err
    done = run("check", case('words = "../words.toml"\n'))
    assert "leads out of the folder of the case file" in done.err


def test_a_batch_passes_over_files_of_words(case, tmp_path):
    path = case('words = "words.toml"\n')
    words = path.parent / "words.toml"
    words.write_text('[words.actions]\na = "begin"\n', encoding="utf-8")
    done = run("batch", path, words, "--out", tmp_path / "rows.jsonl")
    assert "file of words" in done.err
    assert len((tmp_path / "rows.jsonl").read_text().splitlines()) == 1
