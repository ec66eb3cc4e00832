"""Transition expressions: 'source, action, target', with `*`, or a class.

In:  texts, and their environment.
Out: for each text the matching transitions.

A state is given by its name or its number; if the name of one state is the number of
another, the name counts. A `*` stands for any text, so that `RUN[*],up,*` matches each
transition on `up` from any state `RUN[...]`. A text with a `*` matches only transitions
that the environment lacks. Spaces around the parts are ignored.

`class:omission` matches the candidates of a class, and `class:omission,*,up,*` those of
them that match the expression after the first comma.

Names may contain commas: of all ways to split a text at two of its commas, the one with
known parts counts. Several such ways are an error.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import replace
from itertools import combinations, islice, product
from typing import NamedTuple

from symrob.errors import (
    Diagnostic,
    SymrobError,
    did_you_mean,
    known_or_near,
    require_count,
)
from symrob.limits import MAX_EXPANSION
from symrob.lts import ERROR, TAU, Action, Lts, StateId, Transition
from symrob.problem.classes import CLASSES, Classes
from symrob.words import ANY, fits

# Behind it stands the name of a class.
OF_CLASS = "class:"
# More ways to cut than a text with this many commas has are not tried.
MOST_COMMAS = 40


def parse_transitions(
    texts: Iterable[str],
    environment: Lts,
    *,
    limit: int | None = None,
    file: str | None = None,
    classes: Classes | None = None,
    whose: str = "the environment",
) -> tuple[frozenset[Transition], ...]:
    """Return the transitions that each text matches.

    Args:
        texts: 'source,action,target' each; names or numbers of states, `*` for any
            text; or 'class:omission', optionally followed by such a triple.
        environment: E, for its states and actions.
        limit: Bound on the number of transitions that one text may match; by default
            `symrob.limits.MAX_EXPANSION`.
        file: The file of the texts, for messages.
        classes: Classes of the candidates; by default those of an environment without
            extra states.
        whose: The name of the environment in messages.

    Returns:
        One set for each text, in their order; none of them is empty.

    Raises:
        SymrobError: Texts are invalid, ambiguous, or match too much; the problems of
            all of them.

    Cost: linear in what is returned, and in the number of states and actions
        for each part with a `*`.
    """
    if isinstance(texts, str):
        message = f"expected a list of strings, not the string '{texts:.60}'"
        raise _misused(message, "put it in a list: ['SOURCE,ACTION,TARGET']")
    if not isinstance(file, str | None) or not isinstance(classes, Classes | None):
        message = "file: expected a path or None; classes: those of a problem or None"
        raise _misused(message)
    require_count("limit", limit, 1)
    texts = [*texts] if isinstance(texts, Iterable) else [texts]
    wrong = [text for text in texts if not isinstance(text, str)]
    if wrong:
        raise _misused(f"expected a list of strings; {wrong[0]!r:.60} is not a string")
    if not isinstance(environment, Lts):
        message = f"expected the environment as an Lts, not {environment!r:.60}"
        hint = "use .environment of a result, or symrob.product(network)"
        raise _misused(message, hint)
    return placed_transitions(
        texts,
        environment,
        lambda _number, problem: replace(problem, file=file),
        limit=MAX_EXPANSION if limit is None else limit,
        classes=classes,
        whose=whose,
    )


def _misused(message: str, hint: str | None = None) -> SymrobError:
    return SymrobError(Diagnostic("transition-text", message, hint=hint))


def placed_transitions(
    texts: Iterable[str],
    environment: Lts,
    place: Callable[[int, Diagnostic], Diagnostic],
    *,
    limit: int = MAX_EXPANSION,
    classes: Classes | None = None,
    whose: str = "the environment",
) -> tuple[frozenset[Transition], ...]:
    """Return the transitions that each text matches, like `parse_transitions`.

    Args:
        texts: See `parse_transitions`; must be strings.
        environment: See `parse_transitions`.
        place: Adds the location of a text, by its number, to a diagnostic.
        limit: See `parse_transitions`.
        classes: See `parse_transitions`.
        whose: See `parse_transitions`.

    Raises:
        SymrobError: As for `parse_transitions`.
    """
    known = _Known.of(environment, classes or Classes(environment), whose)
    problems: list[Diagnostic] = []
    result: list[frozenset[Transition]] = []
    for number, text in enumerate(texts):
        try:
            result.append(_meaning(text, known, limit))
        except _Wrong as wrong:
            for code, message, hint in wrong.problems:
                shown = f"transition '{text}': {message}"
                problem = Diagnostic(f"transition-{code}", shown, hint=hint)
                problems.append(place(number, problem))
    if problems:
        raise SymrobError(list(dict.fromkeys(problems)))
    return tuple(result)


class _Known(NamedTuple):
    """The names of an environment.

    Attributes:
        environment: E.
        states: The number of each state, by its name.
        actions: Its actions.
        classes: The classes of its candidates.
        whose: What messages call it.
    """

    environment: Lts
    states: Mapping[str, StateId]
    actions: frozenset[Action]
    classes: Classes
    whose: str

    @classmethod
    def of(cls, environment: Lts, classes: Classes, whose: str) -> _Known:
        states = {environment.state_name(q): q for q in range(environment.size)}
        actions = frozenset(environment.alphabet)
        return cls(environment, states, actions, classes, whose)

    def states_of(self, part: str) -> tuple[StateId, ...]:
        """The states that a part means; none if it is not known."""
        if part in self.states:
            return (self.states[part],)
        if part.isascii() and part.isdigit() and len(part) < 10:
            number = int(part)
            return (number,) if number < self.environment.size else ()
        if ANY not in part:
            return ()
        return tuple(q for name, q in self.states.items() if fits(part, name))

    def actions_of(self, part: str) -> tuple[Action, ...]:
        """The actions that a part means; none if it is not known."""
        if part in self.actions:
            return (part,)
        if ANY not in part:
            return ()
        return tuple(a for a in self.environment.alphabet if fits(part, a))

    def is_exact(self, reading: _Reading) -> bool:
        """Whether no part is a pattern; a name may itself have a `*` in it."""
        source, action, target = reading.parts
        return (
            (ANY not in source or source in self.states)
            and (ANY not in action or action in self.actions)
            and (ANY not in target or target in self.states)
        )


class _Reading(NamedTuple):
    """One way to understand a text: its three parts and what they mean."""

    parts: tuple[str, str, str]
    sources: tuple[StateId, ...]
    actions: tuple[Action, ...]
    targets: tuple[StateId, ...]

    @property
    def meaning(self) -> tuple[tuple[object, ...], ...]:
        """What the parts mean, however they are written."""
        return (self.sources, self.actions, self.targets)

    @property
    def size(self) -> int:
        """How many transitions are meant."""
        return len(self.sources) * len(self.actions) * len(self.targets)


class _Wrong(Exception):
    """A text that cannot be understood: (code, message, hint) for each reason."""

    def __init__(self, *problems: tuple[str, str, str | None]) -> None:
        super().__init__()
        self.problems = problems


def _meaning(text: str, known: _Known, limit: int) -> frozenset[Transition]:
    """The transitions that one text means."""
    if (
        text.lstrip().startswith(OF_CLASS)
        and text.partition(",")[0] not in known.states
    ):
        return _of_class(text.strip().removeprefix(OF_CLASS), known, limit)
    reading = _only_reading(text, known)
    if reading.size > limit:
        message = f"matches {reading.size:,} transitions, more than {limit:,}"
        raise _Wrong(("limit", message, _MORE))
    triples = product(reading.sources, reading.actions, reading.targets)
    meant = frozenset(Transition(*triple) for triple in triples)
    if known.is_exact(reading):
        return meant
    lacking = meant - known.environment.visible_transitions
    if not lacking:
        message = f"{known.whose} already has every transition that matches"
        hint = "a pattern selects only transitions that are not planned"
        raise _Wrong(("none", message, hint))
    return lacking


def _of_class(text: str, known: _Known, limit: int) -> frozenset[Transition]:
    """The candidates of a class, written as its name, perhaps with a pattern behind."""
    name, comma, pattern = text.partition(",")
    name = name.strip()
    kind = next((each for each in CLASSES if name == each), None)
    if kind is None:
        message = f"'{name}' is not a class; the classes are {', '.join(CLASSES)}"
        raise _Wrong(("class", message, did_you_mean(name, CLASSES)))
    found: Iterator[Transition]
    if comma:
        reading = _only_reading(pattern, known)
        rows = known.classes.transitions(kind, reading.sources, reading.actions)
        inside = set(reading.targets)
        found = (t for t in rows if t.target in inside)
    else:
        found = known.classes.transitions(kind)
    meant = frozenset(islice(found, limit + 1))
    if len(meant) > limit:
        message = f"matches more than {limit:,} transitions"
        raise _Wrong(("limit", message, _MORE))
    if not meant:
        raise _Wrong(("none", "no candidate of that class matches", None))
    return meant


def _only_reading(text: str, known: _Known) -> _Reading:
    """The one way to read a text in which every part is known."""
    commas = [i for i, c in enumerate(text) if c == ","]
    if not 2 <= len(commas) <= MOST_COMMAS:
        message = "a transition is written 'source,action,target'"
        raise _Wrong(("syntax", message, None))
    readings = [_read(text, *two, known) for two in combinations(commas, 2)]
    understood = {r.meaning: r for r in readings if r.size}
    if not understood:
        # The way to read it of which the most is known tells what is wrong.
        best = max(readings, key=lambda r: sum(map(bool, r.meaning)))
        raise _Wrong(*_unknown(best, known))
    if len(understood) > 1:
        ways = " or ".join(" | ".join(reading.parts) for reading in understood.values())
        raise _Wrong(("ambiguous", f"ambiguous: {ways}", _BY_NUMBER))
    (reading,) = understood.values()
    return reading


_MORE = "--bound max-expansion raises this limit"
_BY_NUMBER = "give the states by number"


def _read(text: str, first: int, second: int, known: _Known) -> _Reading:
    """Read a text as cut at two of its commas."""
    cut = (text[:first], text[first + 1 : second], text[second + 1 :])
    source, action, target = (part.strip() for part in cut)
    return _Reading(
        (source, action, target),
        known.states_of(source),
        known.actions_of(action),
        known.states_of(target),
    )


def _unknown(reading: _Reading, known: _Known) -> Iterator[tuple[str, str, str | None]]:
    """What is wrong with each part that is not known."""
    for index, kind in enumerate(("state", "action", "state")):
        part = reading.parts[index]
        if reading.meaning[index]:
            continue
        names = known.environment.alphabet if kind == "action" else known.states
        hint = known_or_near(part, names, f"its {kind}s")
        if ANY in part:
            yield kind, f"no {kind} of {known.whose} matches '{part}'", hint
        elif kind == "action" and part == TAU:
            yield kind, f"'{TAU}' is the internal move and cannot be added", None
        elif kind == "state" and part in (str(ERROR), "ERROR"):
            yield kind, f"ERROR is not a state of {known.whose}", None
        else:
            yield kind, f"unknown {kind} '{part}' of {known.whose}", hint
