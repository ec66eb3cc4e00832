"""A process that computes one job after the other.

In:  jobs on standard input; the BDD library as argument.
Out: rows on standard output, one a line.

It ends when its standard input does, even during a job: the process that started it is
gone then, or wants it to end.
"""

from __future__ import annotations

import os
import signal
import sys
import threading
from contextlib import suppress
from queue import SimpleQueue

from symrob.batch.job import Job
from symrob.batch.work import answer
from symrob.interrupts import ignore_signals
from symrob.memory import bounded


def main() -> None:
    """Process jobs until standard input ends."""
    # What a library prints must not get among the rows.
    rows = os.fdopen(os.dup(1), "wb")
    os.dup2(2, 1)
    # Some reach all processes of a terminal; the one in charge decides.
    ignore_signals()
    signal.signal(signal.SIGTERM, signal.SIG_DFL)
    jobs: SimpleQueue[Job] = SimpleQueue()
    threading.Thread(target=_receive, args=(jobs,), daemon=True).start()
    while True:
        job = jobs.get()
        with bounded(job.limits.get("max_memory")):
            row = answer(job)
        rows.write(row.encode() + b"\n")
        rows.flush()


def _receive(jobs: SimpleQueue[Job]) -> None:
    with suppress(EOFError):
        while job := Job.read(sys.stdin.buffer):
            jobs.put(job)
    os._exit(0)


if __name__ == "__main__":
    main()
