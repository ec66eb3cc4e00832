"""Formulas in words.

In:  a formula as written.
Out: one line of English, with brackets if needed.
"""

from __future__ import annotations

from symrob.logic.formula import Formula

_PREFIXES = {"!": "not", "X": "next", "[]": "always", "<>": "sometime"}
_INFIXES = {
    "&&": "and",
    "||": "or",
    "->": "implies",
    "<->": "exactly if",
    "U": "until",
    "W": "unless",
}
# A longer one would say nothing to a person.
_LONGEST = 2000


def spoken(formula: Formula) -> str:
    """Return a formula in words; a long one ends with dots."""
    words = _spoken(formula, _LONGEST)
    return words if len(words) <= _LONGEST else f"{words[:_LONGEST]} …"


def _spoken(formula: Formula, room: int) -> str:
    if room <= 0:
        return "…"
    if formula.operator == "fluent":
        assert formula.fluent is not None
        return formula.fluent.name
    if not formula.parts:
        return formula.operator if formula.operator in ("true", "false") else "true"
    parts: list[str] = []
    for part in formula.parts:
        left = room - sum(map(len, parts))
        text = _spoken(part, left)
        parts.append(f"({text})" if len(part.parts) > 1 else text)
        if left <= 0:
            break
    if formula.operator in _PREFIXES:
        return f"{_PREFIXES[formula.operator]} {parts[0]}"
    return f" {_INFIXES[formula.operator]} ".join(parts)
