"""From one job to its row: the work of a worker, and the form of a row.

In:  a `Job`.
Out: its row, a line of JSON of the schema `symrob/row/2`: an answer, or why there is
     none. A row depends on the job alone, except for `timing`, and for parts that a
     time budget cut off, which it reports.

| status     | what happened                                         | resumed   |
|------------|-------------------------------------------------------|-----------|
| `complete` | everything that was asked is there                    | kept      |
| `nominal`  | the nominal system is unsafe already, see `trace`     | kept      |
| `error`    | case file or models are wrong, see `diagnostics`      | if bounds |
| `limit`    | a bound was hit; what was found is there              | if bounds |
| `timeout`  | time was up; what was found may be there              | again     |
| `memory`   | more memory was used than allowed                     | again     |
| `crash`    | the worker died, or symrob failed                     | again     |

When a batch is resumed, rows with the same input are kept. Rows with errors and limits,
which other bounds may remove, are kept only if the bounds are the same, too. Rows that
depend on the machine are always computed again.
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
from symrob.errors import (
    Diagnostic,
    LimitExceeded,
    NominalViolation,
    SymrobError,
    Trace,
)
from symrob.interrupts import graceful
from symrob.limits import begun
from symrob.option_spelling import command_line
from symrob.options import Options
from symrob.questions import in_batches
from symrob.questions.question import View
from symrob.questions.session import Session
from symrob.report.json import encoded
from symrob.report.output_formats import data, forms_of

SCHEMA = "symrob/row/2"
# The answers that a row may hold.
DOCUMENTS = ("result", "summary", "cuts", "compare", "risk")
Status = Literal["complete", "nominal", "error", "limit", "timeout", "memory", "crash"]
FINAL = frozenset({"complete", "nominal"})
BOUNDED = frozenset({"error", "limit"})


@dataclass(frozen=True)
class RowDocument:
    """One line of a file of `symrob batch`: a case and its answers, or an error.

    Attributes:
        case: The case file, with the choice if it has a matrix; unique in a batch.
        choice: The choice of the matrix; empty without one.
        labels: The labels of the case.
        constants: The constants that the case chooses.
        row: The row of the paper's Table 1 that it reproduces.
        paper: The figures of that row.
        input: A hash of everything that affects the row, except bounds.
        limits: The bounds, by the names of the options.
        status: What happened; see docs/batch.md.
        reason: Why it is not complete.
        diagnostics: The problems of the case.
        trace: A trace by which the nominal system is unsafe.
        result: The safety envelope, if requested.
        summary: The summary, if requested; and so on.
        timing: The time used for the case.
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
    """Return the row of a job whose worker returned none."""
    timing = {"seconds": round(seconds, 6)}
    return compact({**frame(job), "status": status, "reason": reason, "timing": timing})


def answer(job: Job) -> str:
    """Compute a job.

    Args:
        job: The job.

    Returns:
        Its row; always, unless the process ends.
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
            message = f"`symrob batch` does not support '{name}'"
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
