"""What may be possible, each with its chance: the events of a fault tree.

In:  a table of probabilities, the problem, the fault modes that a case declares.
Out: `Events`: fault modes and single candidates with their chances; what has none, and
     what was said of one thing twice.

An expression gives each candidate that it means an event of its own. A transition that
is named exactly has the chance said of it; else that of the first expression that means
it. A candidate that is in a declared mode has none of its own.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from decimal import Decimal

from symrob.case.probability import Probabilities
from symrob.case.table import Table
from symrob.case.transitions import OF_CLASS, parse_transitions
from symrob.envelope.transitions import Candidates
from symrob.errors import Diagnostic, SymrobError, did_you_mean
from symrob.files.decimals import exact
from symrob.limits import MAX_EXPANSION, watched
from symrob.lts import Lts, Transition
from symrob.problem import FaultMode, Problem
from symrob.words import ANY

Chances = dict[Transition, tuple[str, Decimal]]


@dataclass(frozen=True)
class Event:
    """Something that may be possible.

    Attributes:
        name: What it is called: a fault mode, or a transition.
        transitions: What E may do with it, of A without R_E; at least one.
        chance: How likely it is that it is possible.
        said: By which expression of the table; its name where it is a mode.
        is_mode: Whether it is a fault mode.
    """

    name: str
    transitions: frozenset[Transition]
    chance: Decimal
    said: str
    is_mode: bool = False

    def __post_init__(self) -> None:
        """Take a float, too."""
        object.__setattr__(self, "chance", exact(self.chance))


@dataclass(frozen=True)
class Events:
    """The events of a case.

    Attributes:
        events: Those with a chance above 0; modes first, then transitions in order.
        missing: The candidates that nothing is said of; they count as impossible.
        missing_modes: The modes, likewise.
        overlaps: What was said of one thing twice, for a person.
    """

    events: tuple[Event, ...]
    missing: Candidates
    missing_modes: tuple[str, ...]
    overlaps: tuple[str, ...]

    @property
    def chances(self) -> list[Decimal]:
        """The chance of each event."""
        return [event.chance for event in self.events]

    @property
    def has_modes(self) -> bool:
        """Whether one of them is a fault mode."""
        return any(event.is_mode for event in self.events)


def events_of(
    table: Probabilities,
    problem: Problem,
    modes: Sequence[FaultMode] = (),
    *,
    only: bool = False,
    among: frozenset[Transition] | None = None,
    filled: Table | None = None,
    limit: int = MAX_EXPANSION,
) -> Events:
    """Return what the chances are about.

    Args:
        table: The chances.
        problem: E, and the classes of its candidates.
        modes: The declared fault modes.
        only: Whether nothing else can happen.
        among: The single candidates that are asked about; `None` for all.
        filled: A table of candidates that people filled in; what `table` says wins.
        limit: Bound on the transitions that one expression may stand for.

    Raises:
        SymrobError: Expressions that mean nothing, or what E has in its plan; modes of
            components; one transition with two chances; all of them, with places.

    Cost: as of `parse_transitions`.
    """
    environment = problem.environment
    by_name = {mode.name: mode for mode in modes}
    of_modes = {} if filled is None else filled.mode_probabilities
    found: list[Event] = []
    texts = [text for text in table.chances if text not in by_name]
    meanings, problems = _meanings(texts, table, problem, by_name, limit)
    in_modes = frozenset().union(*(mode.transitions for mode in modes))
    planned = environment.visible_transitions
    for name in table.chances.keys() & by_name.keys():
        if by_name[name].local:
            message = f"fault mode '{name}' changes a component; "
            message += "risk supports only modes of E"
            problems.append(_at(Diagnostic("risk-mode", message), table, name))
    exact: Chances = {}
    fitting: Chances = {}
    shadowed: Counter[tuple[str, str]] = Counter()
    belonging: Counter[str] = Counter()
    for text in texts:
        chance = table.chances[text]
        is_exact = ANY not in text and not text.startswith(OF_CLASS)
        for transition in watched(sorted(meanings.get(text, ()))):
            if transition in planned:
                message = f"'{text}' is planned: E already has this transition"
                problems.append(_at(Diagnostic("risk-planned", message), table, text))
            elif transition in in_modes:
                belonging[text] += 1
            elif transition in (exact if is_exact else fitting):
                first, other = (exact if is_exact else fitting)[transition]
                if is_exact and other != chance:
                    message = (
                        f"'{text}' is '{first}', which has a different probability"
                    )
                    problems.append(_at(Diagnostic("risk-twice", message), table, text))
                elif other != chance:
                    shadowed[first, text] += 1
            else:
                (exact if is_exact else fitting)[transition] = (text, chance)
    if problems:
        raise SymrobError(list(dict.fromkeys(problems)))
    for transition in exact.keys() & fitting.keys():
        if exact[transition][1] != fitting[transition][1]:
            shadowed[exact[transition][0], fitting[transition][0]] += 1
    rows = {} if filled is None else filled.single_probabilities
    told = {t: ("the table", p) for t, p in rows.items() if t not in in_modes}
    chances = {**fitting, **told, **exact}
    if among is not None:
        chances = {t: said for t, said in chances.items() if t in among}
    for mode in modes:
        chance = table.chances.get(mode.name, of_modes.get(mode.name, Decimal(0)))
        changes = frozenset(mode.transitions - planned)
        if chance > 0 and changes:
            found.append(Event(mode.name, changes, chance, mode.name, is_mode=True))
    for transition in watched(sorted(chances)):
        text, chance = chances[transition]
        if chance > 0 and not only:
            name = transition_name(transition, environment)
            found.append(Event(name, frozenset((transition,)), chance, text))
    known = Candidates.of(environment, {*chances, *in_modes} - planned)
    everything = Candidates.all_new(environment)
    if among is not None:
        everything = Candidates.of(environment, among)
    missing = everything.without(everything if only else known)
    has_chance = table.chances.keys() | of_modes.keys()
    unsaid = tuple(m.name for m in modes if m.name not in has_chance)
    return Events(tuple(found), missing, unsaid, tuple(_told(shadowed, belonging)))


def transition_name(transition: Transition, environment: Lts) -> str:
    """Return a transition as expressions write it."""
    source, action, target = transition
    return ",".join(
        (environment.state_name(source), action, environment.state_name(target))
    )


def _meanings(
    texts: Sequence[str],
    table: Probabilities,
    problem: Problem,
    modes: dict[str, FaultMode],
    limit: int,
) -> tuple[dict[str, frozenset[Transition]], list[Diagnostic]]:
    """What each expression means; what is wrong with the others."""
    meanings: dict[str, frozenset[Transition]] = {}
    problems: list[Diagnostic] = []
    for text in texts:
        try:
            (meanings[text],) = parse_transitions(
                [text],
                problem.environment,
                limit=limit,
                file=None if table.source is None else table.source.file,
                classes=problem.classes,
            )
        except SymrobError as error:
            found = error.diagnostics
            if text.count(",") < 2 and not text.startswith(OF_CLASS):
                hint = did_you_mean(text, modes)
                message = f"'{text}' is neither a fault mode nor 'source,action,target'"
                found = (Diagnostic("risk-event", message, hint=hint),)
            problems += (_at(problem, table, text) for problem in found)
    return meanings, problems


def _at(problem: Diagnostic, table: Probabilities, text: str) -> Diagnostic:
    """Add the place where an expression stands in its file."""
    source = table.source
    return problem if source is None else source.at(problem, source.keys[text])


def _told(shadowed: Counter[tuple[str, str]], belonging: Counter[str]) -> Iterator[str]:
    for (first, text), count in shadowed.items():
        have = "has" if count == 1 else "have"
        yield f"{count:,} of '{text}' {have} the probability of '{first}'"
    for text, count in belonging.items():
        are, count_there = ("is", "counts") if count == 1 else ("are", "count")
        yield f"{count:,} of '{text}' {are} in fault modes and {count_there} only there"
