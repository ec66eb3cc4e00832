"""The events of a fault tree: possible deviations with their probabilities.

In:  a table of probabilities, the environment, the fault modes that a case declares.
Out: `Events`: fault modes and single candidates with their probabilities; units without
     a probability, and units with two.

An expression gives each matching candidate an event of its own. A transition that is
named exactly has the probability given for it; any other that of the first matching
expression. A candidate that is in a declared mode is not an event of its own.

Candidates are transitions of E; if events change components of E, all of them are
transitions of components.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass
from decimal import Decimal
from functools import cached_property
from typing import Any

from symrob.case.faults import is_local, meaning
from symrob.case.probability import Probabilities
from symrob.case.table import Candidate, Table
from symrob.case.transitions import OF_CLASS
from symrob.case.units import called
from symrob.envelope.transitions import Candidates
from symrob.errors import Diagnostic, SymrobError, did_you_mean, plural
from symrob.files.decimals import exact
from symrob.limits import MAX_EXPANSION, watched
from symrob.lts import Lts, Transition
from symrob.problem import FaultMode, LocalTransition, Model
from symrob.problem.classes import Classes
from symrob.problem.modes import identified
from symrob.words import ANY, Identity

# Of the components that a hint names.
_MOST_COMPONENTS = 8
Chances = dict[Candidate, tuple[str, Decimal]]


@dataclass(frozen=True)
class Event:
    """A possible deviation.

    Attributes:
        name: Its name: a fault mode, or a transition.
        transitions: The transitions that E gets with it, of A without R_E.
        chance: The probability that it is possible.
        said: The expression of the table that gives the probability; its name for a
            mode.
        is_mode: Whether it is a fault mode.
        local: The transitions that components of E get; this or `transitions` is empty.
        at_most: Maximum number of steps of a run that may use it; `None` for no bound.
        identity: Its identifier in other documents.
    """

    name: str
    transitions: frozenset[Transition]
    chance: Decimal
    said: str
    is_mode: bool = False
    local: frozenset[LocalTransition] = frozenset()
    at_most: int | None = None
    identity: Identity | None = None

    @property
    def called(self) -> str:
        """Its name, followed by its identifier."""
        return identified(self.name, self.identity)

    def __post_init__(self) -> None:
        """Accept a float, too."""
        object.__setattr__(self, "chance", exact(self.chance))

    @property
    def mode(self) -> FaultMode:
        """The event as a fault mode."""
        return FaultMode(
            *(self.name, self.transitions, self.local, self.at_most), self.identity
        )


@dataclass(frozen=True)
class Events:
    """The events of a case.

    Attributes:
        events: Those with a probability above 0; modes first, then transitions in
            order.
        missing: The candidates without a probability; they count as impossible.
        missing_modes: The modes without a probability; they count as impossible.
        overlaps: Units that were given a probability twice, as text.
        ignored: Probabilities of deviations that cannot occur, as text.
    """

    events: tuple[Event, ...]
    missing: Collection[Candidate]
    missing_modes: tuple[str, ...]
    overlaps: tuple[str, ...]
    ignored: tuple[str, ...] = ()

    @property
    def chances(self) -> list[Decimal]:
        """The probability of each event."""
        return [event.chance for event in self.events]

    @property
    def has_modes(self) -> bool:
        """Whether one of them is a fault mode."""
        return any(event.is_mode for event in self.events)

    @property
    def of_components(self) -> bool:
        """Whether the events change components of E."""
        return any(event.local for event in self.events)


class Ground:
    """The system whose transitions are the candidates.

    Args:
        model: E as it was read: its components, if it is composed.
        plain: E as one system, whose transitions candidates are; `None` if they are
            transitions of its components.
        classes: The classes of the candidates of `plain`.
        among: The selected single candidates; `None` for all of `plain`.
        limit: Bound on the number of transitions that one expression may match.
        whole: The modes that change E as a whole, if candidates belong to components.
    """

    def __init__(
        self,
        model: Model,
        plain: Lts | None,
        classes: Classes | None = None,
        among: Collection[Candidate] | None = None,
        limit: int = MAX_EXPANSION,
        whole: Collection[str] = (),
    ) -> None:
        self.whole = whole
        self.model, self.plain, self.among = model, plain, among
        self._classes, self._limit = classes, limit

    @cached_property
    def planned(self) -> frozenset[Candidate]:
        """The planned transitions."""
        if self.plain is not None:
            return self.plain.visible_transitions
        return frozenset(
            LocalTransition(number, *t)
            for number, part in enumerate(self.model.components)
            for t in part.visible_transitions
        )

    def held(self, mode: FaultMode) -> frozenset[Any]:
        """The candidates that a mode contains."""
        return mode.local if self.plain is None else mode.transitions

    def meant(self, text: str) -> frozenset[Any]:
        """The candidates that an expression matches; errors as for `meaning`."""
        model = self.model if self.plain is None else self.plain
        limit, classes = self._limit, self._classes
        return self.held(
            meaning("", [text], model, self.plain, limit=limit, classes=classes)
        )

    def lacks(self, text: str) -> bool:
        """Whether an expression is on E as a whole, but candidates on components."""
        return self.plain is None and not is_local(text, self.model)

    def name(self, candidate: Any) -> str:
        """The name of a candidate."""
        if self.plain is None:
            return called(candidate, self.model)
        return transition_name(candidate, self.plain)

    def event(
        self,
        name: str,
        held: frozenset[Any],
        chance: Decimal,
        said: str,
        mode: FaultMode | None = None,
    ) -> Event:
        """An event for some candidates; if they form a mode, the event of the mode."""
        none: frozenset[Any] = frozenset()
        of_e, local = (none, held) if self.plain is None else (held, none)
        at_most, identity = (
            (None, None) if mode is None else (mode.at_most, mode.identity)
        )
        is_mode = mode is not None
        return Event(name, of_e, chance, said, is_mode, local, at_most, identity)

    def missing(self, known: Collection[Candidate]) -> Collection[Candidate]:
        """The candidates except some."""
        if self.plain is None:
            return tuple(t for t in self.among or () if t not in known)
        everything = Candidates.all_new(self.plain)
        if self.among is not None:
            everything = Candidates.of(self.plain, self.among)
        return everything.without(Candidates.of(self.plain, known))


def events_of(
    table: Probabilities,
    ground: Ground,
    modes: Sequence[FaultMode] = (),
    *,
    only: bool = False,
    filled: Table | None = None,
) -> Events:
    """Return the events of a probability table.

    Args:
        table: The probabilities.
        ground: The system whose transitions are the candidates.
        modes: The declared fault modes.
        only: Whether nothing else can happen.
        filled: A completed table of candidates; `table` takes precedence.

    Raises:
        SymrobError: Expressions are invalid or match planned transitions; changes of E
            as a whole are mixed with changes of components; a transition has two
            probabilities. All are reported, with locations.

    Cost: as for `parse_transitions`.
    """
    by_name = {mode.name: mode for mode in modes}
    of_modes = {} if filled is None else filled.mode_probabilities
    found: list[Event] = []
    texts = [text for text in table.chances if text not in by_name]
    meanings, problems = _meanings(texts, table, ground, by_name)
    in_modes = frozenset().union(*map(ground.held, modes))
    planned = ground.planned
    likely = {**of_modes, **table.chances}
    if wrong := [name for name in ground.whole if likely.get(name)]:
        message = _several(f"fault mode '{wrong[0]}'", len(wrong), "changes")
        message += " E as a whole, and others change its components; probabilities "
        message += "for both are not supported"
        problems.append(Diagnostic("risk-mode", message))
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
                        f"'{text}' means '{first}', which has a different probability"
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
    if ground.among is not None and not only:
        asked = frozenset(ground.among)
        chances = {t: said for t, said in chances.items() if t in asked}
    for mode in modes:
        name = mode.name
        chance = likely.get(name, Decimal(0))
        changes = ground.held(mode) - planned
        if chance > 0 and changes:
            found.append(ground.event(name, changes, chance, name, mode))
    for transition in watched(sorted(chances)):
        text, chance = chances[transition]
        if chance > 0 and not only:
            name, held = ground.name(transition), frozenset((transition,))
            found.append(ground.event(name, held, chance, text))
    known = {*chances, *in_modes} - planned
    missing = () if only else ground.missing(known)
    has_chance = table.chances.keys() | of_modes.keys()
    unsaid = tuple(m.name for m in modes if m.name not in has_chance)
    idle = Counter(text for text, _ in chances.values()) if only else Counter()
    overlaps, ignored = _told(shadowed, belonging), _ignored(idle)
    return Events(tuple(found), missing, unsaid, tuple(overlaps), tuple(ignored))


def transition_name(transition: Transition, environment: Lts) -> str:
    """Return a transition as expressions write it."""
    source, action, target = transition
    return ",".join(
        (environment.state_name(source), action, environment.state_name(target))
    )


def _meanings(
    texts: Sequence[str],
    table: Probabilities,
    ground: Ground,
    modes: dict[str, FaultMode],
) -> tuple[dict[str, frozenset[Any]], list[Diagnostic]]:
    """What each expression means; what is wrong with the others."""
    meanings: dict[str, frozenset[Any]] = {}
    problems: list[Diagnostic] = []
    whole: list[str] = []
    for text in texts:
        if text.count(",") < 2 and not text.startswith(OF_CLASS):
            hint = did_you_mean(text, modes)
            what = "[component:]source" if ground.plain is None else "source"
            message = f"'{text}' is neither a fault mode nor '{what},action,target'"
            problem = Diagnostic("risk-event", message, hint=hint)
            problems.append(_at(problem, table, text))
        elif ground.lacks(text):
            whole.append(text)
        else:
            try:
                meanings[text] = ground.meant(text)
            except SymrobError as error:
                problems += (_at(p, table, text) for p in error.diagnostics)
    if whole:
        message = _several(f"'{whole[0]}'", len(whole), "names")
        message += " no component, and the fault modes change components of E"
        hint = "write 'COMPONENT:source,action,target'; the components are "
        hint += ", ".join(ground.model.component_names[:_MOST_COMPONENTS])
        problem = Diagnostic("risk-component", message, hint=hint)
        problems.append(_at(problem, table, whole[0]))
    return meanings, problems


def _several(first: str, count: int, verb: str) -> str:
    """`'a' names`, or `'a' and 3 more name`."""
    return (
        f"{first} {verb}"
        if count == 1
        else f"{first} and {count - 1:,} more {verb[:-1]}"
    )


def _at(problem: Diagnostic, table: Probabilities, text: str) -> Diagnostic:
    """Add the place where an expression stands in its file."""
    source = table.source
    return problem if source is None else source.at(problem, source.keys[text])


def _told(shadowed: Counter[tuple[str, str]], belonging: Counter[str]) -> Iterator[str]:
    for (first, text), count in shadowed.items():
        have = "has" if count == 1 else "have"
        some = plural(count, "transition")
        yield f"{some} of '{text}' {have} the probability of '{first}'"
    for text, count in belonging.items():
        are, count_there = ("is", "counts") if count == 1 else ("are", "count")
        some = plural(count, "transition")
        yield f"{some} of '{text}' {are} in fault modes and {count_there} only there"


def _ignored(idle: Counter[str]) -> Iterator[str]:
    for text, count in idle.items():
        are = "is" if count == 1 else "are"
        some = plural(count, "transition")
        yield f"{some} of '{text}' {are} in no fault mode, and only = true"
