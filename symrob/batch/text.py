"""JSON in one form: sorted, without spaces, one line.

In:  a document.
Out: its text; equal documents have equal texts.

All is ASCII: a name may hold half a character, which no encoding has, or what
some program takes for the end of a line.
"""

from __future__ import annotations

import json
from typing import Any


def compact(document: Any) -> str:
    """Return a document as one line; the same for equal documents."""
    return json.dumps(document, sort_keys=True, separators=(",", ":"))
