"""What is printed as JSON of a run that ended before it had printed anything.

In:  how the run ended, and why.
Out: a line that is a whole document, `schemas/ended.json`.

Signals are looked after before all else is imported, so this imports nothing.
"""

from __future__ import annotations

import sys

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Any

FORMATS = ("json", "jsonl")


def document(status: str, reason: str) -> str:
    """Return the document on one line.

    Args:
        status: `timeout`, `interrupted`, or `limit` for any other bound.
        reason: Why it ended, a text of JSON.
    """
    schema = '"schema": "symrob/ended/1"'
    return f'{{"reason": {reason}, {schema}, "status": "{status}"}}\n'


def due(arguments: Sequence[str]) -> bool:
    """Whether a command line that nobody has read asks for JSON, and got none yet."""
    line = " ".join([*arguments, ""]).replace("--format=", "--format ")
    as_json = any(f" --format {name} " in line for name in FORMATS)
    return as_json and not Printed.anything


class Printed:
    """Standard output in a block, which knows whether anything was printed.

    Attributes:
        anything: Whether there was, in the latest block.
    """

    anything = False

    def __enter__(self) -> None:
        Printed.anything = False
        self._stream = sys.stdout
        sys.stdout = self

    def __exit__(self, *_error: object) -> None:
        sys.stdout = self._stream

    def write(self, text: str) -> int:
        """Write as the stream does, which is asked itself from now on."""
        if text:
            Printed.anything = True
            self.__dict__["write"] = self._stream.write
        return self._stream.write(text)

    def __getattr__(self, name: str) -> Any:
        return getattr(self._stream, name)
