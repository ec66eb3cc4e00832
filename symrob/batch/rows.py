"""The file of rows: durable results of a batch.

In:  rows, each one line of JSON.
Out: a file to which each row is added completely and forced to the disk; and the rows
     of such a file, even after a kill while one was written.

The file is locked while a batch writes it. A line counts only with its newline; an
incomplete last line is cut off when the batch is resumed.
"""

from __future__ import annotations

import errno
import fcntl
import json
import os
from collections.abc import Callable, Iterator, Mapping
from threading import Lock
from typing import Any, NoReturn

from symrob import files
from symrob.batch.schema import row_problems
from symrob.batch.work import BOUNDED, FINAL, SCHEMA
from symrob.doing import Doing, counted
from symrob.errors import Diagnostic, SymrobError
from symrob.files.kinds import recognised
from symrob.limits import watched

BatchRow = dict[str, Any]

# Keys are sorted, so every row begins like this.
_BEGIN = b'{"case":"'
_MOST_PROBLEMS = 20
# What 0.2 wrote.
_OLDER = "symrob/row/1"


def read_rows(path: str) -> list[BatchRow]:
    """Read a file of rows.

    Args:
        path: A file that `symrob batch` wrote, or is still writing.

    Returns:
        The last row of each case, in the order of the file. An incomplete last line is
        left out.

    Raises:
        SymrobError: The file cannot be read, or has lines that are not rows (all are
            reported), or has no row.
    """
    with recognised(path, "rows"), Doing("reading the rows", "rows"):
        content = files.read_bytes(path, files.MAX_ROWS)
        rows: dict[str, BatchRow] = {}
        for _line, row in _parsed(content, path):
            rows.pop(row["case"], None)
            rows[row["case"]] = row
            counted(len(rows), "rows")
    if not rows:
        raise SymrobError(
            Diagnostic("batch-empty", "this file contains no rows", file=path)
        )
    return list(rows.values())


def _parsed(content: bytes, path: str) -> Iterator[tuple[bytes, BatchRow]]:
    """Each whole line with its row; all lines that are none are told at the end."""
    problems = []
    *whole, rest = content.split(b"\n")
    lines = [*whole, rest] if rest else whole
    for number, line in enumerate(watched(lines, 16), 1):
        row = _row(line) if number <= len(whole) else None
        if row is not None:
            wrong = [*row_problems(row, _MOST_PROBLEMS)]
        elif number < len(whole) or not _is_torn(line):
            wrong = ["not a row of a batch"]
        else:
            continue
        problems += [Diagnostic("batch-row", w, file=path, line=number) for w in wrong]
        if row is not None and not wrong:
            yield line, row
    if problems:
        raise SymrobError(problems[:_MOST_PROBLEMS])


def _is_torn(line: bytes) -> bool:
    """Whether a last line may be the beginning of a row.

    After the power was lost, zeros may stand in a file for what was not written.
    """
    line = line.rstrip(b"\0")
    return line.startswith(_BEGIN) or _BEGIN.startswith(line)


def _row(line: bytes) -> BatchRow | None:
    """What a line holds, if it says of itself that it is a row."""
    try:
        row = json.loads(line, parse_constant=_refuse)
    except (ValueError, RecursionError):
        return None
    known = isinstance(row, dict) and row.get("schema") in (SCHEMA, _OLDER)
    return row if known else None


def _refuse(word: str) -> NoReturn:
    raise ValueError(f"{word} is not a JSON number")


def is_document(value: object) -> bool:
    """Whether a part of a row is an answer, which can be large."""
    return isinstance(value, Mapping) and "schema" in value


def brief(row: Mapping[str, Any]) -> BatchRow:
    """Return a row without its large parts, but with the figures of Δ and verdicts."""
    result = row.get("result") or {}
    figures = {"statistics": result.get("statistics") or {}}
    if result.get("verdicts"):
        figures["verdicts"] = result["verdicts"]
    kept = {k: v for k, v in row.items() if not is_document(v) and k != "trace"}
    return {**kept, **figures}


def brief_of(line: str) -> BatchRow:
    """Return a brief row from its line, without parsing Δ, which can be long.

    Δ is the text between two keys as `report.result` writes them; nothing else in a row
    can look like these keys, since quotes within a text are escaped.
    """
    begin = line.find('"delta": [')
    end = line.find(', "environment": ', begin)
    if 0 < begin < end:
        line = f'{line[:begin]}"delta": []{line[end:]}'
    return brief(json.loads(line))


def without_timing(row: Mapping[str, Any]) -> BatchRow:
    """Return a row without the values that differ between runs.

    Args:
        row: A row, or a document in it.
    """
    return {
        key: without_timing(value) if isinstance(value, Mapping) else value
        for key, value in row.items()
        if key != "timing"
    }


class RowFile:
    """A file of rows, locked by this process.

    Args:
        path: The file; created if it does not exist.
        resume: Continue a file that has rows.
        wanted: Decides whether to keep an existing row.

    Attributes:
        kept: The existing rows that are kept, without their large parts.

    Raises:
        SymrobError: The file has rows and `resume` is not set, or is written by another
            batch, or has other contents, or cannot be written. Or it is a file that the
            batch reads.
    """

    def __init__(
        self, path: str, *, resume: bool, wanted: Callable[[BatchRow], bool]
    ) -> None:
        self.path = path
        self.kept: dict[str, BatchRow] = {}
        self._lock = Lock()
        files.claim(path)
        self._stream = files.is_stream(path)
        try:
            if self._stream:
                self._file = _stream(path, resume)
                return
            self._file = _locked(path)
            try:
                self._recover(resume, wanted)
            except BaseException:
                self.close()
                raise
        except OSError as error:
            raise _trouble(path, error) from error

    def append(self, line: str) -> None:
        """Add a row; it is on the disk when this returns.

        Raises:
            SymrobError: It cannot be written.
        """
        with self._lock:
            try:
                files.write_all(self._file, line.encode() + b"\n")
                if not self._stream:
                    os.fsync(self._file)
            except OSError as error:
                raise _trouble(self.path, error) from error

    def close(self) -> None:
        """Release the file."""
        os.close(self._file)

    def _recover(self, resume: bool, wanted: Callable[[BatchRow], bool]) -> None:
        content = files.read_bytes(self.path, files.MAX_ROWS)
        if content and not resume:
            raise SymrobError(
                Diagnostic(
                    "batch-exists",
                    "the file is not empty",
                    file=self.path,
                    hint="continue it with --resume, or name another file",
                )
            )
        lines: dict[str, bytes] = {}
        for line, row in _parsed(content, self.path):
            key = row["case"]
            lines.pop(key, None)
            self.kept.pop(key, None)
            if wanted(row):
                lines[key], self.kept[key] = line + b"\n", brief(row)
        sound = b"".join(lines.values())
        if content == sound:
            return
        if content.startswith(sound):
            os.ftruncate(self._file, len(sound))
            os.fsync(self._file)
        else:
            self._replace(sound)

    def _replace(self, content: bytes) -> None:
        """Put other content in the place of the old, all at once."""

        def lock(file: int) -> None:
            # Before it gets the name, so that nobody comes in between.
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)

        fresh = files.replaced(self.path, content, lock)
        os.close(self._file)
        self._file = fresh


def is_settled(row: BatchRow, limits: Mapping[str, Any]) -> bool:
    """Whether computing a case again would give the same row.

    Args:
        row: A row for the same input.
        limits: The current limits.
    """
    status = row["status"]
    return status in FINAL or (status in BOUNDED and row.get("limits") == limits)


def _stream(path: str, resume: bool) -> int:
    """Open what rows are written into and never read from again."""
    if resume:
        message = "rows that were written to a device or a pipe cannot be read again"
        hint = "--resume requires a regular file"
        raise SymrobError(Diagnostic("batch-file", message, file=path, hint=hint))
    return files.open_stream(path)


def _locked(path: str) -> int:
    """Open a file for appending, and lock it; a link is not followed."""
    flags = os.O_RDWR | os.O_CREAT | os.O_APPEND | os.O_NOFOLLOW | os.O_CLOEXEC
    while True:
        made = not os.path.exists(path)
        file = os.open(path, flags, 0o666)
        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            os.close(file)
            raise SymrobError(
                Diagnostic(
                    "batch-locked", "another batch is writing this file", file=path
                )
            ) from None
        # The one that had the lock may have put another file in its place.
        if os.path.exists(path) and os.path.samestat(os.fstat(file), os.stat(path)):
            if made:
                files.sync_folder(path)
            return file
        os.close(file)


def _trouble(path: str, error: OSError) -> SymrobError:
    link = error.errno == errno.ELOOP and os.path.islink(path)
    reason = "this is a symbolic link" if link else error.strerror
    return SymrobError(Diagnostic("batch-file", f"cannot write: {reason}", file=path))
