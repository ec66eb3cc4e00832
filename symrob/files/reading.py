"""Bounded reading of files that a user or a case names.

In:  a path as the user or a case gives it; `-` is standard input.
Out: the bytes or the text of the file.

Reading never waits and never grows without bound: only regular files are opened,
and standard input where the user names it, and of either no more than was allowed.
So a device, a FIFO or a file of gigabytes that a stranger's case names is a problem
of that case. Within `served` nothing is read from the disk at all: a worker of a
batch sees the files that came with its job.
"""

from __future__ import annotations

import errno
import io
import os
import select
import stat
import sys
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from contextvars import ContextVar
from typing import BinaryIO, cast

from symrob.errors import Diagnostic, SymrobError
from symrob.files.paths import is_inside
from symrob.limits import tick
from symrob.memory import MEBIBYTE

# MiB that are read of one file unless the user says otherwise; TOML takes a hundred
# times its size in memory, and rows of a batch are read line by line.
MAX_FILE = 256
MAX_TOML = 1
MAX_ROWS = 4096

STDIN = ("-", "/dev/stdin")
# Seconds between two looks at whether a signal came.
_PAUSE = 0.1

Served = Mapping[str, "bytes | Diagnostic"]


class _Run:
    """What holds for all reading of one command.

    Args:
        most: MiB that are read of one file; `None` for the usual bounds.
        files: What is read instead of the disk.

    Attributes:
        stdin: What standard input held, once it was read.
    """

    def __init__(self, most: int | None = None, files: Served | None = None) -> None:
        self.most = most
        self.files = files
        self.stdin: bytes | None = None


_run: ContextVar[_Run] = ContextVar("_run")
_run.set(_Run())


@contextmanager
def at_most(mebibytes: int | None) -> Iterator[None]:
    """Let the files that are read in the block have this size; `None` is usual."""
    token = _run.set(_Run(mebibytes))
    try:
        yield
    finally:
        _run.reset(token)


@contextmanager
def served(files: Served) -> Iterator[None]:
    """Let all reading in the block be from `files`, by path, not from the disk.

    Args:
        files: The content of each file, or why it cannot be read.
    """
    token = _run.set(_Run(files=files))
    try:
        yield
    finally:
        _run.reset(token)


def is_stdin(path: str) -> bool:
    """Whether a path that the user gives means standard input."""
    return path in STDIN


def open_file(path: str, usual: int = MAX_FILE) -> BinaryIO:
    """Open a file for reading.

    Args:
        path: The file.
        usual: MiB that it may have, unless the user says otherwise.

    Raises:
        SymrobError: It is missing, no regular file, or cannot be opened; or, also
            while it is read, it is larger than allowed.
    """
    run = _run.get(None) or _Run()
    most = allowed(usual)
    if run.files is not None:
        content = run.files.get(path)
        if isinstance(content, bytes):
            return io.BytesIO(content)
        raise SymrobError(content or unreadable(path, FileNotFoundError(errno.ENOENT)))
    if is_stdin(path):
        if run.stdin is None:
            run.stdin = _read_stdin(most + 1)
        return _bounded(io.BytesIO(run.stdin), path, most)
    try:
        # Looked at before it is opened, which does something to some devices; and
        # after, since it may be another one then.
        _require_plain(path, os.stat(path), most)
        number = os.open(path, os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC)
        file = open(number, "rb", buffering=0)  # noqa: SIM115
    except (OSError, ValueError) as error:
        raise SymrobError(unreadable(path, error)) from None
    try:
        _require_plain(path, os.fstat(number), most)
    except SymrobError:
        file.close()
        raise
    return _bounded(file, path, most)


def _read_stdin(most: int) -> bytes:
    """Read all of standard input, but no more than so many bytes."""
    if sys.stdin is None:
        message = "standard input is closed"
        raise SymrobError(Diagnostic("file-unreadable", message, file=STDIN[0]))
    try:
        number = sys.stdin.buffer.fileno()
    except OSError:
        return sys.stdin.buffer.read(most)
    content = bytearray()
    while len(content) < most:
        tick()
        # A signal that comes just before a call that waits would not end it.
        if select.select([number], [], [], _PAUSE)[0]:
            part = os.read(number, min(MEBIBYTE, most - len(content)))
            if not part:
                break
            content += part
    return bytes(content)


def _require_plain(path: str, found: os.stat_result, most: int) -> None:
    if stat.S_ISDIR(found.st_mode):
        message = "this is a directory, not a file"
        raise SymrobError(Diagnostic("file-directory", message, file=path))
    if not stat.S_ISREG(found.st_mode):
        message = "this is a device or a pipe, not a file"
        raise SymrobError(Diagnostic("file-special", message, file=path))
    if found.st_size > most:
        raise SymrobError(_too_large(path, found.st_size, most))


def read_bytes(path: str, usual: int = MAX_FILE) -> bytes:
    """Return what a file holds; raises what `open_file` raises."""
    with open_file(path, usual) as file:
        return read_all(path, file.read)


def read_text(path: str, usual: int = MAX_FILE) -> str:
    """Return the text of a file in UTF-8, with or without a byte order mark.

    Raises:
        SymrobError: As `open_file`; or it is no such text, with the place.
    """
    content = read_bytes(path, usual)
    try:
        return content.decode("utf-8-sig")
    except UnicodeDecodeError:
        raise SymrobError(undecodable(path, content)) from None


def read_all(path: str, call: Callable[[], bytes]) -> bytes:
    """Call what reads of an open file; what the system refuses is a problem of it."""
    try:
        return call()
    except OSError as error:
        raise SymrobError(unreadable(path, error)) from None


def require_inside(path: str, root: str | None) -> None:
    """Refuse a file that a model imports from outside of its case's folder.

    Args:
        path: The file that is imported.
        root: The folder; `None` for no such bound.

    Raises:
        SymrobError: It lies elsewhere, `..` and links followed, or is no path.
    """
    if "\0" in path:
        raise SymrobError(unreadable(path, ValueError()))
    if root is not None and not is_inside(path, root):
        raise SymrobError(
            Diagnostic(
                "format-outside",
                "this import leaves the folder of the case file",
                file=path,
                hint="--allow-outside allows it, for files that you trust",
            )
        )


def unreadable(path: str, error: OSError | ValueError) -> Diagnostic:
    """Return what to say of a file that cannot be read."""
    if isinstance(error, ValueError):
        return Diagnostic("file-path", "a path holds the character NUL", file=path)
    reason = os.strerror(error.errno) if error.errno else str(error)
    missing = isinstance(error, FileNotFoundError)
    code = "file-missing" if missing else "file-unreadable"
    return Diagnostic(code, f"cannot read: {reason}", file=path)


def undecodable(path: str, content: bytes) -> Diagnostic:
    """Return where the content of a file is no UTF-8, and what it may be."""
    hint = "save the file as UTF-8"
    if content[:2] in (b"\xff\xfe", b"\xfe\xff") or b"\0" in content[:4]:
        hint += "; it looks like UTF-16"
    for line, raw in enumerate(content.split(b"\n"), 1):
        try:
            raw.decode("utf-8")
        except UnicodeDecodeError as error:
            message = f"byte 0x{raw[error.start]:02x} is not UTF-8 text"
            column = len(raw[: error.start].decode("utf-8")) + 1
            return Diagnostic(
                "file-encoding", message, file=path, line=line, column=column, hint=hint
            )
    return Diagnostic("file-encoding", "not UTF-8 text", file=path, hint=hint)


def _too_large(
    path: str, size: int, most: int, what: str = "the file has"
) -> Diagnostic:
    needed = -(-size // MEBIBYTE)
    return Diagnostic(
        "file-limit",
        f"{what} more than {most // MEBIBYTE} MiB",
        file=path,
        hint=f"--bound max-file={needed} reads it",
    )


def allowed(usual: int = MAX_FILE) -> int:
    """Bytes that may be read of one file, or of all files of a batch."""
    run = _run.get(None) or _Run()
    return (run.most or usual) * MEBIBYTE


def too_large_together(path: str, size: int) -> Diagnostic:
    """Return what to say where the files of a batch are too large together."""
    return _too_large(path, size, allowed(), "the files of the batch up to this have")


class _Bounded(io.RawIOBase):
    """A file that ends with an error when it gives more bytes than it may."""

    def __init__(self, file: BinaryIO | io.RawIOBase, path: str, most: int) -> None:
        self._file, self._path = file, path
        self._most = self._left = most

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: bytearray) -> int:  # type: ignore[override]
        count = cast("io.RawIOBase", self._file).readinto(buffer) or 0
        self._left -= count
        if self._left < 0:
            size = self._most - self._left
            raise SymrobError(_too_large(self._path, size, self._most))
        return count

    def close(self) -> None:
        self._file.close()
        super().close()


def _bounded(file: BinaryIO | io.RawIOBase, path: str, most: int) -> BinaryIO:
    return io.BufferedReader(_Bounded(file, path, most), 1 << 16)  # type: ignore[type-var]
