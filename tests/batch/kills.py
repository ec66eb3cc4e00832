"""A batch that is killed again and again, against one that nobody disturbs.

    python -m tests.batch.kills 1000 5

runs so many random cases, kills so many times with SIGKILL at random moments, resumes
each time, and compares the rows; `make batch-test` does it at full size.
"""

import random
import sys
import tempfile
from pathlib import Path
from time import sleep

from tests.batch.tools import (
    batch,
    by_case,
    children,
    lines_in,
    medium_cases,
    running,
    runs,
    wait_until,
)


def kill_and_resume(folder, count, kills, seed):
    """Run a batch twice, once disturbed; return (undisturbed rows, disturbed).

    Every wait is bounded: a second for each case, and a minute more.
    """
    patience = count + 60
    rng = random.Random(seed)
    paths = medium_cases(folder, count, seed)
    calm, torn = folder / "calm.jsonl", folder / "torn.jsonl"
    code, _out, err = batch(*paths, "--out", calm, "-j", 2, patience=patience)
    assert code in (0, 1, 3), err
    moments = sorted(rng.sample(range(1, count), kills))
    for moment in moments:
        with running(*paths, "--out", torn, "-j", 2, "--resume") as process:
            wait_until(lambda m=moment: lines_in(torn) >= m, patience)
            # Anywhere within the next case or two.
            sleep(rng.random() * 0.03)
            workers = children(process.pid)
            process.kill()
            process.wait()
        assert lines_in(torn) < count, "killed too late to test anything"
        # Nobody goes on computing for a batch that is gone.
        wait_until(lambda w=workers: not any(map(runs, w)))
    code, _out, err = batch(
        *paths, "--out", torn, "-j", 2, "--resume", patience=patience
    )
    assert code in (0, 1, 3), err
    return by_case(calm), by_case(torn)


def main():
    """Run at the size that is asked for."""
    count, kills = map(int, sys.argv[1:3])
    with tempfile.TemporaryDirectory() as folder:
        calm, torn = kill_and_resume(Path(folder), count, kills, seed=7)
    assert len(calm) == len(torn) == count
    assert calm == torn
    statuses = {
        s: sum(r["status"] == s for r in calm.values())
        for s in sorted({r["status"] for r in calm.values()})
    }
    print(f"{count} rows after {kills} kills, each as without: {statuses}")


if __name__ == "__main__":
    main()
