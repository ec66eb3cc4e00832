"""What must be tolerated: fault modes by name, and transition expressions.

In:  texts, and the problem.
Out: transitions of E, and the modes that bring them.
"""

from __future__ import annotations

from collections.abc import Sequence

from symrob.case.transitions import parse_transitions
from symrob.errors import Diagnostic, SymrobError, did_you_mean
from symrob.limits import MAX_EXPANSION
from symrob.lts.deviation import Deviation
from symrob.problem import Problem


def tolerated(
    texts: Sequence[str], problem: Problem, *, limit: int = MAX_EXPANSION
) -> Deviation:
    """Return the new transitions of some texts together.

    It has the names of the modes if all texts are names.

    Args:
        texts: The name of a fault mode, or an expression as in `case.transitions`; a
            name takes precedence.
        problem: The models.
        limit: Bound on the number of transitions that one expression may match.

    Raises:
        SymrobError: Texts are invalid; the problems of all of them.
    """
    units = problem.units
    modes = {} if units is None else units.numbers
    names = [text for text in texts if text in modes]
    others = [text for text in texts if text not in modes]
    # What needs several modes, as a step that components share does, is there too.
    found = set() if units is None else set(units.added(units.chosen(names)))
    try:
        found.update(
            *parse_transitions(
                others, problem.environment, limit=limit, classes=problem.classes
            )
        )
    except SymrobError as error:
        raise SymrobError([_told(d, list(modes)) for d in error.diagnostics]) from None
    new = found.difference(problem.environment.transitions)
    return Deviation(
        (), new, modes=None if others or units is None else tuple(sorted({*names}))
    )


def _told(diagnostic: Diagnostic, modes: Sequence[str]) -> Diagnostic:
    """A problem of an expression, which may be a slip of the name of a mode."""
    if diagnostic.code != "transition-syntax" or not modes:
        return diagnostic
    written = diagnostic.message.split("'")[1]
    hint = did_you_mean(written, modes) or "fault modes: " + ", ".join(modes[:8])
    return Diagnostic(diagnostic.code, diagnostic.message, hint=hint)
