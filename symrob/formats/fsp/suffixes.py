"""What follows the body of a process: relabels, hiding, modifiers.

In:  the transition system of a body.
Out: the transition system with the suffixes applied, in the order relabelling,
     hiding, `property`, reachability, `minimal`, `deterministic`.

Composites use the same operations on products.
"""

from __future__ import annotations

from symrob.formats.fsp import ast
from symrob.formats.fsp.notes import Findings
from symrob.formats.fsp.relabel import hide, hiding_set, relabel_pairs, rename
from symrob.formats.fsp.source import Fault
from symrob.formats.fsp.values import Scope
from symrob.lts import ERROR, TAU, Lts
from symrob.lts.bisimulation import minimise
from symrob.lts.determinise import determinise
from symrob.lts.reachability import reachable


def finished(process: ast.Process, lts: Lts, scope: Scope, findings: Findings) -> Lts:
    """Apply the relabels, hiding and modifiers of a process, in this order.

    Args:
        process: The definition.
        lts: Its states, reached or not.
        scope: Constants with the parameters of this instance among them.
        findings: Where to note which relabels rename something.

    Returns:
        The reachable part of the process as it is used.

    Raises:
        Fault: A property is nondeterministic, or a suffix cannot be evaluated.
    """
    if process.relabels:
        pairs = relabel_pairs(process.relabels, scope)
        findings.note_relabels(pairs, lts.alphabet)
        lts = rename(lts, pairs)
    lts = hide(lts, hiding_set(process.hiding, lts.alphabet, scope))
    if "property" in process.modifiers:
        _check_property(process, lts)
        lts = complete(lts)
    lts = reachable(lts)
    if "minimal" in process.modifiers:
        lts = minimise(lts)
    if "deterministic" in process.modifiers:
        lts = make_deterministic(lts, scope.limits.max_states)
    return lts


def _check_property(process: ast.Process, lts: Lts) -> None:
    """Refuse a nondeterministic property, reachable or not."""
    for state, row in enumerate(lts.successors):
        for action, targets in row.items():
            if action == TAU or len(targets) > 1:
                message = (
                    f"property '{process.name.text}' must be deterministic: "
                    f"state {lts.state_name(state)} has "
                    + ("a 'tau'" if action == TAU else f"two '{action}'")
                )
                hint = "'deterministic' cannot help here; rewrite the choice"
                raise Fault("fsp-property", message, process.pos, hint)


def complete(lts: Lts) -> Lts:
    """Return a property's monitor: what a state does not offer leads to ERROR."""
    missing = [
        (state, action, ERROR)
        for state, row in enumerate(lts.successors)
        for action in lts.alphabet
        if action not in row
    ]
    return Lts(lts.alphabet, lts.size, [*lts.transitions, *missing], names=lts.names)


def make_deterministic(lts: Lts, max_states: int) -> Lts:
    """Apply `deterministic`: nothing at all where nothing is to be done."""
    if lts.deterministic:
        return lts
    return minimise(determinise(lts, max_states=max_states))
