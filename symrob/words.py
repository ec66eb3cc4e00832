"""Words: plain-language descriptions of the names in a model.

In:  words by name: of actions, states, components, properties.
Out: the words for a name, or the name itself if there are none.

Errors carry the words, so that a trace can be described wherever it is shown.
`case.words` reads them.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

ANY = "*"


class Identity(NamedTuple):
    """The identifier of a property, constraint, mode or rule in other documents.

    Attributes:
        id: Such as `SR-12`.
        source: Where it is defined, such as a section of a hazard log; may be empty.
    """

    id: str
    source: str = ""


@dataclass(frozen=True)
class Words:
    """Words for the names of one case.

    One `*` in a name stands for any text, and each `*` in its words for that text:
    `line.*.set_rate = "the nurse sets the rate of line *"`. An exact name takes
    precedence, then the first pattern that matches.

    Attributes:
        actions: Words by the name of an action.
        states: Words by the name of a state, or by `COMPONENT.STATE`.
        components: Words by the name of a component; E is called `E`.
        properties: Words by the name of a property or constraint.
        classes: Display names of the classes of `problem.classes`.
        models: Names of the models of E and C, used if `components` has none for them.
        identities: Identifiers by the name of a property or constraint.
        shared: Whether several cases share these words, so that a single case may lack
            some of the names.
    """

    actions: Mapping[str, str] = field(default_factory=dict)
    states: Mapping[str, str] = field(default_factory=dict)
    components: Mapping[str, str] = field(default_factory=dict)
    properties: Mapping[str, str] = field(default_factory=dict)
    classes: Mapping[str, str] = field(default_factory=dict)
    models: Mapping[str, str] = field(default_factory=dict, compare=False)
    identities: Mapping[str, Identity] = field(default_factory=dict, compare=False)
    shared: bool = False

    def kind(self, name: str) -> str:
        """Return the display name of a class of candidates."""
        return self.classes.get(name) or name.replace("-", " ")

    def action(self, name: str) -> str:
        """Return the words for an action."""
        return _found(self.actions, name) or name

    def state(self, component: str, name: str) -> str:
        """Return the words for a state.

        Args:
            component: Name of the component that the state belongs to.
            name: Name of the state.
        """
        own = _found(self.states, f"{component}.{name}")
        return own or _found(self.states, name) or name

    def component(self, name: str) -> str:
        """Return the words for a component; a lone controller has the words of `C`."""
        name = name or "C"
        return _found(self.components, name) or self.models.get(name, name)

    def identity(self, name: str) -> Identity | None:
        """Return the identifier of a property or constraint, if it has one.

        Args:
            name: See `said`.
        """
        whole, file = property_names(name)[:1], name.partition(" (")[0]
        known = (self.identities.get(part) for part in (*whole, file))
        return next(filter(None, known), None)

    def property(self, name: str) -> str:
        """Return the identifier and the words of a property or constraint."""
        found, said = self.identity(name), self.said(name)
        return said if found is None else f"{found.id}: {said}"

    def said(self, name: str) -> str:
        """Return the words for a property or constraint.

        Args:
            name: Name of its monitor: `FILE` or `FILE#PROCESS`, followed by `
                (COMPONENT)` if it has several components. The longest part that has
                words is used.
        """
        for part in property_names(name):
            if found := _found(self.properties, part):
                return found
        return name


PLAIN = Words()
"""No words: each name stands for itself."""


def apart(names: Sequence[str]) -> list[str]:
    """Return distinct names: equal ones are numbered."""
    if len({*names}) == len(names):
        return [*names]
    return [f"{name} ({number})" for number, name in enumerate(names, 1)]


def property_names(name: str) -> tuple[str, ...]:
    """Return the names under which a monitor can have words, longest first."""
    whole = name.partition(" (")[0]
    return tuple(dict.fromkeys((name, whole, whole.partition("#")[0])))


def base_name(name: str) -> str:
    """Return the common name of the monitors of one composite property.

    Equal components are numbered: `FILE#P (Q~2)`.
    """
    return re.sub(r"~\d+(?=\)$)", "", name)


def fits(pattern: str, name: str, one: str = "") -> bool:
    """Whether a name matches a pattern, in which each `*` stands for any text.

    Each piece between two `*` is matched at its first position after the piece before
    it: if the pieces match at all, they match there.

    Args:
        pattern: As the user wrote it; no other character is special.
        name: The name to match.
        one: A character that stands for any single character, such as `?`; by default
            none.

    Cost: at most the product of both lengths.
    """
    first, *middle = pattern.split(ANY)
    if not middle:
        return len(first) == len(name) and _place(first, name, one) == 0
    *middle, last = middle
    end = len(name) - len(last)
    at = len(first)
    if at > end or _place(first, name[:at], one) or _place(last, name[end:], one):
        return False
    for piece in middle:
        found = _place(piece, name[at:end], one)
        if found < 0:
            return False
        at += found + len(piece)
    return True


def _place(piece: str, name: str, one: str) -> int:
    """The first place where a piece stands in a name; -1 if there is none."""
    if not one or one not in piece:
        return name.find(piece)
    size = len(piece)
    places = range(len(name) - size + 1)
    return next((i for i in places if _stands(piece, name[i : i + size], one)), -1)


def _stands(piece: str, name: str, one: str) -> bool:
    return all(p in (one, c) for p, c in zip(piece, name, strict=False))


def _found(words: Mapping[str, str], name: str) -> str | None:
    if name in words:
        return words[name]
    for pattern, text in words.items():
        if ANY in pattern and fits(pattern, name):
            before, _, after = pattern.partition(ANY)
            return text.replace(ANY, name[len(before) : len(name) - len(after)])
    return None
