"""Start-up and speed, with room for slow machines; bench/ has the figures."""

import subprocess
import sys
import time

from symrob.formats.fsp import load_text

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
    """The best of three runs, in seconds of this process."""
    times = []
    for _ in range(3):
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


def test_importing_the_front_end_does_not_import_pyparsing():
    code = "import sys, symrob.formats.fsp; sys.exit('pyparsing' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0
