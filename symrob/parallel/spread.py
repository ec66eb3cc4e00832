"""Δ with several processes; called by `compute -j` and `compute --dask`.

In:  an `Engine`, and the searchers.
Out: its deviations, each as soon as a searcher has found it.
"""

from __future__ import annotations

from collections.abc import Callable, Generator
from contextlib import closing
from itertools import islice

from symrob.envelope import tuning
from symrob.envelope.antichain import antichain
from symrob.envelope.engine import Engine
from symrob.lts.deviation import Deviation
from symrob.parallel.board import Board
from symrob.parallel.cluster import Cluster
from symrob.parallel.cubes import Cubes
from symrob.parallel.search import UnitSets, packing

# Searches the cubes of a board and yields what is new.
Searchers = Callable[[UnitSets, Board], Generator[bytes, None, None]]


def spread(
    engine: Engine, processes: int = 1, cluster: str | None = None
) -> Generator[Deviation, None, None]:
    """Yield Δ, each deviation as soon as one of several processes has found it.

    Args:
        engine: The problem; its nominal system is safe.
        processes: Number of processes to start here.
        cluster: The address of a Dask scheduler instead.

    Raises:
        LimitExceeded: A bound was hit; the deviations yielded before are valid.
        SymrobError: Dask is not installed, or the scheduler cannot be reached.

    Cost: that of one process, plus sets that two find at the same time, divided among
        the processes; deviations are processed here.
    """
    if cluster is not None:
        with Cluster(cluster) as workers:
            search = workers.searchers(engine)
            yield from antichain(by_cubes(engine.sets, workers.threads, search))
        return

    def searchers(sets: UnitSets, board: Board) -> Generator[bytes, None, None]:
        from symrob.parallel.local import search_locally

        return search_locally(sets, board, processes, engine.clock)

    yield from antichain(by_cubes(engine.sets, processes, searchers))


def by_cubes(
    sets: UnitSets, number: int, searchers: Searchers
) -> Generator[Deviation, None, None]:
    """Yield all maximal deviations, most of them found by searchers.

    Args:
        sets: The safe sets.
        number: Number of searchers.
        searchers: The searchers; they receive a board with the cubes.
    """
    if sets.unbroken:
        yield from sets.deviations()
        return
    sample = []
    maximal = sets.maximal()
    try:
        for chosen in islice(maximal.search(), tuning.SAMPLED_SETS):
            sample.append(chosen)
            yield sets.found(chosen)
        left = len(sample) == tuning.SAMPLED_SETS
    finally:
        maximal.close()
    if not left:
        return
    form = packing(sets)
    known = [form.packed(chosen) for chosen in sample]
    cubes = Cubes(form, known, tuning.CUBES_EACH * number)
    with closing(searchers(sets, Board(cubes, known))) as found:
        for packed in found:
            yield sets.found(form.unpacked(packed))
