"""The cubes of one Δ, searched by processes of this machine.

In:  the safe sets of a problem, the number of processes.
Out: maximal safe sets, each once.

Processes are forked, so that they share all earlier results. At short intervals, each
reports the sets that it found and receives the sets that others found in its cube; it
continues meanwhile, and waits if its results are not read. If a process ends for any
reason, nothing is lost: another one gets its cube.
"""

from __future__ import annotations

import multiprocessing
import os
from collections.abc import Generator
from contextlib import suppress
from multiprocessing.connection import Connection, wait
from multiprocessing.context import ForkProcess

from symrob.envelope.effort import Effort
from symrob.errors import LimitExceeded
from symrob.interrupts import held, ignore_signals, take_request
from symrob.limits import Clock
from symrob.memory import MEBIBYTE, memory_exceeded, resident
from symrob.parallel.board import Board
from symrob.parallel.search import CubeSearch, UnitSets

# Seconds between two messages of a process.
_INTERVAL = 0.05
# Seconds that the clock may have to wait while no message comes.
_PATIENCE = 0.1
# Processes that end in a row, without a message, before that is taken for a bound.
_LOST = 3


def search_locally(
    sets: UnitSets, board: Board, processes: int, clock: Clock
) -> Generator[bytes, None, None]:
    """Yield the sets that were not known before, each once.

    Args:
        sets: The safe sets.
        board: The cubes, and the known sets.
        processes: Number of processes to start.
        clock: Checks the bounds, for all processes together.

    Raises:
        LimitExceeded: A bound was hit, here or in one of the processes.
    """
    crew = _Crew(sets, board, processes, clock)
    try:
        while not board.done:
            crew.employ()
            clock.check()
            crew.check_memory()
            for worker in crew.ready():
                yield from crew.heard(worker)
    finally:
        crew.end()


class _Worker:
    """A process and the pipe to it."""

    def __init__(self, process: ForkProcess, pipe: Connection) -> None:
        assert process.pid is not None
        self.process, self.pipe = process, pipe
        # What it had before it did anything is shared with this process.
        self.shared = resident(process.pid)


class _Crew:
    """The processes that search; the arguments are those of `search_locally`."""

    def __init__(
        self, sets: UnitSets, board: Board, processes: int, clock: Clock
    ) -> None:
        self._sets, self._board, self._clock = sets, board, clock
        self._processes = processes
        self._workers: list[_Worker] = []
        self._lost = 0

    def employ(self) -> None:
        """Start a process for each cube that waits, up to the number allowed."""
        while self._board.waiting and len(self._workers) < self._processes:
            self._start()

    def ready(self) -> list[_Worker]:
        """Wait for messages, not for long; return who sent one or has ended."""
        pipes = wait([w.pipe for w in self._workers], _PATIENCE)
        return [w for w in self._workers if w.pipe in pipes]

    def heard(self, worker: _Worker) -> Generator[bytes, None, None]:
        """Take a message and answer it; yield what is new in it."""
        try:
            message = worker.pipe.recv()
        except (EOFError, OSError):
            self._lose(worker)
            return
        if isinstance(message, BaseException):
            raise message
        self._lost = 0
        found, done, effort = message
        new = self._board.note(worker, found)
        _add(self._sets.effort, effort)
        self._sets.effort.repeated = self._board.repeated
        if done:
            self._board.finish(worker)
            self._assign(worker)
        else:
            self._tell(worker, None, self._board.news(worker))
        yield from new

    def check_memory(self) -> None:
        """Raise if all processes together use more memory than they may."""
        most = self._clock.limits.memory
        if most is None:
            return
        used = resident()
        for worker in self._workers:
            assert worker.process.pid is not None
            used += max(0, resident(worker.process.pid) - worker.shared)
        if used > most * MEBIBYTE:
            raise memory_exceeded()

    def end(self) -> None:
        """End all processes."""
        for worker in self._workers:
            worker.process.kill()
        for worker in self._workers:
            worker.process.join()
            worker.pipe.close()
        self._workers.clear()

    def _start(self) -> None:
        context = multiprocessing.get_context("fork")
        ours, theirs = context.Pipe()
        others = [w.pipe for w in self._workers] + [ours]
        process = context.Process(
            target=_work,
            args=(self._sets, self._board, theirs, others, self._clock),
            daemon=True,
        )
        with held():
            process.start()
        theirs.close()
        worker = _Worker(process, ours)
        self._workers.append(worker)
        self._assign(worker)

    def _assign(self, worker: _Worker) -> None:
        """Give a process its next cube, or let it go."""
        number = self._board.next_cube(worker)
        if number is not None:
            self._tell(worker, number, self._board.known_in(number))
            return
        self._workers.remove(worker)
        worker.pipe.close()
        worker.process.join()

    def _tell(self, worker: _Worker, number: int | None, known: list[bytes]) -> None:
        # It is being waited for, now or at the end of the interval, so this never waits
        # for a process that waits for us. If it has ended, `recv` will say so.
        with suppress(OSError):
            worker.pipe.send((number, known))

    def _lose(self, worker: _Worker) -> None:
        self._board.give_back(worker)
        self._workers.remove(worker)
        worker.pipe.close()
        worker.process.join()
        self._lost += 1
        if self._lost == _LOST:
            code = worker.process.exitcode
            raise LimitExceeded(
                f"{_LOST} processes in a row exited with code {code}, possibly for "
                "lack of memory; -j 1 uses the least memory"
            )


def _add(effort: Effort, more: tuple[int, int, int]) -> None:
    effort.sets_visited += more[0]
    effort.solver_calls += more[1]
    effort.pairs += more[2]


def _work(
    sets: UnitSets,
    board: Board,
    pipe: Connection,
    others: list[Connection],
    clock: Clock,
) -> None:
    """What a process does until nobody listens any more."""
    # Some reach the whole group; the first process tells when to stop.
    ignore_signals()
    # What came before the fork was meant for the first one.
    take_request()
    for other in others:
        other.close()
    parent = os.getppid()

    def tick() -> None:
        if os.getppid() != parent:
            os._exit(1)

    clock.watch_elsewhere(tick)
    search = CubeSearch(sets)
    search.exclude(board.sample)
    effort = sets.effort
    told = (effort.sets_visited, effort.solver_calls, effort.pairs)
    try:
        number, known = pipe.recv()
        waiting = False
        while True:
            search.exclude(known)
            found, done = search.search(board.cubes[number], _INTERVAL)
            now = (effort.sets_visited, effort.solver_calls, effort.pairs)
            if waiting:
                _, known = pipe.recv()
                search.exclude(known)
            more = tuple(n - t for n, t in zip(now, told, strict=True))
            pipe.send((found, done, more))
            told, known, waiting = now, [], not done
            if done:
                number, known = pipe.recv()
    except (EOFError, OSError):
        return
    except LimitExceeded as error:
        with suppress(OSError):
            pipe.send(error.with_traceback(None))
