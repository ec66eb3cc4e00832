"""Whether bounds hold: how late a run ends, and whether what it leaves is whole.

    python -m bench.bench_bounds [--timeout S …] [--no-signals] [--no-memory] [INPUT …]

In:  inputs and questions of `hard_inputs`, each a process of its own.
Out: a line for each run while they end; `results/bounds.json` and `.txt` with all.

*late* is from the time-out to the end of the process, its start and its end included;
*cpu* is the processor time that it used after the time-out, which does not suffer from
what else the machine does. Signals come after three seconds, to all processes of the
run, as Ctrl-C in a terminal does. Where a run ends before
its bound, it is not late, and nothing is learned.
"""

from __future__ import annotations

import argparse
import csv
import io
import json
import re
import signal
import sys
import tempfile
import xml.etree.ElementTree as ElementTree
from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass
from functools import lru_cache
from pathlib import Path
from typing import Any, TypeVar

import jsonschema_rs

from bench.hard_inputs import Hard, hard_inputs
from bench.runner import ROOT, measure
from bench.setting import setting
from symrob.interrupts import SHOWN

T = TypeVar("T")

TIMEOUTS = (1.0, 5.0, 20.0)
SIGNALS = (signal.SIGTERM, signal.SIGINT, signal.SIGHUP)
# Seconds until a signal; how long a run with a bound on memory may take, and the bound.
SIGNAL_AFTER, MEMORY_TIMEOUT, MEMORY = 3.0, 20.0, 100
RESULTS = ROOT / "bench" / "results" / "bounds.json"
# Seconds in which Python starts, where others work as well.
UNBEGUN = 0.5
# Exit codes of a run that a bound or a signal ended.
LIMIT, INTERRUPTED = 3, 130

# What expressions for all candidates need.
_ALL = "--transition *,*,* --bound max-expansion=10000000"
_CHANCES = "--probability FOLDER/p.toml --bound max-expansion=10000000"
# CASE, OTHER, FOLDER stand for files; the name of a schema, or of another kind of text.
QUESTIONS: dict[str, tuple[str, str]] = {
    "compute": ("compute CASE", "text"),
    "json": ("compute CASE --format json", "result"),
    "jsonl": ("compute CASE --format jsonl", "result-lines"),
    "jobs": ("compute CASE -j 2 --format jsonl", "result-lines"),
    "compact": ("compute CASE --format json --compact", "result-2"),
    "compact lines": ("compute CASE --format jsonl --compact", "result-lines-2"),
    "sorted": ("compute CASE --format json --sorted", "result"),
    "details": ("compute CASE --details", "text"),
    "top": ("compute CASE --top 3", "text"),
    "plain": ("compute CASE --algorithm plain", "text"),
    "algorithm 1": ("compute CASE --algorithm connected", "text"),
    "certificate": ("compute CASE --certificate FOLDER/proof.gz", "text"),
    "summary": ("summary CASE", "text"),
    "summary json": ("summary CASE --format json", "summary"),
    "summary csv": ("summary CASE --format csv", "csv"),
    "explain": (f"explain CASE {_ALL}", "text"),
    "explain json": (f"explain CASE {_ALL} --format json", "explain"),
    "cuts": ("cuts CASE", "text"),
    "cuts --all": ("cuts CASE --all --outside --traces", "text"),
    "cuts json": ("cuts CASE --format json", "cuts"),
    "cuts jsonl": ("cuts CASE --format jsonl", "cuts-lines"),
    "cuts certificate": ("cuts CASE --certificate FOLDER/proof.gz", "text"),
    "likeliest": (f"cuts CASE --by-probability {_CHANCES}", "text"),
    "compare": ("compare CASE OTHER", "text"),
    "compare delta": ("compare CASE OTHER --delta --format json", "compare"),
    "gate": ("gate FOLDER/policy.toml CASE", "text"),
    "repair": ("repair CASE", "text"),
    "repair json": ("repair CASE --format json", "repair"),
    "suggest": ("repair CASE --suggest", "text"),
    "risk": (f"risk CASE {_CHANCES}", "text"),
    "risk json": (f"risk CASE {_CHANCES} --format json", "risk"),
    "risk csv": (f"risk CASE {_CHANCES} --format csv", "csv"),
    "risk svg": (f"risk CASE {_CHANCES} --format svg", "xml"),
    "draw": ("draw CASE", "xml"),
    "draw many": ("draw CASE --bound max-pictures=2000", "xml"),
    "draw tangle": ("draw CASE --bound max-edges=2000", "xml"),
    "verdicts": ("draw CASE --verdicts", "xml"),
    "monitor": ("monitor CASE", "python"),
    "explore": ("explore CASE", "html"),
    "candidates": ("candidates CASE", "csv"),
    "batch": ("batch CASE --out FOLDER/rows.jsonl", "text"),
    "check": ("check CASE", "text"),
    "verify": (f"verify CASE {ROOT}/models/running_example/running_example.toml", ""),
    "lint": ("lint CASE", "text"),
    "show": ("show CASE#C --product --format json", "show"),
    "convert": ("convert CASE#C FOLDER/out.aut --product", "text"),
}
POLICY = "resilience = 3\n"
CHANCES = '[probability]\n"*,*,*" = 1e-3\n'


@dataclass(frozen=True)
class Late:
    """One run.

    Attributes:
        input: What was asked about.
        question: What was asked.
        bound: The bound that was set, or the name of a signal.
        value: Its value: seconds, or MiB.
        code: The exit code.
        late: Seconds from the bound to the end; negative where it ended before.
        cpu: Seconds of processor time after it.
        peak: Most memory, in MiB.
        bytes: Length of the output.
        problem: What the output lacks; empty where it is whole.
    """

    input: str
    question: str
    bound: str
    value: float
    code: int
    late: float
    cpu: float
    peak: float
    bytes: int
    problem: str

    @property
    def holds(self) -> bool:
        """Whether the bound held, of time with processor time."""
        if self.bound == "memory":
            return self.peak <= min(1.2 * self.value, self.value + 100)
        # After a signal what was found is shown.
        most = 1.0 if self.bound == "timeout" else SHOWN + 1.0
        return min(self.late, self.cpu + 0.2) <= most and not self.problem


def command(hard: Hard, question: str, folder: Path) -> list[str]:
    """The command line of a question."""
    files = {"CASE": str(hard.case), "OTHER": str(hard.other), "FOLDER": str(folder)}
    words = []
    for word in QUESTIONS[question][0].split():
        for name, path in files.items():
            word = word.replace(name, path)
        words.append(word)
    return [sys.executable, "-m", "symrob", *words, *hard.options]


def ask(
    hard: Hard, question: str, bound: str, value: float, *, known: bool = False
) -> Late:
    """Run one question under one bound.

    Args:
        hard: What is asked about.
        question: What is asked.
        bound: As of `Late`.
        value: Likewise.
        known: Whether to check that what stages have found is in the output.
    """
    with tempfile.TemporaryDirectory() as temporary:
        folder = Path(temporary)
        (folder / "policy.toml").write_text(POLICY, "utf-8")
        (folder / "p.toml").write_text(CHANCES, "utf-8")
        words = command(hard, question, folder)
        number = 0
        words += ["-v"] if known else []
        if bound == "timeout":
            due, expected = value, LIMIT
            words += ["--timeout", f"{value:g}"]
        elif bound == "memory":
            due, expected = MEMORY_TIMEOUT, LIMIT
            words += ["--timeout", f"{due:g}", "--memory", f"{value:g}"]
        else:
            due, expected, number = value, INTERRUPTED, signal.Signals[bound]
        run = measure(words, due, number=number)
        ended = run.code == expected
        problem = ""
        # Before symrob has begun, Python ends by the signal, or with 1.
        unbegun = run.code in (1, -number) and value < UNBEGUN and not run.output
        unbegun = number > 0 and unbegun and "symrob/" not in run.errors
        # Before a command has begun, a signal ends it without a word.
        if not unbegun and (number == 0 or run.output or run.errors):
            problem = lack(run.output, run.errors, QUESTIONS[question][1], ended)
        # What a search for repairs knows before it has one is no answer.
        if known and not problem and not unbegun and "repair" not in words:
            problem = lost(run.output, run.errors, QUESTIONS[question][1])
        # One whose work had ended before says which other bound it has hit.
        done = run.wall < due or "; raise --" in run.errors[-200:]
        allowed = (0, 1, 4, LIMIT if done else expected, expected)
        if run.code not in allowed and not unbegun:
            problem = f"exit code {run.code}: {run.errors[-200:]}"
    return Late(
        hard.name,
        question,
        bound,
        value,
        run.code,
        round(run.wall - due, 2),
        round(run.late, 2),
        round(run.peak, 1),
        len(run.output),
        problem,
    )


# Stages of a run after which something is known, as `-v` logs them; all or nothing is
# known of candidates.
_FINDING = re.compile(
    r" ms  (screen(?=: .* s$)|enumerate|cuts|settle|gate|risk): ", re.MULTILINE
)


def lost(output: str, errors: str, kind: str) -> str:
    """Say that a stage has found something and nothing is printed; else an empty text.

    Args:
        output: Standard output.
        errors: Standard error, with the log of stages.
        kind: As of `QUESTIONS`; pictures, pages and monitors are whole or nothing.
    """
    found = _FINDING.search(errors)
    if found is None or kind in ("xml", "html", "python", "csv", "repair"):
        return ""
    if "symrob/ended/" in output or len(output.split()) < 10:
        return f"lost what {found[1]} had found"
    return ""


def lack(output: str, errors: str, kind: str, stopped: bool) -> str:
    """Say in what way an output is not whole; empty where it is.

    Args:
        output: Standard output.
        errors: Standard error.
        kind: As of `QUESTIONS`.
        stopped: Whether a bound or a signal ended the run.
    """
    if stopped:
        said = errors.strip().splitlines()[-1:] + output.strip().splitlines()[-1:]
        told = (
            "incomplete",
            "stopped",
            "interrupted",
            "raise --",
            "raises this limit",
            "unknown",
            "timeout",
        )
        if not any(word in line.lower() for line in said for word in told):
            return f"does not say that it was stopped: {said}"
        if not output.strip():
            return ""
    try:
        if kind == "xml":
            ElementTree.fromstring(output)
        elif kind == "python":
            compile(output, "monitor", "exec")
        elif kind == "csv":
            rows = [*csv.reader(io.StringIO(output))]
            if len({*map(len, rows)}) != 1:
                return "rows of several lengths"
        elif kind == "html":
            if not output.rstrip().endswith("</html>"):
                return "no end of the page"
        elif "-lines" in kind:
            ended = output.startswith('{"reason":')
            for line in output.splitlines():
                validator("ended" if ended else kind).validate(json.loads(line))
            if "status" not in json.loads(line):
                return "the last line has no status"
        elif kind not in ("text", ""):
            document = json.loads(output)
            # What ends before it has anything to say is told so.
            ended = document.get("schema") == "symrob/ended/1"
            validator("ended" if ended else kind).validate(document)
    except (ValueError, SyntaxError, ElementTree.ParseError) as error:
        return f"{type(error).__name__}: {str(error)[:200]}"
    return ""


@lru_cache
def validator(name: str) -> Any:
    """What checks a document against a schema."""
    base = "https://symrob.invalid/"
    schemas = {}
    for path in (ROOT / "symrob" / "schemas").glob("*.json"):
        schema = json.loads(path.read_text("utf-8"))
        schemas[path.stem] = {**schema, "$id": base + schema["$id"]}
    registry = jsonschema_rs.Registry([(s["$id"], s) for s in schemas.values()])
    return jsonschema_rs.validator_for(schemas[name], registry=registry)


def runs(
    inputs: Sequence[Hard], timeouts: Sequence[float], signals: bool, memory: bool
) -> Iterator[Late]:
    """Yield every run: the first question of an input under all bounds, others by turn.

    Args:
        inputs: What is asked about.
        timeouts: Seconds.
        signals: Whether to send signals.
        memory: Whether to bound the memory.
    """
    for hard in inputs:
        for number, question in enumerate(hard.asked):
            for seconds in timeouts if number == 0 else _turn(timeouts, number):
                yield ask(hard, question, "timeout", seconds)
            if signals:
                for each in SIGNALS if number == 0 else _turn(SIGNALS, number):
                    yield ask(hard, question, each.name, SIGNAL_AFTER)
            if memory and number == 0:
                yield ask(hard, question, "memory", MEMORY)


def _turn(things: Sequence[T], number: int) -> Sequence[T]:
    return [things[number % len(things)]] if things else []


def line(late: Late) -> str:
    """One run as a line of the table."""
    return (
        f"{late.input:22}{late.question:17}{late.bound:8}{late.value:5g}{late.code:5}"
        f"{late.late:8.2f}{late.cpu:7.2f}{late.peak:8.0f}{late.bytes:12,}  "
        f"{'' if late.holds else 'NOT HELD '}{late.problem}"
    )


HEADER = (
    f"{'input':22}{'asked':17}{'bound':8}{'':5}{'code':>5}{'late':>8}{'cpu':>7}"
    f"{'MiB':>8}{'bytes':>12}"
)


def main() -> None:
    """Measure, print and write down."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("inputs", nargs="*", help="by default all")
    parser.add_argument("--asked", action="append", help="only this question")
    parser.add_argument("--timeout", type=float, nargs="*", default=TIMEOUTS)
    parser.add_argument(
        "--signals", action=argparse.BooleanOptionalAction, default=True
    )
    parser.add_argument("--memory", action=argparse.BooleanOptionalAction, default=True)
    parser.add_argument("--out", type=Path, default=RESULTS)
    given = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        inputs = [
            Hard(
                **{
                    **vars(hard),
                    "asked": [
                        q for q in hard.asked if q in (given.asked or hard.asked)
                    ],
                }
            )
            for hard in hard_inputs(Path(folder))
            if hard.name in (given.inputs or (hard.name,))
        ]
        print(HEADER, flush=True)
        found = []
        for late in runs(inputs, given.timeout, given.signals, given.memory):
            found.append(late)
            print(line(late), flush=True)
    data = {"setting": setting(), "runs": [asdict(late) for late in found]}
    given.out.write_text(json.dumps(data, indent=1) + "\n", "utf-8")
    held = f"{sum(late.holds for late in found)} of {len(found)} held"
    table = [HEADER, *(line(late).rstrip() for late in found), held]
    given.out.with_suffix(".txt").write_text("\n".join(table) + "\n", "utf-8")
    print(held)


if __name__ == "__main__":
    main()
