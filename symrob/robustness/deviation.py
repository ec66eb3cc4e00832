"""Deviations: sets of environment transitions, as the user sees them."""

from __future__ import annotations

from collections.abc import Iterable

from symrob.lts import Transition


class Deviation(frozenset[Transition]):
    """A set of transitions `(source, action, target)`, states by number.

    As in the paper it holds R_E (without `tau`) and what the environment may
    do besides; `new` is the part that R_E lacks. Equal sets are equal
    deviations, whatever they were made from.

    Attributes:
        new: The transitions that the environment lacks.

    Source: docs/sources.md [S1], Sect. 4.1, Def. 2.
    """

    new: frozenset[Transition]

    def __new__(
        cls, nominal: Iterable[Transition], new: Iterable[Transition]
    ) -> Deviation:
        """Join the nominal transitions and the new ones."""
        added = frozenset(new)
        self = super().__new__(cls, added.union(nominal))
        self.new = added
        return self

    def __reduce__(self) -> tuple[type[Deviation], tuple[list[Transition], ...]]:
        return (Deviation, (sorted(self - self.new), sorted(self.new)))

    def __repr__(self) -> str:
        return f"Deviation({len(self)} transitions, {len(self.new)} new)"
