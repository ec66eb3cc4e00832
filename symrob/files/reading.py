"""Bounded reading of files that a user or a case names.

In:  a path as the user or a case gives it; `-` is standard input.
Out: the bytes or the text of the file.

Reading never blocks and is bounded: only regular files are opened, and standard input
if the user names it, up to the maximum size. So a device, a FIFO or a huge file that an
untrusted case names is an error in that case. Within `confined` nothing outside of a
folder is opened. Within `served` nothing is read from the disk at all: a worker of a
batch has only the files of its job.

A command never overwrites its inputs. It declares the files that it will write
(`reserve`); reading one of them, or writing one that was read, is an error.
"""

from __future__ import annotations

import errno
import io
import os
import re
import select
import stat
import sys
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from contextvars import ContextVar
from typing import BinaryIO, cast

from symrob.errors import Diagnostic, SymrobError
from symrob.files.paths import ANYWHERE, is_inside
from symrob.limits import MAX_FILE, tick
from symrob.memory import MEBIBYTE

# The same for other files: TOML takes a hundred times its size in memory, and rows of a
# batch are read line by line.
MAX_TOML = 1
MAX_ROWS = 4096

STDIN = ("-", "/dev/stdin")
# Seconds between two looks at whether a signal came.
_PAUSE = 0.1
# Bytes of a text that tell UTF-16 and UTF-32 from UTF-8, which has no NUL there.
_BEGIN = 4

Served = Mapping[str, "bytes | Diagnostic"]
_Identity = tuple[int, int]


class _ReadRun:
    """What holds for all reading of one command.

    Args:
        most: MiB that are read of one file; `None` for the usual bounds.
        files: What is read instead of the disk.

    Attributes:
        stdin: What standard input held, once it was read.
        targets: The files that exist and will be written, by device and inode.
        read: The files that were read; `None` if no command runs.
    """

    def __init__(self, most: int | None = None, files: Served | None = None) -> None:
        self.most = most
        self.files = files
        self.stdin: bytes | None = None
        self.targets: set[_Identity] = set()
        self.read: set[_Identity] | None = None


_run: ContextVar[_ReadRun] = ContextVar("_run")
_run.set(_ReadRun())
# The folder that may not be left, and a file that may lie elsewhere.
_fence: ContextVar[tuple[str, str | None]] = ContextVar(
    "_fence", default=(ANYWHERE, None)
)


@contextmanager
def at_most(mebibytes: int | None) -> Iterator[None]:
    """Start the reading of one command, with its maximum file size.

    Args:
        mebibytes: The size that files may have; `None` for the usual one.
    """
    run = _ReadRun(mebibytes)
    run.read = set()
    token = _run.set(run)
    try:
        yield
    finally:
        _run.reset(token)


@contextmanager
def served(files: Served) -> Iterator[None]:
    """Within the block, read only from `files`, by path, not from the disk.

    Args:
        files: The content of each file, or why it cannot be read.
    """
    token = _run.set(_ReadRun(files=files))
    try:
        yield
    finally:
        _run.reset(token)


@contextmanager
def confined(folder: str | None, named: str) -> Iterator[None]:
    """Within the block, refuse to open files outside of a folder.

    Args:
        folder: The folder, `ANYWHERE` for no bound. `None` for the folder of `named`,
            which may itself be a link out of it, since the user named it.
        named: The file that is read in the block, with what it imports.
    """
    own = os.path.dirname(named)
    token = _fence.set((own, named) if folder is None else (folder, None))
    try:
        yield
    finally:
        _fence.reset(token)


def reserve(targets: Iterable[str], others: Iterable[str] = ()) -> None:
    """Declare the files that the running command will write.

    Args:
        targets: Their paths.
        others: Further arguments, some of which may be paths of its inputs.

    Raises:
        SymrobError: One of the others, or of the files read so far, is a target.
    """
    run = _run.get()
    for path in targets:
        claim(path)
        if found := _identity(path):
            run.targets.add(found)
    for path in others:
        if _identity(path) in run.targets:
            raise SymrobError(_overwritten(path))


def claim(path: str) -> None:
    """Refuse to write a file that the command has read.

    A written file may be read afterwards.

    Raises:
        SymrobError: It was read.
    """
    run = _run.get(None) or _ReadRun()
    found = _identity(path)
    if found in (run.read or ()):
        raise SymrobError(_overwritten(path))
    if found is not None:
        run.targets.discard(found)


def _identity(path: str) -> _Identity | None:
    """What tells a regular file from all others; `None` if there is none."""
    try:
        found = os.stat(path)
    except (OSError, ValueError):
        return None
    return (found.st_dev, found.st_ino) if stat.S_ISREG(found.st_mode) else None


def _overwritten(path: str) -> Diagnostic:
    return Diagnostic(
        "usage-overwrite",
        "this command reads the file, so it cannot write its output there",
        file=path,
        hint="name another file for the output",
    )


def is_stdin(path: str) -> bool:
    """Whether a path that the user gives means standard input."""
    return path in STDIN


def open_file(path: str, usual: int = MAX_FILE) -> BinaryIO:
    """Open a file for reading.

    Args:
        path: The file.
        usual: Maximum size in MiB, unless the user sets another.

    Raises:
        SymrobError: It is missing, not a regular file, or cannot be opened; or it is
            too large, which may be found only while reading.
    """
    run = _run.get(None) or _ReadRun()
    most = allowed(usual)
    if run.files is not None:
        content = run.files.get(path)
        if isinstance(content, bytes):
            return io.BytesIO(content)
        raise SymrobError(content or unreadable(path, FileNotFoundError(errno.ENOENT)))
    require_allowed(path)
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
        found = os.fstat(number)
        _require_plain(path, found, most)
        _note(path, found)
    except SymrobError:
        file.close()
        raise
    return _bounded(file, path, most)


def _read_stdin(most: int) -> bytes:
    """Read all of standard input, but no more than this many bytes."""
    if sys.stdin is None:
        message = "standard input is closed"
        raise SymrobError(Diagnostic("file-unreadable", message, file=STDIN[0]))
    try:
        number = sys.stdin.buffer.fileno()
    except OSError:
        return sys.stdin.buffer.read(most)
    _note(STDIN[0], os.fstat(number))
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


def _note(path: str, found: os.stat_result) -> None:
    """Keep in mind what is read; refuse it if it will be written."""
    run = _run.get(None) or _ReadRun()
    if run.read is not None:
        identity = (found.st_dev, found.st_ino)
        run.read.add(identity)
        if identity in run.targets:
            raise SymrobError(_overwritten(path))


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
    """Return the contents of a file; raises as `open_file` does."""
    with open_file(path, usual) as file:
        return read_all(path, file.read)


def read_text(path: str, usual: int = MAX_FILE) -> str:
    """Return the text of a file in UTF-8, with or without a byte order mark.

    All usual line ends are converted to line feeds.

    Raises:
        SymrobError: As for `open_file`; or it is not such a text; the error has the
            location.
    """
    content = read_bytes(path, usual)
    try:
        if not _wide(content[:_BEGIN]):
            return one_line_end(content.decode("utf-8-sig"))
    except UnicodeDecodeError:
        pass
    raise SymrobError(undecodable(path, content))


def one_line_end(text: str) -> str:
    """Return a text with the line ends of Windows and old Macs converted."""
    return text.replace("\r\n", "\n").replace("\r", "\n") if "\r" in text else text


def read_all(path: str, call: Callable[[], bytes]) -> bytes:
    """Call a reader of an open file; errors of the system become errors of the file."""
    try:
        return call()
    except OSError as error:
        raise SymrobError(unreadable(path, error)) from None


def require_allowed(path: str) -> None:
    """Reject a file that `confined` excludes, following `..` and links.

    Raises:
        SymrobError: It lies outside of the folder, or is not a valid path.
    """
    folder, named = _fence.get()
    try:
        if "\0" in path:
            raise ValueError
        allowed_here = path == named or is_inside(path, folder)
    except (OSError, ValueError) as error:
        raise SymrobError(unreadable(path, error)) from None
    if not allowed_here:
        raise SymrobError(
            Diagnostic(
                "format-outside",
                "this file lies outside the folder of the case or model that names it",
                file=path,
                hint="--allow-outside permits this; use it only for files that you "
                "trust",
            )
        )


def unreadable(path: str, error: OSError | ValueError) -> Diagnostic:
    """Return the error for a file that cannot be read."""
    if isinstance(error, ValueError):
        return Diagnostic("file-path", "a path contains the character NUL", file=path)
    reason = os.strerror(error.errno) if error.errno else str(error)
    missing = isinstance(error, FileNotFoundError)
    code = "file-missing" if missing else "file-unreadable"
    return Diagnostic(code, f"cannot read: {reason}", file=path)


def open_text(path: str, newline: str | None = None) -> io.TextIOWrapper:
    """Open a text in UTF-8 for reading, with or without a byte order mark.

    Args:
        path: The file.
        newline: As for `open`; by default every line ends with a line feed.

    Raises:
        SymrobError: As for `open_file`; or it begins like a text in UTF-16 or UTF-32,
            some of which are also valid UTF-8.
    """
    opened = open_file(path)
    # What is held in memory has no buffer to look ahead in.
    buffered = isinstance(opened, io.BufferedReader)
    file = opened if buffered else io.BufferedReader(cast("io.RawIOBase", opened))
    file = cast("io.BufferedReader", file)
    if _wide(file.peek(_BEGIN)[:_BEGIN]):
        file.close()
        raise SymrobError(undecodable(path, read_bytes(path)))
    return io.TextIOWrapper(file, "utf-8-sig", newline=newline)


def _wide(begin: bytes) -> str:
    """UTF-16 or UTF-32, if a text begins like one; else empty."""
    if begin in (b"\xff\xfe\0\0", b"\0\0\xfe\xff") or begin.count(0) == 3:
        return "UTF-32"
    marked = begin[:2] in (b"\xff\xfe", b"\xfe\xff")
    return "UTF-16" if marked or 0 in begin else ""


def encoding_hint(content: bytes) -> str | None:
    """Return a hint for a text that is not valid UTF-8; `None` if it is.

    Args:
        content: The bytes of the file.
    """
    found = _wide(content[:_BEGIN])
    try:
        content.decode("utf-8")
    except UnicodeDecodeError:
        # With a character in UTF-8 it is rather a damaged file.
        if not found and content.decode("utf-8", "ignore").isascii():
            found = "Latin-1 or Windows-1252"
    else:
        if not found:
            return None
    return "save the file as UTF-8" + (f"; it looks like {found}" if found else "")


def undecodable(path: str, content: bytes) -> Diagnostic:
    """Return where the contents of a file are not UTF-8, and the likely encoding."""
    hint, line, column = encoding_hint(content), 1, 1
    message = "not UTF-8 text"
    lines = [] if _wide(content[:_BEGIN]) else re.split(rb"\r\n?|\n", content)
    for number, raw in enumerate(lines, 1):
        try:
            raw.decode("utf-8")
        except UnicodeDecodeError as error:
            message = f"byte 0x{raw[error.start]:02x} is not UTF-8 text"
            line, column = number, len(raw[: error.start].decode("utf-8")) + 1
            break
    return Diagnostic(
        "file-encoding", message, file=path, line=line, column=column, hint=hint
    )


def _too_large(
    path: str, size: int, most: int, message: str = "the file is larger than {} MiB"
) -> Diagnostic:
    needed = -(-size // MEBIBYTE)
    return Diagnostic(
        "file-limit",
        message.format(most // MEBIBYTE),
        file=path,
        hint=f"read it with --bound max-file={needed}",
    )


def allowed(usual: int = MAX_FILE) -> int:
    """Maximum number of bytes of one file, or of all files of a batch."""
    run = _run.get(None) or _ReadRun()
    return (run.most or usual) * MEBIBYTE


def too_large_together(path: str, size: int) -> Diagnostic:
    """Return the error for files of a batch that are too large together."""
    message = "the files of the batch up to this one exceed {} MiB in total"
    return _too_large(path, size, allowed(), message)


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
