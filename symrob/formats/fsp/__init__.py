"""The FSP front end: texts in the language of LTSA to networks of LTSs.

In:  the text of a model (`.lts`, `.fsp`).
Out: a `ModelFile`, which holds an `Lts` or a `Network`.

The language is described in grammar/README.md, its syntax in fsp.ebnf.
Importing this package does not import pyparsing; reading a text does.
"""

from __future__ import annotations

from symrob.formats.fsp.model import lint_text, load_text
from symrob.limits import DEFAULT_LIMITS, Limits

__all__ = ["DEFAULT_LIMITS", "Limits", "lint_text", "load_text"]
