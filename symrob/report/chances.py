"""Probabilities in words.

In:  numbers, bounds, an `Assessment`.
Out: texts.
"""

from __future__ import annotations

import sys

from symrob.risk.assessment import Assessment
from symrob.risk.bounds import ChanceBounds
from symrob.risk.figures import figure as figure

_INFO = sys.float_info


def bounds_text(bounds: ChanceBounds) -> str:
    """Return a probability, or its bounds."""
    if bounds.is_exact:
        return figure(bounds.lower)
    if bounds.upper < _INFO.min:
        return figure(bounds.upper)
    lower, upper = figure(bounds.lower), figure(bounds.upper)
    between = lower if lower == upper else f"{lower} to {upper}"
    return f"{between} (gap {figure(bounds.gap)})"


def conditional_text(risk: Assessment) -> str:
    """The probability of a violation given the assumptions, or why it is unknown."""
    if risk.conditional is not None:
        return figure(risk.conditional)
    if risk.kept == 0:
        return "not applicable: E never keeps them"
    return f"unknown ({why_unknown(risk)})"


def why_unknown(risk: Assessment) -> str:
    """Why a probability is unknown."""
    return risk.reason or "some hazardous sets are unknown"
