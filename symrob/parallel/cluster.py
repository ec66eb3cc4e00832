"""The cubes of one Δ, searched by the workers of a Dask cluster.

In:  the address of a scheduler, a problem.
Out: maximal safe sets, each once.

A task searches one cube for some seconds and returns the sets that it found; if the
cube is not done, the next task gets it with all its known sets. So a lost worker costs
only these seconds. Workers keep the screened problem and its known sets; they need
symrob, in the same version, and no shared disk.
"""

from __future__ import annotations

import logging
from collections.abc import Callable, Generator, Iterator
from contextlib import contextmanager, suppress
from dataclasses import replace
from threading import Event, Lock
from typing import Any
from uuid import uuid4

from symrob.envelope.engine import Engine
from symrob.errors import Diagnostic, SymrobError
from symrob.limits import Clock, Limits
from symrob.parallel.board import Board
from symrob.parallel.cubes import Cube
from symrob.parallel.search import CubeSearch, UnitSets
from symrob.problem import Problem
from symrob.version import VERSION

# A problem, the backend for it, and the bounds.
Posed = tuple[Problem, str, Limits]

# Seconds to wait for the scheduler.
_PATIENCE = 10
# Seconds of a task.
_TASK = 5.0
# Seconds that the clock may have to wait while no task ends.
_PAUSE = 0.1


def connected(address: str) -> Any:
    """Return a Dask client.

    Args:
        address: Address of the scheduler, such as `tcp://127.0.0.1:8786`.

    Raises:
        SymrobError: Dask is not installed, or the scheduler cannot be reached.
    """
    try:
        from distributed import Client
    except ImportError:
        raise SymrobError(
            Diagnostic(
                "dask",
                "Dask is not installed",
                hint="pip install 'symrob[dask]'",
            )
        ) from None
    _silence()
    try:
        return Client(address, timeout=_PATIENCE, set_as_default=False)
    except (OSError, ValueError, TypeError) as error:
        raise lost(f"cannot reach the scheduler at {address}", error) from None


def _silence() -> None:
    """Keep its log, with tracebacks, to itself: what it means to the user is told."""
    for name in ("asyncio", *logging.root.manager.loggerDict):
        if name.partition(".")[0] in ("asyncio", "distributed", "tornado"):
            logging.getLogger(name).setLevel(logging.CRITICAL + 1)


def lost(what: str, error: Exception, hint: str | None = None) -> SymrobError:
    """Return the error that the cluster is no longer usable."""
    told = str(error).strip().splitlines() or [type(error).__name__]
    return SymrobError(Diagnostic("dask", f"{what}: {told[0]}", hint=hint))


@contextmanager
def answering() -> Iterator[None]:
    """Convert any other error in the block to a lost cluster."""
    try:
        yield
    except SymrobError:
        raise
    except Exception as error:
        raise lost("the cluster did not answer", error) from None


class Cluster:
    """A cluster, connected in a `with` block.

    Args:
        address: Address of its scheduler.

    Raises:
        SymrobError: As for `connected`.
    """

    def __init__(self, address: str) -> None:
        self._client = connected(address)

    def __enter__(self) -> Cluster:
        return self

    def __exit__(self, *_: object) -> None:
        self._client.close(timeout=1)

    @property
    def threads(self) -> int:
        """Number of tasks that run at a time; 1 without workers."""
        with answering():
            threads: dict[str, int] = self._client.nthreads()
        return max(1, sum(threads.values()))

    def searchers(
        self, engine: Engine
    ) -> Callable[[UnitSets, Board], Generator[bytes, None, None]]:
        """Return the searchers for the cubes of a board."""

        def search(_sets: UnitSets, board: Board) -> Generator[bytes, None, None]:
            return self._search(engine, board)

        return search

    def _search(self, engine: Engine, board: Board) -> Generator[bytes, None, None]:
        # Who asks watches the time.
        limits = replace(engine.clock.limits, seconds=None)
        posed = (engine.problem, engine.backend, limits)
        with answering():
            sent = self._client.scatter(posed, broadcast=True, hash=False)
        name = uuid4().hex
        running: dict[Any, int] = {}
        ended = Event()

        def submit(searcher: int, number: int) -> None:
            future = self._client.submit(
                search_remotely,
                *(sent, name, board.cubes[number], board.known_in(number), VERSION),
                pure=False,
            )
            running[future] = searcher
            future.add_done_callback(lambda _future: ended.set())

        try:
            while not board.done:
                while len(running) < self.threads and board.waiting:
                    searcher = max(running.values(), default=0) + 1
                    number = board.next_cube(searcher)
                    assert number is not None, "one is waiting"
                    submit(searcher, number)
                engine.clock.check()
                ended.wait(_PAUSE)
                ended.clear()
                for future in [f for f in running if f.done()]:
                    searcher = running.pop(future)
                    found, done = self._answer(future)
                    number = board.searched_by(searcher)
                    new = board.note(searcher, found)
                    engine.effort.sets_visited += len(found)
                    engine.effort.repeated = board.repeated
                    if done:
                        board.finish(searcher)
                    else:
                        submit(searcher, number)
                    yield from new
        finally:
            with suppress(Exception):
                self._client.cancel(list(running), force=True)

    def _answer(self, future: Any) -> tuple[list[bytes], bool]:
        with answering():
            answer: tuple[list[bytes], bool] = future.result()
        return answer


_idle: dict[str, list[CubeSearch]] = {}
_idle_lock = Lock()


def search_remotely(
    posed: Posed, name: str, cube: Cube, known: list[bytes], version: str
) -> tuple[list[bytes], bool]:
    """Search a cube for some seconds; runs in a thread of a Dask worker.

    Args:
        posed: The problem, the backend for it, and the bounds.
        name: Name of the run, for workers that have the problem already.
        cube: The cube.
        known: The known sets of the cube.
        version: The version of symrob of the caller.

    Returns:
        The sets found, and whether the cube contains no others.

    Raises:
        LimitExceeded: A bound was hit.
    """
    if version != VERSION:
        message = f"the cluster has symrob {VERSION}, not {version}"
        raise SymrobError(Diagnostic("dask", message))
    with _idle_lock:
        # Of other runs nothing is kept: memory is for the present one.
        for other in [n for n in _idle if n != name]:
            del _idle[other]
        idle = _idle.setdefault(name, [])
        search = idle.pop() if idle else None
    if search is None:
        problem, backend, limits = posed
        search = CubeSearch(Engine(problem, backend, Clock(limits)).sets)
    search.exclude(known)
    answer = search.search(cube, _TASK)
    with _idle_lock:
        _idle.setdefault(name, []).append(search)
    return answer
