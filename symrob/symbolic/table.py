"""A flat controller and its monitors as a table: the explicit `SymbolicSystem`.

In:  a controller of one component, and deterministic monitors.
Out: a `TableSystem`: the same sets, images and single states; a set is an integer, one
     bit for each state of C‖P.

The components of a network depend little on each other, and BDDs exploit that. The
numbers of one large component's states have no structure that a BDD could exploit: its
relations have at least one node for each transition, and each costs far more than a
table entry.

State c of C with the monitors in the states p, q, … is bit c + |C|·(p + |P|·(q + …)): a
set is a block of |C| bits for each state of the monitors together, and an action moves
whole blocks. No product is computed. Counters are treated like monitors.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence, Set
from functools import lru_cache, partial
from itertools import chain, product
from math import prod
from typing import cast

from symrob.limits import Clock
from symrob.lts import ERROR, Action, Lts, Network, StateId
from symrob.lts.masks import bits, mask_of
from symrob.problem import Monitor, plain
from symrob.symbolic.context import Bdd, Context
from symrob.symbolic.encoding import ActionRelation, SymbolicSystem
from symrob.symbolic.parts import RelationPart, code_of

# A set of states, one bit for each.
Mask = int
# The states of all monitors together.
Watching = tuple[StateId, ...]

# Where an action leads to no block: what counts does not take it.
_REFUSED = -2

# States in the images of one action that are kept, half a megabyte of bits.
REMEMBERED = 1 << 22


class TableContext(Context):
    """The counterpart of `Context` for tables: creates and decodes sets.

    Args:
        clock: Checked at every image.

    The system computes images; this class has the other operations on sets.
    """

    nodes = peak_nodes = 0

    def __init__(self, clock: Clock) -> None:
        self.clock = clock
        self.backend = "table"
        self.images = 0
        self.false = cast("Bdd", 0)
        self._parts: Sequence[RelationPart] = ()

    def serve(self, parts: Sequence[RelationPart]) -> None:
        """Become the context of a system: C, then its monitors."""
        self._parts = parts
        self._sizes = [part.lts.size for part in parts]
        self.block = (1 << self._sizes[0]) - 1
        self.true = cast("Bdd", (1 << prod(self._sizes)) - 1)

    def declare(self, names: Iterable[str]) -> None:
        """Do nothing: a table has no variables."""

    def cube(self, values: Mapping[str, bool]) -> Bdd:
        """Return the states in which the given parts have the given states."""
        choices = [
            [part.decode(values)] if part.current[0] in values else range(size)
            for part, size in zip(self._parts, self._sizes, strict=True)
        ]
        return self.at(choices)

    def at(self, choices: Sequence[Sequence[StateId]]) -> Bdd:
        """Return the states in which each part is in one of some of its states."""
        machine = mask_of(choices[0])
        found = 0
        for place in self._watching(choices[1:]):
            found |= machine << place * self._sizes[0]
        return cast("Bdd", found)

    def _watching(self, choices: Sequence[Sequence[StateId]]) -> Iterator[int]:
        """The numbers of the blocks in which the monitors are in some states."""
        for states in product(*choices):
            place, weight = 0, 1
            for state, size in zip(states, self._sizes[1:], strict=True):
                place += state * weight
                weight *= size
            yield place

    def union(self, parts: Iterable[Bdd]) -> Bdd:
        """Return the union."""
        found = self.false
        for part in parts:
            found |= part
        return found

    def exists(self, u: Bdd, names: Sequence[str]) -> Bdd:
        """Forget the states of some monitors, or components that count.

        Args:
            u: The states.
            names: All bits of these.
        """
        forgotten, found, place = {*names}, 0, 0
        free = [part.current[0] in forgotten for part in self._parts[1:]]
        assert len(forgotten) == sum(
            len(part.current)
            for part, is_free in zip(self._parts[1:], free, strict=True)
            if is_free
        )
        blocks: dict[tuple[range, ...], int] = {}
        mask = cast("Mask", u)
        while mask:
            if mask & self.block:
                choices, rest = list[range](), place
                for is_free, size in zip(free, self._sizes[1:], strict=True):
                    rest, state = divmod(rest, size)
                    choices.append(range(size) if is_free else range(state, state + 1))
                key = tuple(choices)
                blocks[key] = blocks.get(key, 0) | mask & self.block
            mask >>= self._sizes[0]
            place += 1
        for key, machine in blocks.items():
            found |= cast("Mask", self.at([[*bits(machine)], *key]))
        return cast("Bdd", found)

    def iterate(self, u: Bdd, names: Sequence[str]) -> Iterator[dict[str, bool]]:
        """Yield every state of a set, as the bits of a `SymbolicSystem`."""
        del names  # All of them.
        for code in bits(cast("Mask", u)):
            values: dict[str, bool] = {}
            for part, size in zip(self._parts, self._sizes, strict=True):
                code, state = divmod(code, size)
                values.update(code_of(state, part.current))
            yield values

    def count(self, u: Bdd, names: Sequence[str]) -> int:
        """Return the number of states in a set."""
        del names  # All of them.
        return cast("Mask", u).bit_count()

    def size(self, u: Bdd) -> int:
        """Return 1: a set is one integer."""
        del u
        return 1

    def count_image(self) -> None:
        """Count an image; checks the bounds of the run."""
        self._count_image()


class _Table:
    """What one action does: to C, and to the monitors together.

    Attributes:
        offers: The states of C that have the action; all where C has no part in it.
        fails: Those from which C itself goes to ERROR by it.
        blocks: For each state of the monitors, and of what counts, the one that
            follows; `ERROR`; `_REFUSED`.
    """

    def __init__(self, part: RelationPart | None, action: Action, size: int) -> None:
        self.blocks: list[int] = []
        self.offers = self._leading = (1 << size) - 1
        self.fails = 0
        self._post: Callable[[Mask], Mask] = _same
        self._pre: Callable[[Mask], Mask] = _same
        if part is None:
            return
        targets: dict[StateId, list[StateId]] = {}
        sources: dict[StateId, list[StateId]] = {}
        failing = []
        for source, target in part.moves.get(action, ()):
            to = targets.setdefault(source, [])
            if target == ERROR:
                failing.append(source)
            else:
                to.append(target)
                sources.setdefault(target, []).append(source)
        self.offers, self.fails = mask_of(list(targets)), mask_of(failing)
        self._leading = mask_of(list(sources))
        # In many blocks C is in the same states.
        remembered = lru_cache(REMEMBERED // size)
        self._post = remembered(partial(_union, targets))
        self._pre = remembered(partial(_union, sources))

    def post(self, machine: Mask) -> Mask:
        """Where the action leads some states of C, without ERROR."""
        return self._post(machine & self.offers)

    def pre(self, machine: Mask) -> Mask:
        """From which states of C the action can lead to some."""
        return self._pre(machine & self._leading)


def _same(machine: Mask) -> Mask:
    return machine


def _union(rows: Mapping[StateId, list[StateId]], machine: Mask) -> Mask:
    """The members of the rows of some states."""
    members = map(rows.__getitem__, bits(machine))
    return mask_of([*chain.from_iterable(members)]) if machine else 0


class TableSystem(SymbolicSystem):
    """A controller of one component with its monitors, as a table.

    Args:
        controller: Its component is C.
        monitors: The properties.
        environment_alphabet: See `SymbolicSystem`.
        clock: Checked at every image.

    Attributes:
        size: The number of states of C‖P, reachable or not.

    Cost: linear in the transitions of C, and in the states of the monitors together for
        each action.
    """

    ctx: TableContext

    def __init__(
        self,
        controller: Network | Lts,
        monitors: Sequence[Monitor],
        environment_alphabet: Sequence[Action],
        clock: Clock,
    ) -> None:
        self._tables: dict[tuple[Action, tuple[int, ...]], _Table] = {}
        super().__init__(
            TableContext(clock), controller, monitors, environment_alphabet
        )
        # Each has its own table.
        self.clusters = self.internal

    def _move(
        self,
        action: Action,
        components: Sequence[RelationPart],
        monitors: Sequence[RelationPart],
        label: Action | None = None,
    ) -> ActionRelation:
        """Synchronise the participants on `action`; see `SymbolicSystem`."""
        machine = self._components[0]
        part = machine if machine in components else None
        table = _Table(part, action, machine.lts.size)
        error = self.ctx.false
        beside = {*components, *monitors}
        for place, states in enumerate(self._judging):
            after = self._following(states, action, beside)
            table.blocks.append(after)
            if after == _REFUSED:
                continue
            failing = table.offers if after == ERROR else table.fails
            error |= cast("Bdd", failing << place * machine.lts.size)
        participants = (*components, *monitors)
        move = ActionRelation(
            action=label or plain(action),
            name=action,
            # The table says it.
            relation=self.ctx.false,
            error=error,
            current=tuple(n for p in participants for n in p.current),
            following=tuple(n for p in participants for n in p.following),
            components=tuple(self._components.index(p) for p in components),
            monitors=tuple(self._monitors.index(p) for p in monitors),
        )
        self._tables[action, move.components] = table
        return move

    def _declare(self, parts: Sequence[RelationPart]) -> None:
        self.ctx.serve(parts)
        self.size = prod(part.lts.size for part in parts)
        self._width = parts[0].lts.size
        # The first of them is the one that changes from block to block.
        sizes = [part.lts.size for part in reversed(parts[1:])]
        self._judging = [states[::-1] for states in product(*map(range, sizes))]

    def _following(
        self, states: Watching, action: Action, moving: Set[RelationPart]
    ) -> int:
        """The block of the states after an action; `ERROR`, `_REFUSED`."""
        place, weight = 0, 1
        beside = self.counters + self._monitors
        for number, (part, state) in enumerate(zip(beside, states, strict=True)):
            if part in moving:
                (state,) = part.lts.successors[state].get(action, (ERROR,))
                if state == ERROR:
                    return _REFUSED if number < len(self.counters) else ERROR
            place += state * weight
            weight *= part.lts.size
        return place

    def _blocks(self, states: Bdd) -> Iterator[tuple[int, Mask]]:
        """The states of C, by the states of the monitors."""
        mask, place = cast("Mask", states), 0
        while mask:
            if machine := mask & self.ctx.block:
                yield place, machine
            mask >>= self._width
            place += 1

    def post(self, states: Bdd, move: ActionRelation) -> Bdd:
        """See `SymbolicSystem`."""
        if not move.current:
            return states
        self.ctx.count_image()
        table = self._tables[move.name, move.components]
        found = 0
        for place, machine in self._blocks(states):
            after = table.blocks[place]
            if after >= 0:
                found |= table.post(machine) << after * self._width
        return cast("Bdd", found)

    def pre(self, states: Bdd, move: ActionRelation) -> Bdd:
        """See `SymbolicSystem`."""
        if not move.current:
            return states
        self.ctx.count_image()
        table = self._tables[move.name, move.components]
        sources = {at: table.pre(machine) for at, machine in self._blocks(states)}
        found = 0
        for place, after in enumerate(table.blocks):
            if after in sources:
                found |= sources[after] << place * self._width
        return cast("Bdd", found)

    def reached(
        self,
        states: Bdd,
        moves: Sequence[ActionRelation],
        within: Bdd | None = None,
    ) -> Bdd:
        """See `SymbolicSystem`; here, images are taken only of new states."""
        fresh = states
        while fresh != self.ctx.false:
            images = self.ctx.union(self.post(fresh, move) for move in moves)
            fresh = images & ~states
            if within is not None:
                fresh &= within
            states |= fresh
        return states

    def close(
        self,
        states: Bdd,
        after: ActionRelation | None = None,
        within: Bdd | None = None,
    ) -> Bdd:
        """See `SymbolicSystem`."""
        del after  # What is new is moved on, whatever it comes from.
        return self.reached(states, self.internal, within)

    def close_back(
        self,
        states: Bdd,
        within: Bdd | None = None,
        after: ActionRelation | None = None,
    ) -> Bdd:
        """See `SymbolicSystem`."""
        del after
        fresh = states
        while fresh != self.ctx.false:
            before = self.ctx.union(self.pre(fresh, move) for move in self.internal)
            fresh = before & ~states
            if within is not None:
                fresh &= within
            states |= fresh
        return states

    def where(self, part: int, states: Iterable[StateId]) -> Bdd:
        """See `SymbolicSystem`."""
        parts = self._components + self._monitors
        choices: list[Sequence[StateId]] = [range(p.lts.size) for p in parts]
        choices[part] = sorted(set(states))
        return self.ctx.at(choices)
