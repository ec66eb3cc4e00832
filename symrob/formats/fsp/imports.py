"""The files that an FSP text asks for, found without parsing it.

In:  a text.
Out: the names in its `import` declarations.
"""

from __future__ import annotations

import re

from symrob.formats.fsp.ready import Ready
from symrob.formats.fsp.source import Source
from symrob.formats.fsp.words import STRING, UPPER

_IMPORT = re.compile(rf"\bimport\s+(?:{UPPER})\s*=\s*({STRING})")


def imported_files(text: str) -> tuple[str, ...]:
    """Return the names of the files that a text imports, each once.

    Args:
        text: An FSP text, with errors or without.

    Cost: linear in the text.
    """
    if "import" not in text:
        return ()
    found = _IMPORT.finditer(Ready(Source(text, "")).text)
    return tuple(dict.fromkeys(match[1][1:-1] for match in found))
