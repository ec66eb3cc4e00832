"""From one job to its row: what a worker does, and the form of a row.

In:  a `Job`.
Out: its row, a line of JSON of the schema `symrob/row/2`: an answer, or why
     there is none. A row depends on the job alone, apart from `timing`, and from what
     a few seconds did not suffice for, which it says.

| status     | what happened                                         | resumed   |
|------------|-------------------------------------------------------|-----------|
| `complete` | everything that was asked is there                    | kept      |
| `nominal`  | the nominal system is unsafe already, see `trace`     | kept      |
| `error`    | case file or models are wrong, see `diagnostics`      | if bounds |
| `limit`    | a bound was hit; what was found is there              | if bounds |
| `timeout`  | time was up; what was found may be there              | again     |
| `memory`   | more memory was used than allowed                     | again     |
| `crash`    | the worker died, or symrob failed                     | again     |

When a batch is resumed, rows are kept whose input is the same; with errors and
limits, which other bounds may remove, only if the bounds are the same too; and with
what depends on the machine, never: it is tried again.
"""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import dataclass
from time import monotonic
from typing import Any, ClassVar, Literal

from symrob.api import load_roles
from symrob.batch.job import Job, unpacked
from symrob.batch.text import WrittenJson, compact
from symrob.case import Case
from symrob.door import command_line
from symrob.errors import (
    Diagnostic,
    LimitExceeded,
    NominalViolation,
    SymrobError,
    Trace,
)
from symrob.interrupts import graceful
from symrob.limits import begun
from symrob.options import Options
from symrob.questions import in_batches
from symrob.questions.question import View
from symrob.questions.session import Session
from symrob.report.forms import data, forms_of
from symrob.report.json import encoded

SCHEMA = "symrob/row/2"
# The answers that a row may hold.
DOCUMENTS = ("result", "summary", "cuts", "compare", "risk")
Status = Literal["complete", "nominal", "error", "limit", "timeout", "memory", "crash"]
FINAL = frozenset({"complete", "nominal"})
BOUNDED = frozenset({"error", "limit"})


@dataclass(frozen=True)
class RowDocument:
    """One line of what `symrob batch` writes: a case and its answers, or why not.

    Attributes:
        case: The case file, with the choice if it has a matrix; no other row of a batch
            has the same.
        choice: Of the matrix; empty without one.
        labels: Those of the case.
        constants: Those that the case chooses.
        row: The row of the paper's Table 1 that it reproduces.
        paper: The figures of that row.
        input: A hash of all that the row depends on, bounds apart.
        limits: The bounds that held, by the names of the options.
        status: What happened; see docs/batch.md.
        reason: Why it is not complete.
        diagnostics: What is wrong with the case.
        trace: The run by which the nominal system is unsafe.
        result: The safety envelope, where that was asked.
        summary: The summary, where that was asked; and so on.
        timing: What the case took.
    """

    schema: ClassVar = "row/2"

    case: str
    choice: str
    labels: tuple[str, ...]
    constants: Mapping[str, int | tuple[int, int]]
    row: str | None
    paper: Mapping[str, Any]
    input: str
    limits: Mapping[str, Any]
    status: Status
    reason: str
    diagnostics: tuple[Diagnostic, ...]
    trace: Trace | None
    result: Mapping[str, Any] | None
    summary: Mapping[str, Any] | None
    cuts: Mapping[str, Any] | None
    compare: Mapping[str, Any] | None
    risk: Mapping[str, Any] | None
    timing: Mapping[str, float]


def frame(job: Job) -> dict[str, Any]:
    """Return the part of a row that is known before anything is computed."""
    case = job.case
    return {
        "schema": SCHEMA,
        "case": job.key,
        "choice": case.get("choice", ""),
        "title": case.get("title", job.key),
        "labels": list(case.get("labels", ())),
        "constants": dict(case.get("constants", {})),
        "row": case.get("row"),
        "paper": dict(case.get("paper", {})),
        "input": job.input,
        "limits": dict(job.limits),
        "status": "complete",
        "reason": "",
        "diagnostics": [],
        "trace": None,
        **dict.fromkeys(DOCUMENTS),
    }


def failure(job: Job, status: Status, reason: str, seconds: float) -> str:
    """Return the row of a job whose worker gave none."""
    timing = {"seconds": round(seconds, 6)}
    return compact({**frame(job), "status": status, "reason": reason, "timing": timing})


def answer(job: Job) -> str:
    """Compute a job.

    Args:
        job: The job.

    Returns:
        Its row, whatever happens short of the end of the process.
    """
    start = monotonic()
    row = frame(job)
    if job.problems:
        reason = job.problems[0]["message"]
        row |= {"status": "error", "reason": reason, "diagnostics": [*job.problems]}
        row["timing"] = {"seconds": 0.0}
        return compact(row)
    with unpacked(job) as case:
        try:
            with command_line(), begun(start), graceful(()):
                _compute(job, case, row)
        except NominalViolation as error:
            row |= _failed("nominal", error)
            row["trace"] = encoded(error.trace)
        except LimitExceeded as error:
            row |= _failed(error.reason, error)
            row |= _stopped(error.reason, row["reason"], job)
        except SymrobError as error:
            row |= _failed("error", error)
        except MemoryError:
            row |= {"status": "memory", "reason": "out of memory"}
        except Exception as error:
            # A fault of symrob's own must not end a batch.
            reason = f"symrob failed: {type(error).__name__}: {error}"
            row |= {"status": "crash", "reason": reason}
        row["timing"] = {"seconds": round(monotonic() - start, 6)}
        return compact(row)


def _failed(status: str, error: SymrobError) -> dict[str, Any]:
    return {
        "status": status,
        "reason": error.diagnostics[0].message,
        "diagnostics": encoded(error.diagnostics),
    }


def _compute(job: Job, case: Case, row: dict[str, Any]) -> None:
    """Answer the questions of a case, each under its own key of the row."""
    options = _options(job, case)
    roles = load_roles(case, options.limits)
    with Session({"case": case}, options, roles=roles, form="row") as asked:
        _answer(asked, job, case, row)


def _answer(asked: Session, job: Job, case: Case, row: dict[str, Any]) -> None:
    clock = asked.envelope.clock
    for name in case.questions:
        kind = in_batches(name)
        if not kind.in_batches():
            message = f"a batch cannot answer '{name}'"
            raise SymrobError(Diagnostic("batch-question", message))
        question = kind.for_rows()
        question.check("row")
        session = question.within(asked)
        answer, view = question.ask(session), View(question, asked)
        if (pieces := forms_of(kind).get("row")) is not None:
            row[kind.key()] = WrittenJson.of(pieces(answer, view))
        else:
            row[kind.key()] = data(answer, view)
        ends = question.endings(session, answer)
        end = next((end for end in ends if end[0] != "complete"), None)
        if end is not None and row["status"] == "complete":
            status, reason = end
            row |= _stopped(clock.stopped_by or status, reason, job)


def _stopped(status: str, reason: str, job: Job) -> dict[str, Any]:
    """Why a row is not complete, in words that do not differ from run to run."""
    if status == "timeout" and "timeout" in job.limits:
        reason = f"stopped after {job.limits['timeout']:g} s"
    return {"status": status, "reason": reason}


def _options(job: Job, case: Case) -> Options:
    given = {**job.options, **job.limits}
    if "weights" in given:
        given["weights"] = os.path.join(case.folder, given["weights"])
    return Options(**given)
