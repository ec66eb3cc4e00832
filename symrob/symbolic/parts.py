"""The codes of states: components and monitors as named bits.

In:  an `Lts`, its index among the parts of a system.
Out: a `RelationPart`: its bits, its moves by action, its sets of states and relations
     as BDDs.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence

from symrob.lts import ERROR, Action, Lts, StateId
from symrob.symbolic.context import Bdd, Context


def bit_names(prefix: str, size: int) -> tuple[str, ...]:
    """Name the bits that hold a number below `size`, highest first."""
    width = max(1, (size - 1).bit_length())
    return tuple(f"{prefix}.{bit}" for bit in reversed(range(width)))


def next_names(names: Sequence[str]) -> tuple[str, ...]:
    """Name the bits for the same value after a move."""
    return tuple(f"{name}'" for name in names)


def interleaved(one: Sequence[str], other: Sequence[str]) -> Iterator[str]:
    """Interleave the names, so that each bit is next to its successor."""
    for pair in zip(one, other, strict=True):
        yield from pair


def code_of(number: int, names: Sequence[str]) -> dict[str, bool]:
    """Write a number in the named bits."""
    top = len(names) - 1
    return {name: bool(number >> (top - i) & 1) for i, name in enumerate(names)}


def number_of(bits: Mapping[str, bool], names: Sequence[str]) -> int:
    """Read a number from the named bits."""
    number = 0
    for name in names:
        number = 2 * number + bits[name]
    return number


class RelationPart:
    """A component or monitor in bits: its codes and its moves.

    Attributes:
        current: The names of its bits; `following` has those after a move.
        moves: For each action its pairs (source, target), `ERROR` among them.
    """

    def __init__(self, index: int, lts: Lts, ctx: Context) -> None:
        self.lts = lts
        self.current = bit_names(f"c{index}", lts.size)
        self.following = next_names(self.current)
        self._ctx = ctx
        self.moves = self._by_action()

    def declare(self) -> None:
        """Add the bits to the context, below the existing ones.

        A bit and its successor stay next to each other, so that relations and
        renamings stay small.
        """
        self._ctx.declare(interleaved(self.current, self.following))

    def _by_action(self) -> dict[Action, list[tuple[StateId, StateId]]]:
        moves: dict[Action, list[tuple[StateId, StateId]]] = {}
        for source, action, target in self.lts.transitions:
            moves.setdefault(action, []).append((source, target))
        return moves

    def decode(self, bits: Mapping[str, bool]) -> StateId:
        """The state that an assignment of the current bits represents."""
        return number_of(bits, self.current)

    def states(self, states: Iterable[StateId]) -> Bdd:
        """A set of states over the current bits."""
        return self._ctx.union(
            self._ctx.cube(code_of(s, self.current)) for s in sorted(set(states))
        )

    def relation(self, action: Action) -> Bdd:
        """The moves on `action` that do not lead to ERROR."""
        return self._ctx.union(
            self._ctx.cube({**code_of(s, self.current), **code_of(t, self.following)})
            for s, t in self.moves.get(action, ())
            if t != ERROR
        )

    def offers(self, action: Action) -> Bdd:
        """The states with a move on `action`, ERROR included."""
        return self.states(s for s, _ in self.moves.get(action, ()))

    def fails(self, action: Action) -> Bdd:
        """The states from which `action` can lead to ERROR."""
        return self.states(s for s, t in self.moves.get(action, ()) if t == ERROR)
