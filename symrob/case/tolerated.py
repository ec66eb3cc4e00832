"""What must be tolerated: transition expressions, and fault modes by name.

In:  texts, the problem, and the fault modes that a case declares.
Out: transitions of E.
"""

from __future__ import annotations

from collections.abc import Sequence

from symrob.case.faults import Faults, modes_of
from symrob.case.transitions import parse_transitions
from symrob.errors import Diagnostic, SymrobError, did_you_mean
from symrob.limits import MAX_EXPANSION
from symrob.lts import Transition
from symrob.problem import Problem


def tolerated(
    texts: Sequence[str],
    problem: Problem,
    faults: Faults | None,
    *,
    limit: int = MAX_EXPANSION,
) -> frozenset[Transition]:
    """Return the new transitions that some texts mean together.

    Args:
        texts: The name of a fault mode, or an expression as of `case.transitions`; a
            name wins.
        problem: The models.
        faults: The modes that the case declares.
        limit: Bound on the transitions that one expression may stand for.

    Raises:
        SymrobError: Texts that mean nothing; the problems of all of them. Or a mode
            that changes a component of E.
    """
    declared = {} if faults is None else dict(faults.texts)
    names = [text for text in texts if text in declared]
    others = [text for text in texts if text not in declared]
    problems: list[Diagnostic] = []
    found: set[Transition] = set()
    try:
        found.update(
            *parse_transitions(
                others, problem.environment, limit=limit, classes=problem.classes
            )
        )
    except SymrobError as error:
        problems += _told(error, declared)
    if names:
        chosen = Faults({name: declared[name] for name in names})
        try:
            modes = modes_of(
                chosen, problem.environment, problem.environment, limit=limit
            )
            found.update(*(mode.transitions for mode in modes))
        except SymrobError as error:
            problems += error.diagnostics
    if problems:
        raise SymrobError(problems)
    return frozenset(found).difference(problem.environment.transitions)


def _told(error: SymrobError, declared: dict[str, tuple[str, ...]]) -> list[Diagnostic]:
    """The problems of expressions; a slip of a mode's name is told as that."""
    found = []
    for diagnostic in error.diagnostics:
        hint = diagnostic.hint
        if diagnostic.code == "transition-syntax" and declared:
            text = diagnostic.message.split("'")[1]
            hint = did_you_mean(text, declared) or f"modes: {', '.join(declared)}"
        found.append(Diagnostic(diagnostic.code, diagnostic.message[:400], hint=hint))
    return found
