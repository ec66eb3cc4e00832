"""The initial contents of a page: results of the analyses of a design.

In:  an engine whose nominal system is safe.
Out: the individual verdict on each candidate or fault mode, Δ, the minimal violating
     sets, the summary, as plain data.

Each part has a few seconds, and reports whether it is complete; the page computes
missing answers on demand. So a bound only leaves a page with fewer initial answers.

An *item* is a switch of the page: a candidate by the number of its transition, or fault
mode m as the total number of these transitions plus m.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from itertools import islice
from math import inf
from typing import Any, cast

from symrob.analyses.compare import Surplus, compare
from symrob.analyses.cuts import Cuts
from symrob.analyses.fault_mode_space import space_of
from symrob.analyses.hazards import Alone
from symrob.analyses.overview import Overview
from symrob.analyses.progress import PlanProgress
from symrob.analyses.space import Space, units_in
from symrob.analyses.story import Story
from symrob.envelope.engine import Engine
from symrob.envelope.transitions import Candidates
from symrob.errors import printable
from symrob.explorer.data import Numbers, identity, universe
from symrob.limits import Stages
from symrob.lts import Action, Lts, StateId, Transition
from symrob.lts.masks import bits
from symrob.problem import Many, Unit, Units, UnitSet
from symrob.problem.classes import CLASSES
from symrob.questions import all_questions
from symrob.questions.question import View
from symrob.questions.session import Session
from symrob.report.compare import VERDICTS
from symrob.report.output_formats import page_lines
from symrob.risk.events import Events
from symrob.words import PLAIN, Words

MOST_DEVIATIONS = 200
MOST_SETS = 300
MOST_LISTED = 200_000
"""Items in all deviations of a page together."""

_LETTERS = {
    "tolerated": "t",
    "hazardous": "h",
    "excluded-unsafe": "w",
    "excluded-safe": "o",
}
# Not judged; breaks an assumption, and was not looked at further; no candidate.
_UNKNOWN, _BREAKS, _NOTHING = "?", "b", "-"

Items = Callable[[UnitSet], frozenset[int]]


def answers(
    engine: Engine,
    numbers: Numbers,
    units: Units | None,
    words: Words,
    stages: Stages,
    events: Events | None = None,
) -> dict[str, Any]:
    """Return the results for one design.

    Args:
        engine: Its problem, with its preconditions checked.
        numbers: The numbers of the actions.
        units: The fault modes of the page, by which they are numbered.
        words: Words for its names, in the summary.
        stages: Records a bound of the run that was hit, which ends only that part.
        events: How likely what may be switched on is possible, if that is known.
    """
    space = space_of(engine)
    items = _items(engine, numbers, units)
    told: list[dict[str, Any]] = []
    letters = _unjudged(engine, numbers) if units is None else _UNKNOWN * len(units)
    worst: dict[str, Any] | None = None
    with stages:
        # What the minimal sets and the summary need too, and would start again.
        seconds = 2 * space.clock.budget("page") if units is None else inf
        judged = space.alone(seconds)
        if units is None:
            letters = _letters(engine, numbers, judged)
        else:
            letters = _mode_letters(judged, units)
        worst = _most_probable(items, judged, events)
    for kind in all_questions():
        with stages:
            if kind.on_page:
                view = View(kind(), Session.of(space, words=words))
                answer = view.question.ask(view.session)
                lines = [*page_lines(answer, view)]
                told.append({"title": kind.on_page, "lines": lines})
                if isinstance(answer, Overview):
                    worst = worst or _first(items, answer.story)
    tolerated = _tolerated(engine, letters)
    result: dict[str, Any] = {
        "alone": letters,
        "told": told,
        "deviations": {"left_out": [], "complete": False},
        "sets": {"found": [], "complete": False},
        "worst": worst,
        "progress": None,
    }
    with stages, space.clock.step("page"):
        result["progress"] = progress_data(space.progress, numbers)
    with stages:
        result["deviations"] = _deviations(engine, items, tolerated)
    with stages:
        result["sets"] = _sets(space, items)
        result["worst"] = worst or next(iter(result["sets"]["found"]), None)
    return result


def progress_data(progress: PlanProgress, numbers: Numbers) -> dict[str, Any]:
    """Return the goals that the plan keeps, where in E it ends, and what it loses.

    Args:
        progress: Of E as one.
        numbers: Of the actions.

    Cost: see `PlanProgress`.
    """
    kept = [
        {"name": printable(g.name), "actions": [numbers[a] for a in g.actions]}
        for g in progress.kept
    ]
    lost = [printable(one.goal.name) for one in progress.lost_by_plan]
    return {"goals": kept, "ends": list(bits(progress.final[0])), "lost": lost}


def _first(items: Items, story: Story) -> dict[str, Any] | None:
    """The set with which the summary begins."""
    for cut in (*story.hazards, *story.excluded_unsafe):
        return {"verdict": cut.verdict, "items": sorted(items(cut.units))}
    return None


def _most_probable(
    items: Items, judged: Alone[Many], events: Events | None
) -> dict[str, Any] | None:
    """The most probable unit that violates a property alone, if that is known.

    Only where none is hazardous, one that an assumption excludes.
    """
    chances = {} if events is None else _chances(events)
    verdicts = {
        "hazardous": judged.hazardous,
        "excluded-unsafe": judged.excluded_unsafe,
    }
    for verdict, many in verdicts.items():
        if known := [unit for unit in chances if unit in many]:
            unit = max(known, key=chances.__getitem__)
            return {"verdict": verdict, "items": sorted(items(frozenset((unit,))))}
        if len(many):
            break
    return None


def _chances(events: Events) -> dict[Unit, Any]:
    return {
        (e.name if e.is_mode else min(e.transitions)): e.chance
        for e in events.events
        if e.is_mode or e.transitions
    }


def _items(engine: Engine, numbers: Numbers, units: Units | None) -> Items:
    """Return what tells the items of a deviation or of a minimal set."""
    environment = engine.problem.environment
    first = universe(environment)

    def items(found: UnitSet) -> frozenset[int]:
        return frozenset(
            first + units.numbers[unit]
            if units is not None and isinstance(unit, str)
            else identity(environment, cast("Transition", unit), numbers)
            for unit in found
        )

    return items


def _unjudged(engine: Engine, numbers: Numbers) -> str:
    return _written(engine, numbers, [(_UNKNOWN, engine.candidates)])


def _letters(engine: Engine, numbers: Numbers, judged: Alone[Many]) -> str:
    """A letter for each transition over the states and actions of E."""
    parts = [
        (_LETTERS["tolerated"], judged.tolerated),
        (_LETTERS["hazardous"], judged.hazardous),
        (_LETTERS["excluded-unsafe"], judged.excluded_unsafe),
        (_LETTERS["excluded-safe"], judged.excluded_safe),
        (_BREAKS, judged.undecided),
    ]
    return _written(engine, numbers, parts)


def _written(
    engine: Engine, numbers: Numbers, parts: Iterable[tuple[str, Many]]
) -> str:
    found = _Letters(engine.problem.environment, numbers)
    for letter, many in parts:
        candidates = cast("Candidates", many).by_action
        for source, row in enumerate(candidates.masks):
            # An action that only E's own steps have has no candidates, and no number.
            for action, mask in zip(candidates.actions, row, strict=True):
                if mask:
                    found.put(source, action, mask, letter)
    return found.text


class _Letters:
    """A letter for each transition over the states and actions of E.

    A row holds a byte for each target, so that a whole set of targets, which is given
    as bits, gets its letter at once.
    """

    def __init__(self, environment: Lts, numbers: Numbers) -> None:
        self._size, self._numbers = environment.size, numbers
        self._actions = len(environment.alphabet)
        self._rows = [0] * (self._size * self._actions)

    def put(self, source: StateId, action: Action, targets: int, letter: str) -> None:
        """Give a letter to the targets that have none."""
        digits = f"{targets:0{self._size}b}".encode()
        each = digits.translate(bytes.maketrans(b"01", b"\0" + letter.encode()))
        row = source * self._actions + self._numbers[action]
        self._rows[row] |= int.from_bytes(each, "big")

    @property
    def text(self) -> str:
        """All letters; `_NOTHING` where none was given."""
        rows = b"".join(row.to_bytes(self._size, "little") for row in self._rows)
        return rows.replace(b"\0", _NOTHING.encode()).decode()


def _mode_letters(judged: Alone[Many], units: Units) -> str:
    """A letter for each fault mode, in the order of the page."""
    found = judged.by_verdict().items()
    letter = {mode: _LETTERS[verdict] for verdict, many in found for mode in many}
    return "".join(letter[mode.name] for mode in units.modes)


def _tolerated(engine: Engine, letters: str) -> frozenset[int]:
    """The items that are tolerated alone."""
    first = 0 if engine.problem.units is None else universe(engine.problem.environment)
    wanted = _LETTERS["tolerated"]
    return frozenset(first + i for i, each in enumerate(letters) if each == wanted)


def _deviations(
    engine: Engine, items: Items, tolerated: frozenset[int]
) -> dict[str, Any]:
    """Δ, each deviation as what it leaves out of all that is tolerated alone."""
    found: list[list[int]] = []
    most = min(MOST_DEVIATIONS, 1 + MOST_LISTED // (1 + len(tolerated)))
    complete = False
    with engine.clock.step("page"):
        source = engine.deviations()
        for deviation in islice(source, most):
            found.append(sorted(tolerated - items(units_in(deviation))))
        complete = next(source, None) is None
    return {"left_out": found, "complete": complete}


def _sets(space: Space, items: Items) -> dict[str, Any]:
    """The minimal hazardous sets, then the excluded unsafe ones, smallest first."""
    cuts = Cuts(space, limit=MOST_SETS, counting=False)
    with space.clock.step("page"):
        found = [
            {"verdict": cut.verdict, "items": sorted(items(cut.units))} for cut in cuts
        ]
    return {"found": found, "complete": cuts.status == "complete"}


def differences(engines: tuple[Engine, Engine], numbers: Numbers) -> dict[str, Any]:
    """Return how two designs compare, and the smallest set that distinguishes them.

    Raises:
        SymrobError: Their units differ.
        LimitExceeded: A bound of the run was hit.
    """
    found = compare(*map(space_of, engines))
    items = _items(engines[0], numbers, engines[0].problem.units)
    return {
        "verdict": VERDICTS.get(found.verdict, ""),
        "status": found.status,
        "only": [_witness(items, side) for side in (found.first, found.second)],
    }


def _witness(items: Items, side: Surplus) -> dict[str, Any] | None:
    if side.witness is None:
        return None
    return {
        "items": sorted(items(side.witness.units)),
        "smallest": side.witness.smallest,
    }


def class_data(
    engine: Engine, numbers: Numbers, words: Words = PLAIN
) -> dict[str, Any]:
    """Return the class of each candidate: a letter for each transition over E.

    With fault modes there are none, since no candidate is switched on.
    """
    if engine.problem.units is not None:
        return {"names": [], "of": ""}
    found = _Letters(engine.problem.environment, numbers)
    letter = {kind: chr(ord("a") + i) for i, kind in enumerate(CLASSES)}
    for source, action, parts in engine.problem.classes.rows():
        for part in parts:
            found.put(source, action, part.targets, letter[part.kind])
    names = [printable(words.kind(kind)) for kind in CLASSES]
    return {"names": names, "of": found.text}
