"""Short lists of deviations, read back by their form and compared with Δ itself."""

import re
from functools import partial
from random import Random

import pytest

import symrob
from symrob import Lts
from symrob.errors import NominalViolation
from symrob.report.deviations import envelope_lines, measured
from symrob.report.listed import Listed
from tests.analyses.test_groups import seen_of, told_apart
from tests.cli.tools import run
from tests.generate import MEDIUM, TINY, random_problem
from tests.oracles import definition


def lines_of(envelope, *, details=False):
    """All deviations, as `compute --all` prints them."""
    listed = Listed(envelope, None, envelope.clock, measured)
    return list(envelope_lines(envelope, listed, "", preface=True, details=details))


def solved(seed, shapes):
    """A random problem with its Δ; `None` where the plan is unsafe."""
    problem = random_problem(Random(seed), shapes=shapes)
    try:
        return problem, symrob.compute(*problem)
    except NominalViolation:
        return problem, None


def states(text, names):
    """The numbers of `0, 2`, `any state`, `any state but 1`."""
    text = text.replace("*", "").strip()
    rest = text.removeprefix("any state")
    if rest != text:
        without = rest.removeprefix(" but ")
        return set(range(len(names))) - (states(without, names) if without else set())
    return {names.index(name) for name in text.split(", ")}


def table(lines, names):
    """The transitions of lines `action  source → target`."""
    action, found = "", set()
    for line in lines:
        left, right = line.split(" → ")
        label, sources = re.fullmatch(r"  (\w*) +(\S.*?) *", left).groups()
        action = label or action
        found |= {
            (q, action, r) for q in states(sources, names) for r in states(right, names)
        }
    return found


def read_back(lines, environment):
    """(deviations that are shown, those that stand for others) by number."""
    names = [environment.state_name(q) for q in range(environment.size)]
    blocks = [[]]
    for line in lines:
        blocks.append([]) if not line else blocks[-1].append(line)
    known = {"Always": set(), "Contested": set()}
    shown, alike, hidden = {}, {}, 0
    for head, *rest in filter(None, blocks):
        if head.split()[0].rstrip(",") in known:
            known[head.split()[0].rstrip(",")] = table(rest, names)
        elif match := re.match(r"Deviation (\d+): (\d+) transitions?, (\d+) new", head):
            part = set() if rest[:1] == ["  none: no transition can be added"] else None
            part = table(rest, names) if part is None else part
            if head.endswith(("with", "without")):
                # The shorter of the two ways to say it.
                assert 2 * len(part) <= len(known["Contested"])
            if head.endswith("without"):
                part = known["Always"] | (known["Contested"] - part)
            elif head.endswith(("with", "the always tolerated ones")):
                part = known["Always"] | part
            assert len(part) == int(match[3])
            shown[int(match[1])] = part
        elif match := re.match(r"([\d,]+) deviations? not shown", head):
            hidden = int(match[1].replace(",", ""))
            for line in rest:
                if told := re.fullmatch(
                    r"  ([\d, and]+?)(?: and \d+ more)?: like ([\d,]+)", line
                ):
                    for number in re.split(", | and ", told[1]):
                        alike[int(number.replace(",", ""))] = int(
                            told[2].replace(",", "")
                        )
    return shown, alike, hidden


def seen_alike(environment, seen, every, one, other):
    """Whether E behaves the same with two deviations, by their numbers."""
    return not told_apart(environment, seen, every[one - 1].new, every[other - 1].new)


@pytest.mark.parametrize("seed", range(40))
def test_each_deviation_can_be_read_back(seed):
    """Against the definition where that can be done, else against the whole lists."""
    for part in range(4):
        tiny = part < 2
        problem, envelope = solved(1000 * part + seed, TINY if tiny else MEDIUM)
        if envelope is None:
            continue
        environment, controller = problem[:2]
        lines = lines_of(envelope)
        shown, alike, hidden = read_back(lines, environment)
        every = list(envelope)
        if tiny:
            right = definition.delta(*problem)
            assert {frozenset(map(tuple, d)) for d in every} == right
        for number, new in shown.items():
            assert new == set(map(tuple, every[number - 1].new)), number
        fires = {
            number: frozenset(definition.firing(environment, deviation, controller))
            for number, deviation in enumerate(every, 1)
        }
        assert len(shown) + hidden == len(every)
        seen = seen_of(problem)
        same = partial(seen_alike, environment, seen, every)
        for number, first in alike.items():
            assert first in shown
            assert number not in shown
            # By what fires, or as C and P see it, or by one and then the other.
            assert any(
                fires[number] == fires[other] and (other == first or same(other, first))
                for other in fires
            )
        if tiny:
            for number in shown:
                for other in shown:
                    apart = fires[number] != fires[other] and not same(number, other)
                    assert apart or number == other


@pytest.mark.parametrize("seed", range(40))
def test_details_show_each_deviation_whole(seed):
    problem, envelope = solved(seed, MEDIUM)
    if envelope is not None:
        lines = lines_of(envelope, details=True)
        shown, alike, hidden = read_back(lines, problem[0])
        assert [*shown.values()] == [set(map(tuple, d.new)) for d in envelope]
        assert not alike
        assert not hidden


def test_where_something_is_unknown_each_deviation_is_printed_whole(monkeypatch):
    monkeypatch.setattr("symrob.envelope.tuning.JUDGED_AT_ONCE", 1)
    done = run("compute", "models/therac25/therac25.toml")
    assert "8 contested" not in done.out
    heads = re.findall(r"^Deviation .*$", done.out, re.MULTILINE)
    assert len(heads) == 4
    assert all(head.endswith(" new") for head in heads)


def test_what_never_fires_tells_nobody_apart():
    """C never takes b nor c: what E may do about them is all the same to it."""
    environment = Lts("abc", 2, [(0, "a", 0)])
    controller = Lts("abc", 1, [(0, "a", 0)])
    rule = Lts("bc", 2, [(0, "b", 1), (0, "c", 0), (1, "b", 1)])
    envelope = symrob.compute(environment, controller, Lts("a", 1, [(0, "a", 0)]), rule)
    lines = lines_of(envelope)
    shown, alike, hidden = read_back(lines, environment)
    assert (len(shown), hidden, len(alike)) == (2, 3, 3)
    assert set(alike.values()) <= set(shown)


def test_deviations_that_are_only_counted_say_what_they_leave_out(monkeypatch):
    monkeypatch.setattr("symrob.api.large_deviations.LISTED", 10)
    size, names = 7, ("step", "back", "stop")
    chain = Lts(names, size, [(q, "step", q + 1) for q in range(size - 1)])
    free = Lts(names, 1, [(0, name, 0) for name in names])
    rule = Lts(names, 2, [(0, "step", 1), (1, "back", 0), (1, "step", 1)])
    text = str(symrob.compute(chain, free, rule))
    total = int(re.search(r"(\d+) maximal deviations", text)[1])
    assert f"Not listed: {total - 20} deviations; --all lists all\n" in text
    (counts,) = re.findall(r"  by transitions left out: (.*)", text)
    assert sum(int(n) for n in re.findall(r": (\d+)", counts)) == total - 20
    (held,) = re.findall(r"  containing: (.*)", text)
    assert 0 < int(re.search(r"back: (\d+)", held)[1]) <= total - 20
