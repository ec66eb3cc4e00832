"""Recognising the kind of a file by its contents.

In:  the path of a file that could not be read as the expected kind.
Out: a message such as `this is a gate policy, not a case file`.

A list of unknown keys, or a syntax error, does not help a user who gave the right file
in the wrong place. So if reading fails, the kind of the file is determined.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import Any

from symrob.errors import EXIT_INPUT, Diagnostic, SymrobError
from symrob.files import reading
from symrob.files.tomltext import parsed

# What a kind is called, and what to do with such a file.
_KINDS = {
    "case": ("a case file", "use it as CASE.toml, as in `symrob compute CASE.toml`"),
    "policy": ("a gate policy", "use `symrob gate`"),
    "weights": ("a file of weights", "use it as --weights"),
    "words": ("a file of words", 'name it in a case file: words = "FILE"'),
    "probabilities": ("a table of probabilities", "use it as --probability"),
    "model": ("a model", "use it as --env, --ctrl, --prop or --env-prop"),
    "table": ("a table of candidates", "use it as --table"),
    "deviation": ("a deviation", "use it as --deviation"),
    "result": ("a result of `symrob compute`", "use `symrob verify`, or --deviation"),
    "lines": (
        "output of `symrob compute --format jsonl`",
        "use the output of --format json",
    ),
    "certificate": ("a certificate", "use `symrob verify`"),
    "rows": ("rows of `symrob batch`", "use `symrob results`"),
}
# The schemas that have kinds of their own.
_OF_SCHEMA = {"row": "rows", "rows": "rows", "result-lines": "lines"}
_TOML_KEYS = {
    "policy": {
        *("tolerates", "forbids", "as_robust_as", "resilience"),
        *("risk", "assumptions"),
    },
    "case": {"environment", "controller", "properties"},
    "weights": {"weight"},
    "words": {"words"},
    "probabilities": {"probability"},
}
_MODEL_KEYS = ({"alphabet", "transitions"}, {"components"})
_SCHEMA = r"symrob/([a-z-]+)/[0-9]+"
# The head of a definition, as FSP has it.
_FSP = (
    r"(?m)^[ \t]*(?:property +|minimal +|deterministic +)?(?:\|\| *)?"
    r"[A-Z]\w*(?:\([^()\n]*\))?[ \t]*="
)
# The heads that a table of candidates has in any case.
_TABLE = (
    r"(?i)\ufeff?(?=[^\n]*\bfrom\b)(?=[^\n]*\baction\b)(?=[^\n]*\bto\b)[^\n=]*[,;\t]"
)
# MiB that are looked at; a larger file is not told apart.
_MOST = 16


@contextmanager
def recognised(
    path: str, wanted: str, data: Mapping[str, Any] | None = None
) -> Iterator[None]:
    """If the block cannot read a file as the expected kind, report its actual kind.

    Args:
        path: The file.
        wanted: The expected kind; if the file has it, the error is unchanged.
        data: Its contents, if it was read as TOML already.

    Raises:
        SymrobError: The error of the block, or that the file is of another kind.
    """
    try:
        yield
    except SymrobError as error:
        problem = (
            None if error.exit_code != EXIT_INPUT else mistaken(path, wanted, data)
        )
        if problem is None:
            raise
        raise SymrobError(problem) from None


def mistaken(
    path: str, wanted: str, data: Mapping[str, Any] | None = None
) -> Diagnostic | None:
    """Return the message about a file of another kind; `None` if it is unknown."""
    found = kind(path, data)
    if found is None or found == wanted:
        return None
    what, hint = _KINDS.get(found, (f"output of `symrob {found}`", None))
    return Diagnostic(
        "file-kind", f"this is {what}, not {_KINDS[wanted][0]}", file=path, hint=hint
    )


def kind(path: str, data: Mapping[str, Any] | None = None) -> str | None:
    """Return the kind of a file: a name of those above, or a command's.

    Args:
        path: The file.
        data: Its contents, if it was read as TOML already.

    Returns:
        `None` if the file cannot be read or its kind is unknown.

    Cost: that of reading the file as JSON or TOML, up to a maximum size.
    """
    try:
        text = reading.read_text(path, _MOST)
    except SymrobError:
        return None
    begin = text.lstrip()[:1]
    if begin in ("{", "["):
        found = _json_kind(text)
        if found is not None or begin == "{":
            return found
    if text.lstrip().startswith("des"):
        return "model" if re.match(r"\s*des\s*\(", text) else None
    if re.match(_TABLE, text):
        return "table"
    if data is None:
        data = parsed(text)
    if data is not None:
        return next((k for k, keys in _TOML_KEYS.items() if keys & set(data)), None)
    return "model" if re.search(_FSP, text) else None


def _json_kind(text: str) -> str | None:
    for part in (text, text.lstrip().split("\n", 1)[0]):
        try:
            data = json.loads(part)
        except (ValueError, RecursionError):
            continue
        return _kind_of(data)
    return None


def _kind_of(data: Any) -> str | None:
    if isinstance(data, list):
        triples = [row for row in data if isinstance(row, list) and len(row) == 3]
        return "deviation" if data and len(triples) == len(data) else None
    if not isinstance(data, Mapping):
        return None
    schema = data.get("schema")
    named = re.fullmatch(_SCHEMA, schema) if isinstance(schema, str) else None
    if named:
        return _OF_SCHEMA.get(named[1], named[1].removesuffix("-lines"))
    if any(keys <= set(data) for keys in _MODEL_KEYS):
        return "model"
    return "deviation" if "deviation" in data else None
