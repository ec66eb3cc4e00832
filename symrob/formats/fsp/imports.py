"""The files that an FSP text asks for, found without parsing it.

In:  a text.
Out: the names in its `import` declarations.
"""

from __future__ import annotations

import re

from symrob.formats.fsp.lexer import tokenise

_IMPORT = re.compile(r'j[USR]="')


def imported_files(text: str) -> tuple[str, ...]:
    """Return the names of the files that a text imports, each once.

    Args:
        text: An FSP text, with errors or without.

    Cost: linear in the text.
    """
    if "import" not in text:
        return ()
    kinds, _problems = tokenise(text, "")
    found = (
        kinds.source.word(match.end() - 1)[1:-1] for match in _IMPORT.finditer(kinds)
    )
    return tuple(dict.fromkeys(found))
