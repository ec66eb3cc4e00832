"""A batch on a Dask cluster: the same jobs, the same rows.

In:  jobs, the address of a scheduler.
Out: rows, as they are computed.

Each thread of a Dask worker keeps a warm process as `run` does, so a case that crashes,
or uses too much, loses its row and not the Dask worker. If a Dask worker is lost, the
scheduler gives its jobs to another one. A job with which several were lost is assumed
to be the cause; see the setting `distributed.scheduler.allowed-failures` of Dask.

Jobs hold the contents of their files, so the machines need symrob, in the same version,
and no shared disk.
"""

from __future__ import annotations

import io
from collections.abc import Callable, Iterator, Sequence
from itertools import islice
from threading import Lock
from typing import Any

from symrob.batch.job import Job
from symrob.batch.rows import BatchRow, RowFile, brief_of
from symrob.batch.supervisor import Worker
from symrob.batch.work import failure
from symrob.parallel.cluster import connected, lost
from symrob.version import VERSION

# This many jobs are with the scheduler at a time.
_AHEAD = 1000

_idle: list[Worker] = []
_idle_lock = Lock()


def run_on_cluster(
    jobs: Sequence[Job],
    rows: RowFile,
    on_row: Callable[[BatchRow], None],
    *,
    address: str,
) -> None:
    """Compute jobs on a Dask cluster and write their rows.

    Args:
        jobs: What to compute.
        rows: Where the rows go.
        on_row: Called with each row, in brief, when it is on the disk.
        address: Address of the scheduler, such as `tcp://127.0.0.1:8786`.

    Raises:
        SymrobError: Dask is not installed, the scheduler cannot be reached or is
            lost, or the file cannot be written any more.
    """
    client = connected(address)
    try:
        for line in _answers(client, jobs):
            rows.append(line)
            on_row(brief_of(line))
    finally:
        client.close(timeout=1)


def _answers(client: Any, jobs: Sequence[Job]) -> Iterator[str]:
    """Yield the rows of jobs, in the order in which they are done."""
    from distributed import as_completed
    from distributed.scheduler import KilledWorker

    waiting = iter(jobs)
    of_future = {}

    def submitted(count: int) -> list[Any]:
        futures = []
        for job in islice(waiting, count):
            future = client.submit(
                answer_remotely, b"".join(job.parts()), VERSION, pure=False
            )
            of_future[future.key] = job
            futures.append(future)
        return futures

    done = as_completed(submitted(_AHEAD), loop=client.loop)
    for future in done:
        job = of_future.pop(future.key)
        try:
            line: str = future.result()
        except KilledWorker as error:
            line = failure(
                job, "crash", f"the case was lost with its workers: {error}", 0.0
            )
        except Exception as error:
            hint = "the computed rows are in the file; --resume continues"
            raise lost("the cluster did not answer", error, hint) from None
        yield line
        for other in submitted(1):
            done.add(other)


def answer_remotely(job: bytes, version: str) -> str:
    """Return the row of a job; runs in a Dask worker.

    Args:
        job: The parts of the job, joined.
        version: The version of symrob of the caller.
    """
    asked = Job.read(io.BytesIO(job))
    assert asked is not None, "the scheduler brings whole jobs"
    if version != VERSION:
        reason = f"the cluster has symrob {VERSION}, not {version}"
        return failure(asked, "crash", reason, 0.0)
    with _idle_lock:
        worker = _idle.pop() if _idle else Worker(_wanted)
    try:
        row = worker.answer(asked)
        assert row is not None, "nobody stops this worker"
        return row
    finally:
        with _idle_lock:
            _idle.append(worker)


def _wanted() -> bool:
    """Whether the task that this thread of a Dask worker computes is not cancelled."""
    from distributed import get_worker

    try:
        worker = get_worker()
        task = worker.state.tasks.get(worker.get_current_task())
    except (AttributeError, ValueError):
        # Not in a Dask worker, or in one of a version that has no such state.
        return True
    return task is not None and task.state != "cancelled"
