"""The JSON document of a run that ended before it printed anything.

In:  how the run ended, and why.
Out: one line that is a complete document, `schemas/ended.json`.

Signal handling needs this module before all else, so it imports nothing.
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
        reason: Why the run ended, as JSON text.
    """
    schema = '"schema": "symrob/ended/1"'
    return f'{{"reason": {reason}, {schema}, "status": "{status}"}}\n'


def due(arguments: Sequence[str]) -> bool:
    """Whether the unparsed command line asks for JSON and nothing was printed yet."""
    line = " ".join([*arguments, ""]).replace("--format=", "--format ")
    as_json = any(f" --format {name} " in line for name in FORMATS)
    return as_json and not Printed.anything


class Printed:
    """Records whether a block printed to standard output.

    Attributes:
        anything: Whether the latest block printed anything.
    """

    anything = False

    def __enter__(self) -> None:
        Printed.anything = False
        self._stream = sys.stdout
        sys.stdout = self

    def __exit__(self, *_error: object) -> None:
        sys.stdout = self._stream

    def write(self, text: str) -> int:
        """Write to the stream; later writes go to it directly."""
        if text:
            Printed.anything = True
            self.__dict__["write"] = self._stream.write
        return self._stream.write(text)

    def __getattr__(self, name: str) -> Any:
        return getattr(self._stream, name)
