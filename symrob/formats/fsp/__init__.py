"""The FSP front end: models in the language of LTSA to networks of LTSs.

In:  the text of a model (`.lts`, `.fsp`).
Out: a `ModelFile`, which holds an `Lts` or a `Network`.

grammar/README.md describes the language, fsp.ebnf its syntax. Only reading a text
imports pyparsing.
"""

from __future__ import annotations

from symrob.formats.fsp.model import lint_text, load_text
from symrob.limits import DEFAULT_LIMITS, Limits

__all__ = ["DEFAULT_LIMITS", "Limits", "lint_text", "load_text"]
