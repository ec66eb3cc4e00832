"""Ask the engine about random problems, on all cores, until it is stopped.

    python -m tests.fuzz [--minutes M] [--seeds N] [--start S] [--workers W]
                         [--ask QUESTION]… [--kind KIND]… [--set CONSTANT=VALUE]…
                         [--out FOLDER]

Each seed is one problem with one to three questions, of those in `--ask` where it is
given, about a problem of the kinds in `--kind`; `--set` makes a shortcut act in nearly
every problem. What differs from the reference, fails or hangs is shrunk and written to
FOLDER/failures as a case that `tests/regressions` can replay. Each worker writes what
it has done to a file in FOLDER, and in the end there is `report.json`. Ends with 1 if
anything was found, or if a shortcut that is to be counted is gone from the engine.
"""

import argparse
import importlib
import json
import multiprocessing
import os
import pkgutil
import signal
import sys
from collections import Counter
from pathlib import Path
from time import monotonic, sleep, time

import symrob
from tests.fuzz import problems, shortcuts
from tests.fuzz.cases import cases, failure, to_json
from tests.fuzz.questions import QUESTIONS, Skip
from tests.fuzz.shrink import shrunk

# Wall seconds after which a worker that does not come back is killed.
PATIENCE = 600
# Problems after which a worker is replaced, in case memory is lost.
RENEWED = 20_000
# Failures that are alike are shrunk only so often.
ALIKE = 3


class Worker:
    """What one process does: the seeds from `first` on, every `step`th.

    Args:
        number: Its number.
        first: Its first seed.
        step: How many workers there are.
        last: No seed from here on; None for no end.
        end: The monotonic time to stop at; None for no end.
        folder: Where it writes.
        settings: Values of constants that hold in each case.
        asked: The questions to choose from.
        kinds: The kinds of problems to choose from.
    """

    def __init__(self, number, first, step, last, end, folder, settings, asked, kinds):
        self.number, self.step, self.last, self.end = number, step, last, end
        self.settings, self.asked, self.kinds = settings, asked, kinds
        self.folder = Path(folder)
        self.seed = multiprocessing.Value("q", first)
        self.moved = multiprocessing.Value("d", monotonic())
        self.known = multiprocessing.Value("q", 0)

    def start(self):
        """Run in a separate process, from where the last one stopped."""
        self.moved.value = monotonic()
        self.process = multiprocessing.Process(target=self._run, daemon=True)
        self.process.start()

    @property
    def done(self):
        """Whether there is nothing left to do."""
        return (self.last is not None and self.seed.value >= self.last) or (
            self.end is not None and monotonic() > self.end
        )

    def _run(self):
        # The parent tells when to stop.
        signal.signal(signal.SIGINT, signal.SIG_IGN)
        shortcuts.install()
        counts, acted = Counter(), Counter()
        path = self.folder / f"worker-{self.number}-{os.getpid()}.json"
        written = monotonic()
        parent = os.getppid()
        for _ in range(RENEWED):
            if self.done or os.getppid() != parent:
                break
            self._one(counts, acted)
            self.moved.value = monotonic()
            self.seed.value += self.step
            if monotonic() - written > 5:
                written = monotonic()
                write_counts(path, counts, acted)
        write_counts(path, counts, acted)

    def _one(self, counts, acted):
        counts["problems"] += 1
        self.known.value += 1
        shortcuts.ACTED.clear()
        for case, problem, reference in cases(self.seed.value, self.asked, self.kinds):
            case["settings"] |= self.settings
            name = "nominal" if reference.undefined else case["question"]
            try:
                found = failure(case, problem, reference)
            except Skip:
                counts[f"skipped: {name}"] += 1
                continue
            counts[f"asked: {name}"] += 1
            counts["with other constants"] += bool(case["settings"])
            if found is not None:
                counts["failures"] += 1
                self._report(case, *found)
        acted.update(shortcuts.ACTED.keys())

    def _report(self, case, kind, story):
        folder = self.folder / "failures"
        alike = f"{case['question']}-{kind}".replace(" ", "-").replace("/", "-")[:80]
        case = json.loads(to_json(case))
        path = folder / f"{alike}-{case['seed']}.json"
        path.write_text(json.dumps({**case, "kind": kind, "story": story}))
        print(f"\nseed {case['seed']}, {case['question']}: {kind}", flush=True)
        if len(list(folder.glob(f"{alike}-*.small.json"))) < ALIKE:
            small = shrunk(case, kind)
            text = json.dumps({**small, "kind": kind}, ensure_ascii=False)
            path.with_suffix(".small.json").write_text(text + "\n", encoding="utf-8")
            print(f"shrunk: {path.with_suffix('.small.json')}", flush=True)


def write_counts(path, counts, acted):
    """Write what a worker has done; never half of it."""
    text = json.dumps({"counts": counts, "acted": acted})
    path.with_suffix(".tmp").write_text(text)
    path.with_suffix(".tmp").replace(path)


def gathered(folder):
    """The counts of all workers together."""
    counts, acted = Counter(), Counter()
    for path in Path(folder).glob("worker-*.json"):
        data = json.loads(path.read_text())
        counts.update(data["counts"])
        acted.update(data["acted"])
    return counts, acted


def watch(workers, begun, folder):
    """Keep the workers going until they are done; say what becomes of them."""
    told = 0.0
    while running := [w for w in workers if not w.done or w.process.is_alive()]:
        sleep(0.2)
        for worker in running:
            alive = worker.process.is_alive()
            if alive and monotonic() - worker.moved.value > PATIENCE:
                worker.process.kill()
                worker.process.join()
                lost(worker, folder, "does not come back")
            elif not alive and worker.process.exitcode:
                lost(worker, folder, f"ended with {worker.process.exitcode}")
            elif alive or worker.done:
                continue
            worker.start()
        if monotonic() - told > 10:
            told = monotonic()
            tried = sum(w.known.value for w in workers)
            seconds = monotonic() - begun
            failed = len(found_in(folder))
            line = (
                f"{seconds / 60:7.1f} min  {tried:,} problems"
                f"  {tried / seconds:.0f}/s  {failed} failures"
            )
            print(line, end="\r" if sys.stdout.isatty() else "\n", flush=True)


def lost(worker, folder, how):
    """Note a seed whose worker died, and go on behind it."""
    seed = worker.seed.value
    print(f"\nseed {seed}: the worker {how}", flush=True)
    path = Path(folder, "failures", f"lost-{seed}.json")
    path.write_text(json.dumps({"seed": seed, "kind": how}))
    worker.seed.value += worker.step


def found_in(folder):
    """The failures so far, those that were shrunk once."""
    paths = Path(folder, "failures").glob("*.json")
    return [p for p in paths if not p.name.endswith(".small.json")]


def load_all():
    """Import all of symrob, so that all workers run the code of this moment."""
    for info in pkgutil.walk_packages(symrob.__path__, "symrob."):
        if not info.name.endswith("__main__"):
            try:
                importlib.import_module(info.name)
            except ModuleNotFoundError as error:
                # What is only for an optional dependency.
                if (error.name or "").startswith("symrob"):
                    raise


def main():
    """Run the fuzzer; see the module."""
    parser = argparse.ArgumentParser(prog="python -m tests.fuzz")
    parser.add_argument("--minutes", type=float, default=None)
    parser.add_argument("--seeds", type=int, default=None, help="for each worker")
    parser.add_argument("--start", type=int, default=None)
    parser.add_argument("--workers", type=int, default=os.cpu_count())
    parser.add_argument("--out", default="out/fuzz")
    parser.add_argument(
        "--ask", action="append", choices=list(QUESTIONS), metavar="QUESTION"
    )
    names = [kind.__name__ for kind in problems.KINDS]
    parser.add_argument("--kind", action="append", choices=names, metavar="KIND")
    parser.add_argument("--set", action="append", default=[], help="KNOB=VALUE")
    chosen = parser.parse_args()
    settings = {
        name: float(value) if "." in value else int(value)
        for name, _, value in (text.partition("=") for text in chosen.set)
    }
    folder = Path(chosen.out)
    (folder / "failures").mkdir(parents=True, exist_ok=True)
    for old in (*folder.glob("worker-*"), *(folder / "failures").glob("*")):
        old.unlink()
    # Each run its own problems, unless it is asked for certain ones.
    first = int(time()) * 1_000_000 if chosen.start is None else chosen.start
    step = chosen.workers
    last = None if chosen.seeds is None else first + chosen.seeds * step
    load_all()
    begun = monotonic()
    end = None if chosen.minutes is None else begun + 60 * chosen.minutes
    print(f"seeds from {first}, {step} workers", flush=True)
    workers = [
        Worker(i, first + i, step, last, end, folder, settings, chosen.ask, chosen.kind)
        for i in range(step)
    ]
    for worker in workers:
        worker.start()
    for number in (signal.SIGTERM, signal.SIGHUP):
        signal.signal(number, signal.default_int_handler)
    try:
        watch(workers, begun, folder)
    except KeyboardInterrupt:
        for worker in workers:
            worker.process.terminate()
    seconds = monotonic() - begun
    counts, acted = gathered(folder)
    shortcuts.install()
    report = {
        "start": first,
        "seconds": round(seconds),
        "per second": round(counts["problems"] / seconds, 1),
        "counts": dict(sorted(counts.items())),
        "problems in which it acted": dict(sorted(acted.items())),
        "not watched": shortcuts.MISSING,
        "failures": sorted(p.name for p in found_in(folder)),
    }
    text = json.dumps(report, indent=1)
    (folder / "report.json").write_text(text + "\n")
    print("\n" + text)
    return 1 if report["failures"] or report["not watched"] else 0


if __name__ == "__main__":
    sys.exit(main())
