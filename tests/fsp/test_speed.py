"""Start-up and speed, with room for slow machines; bench/ has the figures."""

import subprocess
import sys
import time

import pytest

from symrob.formats.fsp import lint_text, load_text

LOCALS = """MACHINE{n} = OFF,
OFF          = (switch_on{n} -> IDLE),
IDLE         = ( adjust[r:0..2] -> SET[r] | {{switch_off, failure}} -> OFF ),
SET[r:0..2]  = ( when (r > 0) clear -> IDLE
               | when (r == 0) lock.line[1] -> LOCKED
               | {{switch_off, failure}} -> OFF ),
LOCKED       = ( confirm -> CONFIRMED | {{switch_off, failure}} -> OFF ),
CONFIRMED    = ( change.all -> LOCKED
               | dispense -> flow -> done -> CONFIRMED
               | {{switch_off, failure}} -> OFF )
               + {{alarm[0..3]}} / {{power{n}/switch_on{n}}}.
"""


def seconds(work):
    """The best of two runs, in seconds of this process."""
    times = []
    for _ in range(2):
        start = time.process_time()
        work()
        times.append(time.process_time() - start)
    return min(times)


def test_a_thousand_lines():
    text = "".join(LOCALS.format(n=n) for n in range(100))
    text += "||ALL = (" + " || ".join(f"m[{n}]:MACHINE{n}" for n in range(100)) + ")."
    assert text.count("\n") >= 1000
    assert len(load_text(text).network.components) == 100
    assert seconds(lambda: load_text(text)) < 1.0


def test_a_long_chain_takes_time_in_proportion_to_its_length():
    """Sixteen times as long, it took two hundred times as long."""
    short, long = ("P = (" + "a -> " * n + "P)." for n in (1_000, 16_000))
    (system,) = load_text(long).network.components
    assert system.size == 16_000
    least = seconds(lambda: load_text(short))
    start = time.process_time()
    load_text(long)
    assert time.process_time() - start < 64 * least


def test_importing_the_front_end_does_not_import_pyparsing():
    code = "import sys, symrob.formats.fsp; sys.exit('pyparsing' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0


@pytest.mark.parametrize("word", ["plant ", "minimal ", "P[", "a[1]", "P = Q, "])
def test_a_broken_text_takes_time_in_proportion_to_its_length(word):
    """A row of words such as `plant` took time that grew with its square."""
    short, long = word * 1_000 + "=", word * 16_000 + "="
    least = seconds(lambda: lint_text(short))
    start = time.process_time()
    lint_text(long)
    assert time.process_time() - start < 64 * max(least, 0.01)
