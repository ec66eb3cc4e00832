"""From a safety formula to its monitor, by the remaining obligations.

In:  a normal form without liveness.
Out: a deterministic `Lts` in which a word leads to ERROR exactly if it violates the
     formula by itself: even if everything beyond its end is assumed to satisfy the
     formula. (The weak semantics of truncated words.)

A state consists of what must hold from the next action on (a set of alternatives, each
a set of parts of the formula) and the fluents that hold. After an action, each part is
replaced by its obligations then and later: `f W g` by `g`, or by `f` now and `f W g`
later. There are finitely many parts, so finitely many states.

Source: docs/sources.md [Safety].
"""

from __future__ import annotations

from collections.abc import Iterable

from symrob.errors import LimitExceeded
from symrob.limits import DEFAULT_LIMITS, Limits, check_size, watched
from symrob.logic.formula import TRUE, Fluent, Formula, fluents
from symrob.lts import ERROR, Action, Lts
from symrob.lts.bisimulation import minimise

# Alternatives, none of which holds all of another; none at all is false, and one
# that demands nothing is true.
Demand = frozenset[frozenset[Formula]]
_NEVER: Demand = frozenset()
_ALWAYS: Demand = frozenset([frozenset()])

_MOST_ALTERNATIVES = 10_000


def monitor_of(
    root: Formula, extension: Iterable[Action] = (), *, limits: Limits = DEFAULT_LIMITS
) -> Lts:
    """Return the smallest monitor of a safety formula.

    Args:
        root: Its normal form (`NormalForm.root`).
        extension: Actions that count as steps although the formula does not name them.
        limits: `max_states` bounds the states before they are merged.

    Returns:
        A deterministic system over the actions of the formula and the extension, that
        takes each of them in each state, some to ERROR.

    Raises:
        LimitExceeded: There are too many states, or alternatives in one.

    Cost: linear in the states, of which there can be doubly exponentially many in the
        formula.
    """
    known = sorted(fluents(root), key=lambda f: (f.name, sorted(f.starts)))
    alphabet = {*extension}
    for fluent in known:
        alphabet |= fluent.starts | (fluent.stops or frozenset())
    made = _Demands(known)
    start = (tuple(f.initially for f in known), _demanded(root))
    numbers = {start: 0}
    order = [start]
    moves: list[tuple[int, Action, int]] = []
    for source, (holding, demand) in enumerate(watched(order, 16)):
        for action in sorted(alphabet):
            values = tuple(
                f.after(before, action)
                for f, before in zip(known, holding, strict=True)
            )
            left = made.after(demand, values)
            if left == _NEVER:
                moves.append((source, action, ERROR))
                continue
            # Where nothing can go wrong any more, it is all one what holds.
            state = ((False,) * len(known) if left == _ALWAYS else values, left)
            if state not in numbers:
                numbers[state] = len(order)
                order.append(state)
                check_size(len(order), limits.max_states, "monitor of the formula")
            moves.append((source, action, numbers[state]))
    small = minimise(Lts(alphabet, len(order), moves))
    return Lts(small.alphabet, small.size, small.transitions)


class _Demands:
    """What parts of a formula demand, remembered.

    Args:
        known: The fluents, in the order of their values.
    """

    def __init__(self, known: list[Fluent]) -> None:
        self._place = {fluent: i for i, fluent in enumerate(known)}
        self._parts: dict[tuple[Formula, tuple[bool, ...]], Demand] = {}
        self._steps: dict[tuple[Demand, tuple[bool, ...]], Demand] = {}

    def after(self, demand: Demand, values: tuple[bool, ...]) -> Demand:
        """Return what is left of a demand after an action.

        Args:
            demand: What must hold from this action on.
            values: Which fluents hold after it.
        """
        key = (demand, values)
        if key not in self._steps:
            self._steps[key] = _any(
                _all(self._of(part, values) for part in parts) for parts in demand
            )
        return self._steps[key]

    def _of(self, part: Formula, values: tuple[bool, ...]) -> Demand:
        key = (part, values)
        if key not in self._parts:
            self._parts[key] = self._built(part, values)
        return self._parts[key]

    def _built(self, part: Formula, values: tuple[bool, ...]) -> Demand:
        match part.operator:
            case "true":
                return _ALWAYS
            case "false":
                return _NEVER
            case "fluent":
                assert part.fluent is not None
                return _ALWAYS if values[self._place[part.fluent]] else _NEVER
            case "!":
                fluent = part.parts[0].fluent
                assert fluent is not None
                return _NEVER if values[self._place[fluent]] else _ALWAYS
            case "&&":
                return _all(self._of(p, values) for p in part.parts)
            case "||":
                return _any(self._of(p, values) for p in part.parts)
            case "X":
                return _demanded(part.parts[0])
            case "W":
                now, other = (self._of(p, values) for p in part.parts)
                return _any((other, _all((now, frozenset([frozenset([part])])))))
            case word:
                raise AssertionError(word)


def _demanded(part: Formula) -> Demand:
    """Return the demand of a part before any action; even `false` fails only then."""
    return _ALWAYS if part is TRUE else frozenset([frozenset([part])])


def _any(demands: Iterable[Demand]) -> Demand:
    found: set[frozenset[Formula]] = set()
    for demand in demands:
        found |= demand
    return _least(found)


def _all(demands: Iterable[Demand]) -> Demand:
    found = _ALWAYS
    for demand in demands:
        found = _least({one | other for one in found for other in demand})
    return found


def _least(alternatives: set[frozenset[Formula]]) -> Demand:
    """Keep the alternatives that hold all of no other one.

    Raises:
        LimitExceeded: There are too many.
    """
    if len(alternatives) > _MOST_ALTERNATIVES:
        raise LimitExceeded(
            f"the formula has more than {_MOST_ALTERNATIVES:,} alternatives at once; "
            "use several smaller ones"
        )
    kept: list[frozenset[Formula]] = []
    for one in sorted(alternatives, key=len):
        if not any(other <= one for other in kept):
            kept.append(one)
    return frozenset(kept)
