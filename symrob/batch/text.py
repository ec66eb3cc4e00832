"""Canonical JSON: sorted, without spaces, on one line.

In:  a document.
Out: its text; equal documents have equal texts.

The text is ASCII: a name may contain a lone surrogate, which cannot be encoded, or a
character that some programs treat as the end of a line.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Mapping
from typing import Any


class WrittenJson(str):
    """A part of a document that is already JSON text."""

    @classmethod
    def of(cls, pieces: Iterable[str]) -> WrittenJson:
        """Join the pieces of a text, as ASCII."""
        text = "".join(pieces)
        # Most are, and Python knows it of a text.
        return cls(text if text.isascii() else re.sub("[^\0-\x7f]+", _escaped, text))


def _escaped(found: re.Match[str]) -> str:
    return json.dumps(found[0])[1:-1]


def compact(document: Any) -> str:
    """Return a document as one line; the same for equal documents.

    Args:
        document: A mapping may hold `WrittenJson` values.
    """
    if not isinstance(document, Mapping):
        return json.dumps(document, sort_keys=True, separators=(",", ":"))
    texts = (
        f"{json.dumps(key)}:{part if isinstance(part, WrittenJson) else compact(part)}"
        for key, part in sorted(document.items())
    )
    return f"{{{','.join(texts)}}}"
