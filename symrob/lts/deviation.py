"""Deviations: sets of environment transitions, as the Python API returns them."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from functools import cached_property
from typing import Any

from symrob.errors import Diagnostic, SymrobError, did_you_mean
from symrob.lts import Lts, Transition
from symrob.shown import Shown


class Transitions(frozenset[Transition]):
    """Transitions of an environment; `in` accepts states by name and by number.

    The order is that of a `Transition`: `("LOADED", "reach", "LOADING") in deviation`.

    Attributes:
        environment: E, for the names of its states; `None` if unknown.
    """

    environment: Lts | None = None

    def __contains__(self, transition: object) -> bool:
        """Whether the set contains a transition, states by number or by name.

        Raises:
            SymrobError: E lacks the state or the action; or names are given and E is
                unknown.
        """
        if super().__contains__(transition):
            return True
        named = isinstance(transition, tuple) and len(transition) == 3
        if not named or not any(isinstance(q, str) for q in transition[::2]):  # type: ignore[index]
            return False
        return super().__contains__(self._numbered(*transition))  # type: ignore[misc]

    def _numbered(self, source: Any, action: Any, target: Any) -> Transition:
        environment = self.environment
        if environment is None:
            message = "the environment is unknown: give states by number"
            raise SymrobError(Diagnostic("deviation-names", message))
        number, problems = environment.numbers, []
        for what, name, known in (
            ("state", source, number),
            ("action", action, environment.alphabet),
            ("state", target, number),
        ):
            if isinstance(name, str) and name not in known:
                message = f"unknown {what} '{name:.60}'; a transition is a triple "
                message += "(source, action, target)"
                hint = did_you_mean(name, known)
                problems.append(Diagnostic("deviation-names", message, hint=hint))
        if problems:
            raise SymrobError(problems)
        return Transition(
            number.get(source, source), action, number.get(target, target)
        )


class Stoppable:
    """A set with which goals of the plan may become impossible; see `lost`.

    Attributes:
        outlook: Computes the names of the lost goals; `None` for a set that does not
            come from a computation, such as a copy.
    """

    outlook: Callable[[Any], tuple[str, ...]] | None = None

    @property
    def lost(self) -> tuple[str, ...]:
        """The names of the goals of the plan that become unreachable with the set.

        Raises:
            SymrobError: The set is a copy, or was made by hand; or its envelope was
                closed.
            LimitExceeded: A bound was hit.

        Cost: see `analyses.progress`.
        """
        known: tuple[str, ...] | None = vars(self).get("_lost")
        if known is None:
            if self.outlook is None:
                message = "lost goals are known for computed sets, not for "
                message += "copies; explain(…).lost gives them for any set"
                raise SymrobError(Diagnostic("deviation-lost", message))
            known = vars(self)["_lost"] = self.outlook(self)
        return known


class Deviation(Stoppable, Shown, Transitions):
    """A set of transitions `(source, action, target)`, states by number.

    As in the paper, it contains R_E (without `tau`) and the added transitions; `new` is
    the part that R_E lacks. Deviations are equal if their sets are.

    Attributes:
        environment: E, for the names of its states; `None` if unknown.
        modes: The names of its fault modes, sorted; `None` if each candidate is a unit
            by itself.
        packed: The numbering of transitions by the search that found it, and the added
            transitions as bits of one number, for storing or writing many deviations.
            `None` if it was created in another way.

    Source: docs/sources.md [S1], Sect. 4.1, Def. 2.
    """

    modes: tuple[str, ...] | None
    packed: tuple[object, int] | None
    _nominal: frozenset[Transition]

    def __new__(
        cls,
        nominal: Iterable[Transition],
        new: Iterable[Transition],
        environment: Lts | None = None,
        modes: tuple[str, ...] | None = None,
        packed: tuple[object, int] | None = None,
    ) -> Deviation:
        """Join the nominal transitions and the new ones."""
        old = frozenset(nominal)
        whole = frozenset(new)
        # A copy less where it is whole already.
        self = super().__new__(cls, whole if old <= whole else whole.union(old))
        self._nominal = old
        self.environment = environment
        self.modes = modes
        self.packed = packed
        return self

    @cached_property
    def new(self) -> frozenset[Transition]:
        """The transitions that the environment lacks."""
        found = Transitions(self - self._nominal)
        found.environment = self.environment
        return found

    @property
    def named(self) -> list[tuple[str, str, str]]:
        """Its transitions, sorted, with state names if E is known."""
        transitions = sorted(self)
        if self.environment is None:
            return [(str(s), a, str(t)) for s, a, t in transitions]
        return self.environment.named(transitions)

    def __reduce__(self) -> tuple[type[Deviation], tuple[Any, ...]]:
        parts = (
            sorted(self - self.new),
            sorted(self.new),
            self.environment,
            self.modes,
        )
        return (Deviation, parts)

    def __repr__(self) -> str:
        modes = "" if self.modes is None else f", {len(self.modes)} modes"
        return f"Deviation({len(self)} transitions, {len(self.new)} new{modes})"
