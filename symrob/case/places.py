"""Where in a TOML text a problem stands.

In:  a diagnostic without place, the text, and what the problem is about.
Out: the diagnostic with line, column and the line's text, where they are found.

The TOML reader keeps no positions, so they are searched for.
"""

from __future__ import annotations

import re
from dataclasses import replace

from symrob.case.keys import KeyPath
from symrob.errors import Diagnostic


def at_key(problem: Diagnostic, text: str, key: KeyPath) -> Diagnostic:
    """Add the line where a key stands, or the table around it, if there is one.

    Args:
        problem: What is wrong.
        text: The text of the file.
        key: The key, behind those of the tables around it.
    """
    if not key:
        return problem
    *tables, name = key
    table = ""
    for number, line in enumerate(text.splitlines(), 1):
        header = re.match(r"\s*\[+\s*([^\]]*?)\s*\]", line)
        if header:
            table = header[1]
        # A table stands at its header, or is written in one line.
        for word, within in ((name, ".".join(tables)), (".".join(key), "")):
            pattern = rf"(\s*)(\[?\s*[\"']?{re.escape(word)}(?![\w-]))"
            match = re.match(pattern, line)
            if match and (table == within or header):
                return _at(problem, number, len(match[1]) + 1, len(match[2]), line)
    return problem if not tables else at_key(problem, text, tuple(tables))


def at_value(problem: Diagnostic, text: str, value: str) -> Diagnostic:
    """Add the place where a text stands in quotes, if there is one.

    Args:
        problem: What is wrong.
        text: The text of the file.
        value: The text in quotes.
    """
    for number, line in enumerate(text.splitlines(), 1):
        for quote in "\"'":
            column = line.find(f"{quote}{value}{quote}") + 1
            if column:
                return _at(problem, number, column, len(value) + 2, line)
    return problem


def _at(
    problem: Diagnostic, line: int, column: int, length: int, source: str
) -> Diagnostic:
    return replace(problem, line=line, column=column, length=length, source=source)
