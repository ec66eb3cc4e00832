"""The FSP front end: texts in the language of LTSA to networks of LTSs.

In:  the text of a model (`.lts`, `.fsp`).
Out: a `ModelFile`, which holds an `Lts` or a `Network`.

The language is described in grammar/README.md, its syntax in grammar/fsp.ebnf.
Importing this package does not import pyparsing; reading a text does.
"""

from __future__ import annotations

import os
from collections.abc import Callable

from symrob import files
from symrob.files.paths import beside
from symrob.formats.fsp.model import load_text
from symrob.formats.fsp.names import Constants
from symrob.formats.text import ModelFile
from symrob.limits import DEFAULT_LIMITS, Limits
from symrob.lts import Lts

__all__ = ["DEFAULT_LIMITS", "Limits", "load_file", "load_text"]


def load_file(
    path: str | os.PathLike[str],
    process: str | None = None,
    constants: Constants | None = None,
    *,
    limits: Limits = DEFAULT_LIMITS,
    importer: Callable[[str], Lts] | None = None,
) -> ModelFile:
    """Read an FSP file.

    Args:
        path: The file, in UTF-8.
        process: As for `load_text`.
        constants: As for `load_text`.
        limits: As for `load_text`.
        importer: Reads the file of an `import` declaration; without it such a
            declaration is an error where it is used.

    Returns:
        The model.

    Raises:
        SymrobError: The file cannot be read, or has errors.
    """
    path = os.fspath(path)
    return load_text(
        files.read_text(path),
        file=path,
        process=process,
        constants=constants,
        limits=limits,
        importer=(lambda name: importer(beside(path, name))) if importer else None,
    )
