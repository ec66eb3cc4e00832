"""Declarations that have no part in a model: evaluated once, to find mistakes.

In:  `progress`, `menu` and `fluent` declarations whose names are all defined.
Out: faults of ranges and sets, and of fluents that start and stop at once.

Assertions are formulas; their names are checked with all others in `checks`.
"""

from __future__ import annotations

from collections.abc import Iterator

from symrob.formats.fsp import ast
from symrob.formats.fsp.source import Fault
from symrob.formats.fsp.values import NOTHING, Scope, bind, evaluate, label_names


def faults(declarations: ast.Declarations, scope: Scope) -> Iterator[Fault]:
    """Yield what is wrong with the values in such declarations, one for each.

    Cost: linear in the labels that they stand for.
    """
    for node in declarations:
        try:
            match node:
                case ast.Progress():
                    for _values, bound in bind(node.indices, scope, NOTHING):
                        if node.condition is not None:
                            label_names(node.condition, scope, bound)
                        label_names(node.labels, scope, bound)
                case ast.Menu():
                    label_names(node.labels, scope, NOTHING)
                case ast.Fluent():
                    _check_fluent(node, scope)
        except Fault as fault:
            yield fault


def _check_fluent(node: ast.Fluent, scope: Scope) -> None:
    for _values, bound in bind(node.indices, scope, NOTHING):
        starts = set(label_names(node.initiating, scope, bound))
        stops = set(label_names(node.terminating, scope, bound))
        if starts & stops:
            message = f"'{min(starts & stops)}' both starts and stops this fluent"
            raise Fault("fsp-fluent", message, node.terminating.pos)
        if node.initially is not None:
            evaluate(node.initially, scope, bound)
