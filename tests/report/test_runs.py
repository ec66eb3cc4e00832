"""Runs as sentences, against the run itself: nothing is lost, nothing is too wide."""

import random
import re
from dataclasses import replace

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
    models={"E": "nobody", "C": "press"},
)


def test_steps_say_who_acts_and_what_changes():
    assert list(trace_lines(RUN)) == [
        "  start     E: AT_REST; MOTOR: IDLE; line.2: SHUT",
        "   1  E    tau                E: AT_REST → AWAKE",
        "   2  E+C  line.2.go (added)  E: AWAKE (unchanged); MOTOR: IDLE → BUSY; "
        "line.2: SHUT → OPEN",
        "   3  C    tau",
        "   4  C    done               MOTOR: BUSY → ERROR",
        "  violates p.lts#P (Q~2)",
        "  state     E: AWAKE; MOTOR: ERROR; line.2: OPEN",
    ]
    assert run_line(RUN) == "tau → line.2.go (added) → tau → done"


def test_words_stand_for_names():
    assert list(trace_lines(RUN, WORDS)) == [
        "  start     worker: AT_REST; MOTOR: IDLE; door 2: SHUT",
        "   1  worker        tau  worker: AT_REST → AWAKE",
        "   2  worker+press  line 2 starts 2 times (added)",
        "              worker: AWAKE (unchanged); MOTOR: IDLE → running; "
        "door 2: SHUT → ajar",
        "   3  press         tau",
        "   4  press         done  MOTOR: running → ERROR",
        "  violates 'nobody is hurt' (p.lts#P (Q~2))",
        "  state     worker: AWAKE; MOTOR: ERROR; door 2: ajar",
    ]
    assert run_line(RUN, WORDS) == "tau → line 2 starts 2 times (added) → tau → done"


def test_long_names_of_models_are_cut():
    models = Words(models={"E": "a_very_long_name_of_a_model", "C": "C"})
    _, first, *_ = trace_lines(RUN, models)
    assert first.startswith("   1  a_very_long_name_of_a_m…  tau")


def test_runs_without_steps_or_controller():
    at_once = Trace(TraceStep("", "0"), (), "p.lts")
    lines = ["  start     E: 0", "  violates p.lts"]
    assert list(trace_lines(at_once)) == lines
    assert run_line(at_once) == "the start"


def network_run(*states, components=(), names=("w1", "w2", "w3")):
    """A run of a composed E; a text is a state that was added to it."""
    start, *steps = (
        TraceStep(
            "go" if n else "",
            state if isinstance(state, str) else "|".join(state),
            components,
            parts=() if isinstance(state, str) else state,
            who="E" if n else "",
        )
        for n, state in enumerate(states)
    )
    own = ("MOTOR",) * len(components)
    return Trace(start, tuple(steps), "p.lts", own, names)


def test_components_of_the_environment_stand_apart():
    run_ = network_run(("OFF",) * 3, ("OFF", "ON", "ON"), components=("IDLE",))
    assert list(trace_lines(run_)) == [
        "  start     w1–3: OFF; MOTOR: IDLE",
        "   1  E  go  w2–3: OFF → ON",
        "  violates p.lts",
    ]
    words = Words(
        states={"w2.OFF": "asleep", "OFF": "off"}, components={"w*": "pump *"}
    )
    assert list(trace_lines(run_, words)) == [
        "  start     pump 1, pump 3: off; pump 2: asleep; MOTOR: IDLE",
        "   1  E  go  pump 2: asleep → ON; pump 3: off → ON",
        "  violates p.lts",
    ]


def test_a_colon_in_brackets_is_part_of_a_name():
    names = ("supervisor(S:Collision)", "a.1:P", "b:Q(1)")
    assert next(trace_lines(network_run(("OFF", "ON", "IN"), names=names))) == (
        "  start     supervisor(S:Collision): OFF; a.1: ON; b: IN"
    )


def test_only_consecutive_numbers_are_joined():
    names = ("w9", "w10", "w12", "v13", "w014", "w15")
    assert next(trace_lines(network_run(("OFF",) * 6, names=names))) == (
        "  start     w9–10, w12, w15, v13, w014: OFF"
    )
    names = ("a.1:P", "a.2:P", "b1c", "b2c", "x", "x1")
    assert next(trace_lines(network_run(("OFF",) * 6, names=names))) == (
        "  start     a.1–2, b1–2c, x, x1: OFF"
    )
    words = Words(components={"w*": "line *"})
    run_ = network_run(("OFF", "ON", "OFF"), names=("w2", "w3", "w1"))
    assert next(trace_lines(run_, words)) == "  start     lines 1–2: OFF; line 3: ON"


def test_states_that_were_added_to_a_composed_environment():
    states = (("OFF",) * 3, "NEW", "NEWER", ("OFF", "OFF", "ON"))
    lines = [
        "   1  E  go  E: NEW",
        "   2  E  go  E: NEW → NEWER",
        "   3  E  go  w1–2: OFF; w3: ON",
        "  violates p.lts",
    ]
    for components in ((), ("IDLE",)):
        _, *steps, end = trace_lines(network_run(*states, components=components))
        assert steps == lines
        assert end.startswith("  state     w1–2: OFF; w3: ON")


def test_what_stays_in_an_added_step_is_named_where_it_could_move():
    (step,) = network_run(("OFF",) * 3, ("OFF", "ON", "OFF")).steps
    plain = network_run(("OFF",) * 3, ("OFF", "ON", "OFF"))
    told = replace(
        plain,
        steps=(replace(step, added=True),),
        alphabets=({"go"}, {"go"}, {"stop"}),
    )
    (line,) = (line for line in trace_lines(told) if " go " in line)
    assert line == "   1  E  go (added)  w1: OFF (unchanged); w2: OFF → ON"


@pytest.mark.parametrize("seed", range(60))
def test_nothing_is_lost_and_nothing_too_wide(seed):
    rng = random.Random(seed)
    told = random_run(rng, "abAB[1]._", rng.choice((3, 20, 45)))
    lines = list(trace_lines(told))
    assert max(map(len, lines)) <= WIDEST
    assert read_back(lines, told) == told


def folded_runs(told):
    """The numbers of planned steps that are one line: three or more in a row.

    The last two steps are told, and so is everything where nothing is added.
    """
    planned = "".join("-+"[step.added] for step in told.steps)
    if "+" not in planned:
        return []
    before, plus, after = planned.rpartition("+")
    told_last = after[max(len(after) - 2, 0) :]
    letters = before + plus + after[: len(after) - len(told_last)]
    return [range(m.start() + 1, m.end() + 1) for m in re.finditer("-{3,}", letters)]


@pytest.mark.parametrize("seed", range(60))
def test_planned_steps_in_a_row_are_one_line(seed):
    told = random_run(random.Random(seed), "abAB[1]._", 12, steps=(6, 14), added=0.15)
    lines = list(trace_lines(told, fold=True))
    assert max(map(len, lines)) <= WIDEST
    runs = folded_runs(told)
    if not runs:
        assert lines == list(trace_lines(told))
        return
    heads = [line for line in lines if " as planned: " in line]
    for run_, head in zip(runs, heads, strict=True):
        first, last = run_[0], run_[-1]
        at = lines.index(head)
        then = at + next(
            n for n, s in enumerate(lines[at:]) if s.startswith("  state ")
        )
        text = " ".join(map(str.strip, lines[at:then]))
        actions = re.fullmatch(rf"{first}–{last} as planned: (.*)", text)[1].split(", ")
        planned = [step.action for step in told.steps[first - 1 : last]]
        assert actions == (
            planned if "…" not in actions else [planned[0], "…", planned[-1]]
        )
        start = replace(told.steps[last - 1], action="", who="")
        states = [*trace_lines(replace(told, start=start, steps=(), violated=""))]
        states[0] = states[0].replace("  start", "  state", 1)
        assert lines[then : then + len(states)] == states
    whole = {n for run_ in runs for n in run_}
    shown = [
        int(m[1]) for line in lines if (m := re.match(r" {2,4}(\d+)  (?=\S)", line))
    ]
    assert shown == [n for n in range(1, len(told.steps) + 1) if n not in whole]


@pytest.mark.parametrize("seed", range(20))
def test_hostile_names_neither_steer_a_terminal_nor_widen_a_line(seed):
    told = random_run(random.Random(seed), "a \x1b\n\t\u202e\xa0; →", 300)
    for line in [*trace_lines(told, widest=70), run_line(told)]:
        assert line.isprintable()
    assert max(map(len, trace_lines(told, widest=70))) <= 70
    assert max(map(len, trace_lines(told, widest=70, fold=True))) <= 70
    heads = [line[:12].strip() for line in trace_lines(told, widest=70)]
    first, *steps, last = (
        head.split()[:2] for head in heads if head and head != "state"
    )
    assert (first, last[0]) == (["start"], "violates")
    who = {"both": "E+C"}
    assert steps == [
        [str(n), who.get(step.who, step.who)] for n, step in enumerate(told.steps, 1)
    ]


def random_run(rng, letters, longest, *, steps=(1, 12), added=0.3):
    """A run of two components of C, and of E as one or of three of its own.

    In each step any of them may move; a composed E may enter a state added to it.
    """

    def name():
        return "".join(rng.choices(letters, k=rng.randint(1, longest)))

    def some():
        # Few states, so that components with consecutive numbers agree.
        return name() if rng.random() < 0.3 else rng.choice(pool)

    pool = [name() for _ in range(2)]
    own = rng.choice(((), ("w1", "w2", "w3"), ("a.9:P", "a.10:P", "x")))
    parts = (name(), name())
    parts = parts if len({"E", *own, *parts}) == 3 + len(own) else ("F", "G")
    states = [name() for _ in parts]
    locals_, extra = [some() for _ in own], name()

    def step(action, is_added, who):
        composed = own and rng.random() < 0.85
        environment = "|".join(locals_) if composed else extra
        local = tuple(locals_) if composed else ()
        return TraceStep(
            action, environment, tuple(states), (), is_added, who, parts=local
        )

    start = step("", False, "")
    taken = []
    for _ in range(rng.randint(*steps)):
        states[:] = [name() if rng.random() < 0.5 else state for state in states]
        locals_[:] = [some() if rng.random() < 0.5 else state for state in locals_]
        extra = name() if rng.random() < 0.5 else extra
        who = rng.choice(["E", "C", "both"])
        taken.append(step(name(), who != "C" and rng.random() < added, who))
    actions = [one.action for one in taken]
    alphabets = tuple({a for a in actions if rng.random() < 0.5} for _ in own)
    return Trace(start, tuple(taken), name(), parts, own, alphabets)


def read_back(lines, told, first=1):
    """The run that lines tell, by their form and the names of its parts alone."""
    whole = []
    for line in lines:
        if line.startswith(" " * 12):
            whole[-1] += "  " + line.strip()
        else:
            whole.append(line.strip())
    end = whole.pop() if whole[-1].startswith("state ") else None
    begin, *steps, violates = whole
    assert (end is not None) == (len(steps) > 1)
    states = dict(expanded(re.sub(r"^start +", "", begin).split(";")))
    start = step_of("", states, told)
    taken = []
    for number, line in enumerate(steps, first):
        counted, who, action, rest = re.fullmatch(
            r"(\d+)  (E|C|E\+C) +(\S+(?: \(added\))?)(?: +(.*))?", line
        ).groups()
        who = "both" if who == "E+C" else who
        assert int(counted) == number
        changes = rest.split(";") if rest else ()
        before, stay = dict(states), set()
        for part, change in expanded(changes):
            old, arrow, new, still = re.fullmatch(
                r"(?:(\S+) +(→) +)?(\S+)( +\(unchanged\))?", change
            ).groups()
            if still:
                assert states[part] == new
                assert part not in told.components
                assert "(added)" in action
                stay.add(part)
            elif arrow:
                assert states[part] == old != new
            elif part == "E":
                # Into a state that was added to E, where its components have none.
                states = {p: s for p, s in states.items() if p in told.components}
            else:
                states.pop("E", None)
            states[part] = new
        added = action.endswith(" (added)")
        mine = [name.split(":")[0] for name in told.parts]
        sharing = [
            part
            for part, alphabet in zip(mine, told.alphabets, strict=True)
            if action.split()[0] in alphabet
        ]
        where = sharing if told.parts and "E" not in before | states else ["E"]
        assert stay == {
            part
            for part in where
            if added and part in before and before[part] == states.get(part)
        }
        taken.append(step_of(action.split()[0], states, told, added, who))
    if end is not None:
        assert dict(expanded(re.sub(r"^state +", "", end).split(";"))) == states
    named = violates.removeprefix("violates ")
    return Trace(start, tuple(taken), named, told.components, told.parts)


def expanded(items):
    """(component, what it says) of `w1–3, MOTOR: OFF`."""
    for item in items:
        labels, said = re.split(": +", item.strip(), maxsplit=1)
        yield from ((one, said) for label in labels.split(",") for one in each(label))


def each(label):
    """The components of `w1–3`, and that of `MOTOR`."""
    label = label.strip()
    if several := re.fullmatch(r"(.*?)(\d+)–(\d+)(\D*)", label):
        before, low, high, after = several.groups()
        for number in range(int(low), int(high) + 1):
            yield f"{before}{number}{after}"
    else:
        yield label


def step_of(action, states, told, added=False, who=""):
    own = () if "E" in states else tuple(states[p.split(":")[0]] for p in told.parts)
    environment = states["E"] if "E" in states else "|".join(own)
    components = tuple(states[part] for part in told.components)
    return TraceStep(action, environment, components, (), added, who, parts=own)


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
    *_, violates, allowed, _state = done.err.splitlines()
    assert violates == "  violates 'never b' (p.lts)"
    assert allowed.strip() == "at this point it allows only: begin"
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
        (4, "'words.actions.a' must be a string of 1 to 200 characters"),
        (5, "'words.actions.b' must be a string"),
        (6, "'words.actions.x*y*' must have a name with at most one *"),
        (8, "'words.actions.v.enter' is given twice"),
        (9, "'words.actions.c' must be a string"),
        (11, "'words.states.' must have a name of 1 to"),
        (12, "'words.states.q' must be a string"),
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
    words.write_text('[actions]\na = "begin"\n', encoding="utf-8")
    done = run("check", case('words = "words.toml"\n'))
    assert "unknown key 'actions'" in done.err
    assert "hint: did you mean 'words.actions'?" in done.err
    done = run("check", case('words = "../words.toml"\n'))
    assert "'../words.toml' is outside" in done.err


def test_a_batch_passes_over_files_of_words(case, tmp_path):
    path = case('words = "words.toml"\n')
    words = path.parent / "words.toml"
    words.write_text('[words.actions]\na = "begin"\n', encoding="utf-8")
    done = run("batch", path, words, "--out", tmp_path / "rows.jsonl")
    assert "file of words" in done.err
    assert len((tmp_path / "rows.jsonl").read_text().splitlines()) == 1
