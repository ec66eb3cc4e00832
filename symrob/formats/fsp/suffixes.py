"""What follows the body of a process: alphabet, relabels, hiding, modifiers.

In:  the transition system of a body.
Out: the transition system with the suffixes applied, in the order extension,
     relabelling, hiding, `property`, reachability, `minimal`, `deterministic`.

Composites use the same operations on products.
"""

from __future__ import annotations

from collections.abc import Iterable

from symrob.formats.fsp import ast
from symrob.formats.fsp.notes import Findings
from symrob.formats.fsp.relabel import hidden_actions, hide, relabel_pairs, rename
from symrob.formats.fsp.source import Fault
from symrob.formats.fsp.values import Scope
from symrob.lts import ERROR, TAU, Action, Lts
from symrob.lts.bisimulation import minimise
from symrob.lts.determinise import determinise
from symrob.lts.reachability import reachable


def finished(process: ast.Process, lts: Lts, scope: Scope, findings: Findings) -> Lts:
    """Apply the suffixes and modifiers of a process, in their order.

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
    lts = _suffixes(process, lts, scope, findings)
    if "property" in process.modifiers:
        _check_property(process, lts)
        lts = complete(lts)
    lts = reachable(lts)
    if "minimal" in process.modifiers:
        lts = minimise(lts)
    if "deterministic" in process.modifiers:
        lts = make_deterministic(lts, scope.limits.max_states)
    return lts


def _suffixes(process: ast.Process, lts: Lts, scope: Scope, findings: Findings) -> Lts:
    if process.extension is not None:
        more = scope.set_names(process.extension)
        lts = Lts(
            {*lts.alphabet, *more},
            lts.size,
            lts.transitions,
            names=lts.names,
            end=lts.end,
        )
    if process.relabels:
        pairs = relabel_pairs(process.relabels, scope)
        findings.note_relabels(pairs, lts.alphabet)
        lts = rename(lts, pairs)
    return hide(lts, hiding_set(process.hiding, lts.alphabet, scope))


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


def hiding_set(
    hiding: ast.Hiding | None, alphabet: Iterable[Action], scope: Scope
) -> frozenset[Action]:
    r"""Return the actions that a `\` or `@` suffix hides."""
    if hiding is None:
        return frozenset()
    names = scope.set_names(hiding.labels)
    return hidden_actions(alphabet, names, keep=hiding.sign == "@")
