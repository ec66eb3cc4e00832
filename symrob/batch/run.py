"""A batch on this machine: jobs, workers, and the file of rows.

In:  case files, options, and the file of rows.
Out: one row for each case in the file, as soon as it is computed.

Each worker process has a thread here that gives it one job after the other and writes
the row before it takes the next job. So at any moment at most one job for each worker
is not on the disk, and a kill loses at most these.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from queue import SimpleQueue
from threading import Lock, Thread
from typing import Any

from symrob.batch.job import Job, Packer
from symrob.batch.rows import BatchRow, RowFile, brief_of, is_settled
from symrob.batch.supervisor import Worker
from symrob.errors import Diagnostic, SymrobError
from symrob.limits import MAX_CASES


def pack(
    paths: Iterable[str],
    given: Mapping[str, Any],
    *,
    labels: Sequence[str] = (),
    allow_outside: bool = False,
    without_constraints: bool = False,
    max_cases: int = MAX_CASES,
    note: Callable[[Diagnostic], None] = lambda _skipped: None,
) -> list[Job]:
    """Return the jobs of some case files.

    Args:
        paths: The files; duplicates count once.
        given: Options of the command line, which override those of the files.
        labels: Only cases with all of these labels, and invalid files, whose labels are
            unknown.
        allow_outside: Allow paths in the files outside of their folders.
        without_constraints: Ignore the constraints of every case.
        max_cases: Bound on the number of cases of one file.
        note: Called with each file that is skipped because it is not a case, and why.

    Raises:
        SymrobError: No case is left.
    """
    packer = Packer(
        given,
        allow_outside=allow_outside,
        without_constraints=without_constraints,
        max_cases=max_cases,
    )
    jobs: dict[str, Job] = {}
    others: set[str] = set()
    for path in paths:
        for job in packer.jobs(path):
            if job.problems or set(labels) <= set(job.case["labels"]):
                jobs.setdefault(job.key, job)
            else:
                others.update(job.case["labels"])
    for skipped in packer.skipped:
        note(replace(skipped, severity="warning"))
    if not jobs:
        raise SymrobError(_nothing(labels, sorted(others)))
    return list(jobs.values())


def _nothing(labels: Sequence[str], others: Sequence[str]) -> Diagnostic:
    """What to say where no case is left."""
    if not labels:
        return Diagnostic("batch-nothing", "none of these files is a case file")
    asked = " and ".join(f"'{label}'" for label in labels)
    noun = "the label" if len(labels) == 1 else "all of the labels"
    known = ", ".join(others) or "none"
    return Diagnostic(
        "batch-nothing",
        f"no case has {noun} {asked}",
        hint=f"the labels of these cases: {known}",
    )


def open_rows(path: str, jobs: Sequence[Job], *, resume: bool) -> RowFile:
    """Open the file of rows, and drop the rows that must be computed again.

    Rows of files outside of this batch are kept. Rows of its files are dropped if the
    file now has other cases.

    Args:
        path: The file.
        jobs: The batch.
        resume: Continue a file that has rows.

    Raises:
        SymrobError: See `RowFile`.
    """
    by_key = {job.key: job for job in jobs}
    files = {_file(job.key, job.case.get("choice", "")) for job in jobs}

    def wanted(row: BatchRow) -> bool:
        job = by_key.get(row["case"])
        if job is None:
            return _file(row["case"], row.get("choice", "")) not in files
        return row["input"] == job.input and is_settled(row, job.limits)

    return RowFile(path, resume=resume, wanted=wanted)


def _file(key: str, choice: str) -> str:
    """The file of a case, from its key."""
    return key.removesuffix(f" [{choice}]")


def run_batch(
    jobs: Sequence[Job],
    rows: RowFile,
    on_row: Callable[[BatchRow], None],
    *,
    workers: int = 1,
) -> None:
    """Compute jobs in worker processes and write their rows.

    Args:
        jobs: The jobs, in order.
        rows: The file of rows.
        on_row: Called with each row, in brief, when it is on the disk.
        workers: Number of processes that compute at the same time.

    Raises:
        SymrobError: The file cannot be written any more.
        KeyboardInterrupt: As soon as it comes; the workers are ended.
    """
    crew = [Worker() for _ in range(min(workers, len(jobs)))]
    queue = _Queue(jobs)
    told: SimpleQueue[BatchRow | BaseException | None] = SimpleQueue()
    threads = [
        Thread(target=_serve, args=(worker, queue, rows, told), daemon=True)
        for worker in crew
    ]
    for thread in threads:
        thread.start()
    try:
        running = len(threads)
        while running:
            news = told.get()
            if isinstance(news, BaseException):
                raise news
            if news is None:
                running -= 1
            else:
                on_row(news)
    finally:
        for worker in crew:
            worker.stop()
        for thread in threads:
            thread.join()


class _Queue:
    """Jobs that several threads take from."""

    def __init__(self, jobs: Iterable[Job]) -> None:
        self._jobs = iter(jobs)
        self._lock = Lock()

    def take(self) -> Job | None:
        with self._lock:
            return next(self._jobs, None)


def _serve(
    worker: Worker,
    queue: _Queue,
    rows: RowFile,
    told: SimpleQueue[BatchRow | BaseException | None],
) -> None:
    """Give a worker jobs until there are none, or it is stopped."""
    try:
        while (job := queue.take()) is not None:
            line = worker.answer(job)
            if line is None:
                break
            rows.append(line)
            told.put(brief_of(line))
        told.put(None)
    except BaseException as error:
        told.put(error)
    finally:
        worker.close()
