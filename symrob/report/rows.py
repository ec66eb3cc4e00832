"""Rows of a batch as text: a line each, a table of all, Table 1 of the paper.

In:  rows of `symrob batch`, schema `symrob/row/2`, complete or brief.
Out: lines of text; cells for the tables of other formats.
"""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

from symrob.files.csvtext import csv_line
from symrob.report.junit import TestOutcome
from symrob.report.text import aligned, plural, printable, wrapped
from symrob.verdicts import VERDICTS, of_today
from symrob.words import fits

BatchRow = Mapping[str, Any]

# In the order in which they are counted.
STATUSES = ("complete", "limit", "timeout", "memory", "crash", "nominal", "error")
HEADS = (
    "case",
    "status",
    "delta",
    "largest",
    "candidates",
    *VERDICTS,
    "undecided",
    "winning_set",
    "seconds",
    "title",
    "labels",
    "constants",
    "reason",
)
# Of candidates alone, in the order of `VERDICTS`.
_VERDICT_HEADS = ("tolerated", "hazardous", "unsafe", "safe")
_LEGEND = (
    "|Δ|: maximal deviations; |d_max|: transitions of the largest; |A \\ R_E|: "
    "candidates, then those with each verdict; unsafe, safe: excluded by an "
    "assumption; |W|: states of the winning set; s: seconds"
)
_MOST_REASON = 100


def statistics(row: BatchRow) -> Mapping[str, Any]:
    """Return the figures of Δ, which may be empty."""
    found: Mapping[str, Any] = row.get("statistics") or (row.get("result") or {}).get(
        "statistics", {}
    )
    return found


def verdicts(row: BatchRow) -> dict[str, int | None]:
    """Return the number of candidates by individual verdict; `None` if unknown."""
    found = row.get("verdicts") or (row.get("result") or {}).get("verdicts")
    if not found:
        summary = row.get("summary") or {}
        # 0.2 had them in the story.
        lists = summary.get("alone") or (summary.get("story") or {}).get("verdicts", {})
        found = {name: len(candidates) for name, candidates in lists.items()}
    found = of_today(found)
    return {name: found.get(name) for name in (*VERDICTS, "undecided")}


def seconds(row: BatchRow) -> float:
    """Return how long the case took."""
    return float(row.get("timing", {}).get("seconds") or 0.0)


def cells(row: BatchRow) -> dict[str, Any]:
    """Return the figures of a row by `HEADS`; `None` if there is none."""
    figures = statistics(row)
    constants = row.get("constants", {})
    return {
        "case": row["case"],
        "status": row["status"],
        "delta": figures.get("delta"),
        "largest": figures.get("largest"),
        "candidates": figures.get("candidates"),
        **verdicts(row),
        "winning_set": figures.get("winning_set"),
        "seconds": seconds(row),
        "title": row.get("title", ""),
        "labels": ", ".join(row.get("labels", ())),
        "constants": ", ".join(
            f"{name}={'..'.join(map(str, v)) if isinstance(v, list) else v}"
            for name, v in constants.items()
        ),
        "reason": row.get("reason") or _first_problem(row),
    }


def _first_problem(row: BatchRow) -> str:
    problems = row.get("diagnostics", ())
    return problems[0]["message"] if problems else ""


def progress_line(row: BatchRow) -> str:
    """Return one line about a row."""
    return printable(f"{row['case']}: {outcome(row)}, {seconds(row):.3f} s")


def outcome(row: BatchRow) -> str:
    """Return the status of a row, with the size of Δ or the reason."""
    figures = statistics(row)
    parts = [row["status"]]
    if figures:
        mark = "" if row["status"] == "complete" else "at least "
        parts.append(f"|Δ| = {mark}{figures['delta']:,}")
    elif row["status"] != "complete":
        parts.append(cells(row)["reason"][:_MOST_REASON])
    return ", ".join(filter(None, parts))


def summary_lines(rows: Sequence[BatchRow], total: int) -> Iterator[str]:
    """Yield a table of the incomplete rows, then the number of complete ones.

    Args:
        rows: The rows.
        total: The expected number.
    """
    others = [row for row in rows if row["status"] != "complete"]
    if others:
        yield from aligned(
            [
                ("case", "status", "reason"),
                *(
                    (row["case"], row["status"], cells(row)["reason"][:_MOST_REASON])
                    for row in others
                ),
            ]
        )
        yield ""
    counts = Counter(row["status"] for row in rows)
    shown = [f"{counts[s]:,} {s}" for s in STATUSES if counts[s]]
    took = sum(map(seconds, rows))
    yield f"{plural(len(rows), 'row')}: {', '.join(shown) or 'none'}; {took:.1f} s"
    if len(rows) < total:
        yield f"{plural(total - len(rows), 'case')} without a row; --resume continues"


def table_lines(rows: Sequence[BatchRow]) -> Iterator[str]:
    """Yield a table of all rows, then a legend of its columns."""
    head = (
        "case",
        "status",
        "|Δ|",
        "|d_max|",
        "|A \\ R_E|",
        *_VERDICT_HEADS,
        "|W|",
        "s",
    )
    lines: list[Sequence[str]] = [head]
    for row in rows:
        of = cells(row)
        figures = (
            "" if of[key] is None else f"{of[key]:,}"
            for key in ("delta", "largest", "candidates", *VERDICTS, "winning_set")
        )
        lines.append((of["case"], of["status"], *figures, f"{of['seconds']:.3f}"))
    yield from aligned(lines, right_from=2)
    yield ""
    yield from wrapped(_LEGEND)


def csv_lines(rows: Iterable[BatchRow]) -> Iterator[str]:
    """Yield rows as CSV by RFC 4180, safe for spreadsheets."""
    yield csv_line(HEADS)
    for row in rows:
        of = cells(row)
        yield csv_line(of[head] for head in HEADS)


def row_outcome(row: BatchRow) -> TestOutcome:
    """Return a row as a test case: an unsafe plan is a failure."""
    kinds = {"complete": "", "nominal": "failure"}
    problems = row.get("diagnostics", ())
    text = [
        ":".join(str(p[k]) for k in ("file", "line", "column") if p.get(k) is not None)
        + f": {p['message']}"
        for p in problems
    ]
    return TestOutcome(
        row["case"],
        os.path.dirname(row["case"]).replace("/", "."),
        seconds(row),
        kinds.get(row["status"], "error"),
        outcome(row),
        "\n".join(text),
    )


def chosen(
    rows: Iterable[BatchRow],
    *,
    statuses: Sequence[str],
    labels: Sequence[str],
    case: str,
) -> list[BatchRow]:
    """Return the matching rows, sorted by their cases.

    Args:
        rows: All.
        statuses: Any of these; all if there is none.
        labels: Each of these.
        case: A pattern for the key of the case, with `*` and `?`.
    """
    return [
        row
        for row in sorted(rows, key=lambda row: str(row["case"]))
        if (not statuses or row["status"] in statuses)
        and set(labels) <= set(row.get("labels", ()))
        and fits(case, row["case"], "?")
    ]
