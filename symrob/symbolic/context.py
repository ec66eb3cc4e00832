"""One BDD manager, its variables and its operations.

In:  names of variables, and BDDs made here.
Out: BDDs. All BDDs of one context are canonical, so `==` is equality of the sets that
     they represent and takes constant time.

The backend is dd.cudd where it is installed, else dd.autoref, which is slower
and pure Python; nothing outside this package knows which one is in use.

Pitfalls of dd that this module hides: a BDD is always true as a Python bool, so compare
with `ctx.false`; decoding needs the list of variables, since dd omits irrelevant ones;
dd counts in floating point, so this module counts in integers.
"""

from __future__ import annotations

import sys
import warnings
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any, Protocol

from symrob.borders import backend_named
from symrob.errors import LimitExceeded
from symrob.limits import Clock
from symrob.memory import MEBIBYTE, resident

# CUDD needs this many bytes to be of any use.
_LEAST_MEMORY = 1 << 24
# Its cache may take one part in this many; bytes of an entry; most that there can be.
_CACHE_SHARE, _CACHE_ENTRY, _MOST_CACHED = 4, 32, (1 << 32) - 1
# Nodes up to which CUDD lets its tables grow fast; its default for a gigabyte.
_LOOSE_UP_TO = 6_710_886


class Bdd(Protocol):
    """A set of states or a relation; belongs to one `Context`."""

    def __and__(self, other: Bdd, /) -> Bdd: ...
    def __or__(self, other: Bdd, /) -> Bdd: ...
    def __invert__(self) -> Bdd: ...


class Context:
    """One BDD manager.

    Args:
        backend: `cudd`, `autoref`, or `auto` for the first that is installed.
        clock: Checked at every image, and by CUDD also during an operation; its bound
            on memory applies to CUDD, too.
        nodes: Bound on the nodes, if the run has none.

    Attributes:
        backend: The backend in use, `cudd` or `autoref`.
        false: The empty set.
        true: The set of all assignments.
        images: Number of images and pre-images computed so far.
    """

    _most_nodes: int | None = None

    def __init__(
        self,
        backend: str = "auto",
        clock: Clock | None = None,
        nodes: int | None = None,
    ) -> None:
        self._dd, self.backend = backend_named(backend)
        self.clock = clock or Clock()
        asked = self.clock.limits.nodes
        self._most_nodes = nodes if asked is None else asked
        if self.backend == "cudd":
            # Small to begin with: clearing the cache and the reserve of CUDD's own
            # defaults takes 15 ms, more than most models need. The cache grows by
            # itself; tables may be sparse for as long as in CUDD's own setting.
            self._bdd = self._dd.BDD(
                check=self.clock.check,
                initial_cache_size=1 << 12,
                memory_estimate=16 * MEBIBYTE,
            )
            self._bdd.configure(loose_up_to=_LOOSE_UP_TO)
        else:
            self._bdd = self._dd.BDD()
        self._bdd.configure(reordering=False)
        memory = self.clock.limits.memory
        if memory is not None and self.backend == "cudd":
            left = min(max(memory * MEBIBYTE - resident(), _LEAST_MEMORY), sys.maxsize)
            # By itself the cache doubles with the variables, used or not.
            cached = min(left // _CACHE_SHARE // _CACHE_ENTRY, _MOST_CACHED)
            self._bdd.configure(max_memory=left, max_cache_hard=cached)
        self.false: Bdd = self._bdd.false
        self.true: Bdd = self._bdd.true
        self.images = 0
        self._equal: dict[tuple[Sequence[str], Sequence[str]], Bdd] = {}
        self._cubes: dict[tuple[str, ...], Iterable[Any]] = {}

    @property
    def manager(self) -> Any:
        """The manager itself, for code that uses only dd's own interface."""
        return self._bdd

    def declare(self, names: Iterable[str]) -> None:
        """Add variables, in this order, below those declared before.

        Raises:
            LimitExceeded: A bound of the run was hit.
        """
        for name in names:
            # Thousands take their time, and memory.
            self.clock.check()
            self._bdd.declare(name)

    def cube(self, values: Mapping[str, bool]) -> Bdd:
        """Return the conjunction of the given literals."""
        result: Bdd = self._bdd.cube(dict(values))
        return result

    def union(self, parts: Iterable[Bdd]) -> Bdd:
        """Return the union, joining small parts first."""
        todo = list(parts)
        while len(todo) > 1:
            paired = [a | b for a, b in zip(todo[::2], todo[1::2], strict=False)]
            todo = paired + todo[2 * len(paired) :]
        return todo[0] if todo else self.false

    def and_exists(self, u: Bdd, v: Bdd, names: Sequence[str]) -> Bdd:
        """Return `∃ names: u ∧ v`; checks the bounds of the run."""
        self._count_image()
        if self.backend == "cudd":
            result: Bdd = self._dd.and_exists(u, v, self._cube_of(tuple(names)))
        else:
            result = self._bdd.exist(names, u & v)
        return result

    def _cube_of(self, names: tuple[str, ...]) -> Iterable[Any]:
        """All of them true; see `cudd.BDD.to_quantify`."""
        cube = self._cubes.get(names)
        if cube is None:
            cube = self._cubes[names] = self._bdd.to_quantify(names)
        return cube

    def exists(self, u: Bdd, names: Sequence[str]) -> Bdd:
        """Return `∃ names: u`."""
        result: Bdd = self._bdd.exist(names, u)
        return result

    def rename(self, u: Bdd, old: Sequence[str], new: Sequence[str]) -> Bdd:
        """Replace variables by others, none of which may occur in `u`.

        dd's own renaming composes BDDs, and remembers nothing between calls.
        `∃ old: u ∧ (old ↔ new)` gives the same through the operation cache.
        """
        return self.and_exists(u, self.equality(old, new), old)

    def equality(self, old: Sequence[str], new: Sequence[str]) -> Bdd:
        """Return where each variable of one list equals that of the other."""
        key = tuple(old), tuple(new)
        equal = self._equal.get(key)
        if equal is None:
            equal = self.true
            # From the bottom of the order upwards, so that each conjunction
            # adds its nodes on top.
            for x, y in sorted(
                zip(old, new, strict=True),
                key=lambda pair: self._bdd.level_of_var(pair[0]),
                reverse=True,
            ):
                a, b = self._bdd.var(x), self._bdd.var(y)
                equal &= (a & b) | (~a & ~b)
            self._equal[key] = equal
        return equal

    def support(self, u: Bdd) -> set[str]:
        """Return the variables that a BDD depends on."""
        names: set[str] = self._bdd.support(u)
        return names

    def pick(self, u: Bdd, names: Sequence[str]) -> dict[str, bool] | None:
        """Return one assignment of `names` in `u`, or `None` if `u` is empty."""
        return None if u == self.false else next(self.iterate(u, names), None)

    def iterate(self, u: Bdd, names: Sequence[str]) -> Iterator[dict[str, bool]]:
        """Yield every assignment of `names` in `u`, decoded one by one.

        Args:
            u: A BDD over `names` only.
            names: The variables of each assignment.
        """
        yield from self._bdd.pick_iter(u, care_vars=set(names))

    def count(self, u: Bdd, names: Sequence[str]) -> int:
        """Return the exact number of assignments of `names` in `u`.

        Cost: linear in the nodes of `u`, in integers of any size.
        """
        levels = sorted(self._bdd.level_of_var(name) for name in names)
        rank = {level: i for i, level in enumerate(levels)}
        return _count(u, rank, len(levels), self._bdd)

    def size(self, u: Bdd) -> int:
        """Return the number of nodes of `u`."""
        nodes: int = u.dag_size  # type: ignore[attr-defined]
        return nodes

    @property
    def nodes(self) -> int:
        """Number of live nodes in the manager."""
        if self.backend == "cudd":
            return int(self._statistics()["n_nodes"])
        return len(self._bdd)

    @property
    def peak_nodes(self) -> int:
        """Largest number of nodes so far (autoref: current number)."""
        if self.backend == "cudd":
            return int(self._statistics()["peak_nodes"])
        return len(self._bdd)

    def _statistics(self) -> dict[str, float]:
        with warnings.catch_warnings():
            # dd announces at each call that the unit of a figure has changed.
            warnings.simplefilter("ignore")
            figures: dict[str, float] = self._bdd.statistics()
        return figures

    def _count_image(self) -> None:
        self.images += 1
        self.clock.check()
        bound = self._most_nodes
        if bound is not None and self.images % 32 == 0 and self.nodes > bound:
            raise LimitExceeded(
                f"more than {bound:,} BDD nodes; raise --bound max-nodes to continue"
            )


def _count(root: Any, rank: Mapping[int, int], width: int, bdd: Any) -> int:
    """Count assignments below `root` by walking its nodes once.

    Args:
        root: A BDD over the variables in `rank`.
        rank: For the level of each variable, its position among them.
        width: Number of variables.
        bdd: The manager of `root`.
    """
    total = 1 << width
    # For a node, the number of models of its uncomplemented form, over all
    # variables. The walk keeps its own stack: BDDs can be deeper than the
    # recursion limit of Python.
    models: dict[int, int] = {}

    def value(edge: Any) -> int | None:
        """Models of an edge, complement mark included, or None if unknown."""
        if edge == bdd.true:
            return total
        if edge == bdd.false:
            return 0
        negated = edge.negated
        known = models.get(int(~edge) if negated else int(edge))
        if known is None:
            return None
        return total - known if negated else known

    todo = [root]
    while todo:
        edge = todo[-1]
        if value(edge) is not None:
            todo.pop()
            continue
        node = ~edge if edge.negated else edge
        low, high = value(node.low), value(node.high)
        if low is None:
            todo.append(node.low)
        elif high is None:
            todo.append(node.high)
        else:
            assert node.level in rank, "counted BDD depends on an unlisted variable"
            models[int(node)] = (low + high) >> 1
            todo.pop()
    result = value(root)
    assert result is not None
    return result
