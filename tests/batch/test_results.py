"""`symrob results`: filters, orders, exports, and what changed between two batches."""

import csv
import io
import json
import random
import re
from itertools import combinations
from xml.etree import ElementTree

import pytest

from symrob.analyses.changes import changes
from symrob.analyses.coverage import NotCovered
from symrob.batch.text import compact
from symrob.report.json import encoded
from tests.cli.tools import ROOT, run
from tests.generate import random_problem
from tests.schemas import validate

HOSTILE = (
    "=cmd|' /C calc'!A0",
    "+1",
    "-1",
    "@SUM(A1)",
    "\t=1",
    " =1",
    "a\x1b[31mred\x07",
    "two\nlines",
    'quo"te, comma',
    "]]><script>alert(1)</script>&amp;",
    "a|b`c*d_e[f](g)#1!~",
    "\u202eevil",
    "\ud800",
    "\ufffe",
)

ENVIRONMENT = {
    "alphabet": ["a", "b"],
    "end": None,
    "states": 2,
    "names": ["OFF", "ON"],
    "transitions": [[0, "a", 1]],
}
NOMINAL = (0, "a", 1)
NEW = ((0, "a", 0), (0, "b", 0), (0, "b", 1), (1, "a", 0), (1, "b", 1))


def row(case, status="complete", delta=None, **more):
    made = {
        "schema": "symrob/row/2",
        "case": case,
        "choice": "",
        "title": f"title of {case}",
        "labels": [],
        "constants": {},
        "row": None,
        "paper": {},
        "input": "0" * 64,
        "limits": {},
        "status": status,
        "reason": "",
        "diagnostics": [],
        "trace": None,
        **dict.fromkeys(("result", "summary", "cuts", "compare", "risk")),
        "timing": {"seconds": 0.5},
    }
    if delta is not None:
        made["result"] = {
            "schema": "symrob/result/3",
            "title": "",
            "status": status,
            "reason": "",
            "algorithm": "maximal",
            "among": None,
            "modes": None,
            "at_most": None,
            "identifiers": {},
            "not_covered": encoded(NotCovered()),
            "verdicts": None,
            "vacuous": [],
            "side_report": None,
            "environment": ENVIRONMENT,
            "delta_modes": None,
            "delta": sorted(sorted([list(NOMINAL), *map(list, d)]) for d in delta),
            "statistics": {
                "actions": 3,
                "environment_states": 2,
                "controller_states": None,
                "property_states": 1,
                "winning_set": 1234,
                "winning_set_per_env_deviation": [],
                "candidates": 7,
                "delta": len(delta),
                "largest": max((len(d) for d in delta), default=0) + 1,
            },
            "warnings": [],
            "timing": {"backend": "cudd", "seconds": 0.25},
            "versions": {"symrob": "0"},
        }
    return {**made, **more}


@pytest.fixture
def file(tmp_path):
    def of(*rows, name="rows.jsonl"):
        path = tmp_path / name
        path.write_text("".join(compact(r) + "\n" for r in rows), encoding="utf-8")
        return str(path)

    return of


def printed(*args):
    done = run("results", *args)
    assert (done.code, done.err) == (0, ""), done.err
    return done.out


def keys(*args):
    lines = printed(*args, "--format", "jsonl").splitlines()
    return [json.loads(line)["case"] for line in lines]


SOME = (
    row("b/2", delta=[NEW[:1]], labels=["x", "y"]),
    row("a/1", delta=[NEW[:3], NEW[2:]], labels=["x"], timing={"seconds": 3.0}),
    row("c/3", "timeout", reason="stopped after 1 s"),
    row("a/0", "nominal", reason="unsafe"),
)


def test_the_rows_here_are_such_as_batch_writes():
    for one in SOME:
        validate(one, "row")


@pytest.mark.parametrize(
    ("args", "expected"),
    [
        ((), ["a/0", "a/1", "b/2", "c/3"]),
        (("--status", "complete"), ["a/1", "b/2"]),
        (("--status", "timeout", "--status", "nominal"), ["a/0", "c/3"]),
        (("--label", "x"), ["a/1", "b/2"]),
        (("--label", "x", "--label", "y"), ["b/2"]),
        (("--case", "a/*"), ["a/0", "a/1"]),
        (("--case", "?/2"), ["b/2"]),
    ],
)
def test_filters(file, args, expected):
    assert keys(file(*SOME), *args) == expected


@pytest.mark.parametrize(
    "args",
    [
        ("--status", "good"),
        ("--format", "xml"),
    ],
)
def test_words_that_nobody_knows(file, args):
    done = run("results", file(*SOME), *args)
    assert done.code == 2
    assert args[0] in done.err
    assert f", not '{args[1]}'" in done.err


def test_text_shows_figures_and_reasons(file):
    out = printed(file(*SOME))
    cells = next(line for line in out.splitlines() if line.startswith("a/1 ")).split()
    assert cells == ["a/1", "complete", "2", "4", "7", "1,234", "3.000"]


def test_the_four_verdicts_are_shown_where_they_were_computed(tmp_path):
    rows = tmp_path / "rows.jsonl"
    case = "models/therac25/therac25.toml"
    assert run("batch", case, "--out", rows, "-j", 1).code == 0
    first, second, *rest = run("results", rows).out.splitlines()
    head, cells = (line.split("  ") for line in (first, second))
    heads, cells = ([c.strip() for c in line if c] for line in (head, cells))
    shown = dict(zip(heads, cells, strict=True))
    legend = " ".join(" ".join(rest[1:]).split())
    named = re.findall(r"(?:^|; )([^:]+): ", legend)
    figures = ["|Δ|", "|d_max|", "|A \\ R_E|", "unsafe, safe", "|W|", "s"]
    assert named == figures
    verdicts = ("tolerated", "hazardous", "unsafe", "safe")
    assert [shown[v] for v in verdicts] == ["20", "5", "5", "46"]
    csv = run("results", rows, "--format", "csv").out.splitlines()
    names = csv[0].split(",")
    told = dict(zip(names, csv[1].split(","), strict=False))
    assert (told["excluded-unsafe"], told["undecided"]) == ("5", "0")


def test_text_ends_with_reasons(file):
    out = printed(file(*SOME))
    assert "c/3   timeout  stopped after 1 s" in out
    assert out.rstrip().endswith("4 rows: 2 complete, 1 timeout, 1 nominal; 4.5 s")


@pytest.mark.parametrize("text", HOSTILE)
def test_names_of_strangers_are_harmless_in_every_format(file, text):
    bad = row(
        text,
        "error",
        title=text,
        labels=[text],
        constants={text: 1},
        reason=text,
        row=text,
        diagnostics=[
            {"code": "x", "message": text, "severity": "error", "length": 1}
            | dict.fromkeys(("file", "line", "column", "source", "hint"))
        ],
    )
    shown = row(text + "2", delta=[NEW[:1]], row=text, title=text)
    path = file(bad, shown)

    def clean(out):
        assert all(c.isprintable() or c == "\n" for c in out)

    out = printed(path)
    clean(out)
    out = printed(path, "--format", "csv")
    clean(out)
    table = list(csv.reader(io.StringIO(out)))
    assert len(table) == 3
    for cell in (c for line in table[1:] for c in line):
        assert cell[:1] not in tuple("=+-@\t\r|%")
        assert cell.strip()[:1] not in tuple("=+-@|%")
    out = printed(path, "--format", "junit")
    clean(out)
    suite = ElementTree.fromstring(out)
    assert len(suite.findall(".//testcase")) == 2
    assert suite.find(".//script") is None
    out = printed(path, "--format", "markdown")
    clean(out)
    assert len(out.splitlines()) == 4
    assert "<" not in out
    for line in out.splitlines()[2:]:
        assert line.replace("\\\\", "").replace("\\|", "").count("|") == 17
    clean(printed(path, path))
    clean(printed(path, path, "--format", "junit"))
    clean(printed(path, path, "--format", "markdown"))


def test_junit_tells_failures_from_errors(file):
    suite = ElementTree.fromstring(printed(file(*SOME), "--format", "junit"))
    (tests,) = suite
    assert {k: tests.get(k) for k in ("tests", "failures", "errors", "skipped")} == {
        "tests": "4",
        "failures": "1",
        "errors": "1",
        "skipped": "0",
    }
    kinds = {t.get("name"): [c.tag for c in t] for t in tests}
    assert kinds == {"a/0": ["failure"], "a/1": [], "b/2": [], "c/3": ["error"]}
    assert tests.find(".//failure").get("message") == "nominal, unsafe"


# --- what changed ---------------------------------------------------------


def verdict(old, new):
    (change,) = changes([old], [new])
    return change


def tolerates(delta, deviation):
    return any(set(deviation) <= set(d) for d in delta)


def expected_verdict(one, other):
    """Def. 6 and 7 by trying every set of transitions."""
    sets = [s for k in range(len(NEW) + 1) for s in combinations(NEW, k)]
    first = {s for s in sets if tolerates(one, s)}
    second = {s for s in sets if tolerates(other, s)}
    if first == second:
        return "equal"
    if first < second:
        return "more"
    return "less" if second < first else "incomparable"


def antichain(rng):
    count = rng.randint(1, 4)
    sets = [frozenset(t for t in NEW if rng.random() < 0.6) for _ in range(count)]
    return [s for s in dict.fromkeys(sets) if not any(s < t for t in sets)]


def test_verdicts_are_those_of_the_definition():
    rng = random.Random(5)
    seen = set()
    for _ in range(400):
        one, other = antichain(rng), antichain(rng)
        found = verdict(row("a", delta=one), row("a", delta=other))
        assert found.verdict == expected_verdict(one, other)
        seen.add(found.verdict)
        number = {"OFF": 0, "ON": 1}
        for part, mine, theirs in (
            (found.gained, other, one),
            (found.lost, one, other),
        ):
            triples = {(number[s], a, number[t]) for s, a, t in part}
            # Beyond one that is tolerated there, and part of one tolerated here only.
            assert bool(part) == any(not tolerates(theirs, d) for d in mine)
            assert not part or any(
                triples <= set(d) and not tolerates(theirs, d) for d in mine
            )
            rests = [
                len(set(d) - set(e))
                for d in mine
                if not tolerates(theirs, d)
                for e in theirs
            ]
            assert len(part) == min(rests, default=0)
    assert seen == {"equal", "more", "less", "incomparable"}


def summary_of(delta):
    """A summary as far as it is looked at: what is never tolerated alone."""
    never = [list(t) for t in NEW if not tolerates(delta, {t})]
    return {"environment": ENVIRONMENT, "never": never}


@pytest.mark.parametrize("summaries", [0.0, 0.6, 1.0])
def test_verdicts_of_lists_that_are_not_complete_are_never_wrong(summaries):
    """Whatever the rest of a list may be, a verdict other than unknown is right."""
    rng = random.Random(6)
    seen = set()
    for _ in range(600):
        one, other = antichain(rng), antichain(rng)
        other = one if rng.random() < 0.2 else other
        sides = []
        for delta in (one, other):
            known = rng.sample(delta, rng.randint(0, len(delta)))
            complete = rng.random() < 0.4
            status = "complete" if complete else "timeout"
            side = row("a", status, delta=delta if complete else known)
            if rng.random() < summaries:
                side["summary"] = summary_of(delta)
                if rng.random() < 0.3:
                    del side["result"]
            sides.append(side)
        found = verdict(*sides)
        seen.add(found.verdict)
        if found.verdict != "unknown":
            assert found.verdict == expected_verdict(one, other)
            assert bool(found.lost) == (found.verdict in ("less", "incomparable"))
            assert bool(found.gained) == (found.verdict in ("more", "incomparable"))
    assert seen == {"equal", "more", "less", "incomparable", "unknown"}


def test_two_summaries_show_what_is_refused_alone():
    """Without any list of deviations: each side refuses what the other tolerates."""
    one = row("a", "timeout", summary=summary_of([NEW[:2]]))
    other = row("a", "timeout", summary=summary_of([NEW[1:]]))
    found = verdict(one, other)
    assert found.verdict == "incomparable"
    assert found.lost == (("OFF", "a", "OFF"),)
    assert found.gained == (("OFF", "b", "ON"),)
    assert verdict(one, one).verdict == "unknown"


def test_what_else_may_have_become_of_a_case():
    some = row("a", delta=[NEW[:2]])
    moved = json.loads(compact(some))
    moved["result"]["environment"]["states"] = 3
    renamed = json.loads(compact(some))
    renamed["result"]["environment"]["names"] = ["x", "y"]
    nominal, error = row("a", "nominal"), row("a", "error")
    assert verdict(some, moved).verdict == "other"
    assert verdict(some, renamed).verdict == "equal"
    assert verdict(some, nominal).verdict == "less"
    assert verdict(nominal, some).verdict == "more"
    assert verdict(nominal, nominal).verdict == "equal"
    assert verdict(some, error).verdict == "unknown"
    assert verdict(nominal, error).verdict == "unknown"
    found = changes([some, row("old")], [some, row("new")])
    assert [(c.case, c.verdict) for c in found] == [
        ("a", "equal"),
        ("new", "new"),
        ("old", "gone"),
    ]


def test_changes_are_told_worst_first(file):
    old = file(
        row("same", delta=[NEW[:2]]),
        row("worse", delta=[NEW[:2]]),
        row("better", delta=[NEW[:1]]),
        name="old.jsonl",
    )
    new = file(
        row("same", delta=[NEW[:2]]),
        row("worse", delta=[NEW[:1]]),
        row("better", delta=[NEW[:2]]),
        row("fresh", "nominal"),
        name="new.jsonl",
    )
    assert printed(old, new).splitlines() == [
        "less robust: worse",
        "  no longer tolerated: a deviation with OFF –b→ OFF",
        "more robust: better",
        "  newly tolerated: a deviation with OFF –b→ OFF",
        "new: fresh",
        "4 cases: 1 less robust, 1 more robust, 1 new, 1 equal",
    ]
    document = json.loads(printed(old, new, "--format", "json"))
    validate(document, "changes")
    assert document["changes"][3]["lost"] == [["OFF", "b", "OFF"]]
    suite = ElementTree.fromstring(printed(old, new, "--format", "junit"))
    assert [
        t.get("name") for t in suite.iter("testcase") if t.find("failure") is not None
    ] == ["worse"]
    assert run("results", old, new, "--format", "csv").code == 2


def test_real_rows_that_get_more_and_less_robust(tmp_path):
    """Therac-25 and Therac-20, of which the paper says which one is more robust."""
    from symrob.batch.run import pack
    from symrob.batch.work import answer

    rows = {}
    for name in ("therac25", "therac20"):
        (job,) = pack([str(ROOT / f"models/therac25/{name}.toml")], {})
        rows[name] = {**json.loads(answer(job)), "case": "therac"}
    assert verdict(rows["therac25"], rows["therac20"]).verdict == "more"
    assert verdict(rows["therac20"], rows["therac25"]).verdict == "less"


def test_random_problems_are_not_needed_to_be_equal_to_themselves(tmp_path):
    from symrob.batch.run import pack
    from symrob.batch.work import answer
    from tests.batch.tools import write_case

    for seed in range(5):
        path = write_case(tmp_path, f"r{seed}", random_problem(random.Random(seed)))
        (job,) = pack([str(path)], {})
        one, other = json.loads(answer(job)), json.loads(answer(job))
        assert verdict(one, other).verdict == "equal"
