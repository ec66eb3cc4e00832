"""The FSP front end: texts in the language of LTSA to networks of LTSs.

In:  the text of a model (`.lts`, `.fsp`).
Out: an `FspModel`, which holds an `Lts` or a `Network`.

The language is described in grammar/README.md, its syntax in grammar/fsp.ebnf.
Importing this package does not import pyparsing; reading a text does.
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from symrob.errors import Diagnostic, SymrobError
from symrob.formats.fsp.model import FspModel, load_text
from symrob.formats.fsp.names import Constants
from symrob.limits import DEFAULT_LIMITS, Limits
from symrob.lts import Lts

__all__ = ["DEFAULT_LIMITS", "FspModel", "Limits", "load_file", "load_text"]


def load_file(
    path: str | Path,
    process: str | None = None,
    constants: Constants | None = None,
    *,
    limits: Limits = DEFAULT_LIMITS,
    importer: Callable[[Path], Lts] | None = None,
) -> FspModel:
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
    folder = Path(path).parent
    return load_text(
        read_source(path),
        file=str(path),
        process=process,
        constants=constants,
        limits=limits,
        importer=(lambda name: importer(folder / name)) if importer else None,
    )


def read_source(path: str | Path) -> str:
    """Return the text of a file.

    Raises:
        SymrobError: There is no such file, or it is not UTF-8 text.
    """
    name = str(path)
    try:
        return Path(path).read_bytes().decode("utf-8-sig")
    except UnicodeDecodeError as error:
        message = f"{name} is not UTF-8 text: byte {error.start} is {error.reason}"
        raise SymrobError(Diagnostic("file-encoding", message, file=name)) from None
    except OSError as error:
        message = f"cannot read {name}: {error.strerror}"
        raise SymrobError(Diagnostic("file-read", message, file=name)) from None
