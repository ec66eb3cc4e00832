"""The matrix of classes and actions, and the class of what cuts and explain name."""

import csv
import io
import json
import re
from collections import Counter
from itertools import pairwise, takewhile

import pytest
from hypothesis import given

from symrob.analyses.candidate_space import CandidateSpace
from symrob.analyses.classes import WORTHS
from symrob.analyses.hazards import alone
from symrob.analyses.overview import class_matrix
from symrob.errors import NominalViolation
from symrob.lts import Lts
from symrob.report.text import WIDEST
from tests.cli.tools import ROOT, run
from tests.engines import engine_of
from tests.generate import random_problem
from tests.oracles import classes as oracle
from tests.oracles import definition
from tests.report.svgtools import of_class, read
from tests.strategies import rngs

THERAC = "models/therac25/therac25.toml"
PUMP = "models/pca_pump/pca_pump_2.toml"


def rows_of(case, *options):
    return json.loads(run("summary", case, *options, "--format", "json").out)["classes"]


@given(rngs())
def test_counts_are_those_of_the_definition(rng):
    """Δ by trying all sets, each candidate judged and classified by itself."""
    problem = random_problem(rng)
    delta = definition.delta(*problem)
    if delta is None:
        with pytest.raises(NominalViolation):
            engine_of(problem)
        return
    engine = engine_of(problem)
    found = class_matrix(
        CandidateSpace(engine), CandidateSpace(engine).summarised(), alone(engine)
    )
    expected = Counter()
    environment, controller, properties, constraints = problem
    for candidate in definition.candidates(environment):
        kind, _ = oracle.kind(environment, 0, candidate)
        there = [candidate in d for d in delta]
        safe = definition.violation(environment, (candidate,), controller, properties)
        kept = definition.violation(environment, (candidate,), None, constraints)
        if any(there):
            worth = "always" if all(there) else "contested"
        elif kept is None:
            worth = "hazardous"
        else:
            worth = "excluded-safe" if safe is None else "excluded-unsafe"
        expected[kind, candidate[1], worth] += 1
    assert expected == {
        (kind, action, worth): many
        for kind, action, counts in found.cells()
        for worth, many in counts.items()
    }


@pytest.mark.parametrize("case", [THERAC, PUMP, "models/press/press.toml"])
def test_the_matrix_is_narrow_and_says_what_the_json_says(case):
    lines = run("summary", case, "--all").out.splitlines()
    start = next(i for i, line in enumerate(lines) if " by action and class: " in line)
    matrix = list(takewhile(lambda line: "olerated:" not in line, lines[start:]))
    matrix.pop()
    assert max(map(len, matrix)) <= WIDEST
    assert not any("more action" in line for line in matrix)
    expected = {}
    for row in rows_of(case):
        assert set(row["counts"]) == set(WORTHS)
        counts = Counter({w: n for w, n in row["counts"].items() if n})
        for action in (row["action"], "all"):
            for name in (row["name"], "all"):
                expected.setdefault((action, name), Counter()).update(counts)
    expected = {key: dict(counts) for key, counts in expected.items() if counts}
    assert read_table(matrix) == expected


def read_table(lines):
    """Counts by action and class, as the lines of the table say them."""
    marks = dict(zip(("", "+", "?", "!", "~", "-"), WORTHS, strict=False))
    # The legend may go on below its first line, by four characters to the right.
    start = next(n for n, line in enumerate(lines) if line.startswith("     "))
    blocks = [[]]
    for line in lines[start:]:
        blocks.append([]) if not line else blocks[-1].append(line)
    told = {}
    for block in blocks:
        *above, below = takewhile(lambda line: line.startswith("   "), block)
        rows = block[len(above) + 1 :]
        (above,) = above or [""]
        # Columns end where their names do: they stand to the right.
        ends = [m.end() for m in re.finditer(r"\S+(?: \S+)*", below)]
        begins = [0, *ends]
        heads = [
            " ".join((above[a:b].strip(), below[a:b].strip())).strip()
            for a, b in pairwise(begins)
        ]
        first = min(len(row) - len(row[2:].lstrip()) for row in rows)
        assert first == 2
        for row in rows:
            action, *cells = re.split(" {2,}", row.strip())
            assert len(cells) == len(heads)
            for head, cell in zip(heads, cells, strict=True):
                counts = re.findall(r"([+?!~-]?)(\d+)", cell)
                assert " ".join(map("".join, counts)) == cell.strip(".")
                if counts:
                    told[action, head] = {marks[m]: int(n) for m, n in counts}
    return told


def test_actions_that_do_not_fit_are_counted():
    """Those with the most that violates a property are shown; sums are of all."""
    lines = run("summary", PUMP).out.splitlines()
    start = next(i for i, line in enumerate(lines) if " by action and class: " in line)
    end = next(i for i, line in enumerate(lines) if "more action" in line)
    told, more = read_table(lines[start:end]), lines[end]
    shown = {action for action, _ in told} - {"all"}
    every = {}
    for row in rows_of(PUMP):
        every.setdefault(row["action"], Counter()).update(row["counts"])
    left = len(every) - len(shown)
    assert more == f"  … {left} more actions; --all lists them"
    assert len(shown) == 20

    def grave(action):
        worths = ("hazardous", "contested", "unknown", "excluded-unsafe")
        return tuple(every[action][worth] for worth in worths)

    hidden = every.keys() - shown
    assert max(map(grave, hidden)) <= min(map(grave, shown))
    total = sum(every.values(), Counter())
    assert told["all", "all"] == {w: n for w, n in total.items() if n}


def test_hostile_names_keep_the_matrix_in_its_width(tmp_path):
    environment = {
        "alphabet": ["\x1b[2J" + "a" * 300, "b\n"],
        "states": 2,
        "transitions": [[0, "b\n", 1]],
    }
    monitor = {"alphabet": ["b\n"], "states": 1, "transitions": [[0, "b\n", 0]]}
    for name, model in (("e", environment), ("p", monitor)):
        (tmp_path / f"{name}.json").write_text(json.dumps(model), "utf-8")
    done = run(
        *("summary", "--env", tmp_path / "e.json", "--ctrl", tmp_path / "p.json"),
        *("--prop", tmp_path / "p.json"),
    )
    assert done.code == 0, done.err
    assert "\x1b" not in done.out
    lines = done.out.splitlines()
    start = next(i for i, line in enumerate(lines) if " by action and class: " in line)
    matrix = list(takewhile(bool, lines[start:]))
    assert len(matrix) > 3
    assert max(map(len, matrix)) <= WIDEST


def test_csv_has_the_rows_of_the_json():
    text = run("summary", THERAC, "--format", "csv").out
    rows = [
        {head: int(cell) if cell.isdigit() else cell for head, cell in row.items()}
        for row in csv.DictReader(io.StringIO(text))
    ]
    assert rows == [
        {key: row[key] for key in ("class", "name", "action")}
        | {worth.replace("-", "_"): row["counts"][worth] for worth in WORTHS}
        for row in rows_of(THERAC)
    ]


def test_a_picture_of_the_matrix_has_its_counts():
    done = run("draw", THERAC, "--classes")
    assert done.code == 0, done.err
    drawn = {}
    for cell in of_class(read(done.out), "cell"):
        for line in cell.lines:
            many, worth = line.split(" ", 1)
            kind = next(k for k in cell.classes if k != "cell")
            drawn[kind, worth] = drawn.get((kind, worth), 0) + int(many)
    said = {
        "excluded-unsafe": "unsafe, excluded by an assumption",
        "excluded-safe": "safe, excluded by an assumption",
    }
    expected = Counter()
    for row in rows_of(THERAC):
        for worth in WORTHS:
            expected[row["class"], said.get(worth, worth)] += row["counts"][worth]
    assert drawn == {key: many for key, many in expected.items() if many}


@pytest.mark.parametrize(
    ("options", "code"),
    [
        (["--classes", "--verdicts"], "usage-verdicts"),
        (["--classes", "--hide-inert"], "usage-verdicts"),
        (["--classes", "--format", "dot"], "usage-format"),
    ],
)
def test_a_picture_of_classes_is_nothing_else(options, code):
    done = run("draw", THERAC, *options)
    assert done.code == 2
    assert f"[{code}]" in done.err


CLASSES = '[classes]\nomission = "skipped step"\nrepetition = "done twice"\n'


def renamed(tmp_path, text):
    """The Therac-25, with names for classes."""
    case = tmp_path / "case.toml"
    folder = f"{ROOT}/models/therac25"
    case.write_text(
        f'environment = "{folder}/nurse.lts"\n'
        f'controller = "{folder}/machines.lts#THERAC25"\n'
        f'properties = ["{folder}/xflat.lts"]\n{text}',
        "utf-8",
    )
    return case


def test_a_case_names_the_classes(tmp_path):
    case = renamed(tmp_path, CLASSES)
    told = run("summary", case, "--allow-outside").out
    lines = told.partition(" by action and class")[2].splitlines()
    end = lines.index(next(line for line in lines if "olerated: " in line))
    assert {name for _, name in read_table(lines[: end - 1])} >= {
        "skipped step",
        "done twice",
    }
    assert "omission" not in told
    text = ("MODE_CHOSEN,x,MODE_CHOSEN", "NO_MODE,enter,CONFIRMED")
    asked = [part for t in text for part in ("--transition", t)]
    explained = run("explain", case, "--allow-outside", *asked).out
    assert "x      MODE_CHOSEN → MODE_CHOSEN (done twice)" in explained
    assert "(skipped step of e)" in explained
    assert "(done twice)" in run("cuts", case, "--allow-outside").out


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ('omision = "x"', "unknown key 'classes.omision'"),
        ("omission = 1", "'classes.omission' must be a string of 1 to 60 characters"),
        ('omission = "repetition"', "is called 'repetition', as is 'repetition'"),
        ('omission = "x"\nintrusion = "x"', "'classes.omission' is called 'x'"),
    ],
)
def test_names_of_classes_that_are_wrong(tmp_path, text, says):
    case = renamed(tmp_path, f"[classes]\n{text}\n")
    done = run("summary", case, "--allow-outside")
    assert done.code == 2
    assert says in done.err


@pytest.mark.parametrize("command", ["cuts", "explain"])
def test_classes_stand_beside_transitions(command):
    asked = ["--transition", "class:repetition"] if command == "explain" else []
    data = json.loads(run(command, THERAC, *asked, "--format", "json").out)
    sets = data["cuts"] if command == "cuts" else [data | {"transitions": data["new"]}]
    assert sets
    environment = Lts.from_dict(data["environment"])
    for each in sets:
        kinds = [oracle.kind(environment, 0, tuple(t)) for t in each["transitions"]]
        assert [(k["class"], k["left_out"]) for k in each["classes"]] == kinds


def test_extra_states_are_foreign():
    rows = rows_of(THERAC, "--extra-states", "1")
    assert sum(
        sum(row["counts"].values()) for row in rows if row["class"] == "foreign-state"
    ) == 5 * (5 * 5 - 4 * 4)
