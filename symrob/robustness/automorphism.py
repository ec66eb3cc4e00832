"""Automorphisms of a finite structure, found by splitting cells of colours.

In:  a `Structure`: vertices of several kinds, and a set of triples of them.
Out: permutations of its vertices that keep kinds and triples, each checked on
     the whole structure before it is given out.

The usual search for graphs, kept small: vertices that can be told apart get
different colours (refinement); while some cannot, one of them is singled out
and the colours are refined again. That path ends in a colouring with one vertex
for each colour. Singling out another vertex of the same cell instead, at any
step, ends in another such colouring, and the two give the permutation that
takes a colour's vertex to that colour's vertex. Where it is an automorphism, it
joins the generators; where not, other choices on the way are tried. The work of
the search is bounded: what it gives generates all automorphisms, or, where it
had to stop, some of them.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass

from symrob.limits import Clock

Vertex = int
Colour = int
Permutation = tuple[Vertex, ...]


@dataclass(frozen=True)
class Structure:
    """Vertices 0..n-1 with triples of them.

    Attributes:
        kinds: For each vertex its kind, which automorphisms keep.
        triples: Ordered triples of vertices, which they map to one another.
    """

    kinds: tuple[Hashable, ...]
    triples: frozenset[tuple[Vertex, Vertex, Vertex]]

    def has_automorphism(self, images: Permutation) -> bool:
        """Whether a map of the vertices is an automorphism.

        Args:
            images: For each vertex its image.

        Cost: linear in the triples.
        """
        return (
            sorted(images) == list(range(len(self.kinds)))
            and all(
                self.kinds[image] == kind
                for image, kind in zip(images, self.kinds, strict=True)
            )
            and self.triples
            == {(images[x], images[y], images[z]) for x, y, z in self.triples}
        )


class _OutOfWork(Exception):
    """The search has done as much as it may."""


@dataclass
class _Colouring:
    """A colour for each vertex, and the vertices of each colour."""

    colours: list[Colour]
    cells: dict[Colour, set[Vertex]]

    def copy(self) -> _Colouring:
        cells = {colour: set(cell) for colour, cell in self.cells.items()}
        return _Colouring(list(self.colours), cells)

    def matches(self, other: _Colouring) -> bool:
        """Whether both have as many vertices of each colour."""
        return self.cells.keys() == other.cells.keys() and all(
            len(cell) == len(other.cells[colour]) for colour, cell in self.cells.items()
        )

    def recolour(self, vertices: Iterable[Vertex], colour: Colour) -> None:
        for vertex in vertices:
            old = self.colours[vertex]
            self.cells[old].discard(vertex)
            if not self.cells[old]:
                del self.cells[old]
            self.colours[vertex] = colour
            self.cells.setdefault(colour, set()).add(vertex)


class _Refiner:
    """Splits cells; equal histories give equal colours in all its colourings.

    Args:
        structure: The structure.
        clock: Asked now and then whether the run may go on.
        most_work: Bound on the neighbours that are looked at.
    """

    def __init__(self, structure: Structure, clock: Clock, most_work: int) -> None:
        self._clock = clock
        self._work = most_work
        self._names: dict[Hashable, Colour] = {}
        size = len(structure.kinds)
        self._triples: list[list[tuple[int, Vertex, Vertex]]] = [
            [] for _ in range(size)
        ]
        for x, y, z in sorted(structure.triples):
            self._triples[x].append((0, y, z))
            self._triples[y].append((1, x, z))
            self._triples[z].append((2, x, y))
        self._beside = [
            {v for _, *pair in triples for v in pair} for triples in self._triples
        ]
        colours = [self._name(kind) for kind in structure.kinds]
        cells: dict[Colour, set[Vertex]] = {}
        for vertex, colour in enumerate(colours):
            cells.setdefault(colour, set()).add(vertex)
        self.start = _Colouring(colours, cells)
        self._refine(self.start, set(range(size)))

    def single_out(self, colouring: _Colouring, vertex: Vertex) -> _Colouring:
        """Return the colouring refined after `vertex` got a colour of its own."""
        result = colouring.copy()
        result.recolour([vertex], self._name((colouring.colours[vertex], "chosen")))
        self._refine(result, self._beside[vertex])
        return result

    def _refine(self, colouring: _Colouring, touched: set[Vertex]) -> None:
        """Split cells until their members have neighbours of the same colours.

        Args:
            colouring: Changed in place.
            touched: The vertices that have got a neighbour of another colour.

        Ends, since each round but the last splits a cell.
        """
        while touched:
            self._clock.check()
            parts: dict[Colour, dict[Hashable, list[Vertex]]] = {}
            for vertex in touched:
                colour = colouring.colours[vertex]
                if len(colouring.cells[colour]) > 1:
                    look = self._look(colouring.colours, vertex)
                    parts.setdefault(colour, {}).setdefault(look, []).append(vertex)
            touched = set()
            for colour, by_look in parts.items():
                untouched = len(colouring.cells[colour]) - sum(
                    map(len, by_look.values())
                )
                if len(by_look) == 1 and not untouched:
                    continue
                for look, vertices in by_look.items():
                    colouring.recolour(vertices, self._name((colour, look)))
                    touched.update(*(self._beside[v] for v in vertices))

    def _look(self, colours: Sequence[Colour], vertex: Vertex) -> Hashable:
        """What the neighbourhood of a vertex looks like."""
        triples = self._triples[vertex]
        self._work -= len(triples)
        if self._work < 0:
            raise _OutOfWork
        return tuple(
            sorted([(place, colours[x], colours[y]) for place, x, y in triples])
        )

    def _name(self, what: Hashable) -> Colour:
        return self._names.setdefault(what, len(self._names))


def automorphisms(
    structure: Structure, clock: Clock, most_work: int
) -> list[Permutation]:
    """Return automorphisms that generate others, none of them the identity.

    Args:
        structure: The structure.
        clock: Asked now and then whether the run may go on.
        most_work: Bound on the neighbours looked at; a search that is out of
            work gives what it has found.

    Cost: `most_work` steps at most, and for each permutation that is checked a
        pass over the triples.
    Source: the method is known as individualisation and refinement.
    """
    found: list[Permutation] = []
    with suppress(_OutOfWork):
        _search(structure, _Refiner(structure, clock, most_work), found)
    return found


def _search(structure: Structure, refiner: _Refiner, found: list[Permutation]) -> None:
    """Add generators to `found`, those that move least first.

    Those of step i keep what was singled out in the steps before, so a vertex
    that the ones found so far take to the chosen one needs none of its own.
    """
    path = [refiner.start]
    chosen: list[Vertex] = []
    while (vertex := _undecided(path[-1])) is not None:
        chosen.append(vertex)
        path.append(refiner.single_out(path[-1], vertex))
    # For each vertex another one of its orbit under what was found, itself at
    # the end of the chain.
    parents = list(range(len(structure.kinds)))
    for step in reversed(range(len(chosen))):
        hopeless: set[Vertex] = set()
        cell = path[step].cells[path[step].colours[chosen[step]]]
        for vertex in sorted(cell):
            root = _root(parents, vertex)
            if root == _root(parents, chosen[step]) or root in hopeless:
                continue
            ends = _other_ends(refiner, path, chosen, step, vertex)
            images = next(filter(structure.has_automorphism, ends), None)
            if images is None:
                hopeless.add(root)
                continue
            found.append(images)
            for one, other in enumerate(images):
                parents[_root(parents, one)] = _root(parents, other)


def _undecided(colouring: _Colouring) -> Vertex | None:
    """Return the first vertex that shares its colour; `None` if none does."""
    return min((min(c) for c in colouring.cells.values() if len(c) > 1), default=None)


def _root(parents: list[Vertex], vertex: Vertex) -> Vertex:
    while parents[vertex] != vertex:
        parents[vertex] = vertex = parents[parents[vertex]]
    return vertex


def _other_ends(
    refiner: _Refiner,
    path: Sequence[_Colouring],
    chosen: Sequence[Vertex],
    step: int,
    vertex: Vertex,
) -> Iterator[Permutation]:
    """Follow the path, but with `vertex` singled out at `step`.

    Yields:
        Maps from the end of the path to each end that looks like it, those first
        that let the vertices stay that were singled out later.
    """
    # Where the colours are still like those of the path, and what to single out
    # next, the last one first.
    stack = [(step, path[step], [vertex])]
    while stack:
        depth, colouring, options = stack[-1]
        if not options:
            stack.pop()
            continue
        here = refiner.single_out(colouring, options.pop())
        there = path[depth + 1]
        if not here.matches(there):
            continue
        if depth + 1 == len(chosen):
            yield tuple(next(iter(here.cells[colour])) for colour in there.colours)
            continue
        stay = chosen[depth + 1]
        cell = here.cells[there.colours[stay]]
        stack.append((depth + 1, here, sorted(cell, key=lambda v: (v == stay, -v))))
