"""Atomic writing of files.

In:  a path, and the complete contents.
Out: a file that is written completely or not at all.

A new file is created beside the old one, exclusively, so that no existing link is
followed, and renamed. Anything but a regular file, such as `/dev/stdout` or a FIFO, is
written directly; a FIFO without a reader is an error, instead of blocking.
"""

from __future__ import annotations

import errno
import os
import re
import stat
import sys
from collections.abc import Callable
from contextlib import suppress
from time import time

from symrob.errors import Diagnostic, SymrobError
from symrob.files.reading import claim

_STDOUT = ("/dev/stdout", "/dev/fd/1", "/proc/self/fd/1")
# Seconds after which the half file of a dead process is nobody's.
_STALE = 60.0


def is_stream(path: str) -> bool:
    """Whether a path is a device, a pipe or a terminal."""
    # Of what is redirected, the file would be seen and not the stream.
    if path.startswith(("/dev/", "/proc/")) and not path.startswith("/dev/shm/"):
        return True
    try:
        mode = os.stat(path).st_mode
    except (OSError, ValueError):
        return False
    return not stat.S_ISREG(mode) and not stat.S_ISDIR(mode)


def is_stdout(path: str) -> bool:
    """Whether a path is standard output."""
    return path in _STDOUT


def open_stream(path: str) -> int:
    """Open a device, pipe or terminal for writing; return its descriptor.

    Raises:
        SymrobError: It is a pipe that no process reads.
        OSError: It cannot be opened.
    """
    if is_stdout(path):
        # Reopening it would begin at the start of what it is redirected to.
        sys.stdout.flush()
        return os.dup(1)
    flags = os.O_WRONLY | os.O_APPEND | os.O_CLOEXEC | os.O_NONBLOCK
    try:
        number = os.open(path, flags)
    except OSError as error:
        if error.errno != errno.ENXIO:
            raise
        message = "cannot write: no process reads from this pipe"
        hint = "start the process that reads from it first"
        problem = Diagnostic("file-pipe", message, file=path, hint=hint)
        raise SymrobError(problem) from None
    os.set_blocking(number, True)
    return number


def write_all(number: int, content: bytes) -> None:
    """Write the whole content to a descriptor."""
    rest = memoryview(content)
    while rest:
        rest = rest[os.write(number, rest) :]


def write_file(path: str, content: bytes, code: str = "file-unwritable") -> None:
    """Write a file, completely or not at all.

    Args:
        path: The file; a link in its place is replaced, not followed.
        content: The complete contents.
        code: Code of the diagnostic.

    Raises:
        SymrobError: It cannot be written, or is a file that this command has read; the
            old contents are kept.
    """
    write_with(path, lambda number: write_all(number, content), code)


def write_with(path: str, write: Callable[[int], None], code: str) -> None:
    """Write a file like `write_file`, by a function that gets its descriptor."""
    claim(path)
    try:
        if is_stream(path):
            number = open_stream(path)
            try:
                write(number)
            finally:
                os.close(number)
            return
        os.close(replaced(path, b"", write))
    except BrokenPipeError:
        raise
    except (OSError, ValueError) as error:
        raise SymrobError(unwritable(path, error, code)) from None


def unwritable(path: str, error: OSError | ValueError, code: str) -> Diagnostic:
    """Return the error for a file that cannot be written."""
    if isinstance(error, ValueError):
        return Diagnostic(code, "a path contains the character NUL", file=path)
    reason = error.strerror or str(error)
    return Diagnostic(code, f"cannot write: {reason}", file=path)


def replaced(
    path: str, content: bytes, prepare: Callable[[int], None] | None = None
) -> int:
    """Replace a file atomically.

    Args:
        path: The file; the old one is kept until the new one is complete.
        content: The contents of the new file.
        prepare: Called with its descriptor before the rename.

    Returns:
        The descriptor of the new file, open for reading and appending.
    """
    if os.path.isdir(path):
        raise IsADirectoryError(errno.EISDIR, os.strerror(errno.EISDIR))
    folder, name = os.path.split(path)
    _sweep(folder, name)
    # A name that is cut cannot be too long where the one of the file is not.
    short = name.encode(errors="surrogateescape")[:180].decode(errors="ignore")
    beside = os.path.join(folder, f".{short}.{os.getpid()}-{os.urandom(8).hex()}.new")
    flags = os.O_RDWR | os.O_APPEND | os.O_CREAT | os.O_EXCL
    number = os.open(beside, flags | os.O_NOFOLLOW | os.O_CLOEXEC, 0o666)
    try:
        with suppress(OSError):
            if not os.path.islink(path):
                os.fchmod(number, stat.S_IMODE(os.stat(path).st_mode))
        write_all(number, content)
        if prepare is not None:
            prepare(number)
        os.fsync(number)
        os.replace(beside, path)
    except BaseException:
        os.close(number)
        with suppress(OSError):
            os.unlink(beside)
        raise
    sync_folder(path)
    return number


def sync_folder(path: str) -> None:
    """Force a directory entry to the disk."""
    folder = os.open(os.path.dirname(path) or os.curdir, os.O_RDONLY)
    try:
        os.fsync(folder)
    finally:
        os.close(folder)


def _sweep(folder: str, name: str) -> None:
    """Remove what a process that was killed while it wrote this file left beside."""
    ours = re.compile(rf"\.{re.escape(name)}\.(\d{{1,9}})-[0-9a-f]{{16}}\.new")
    with suppress(OSError), os.scandir(folder or os.curdir) as entries:
        for entry in entries:
            match = ours.fullmatch(entry.name)
            if match and not _lives(int(match[1])):
                age = time() - entry.stat(follow_symlinks=False).st_mtime
                if age > _STALE:
                    os.unlink(entry.path)


def _lives(process: int) -> bool:
    try:
        os.kill(process, 0)
    except ProcessLookupError:
        return False
    except OSError:
        return True
    return True
