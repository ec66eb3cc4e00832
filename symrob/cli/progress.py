"""The progress line on a terminal: activity, results so far, elapsed time.

It appears after one second, on standard error, and is erased before anything else is
printed there, and at the end.
"""

from __future__ import annotations

import os
import signal
import sys
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from threading import Event, Lock, Thread
from time import monotonic
from typing import Any

from symrob.doing import Doing, told
from symrob.interrupts import SIGNALS

# Seconds until the line comes, and between two looks.
FIRST, PAUSE = 1.0, 0.2


@contextmanager
def shown() -> Iterator[None]:
    """Show the line while the block runs, if standard error is a terminal."""
    if not sys.stderr.isatty():
        yield
        return
    line = _Line()
    streams = sys.stdout, sys.stderr
    sys.stderr = _Beside(line, sys.stderr)
    if sys.stdout.isatty():
        sys.stdout = _Beside(line, sys.stdout)
    line.start()
    try:
        yield
    finally:
        line.end()
        sys.stdout, sys.stderr = streams


class _Line:
    """The line, and the thread that writes it.

    Attributes:
        is_free: Whether what was printed last ends its line.
    """

    def __init__(self) -> None:
        self.is_free = True
        self._begun = monotonic()
        self._stream = sys.stderr
        self._lock = Lock()
        self._over = Event()
        self._is_there = False
        self._thread = Thread(target=self._run, name="symrob-line", daemon=True)

    def start(self) -> None:
        self._thread.start()

    def end(self) -> None:
        self._over.set()
        self._thread.join(1.0)
        with self.away():
            pass

    @contextmanager
    def away(self) -> Iterator[None]:
        """Take the line away; it does not come back within the block."""
        # In a process that was forked while it was written nobody gives the lock back.
        held = self._lock.acquire(timeout=PAUSE)
        try:
            if self._is_there:
                self._is_there = False
                self._write("\r\033[K")
            yield
        finally:
            if held:
                self._lock.release()

    def _run(self) -> None:
        if hasattr(signal, "pthread_sigmask"):
            signal.pthread_sigmask(signal.SIG_BLOCK, SIGNALS)
        pause = FIRST
        while not self._over.wait(pause):
            pause = PAUSE
            with self._lock:
                if Doing.what and self.is_free:
                    self._is_there = True
                    text = told(monotonic() - self._begun)
                    self._write(f"\r\033[K{text[: self._width()]}")

    def _width(self) -> int:
        try:
            columns = os.get_terminal_size(self._stream.fileno()).columns
        except (OSError, ValueError):
            columns = 0
        return (columns or 80) - 1

    def _write(self, text: str) -> None:
        with suppress(OSError, ValueError):
            self._stream.write(text)
            self._stream.flush()


class _Beside:
    """A stream to the terminal: what is written takes the place of the line."""

    def __init__(self, line: _Line, stream: Any) -> None:
        self._line = line
        self._stream = stream

    def write(self, text: str) -> int:
        with self._line.away():
            self._line.is_free = text.endswith("\n") if text else self._line.is_free
            written: int = self._stream.write(text)
        return written

    def __getattr__(self, name: str) -> Any:
        return getattr(self._stream, name)
