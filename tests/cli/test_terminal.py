"""What a terminal shows besides the output: a line while a command works, colours."""

import os
import pty
import re
import select
import signal
import subprocess
import sys
import time
from contextlib import ExitStack

import pytest

from symrob.cli import COMMANDS
from symrob.cli.colours import coloured
from tests.cli.calls import endless
from tests.cli.tools import ROOT, run, spawn

SLOW = "models/voting/voting_all_unconstrained.toml"


class Terminal:
    """A command with a terminal as its standard error, and perhaps its output.

    It is ended with the block, so that no failure leaves a process to other tests.
    """

    def __init__(self, *args, both=False, **environment):
        self._end, theirs = pty.openpty()
        self._stdin, self._kept = os.pipe()
        self.process = subprocess.Popen(
            [sys.executable, "-m", "symrob", *map(str, args)],
            cwd=ROOT,
            stdin=self._stdin,
            stdout=theirs if both else subprocess.DEVNULL,
            stderr=theirs,
            env={**os.environ, **environment},
        )
        os.close(theirs)
        self._read, self.text = b"", ""

    def read(self, until=None, seconds=60.0):
        """Read until a pattern is there, or the end, or so many seconds are over."""
        end = time.monotonic() + seconds
        while time.monotonic() < end:
            if until is not None and re.search(until, self.text):
                return
            if not select.select([self._end], [], [], 0.1)[0]:
                continue
            try:
                part = os.read(self._end, 1 << 16)
            except OSError:  # What Linux says of a terminal that nobody has.
                return
            if not part:
                return
            self._read += part
            self.text = self._read.decode("utf-8", "ignore")

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.process.kill()
        self.process.wait()
        for number in (self._end, self._stdin, self._kept):
            os.close(number)


def test_every_command_says_what_it_does_after_a_second(tmp_path):
    """They wait for standard input; a batch has a bar, which another test watches."""
    with ExitStack() as stack:
        waiting = {
            name: stack.enter_context(Terminal(name, *args))
            for name, args in endless(tmp_path)
        }
        assert set(waiting) == set(COMMANDS) - {"batch"}
        for name, terminal in waiting.items():
            said = r"\r\033\[K(reading the (models|rows)|checking -): [\d,]+ s"
            terminal.read(said)
            assert re.search(said, terminal.text), name


@pytest.mark.parametrize(
    ("command", "said"),
    [
        ("compute", r"searching for deviations: [\d,]+ deviations found, \d+ s"),
        ("cuts", r"searching for minimal sets: [\d,]+ sets found, \d+ s"),
    ],
)
def test_the_line_says_how_much_was_found(command, said):
    """Of a case that no machine finishes before the line is there."""
    with Terminal(command, SLOW) as terminal:
        terminal.read(said)
        assert re.search(said, terminal.text)


def test_the_line_leaves_no_trace_and_a_pipe_gets_none():
    with Terminal("compute", SLOW, "--timeout", "2", both=True) as terminal:
        terminal.read()
        parts = terminal.text.split("\r\033[K")
    assert any(re.match(r"[a-z ]+: [\d,]+ deviations found, \d s$", p) for p in parts)
    # What is written over the line is nothing, the next state of it, or output.
    assert not any(re.search(r"found, \d+ s.", part, re.DOTALL) for part in parts)
    done = spawn("compute", SLOW, "--timeout", "1.5")
    assert "\r" not in done.out + done.err
    assert "searching" not in done.err


def test_a_signal_ends_the_line():
    with Terminal("compute", SLOW, both=True) as terminal:
        terminal.read(r"deviations found, \d+ s")
        terminal.process.send_signal(signal.SIGINT)
        terminal.read()
        assert terminal.process.wait(60) == 130
    assert terminal.text.endswith("interrupted; figures shown as ? are unknown\r\n")


VERDICTS = (
    ("check", "models/therac25/therac25.toml"),
    ("summary", "models/therac25/therac25.toml"),
    ("explain", "models/therac25/therac25.toml", "--transition", "NO_MODE,e,NO_MODE"),
    ("gate", "models/therac25/gate.toml", "models/therac25/therac25_fix.toml"),
)
LINE = re.compile(r"\r\033\[K[^\r\n]*(?=\r\033\[K)|\r\033\[K")
CODE = re.compile(r"\033\[\d*m")


def on_a_terminal(*args, **environment):
    """What a command shows on a terminal, without the line of a slow machine."""
    with Terminal(*args, both=True, TERM="xterm", **environment) as terminal:
        terminal.read()
    return LINE.sub("", terminal.text).replace("\r\n", "\n")


@pytest.mark.parametrize("args", VERDICTS, ids=lambda args: args[0])
def test_a_terminal_shows_verdicts_in_colours(args):
    colours = on_a_terminal(*args, NO_COLOR="", FORCE_COLOR="")
    assert CODE.search(colours)
    assert CODE.sub("", colours) == run(*args).out


def test_a_pipe_gets_no_colours_and_variables_change_that():
    args = VERDICTS[0]
    piped = spawn(*args).out
    assert "\033" not in piped
    assert on_a_terminal(*args, NO_COLOR="1") == piped
    both = {"NO_COLOR": "1", "FORCE_COLOR": "1"}
    assert on_a_terminal(*args, TERM_PROGRAM="", **both) == piped
    assert CODE.search(spawn(*args, FORCE_COLOR="1", NO_COLOR="").out)


def test_documents_have_no_colours():
    args = ("summary", "models/therac25/therac25.toml", "--format")
    for form in ("json", "csv"):
        assert "\033" not in spawn(*args, form, FORCE_COLOR="1").out


@pytest.mark.parametrize(
    ("line", "words"),
    [
        ("Hazardous: E with 1 added transition", ["Hazardous"]),
        ("76: 20 tolerated, 5 hazardous, 1 not tolerated", ["tolerated", "hazardous"]),
        ("51 excluded by assumptions", ["excluded by assumptions"]),
        ("the nurse corrects a wrong mode", []),
        ("  safe.lts", []),
        ("safe-state → x", []),
        ("  violates P", ["violates"]),
    ],
)
def test_only_verdicts_have_colours(line, words):
    found = re.findall(r"\033\[\d\dm(.*?)\033\[0m", coloured(line))
    assert found[: len(words)] == words
    assert bool(found) == bool(words)
    assert CODE.sub("", coloured(line)) == line
