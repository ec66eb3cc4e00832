"""Supervision of a worker process: gives it jobs, and ends it if it exceeds bounds.

In:  a `Job`.
Out: its row. There is always one: if a worker dies or has to be killed, only its
     current job is lost.

A job usually ends by itself at its bounds and reports what it found; this module
handles the rest: reading that takes too long, a single operation that uses all memory,
a crash in a library.
"""

from __future__ import annotations

import os
import selectors
import subprocess
import sys
import tempfile
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from time import monotonic

from symrob.batch.job import Job
from symrob.batch.work import Status, failure
from symrob.interrupts import held
from symrob.memory import MEBIBYTE, resident

# Seconds between two looks at the memory of a worker.
_TICK = 0.05
# What a job may take beyond its bounds to say what it found: seconds, and MiB.
_MORE_SECONDS = 2.0
_MORE_MEMORY = 64
# Never a module of the folder where a stranger's models lie: `-P` and not `-m`.
_PROGRAM = (
    "import sys; sys.path.insert(0, sys.argv.pop(1)); "
    "from symrob.batch.worker import main; main()"
)
_PACKAGES = str(Path(__file__).parents[2])
# A worker that kept more MiB than this after a job is replaced.
_STALE = 512


class Worker:
    """A process that computes one job after the other.

    It is started with the first job, stays warm, and is replaced when it was
    killed, died, or kept much memory.

    Args:
        wanted: Called at intervals: whether the row is still wanted.
    """

    def __init__(self, wanted: Callable[[], bool] = lambda: True) -> None:
        self._wanted = wanted
        self._process: subprocess.Popen[bytes] | None = None
        self._stopped = False

    def answer(self, job: Job) -> str | None:
        """Return the row of a job; `None` if the worker was stopped meanwhile."""
        if self._stopped:
            return None
        start = monotonic()
        process = self._running()
        row, status, reason = self._exchange(process, job)
        if self._stopped:
            self.close()
            return None
        if row is not None:
            kept = resident(process.pid)
            if kept > min(_STALE, job.limits.get("max_memory", _STALE) // 2) * MEBIBYTE:
                self.close()
            return row
        self.close()
        return failure(job, status, reason, monotonic() - start)

    def stop(self) -> None:
        """End the process and take no more jobs; for calls from other threads."""
        self._stopped = True
        process = self._process
        if process is not None:
            process.kill()

    def close(self) -> None:
        """End the process; the next job starts another."""
        process, self._process = self._process, None
        if process is None:
            return
        process.kill()
        process.wait()
        for stream in (process.stdin, process.stdout, self._errors):
            assert stream is not None
            with suppress(OSError):
                stream.close()

    def _running(self) -> subprocess.Popen[bytes]:
        if self._process is not None and self._process.poll() is not None:
            self.close()
        if self._process is None:
            self._errors = tempfile.TemporaryFile()  # noqa: SIM115
            start = [sys.executable, "-P", "-c", _PROGRAM, _PACKAGES]
            # A signal to the whole group is for who is in charge.
            with held():
                self._process = subprocess.Popen(
                    start,
                    stdin=subprocess.PIPE,
                    stdout=subprocess.PIPE,
                    stderr=self._errors,
                    start_new_session=True,
                )
        return self._process

    def _exchange(
        self, process: subprocess.Popen[bytes], job: Job
    ) -> tuple[str | None, Status, str]:
        """Send a job and wait for its row; without one, say what went wrong."""
        assert process.stdin is not None
        with suppress(OSError):
            process.stdin.writelines(job.parts())
            process.stdin.flush()
        return self._wait(process, job)

    def _wait(
        self, process: subprocess.Popen[bytes], job: Job
    ) -> tuple[str | None, Status, str]:
        seconds, memory = job.limits.get("timeout"), job.limits.get("max_memory")
        end = None
        if seconds is not None:
            end = monotonic() + seconds + _MORE_SECONDS
        most = None if memory is None else memory + max(memory // 4, _MORE_MEMORY)
        received = bytearray()
        assert process.stdout is not None
        with selectors.DefaultSelector() as selector:
            selector.register(process.stdout, selectors.EVENT_READ)
            while not received.endswith(b"\n"):
                if self._stopped or not self._wanted():
                    return None, "crash", "cancelled"
                if selector.select(_TICK):
                    part = os.read(process.stdout.fileno(), 1 << 20)
                    if not part:
                        return None, "crash", self._last_words(process)
                    received += part
                elif end is not None and monotonic() > end:
                    return None, "timeout", f"stopped after {seconds:g} s"
                elif most is not None and resident(process.pid) > most * MEBIBYTE:
                    return None, "memory", f"stopped at {memory} MiB of memory"
        return received[:-1].decode(), "complete", ""

    def _last_words(self, process: subprocess.Popen[bytes]) -> str:
        try:
            code = process.wait(timeout=1)
        except subprocess.TimeoutExpired:
            process.kill()
            code = process.wait()
        how = (
            f"was killed by signal {-code}" if code < 0 else f"exited with code {code}"
        )
        self._errors.seek(0)
        lines = self._errors.read().decode(errors="replace").strip().splitlines()
        return f"the worker {how}" + (f": {lines[-1][:200]}" if lines else "")
