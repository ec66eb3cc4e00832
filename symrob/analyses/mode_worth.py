"""What fault modes amount to, told of the transitions that they bring.

In:  a problem in fault modes whose E is multiplied out.
Out: for each transition the gravest that a mode which brings it amounts to; counts of
     them by class and action. A step that needs several modes is none of one mode.
"""

from __future__ import annotations

from collections import Counter

from symrob.analyses.classes import ClassMatrix, Worth
from symrob.analyses.hazards import Verdict
from symrob.analyses.in_modes import InModes, whole_engine
from symrob.analyses.modes import ModeSummary, alone
from symrob.lts import TAU, Action, Transition
from symrob.lts.masks import bits
from symrob.problem.classes import Class


def judged_alone(modes: InModes) -> dict[Transition, Verdict]:
    """Return the verdict of each transition, by the modes that bring it, each alone.

    Raises:
        SymrobError: E is in parts.
        LimitExceeded: A bound was hit.

    Cost: as of `alone`.
    """
    whole_engine(modes, "a picture")
    judged, found = alone(modes), dict[Transition, Verdict]()
    # The gravest last, so that it stays.
    for verdict in ("tolerated", "outside-assumptions", "assumed-away", "hazardous"):
        for m in bits(judged[verdict]):
            found |= dict.fromkeys(modes.added(1 << m), verdict)
    return found


def class_matrix_of_modes(modes: InModes, summary: ModeSummary) -> ClassMatrix:
    """Count what the modes bring by class, action and what its modes are worth.

    Args:
        modes: The problem.
        summary: What becomes of each mode.

    Raises:
        SymrobError: E is in parts.
    """
    engine = whole_engine(modes, "a picture")
    tolerated = summary.alone["tolerated"]
    known = summary.always is not None
    always = summary.always or 0
    worths: list[tuple[Worth, int]] = [
        ("always", always),
        ("contested" if known else "unknown", tolerated & ~always),
        ("outside-assumptions", summary.alone["outside-assumptions"]),
        ("assumed-away", summary.alone["assumed-away"]),
        ("hazardous", summary.alone["hazardous"]),
    ]
    worth_of: dict[Transition, Worth] = {}
    for worth, chosen in worths:
        for m in bits(chosen):
            worth_of |= dict.fromkeys(modes.added(1 << m), worth)
    counts: dict[tuple[Class, Action], Counter[Worth]] = {}
    for transition, worth in worth_of.items():
        if transition.action != TAU:
            kind = engine.problem.classes.of(transition).kind
            row = counts.setdefault((kind, transition.action), Counter())
            row[worth] += 1
    return ClassMatrix(engine.environment.alphabet, counts)
