"""Assertions as properties: `assert` over fluents and labels, to a monitor.

In:  a text whose names are all defined, and the requested assertion.
Out: its monitor, or a fault for each part that is not a safety property.

A step is an action of the alphabet, which consists of the actions in the labels and
fluents of the formula, and of the extension. A label holds when one of its actions has
just happened.

Source: docs/sources.md [Fluents]; grammar/README.md (assertions).
"""

from __future__ import annotations

from collections.abc import Sequence

from symrob.errors import SymrobError
from symrob.formats.fsp import ast
from symrob.formats.fsp.names import Names, not_fsp
from symrob.formats.fsp.tokens import FspFault, FspSource
from symrob.formats.fsp.values import Scope, Value
from symrob.limits import Limits
from symrob.logic.formula import FALSE, TRUE, Fluent, Formula, NormalForm
from symrob.logic.monitor import monitor_of
from symrob.logic.speech import spoken
from symrob.lts import Lts


def assertion_monitor(
    node: ast.Assert, names: Names, source: FspSource, limits: Limits
) -> tuple[Lts, str]:
    """Return the monitor of an assertion, and its meaning in words.

    Args:
        node: The assertion.
        names: The definitions of the text.
        source: The text, for messages.
        limits: Bounds on the monitor.

    Raises:
        FspFault: A value is wrong.
        SymrobError: Parts of it are not safety properties; all of them.
        LimitExceeded: The monitor is too large.

    Cost: the states of the monitor times the actions; exponential in the formula.
    Source: docs/sources.md [Fluents].
    """
    formula = _AssertionReader(names).assertion(node, (), node.pos)
    scope, _values = names.instance(node, (), node.pos)
    extension: Sequence[str] = ()
    if node.extension is not None:
        extension = scope.set_names(node.extension)
    normal = NormalForm(formula)
    if normal.liveness:
        message = (
            f"assertion '{node.name.text}' is not a safety property: this part of it "
            "requires that something happens eventually"
        )
        problems = []
        for at in sorted({part.place for part in normal.liveness}):
            hint = _HINTS.get(source.word(at), _HINT)
            problems.append(source.diagnostic("fsp-liveness", message, at, hint=hint))
        raise SymrobError(problems)
    return monitor_of(normal.root, extension, limits=limits), spoken(formula)


_NEVER = "a property or assumption can only say what must never happen"
_HINT = (
    "under a negation, this operator requires that something happens eventually; "
    + _NEVER
)
_HINTS = {
    "<>": _NEVER,
    "U": "'W' (weak until) does not require this",
}


class _AssertionReader:
    """Formulas of a text, as formulas of fluents."""

    def __init__(self, names: Names) -> None:
        self._names = names
        self._fluents: dict[tuple[str, tuple[Value, ...]], Fluent] = {}
        self._inside: list[str] = []
        self._size = self._depth = 0

    def assertion(
        self, node: ast.Assert, given: tuple[Value, ...], pos: int
    ) -> Formula:
        """Return the formula of an assertion with arguments; none for the defaults."""
        name = node.name.text
        if name in self._inside:
            message = f"assertion '{name}' refers to itself"
            raise FspFault("fsp-assertion-circle", message, pos)
        scope, _values = self._names.instance(node, given, pos)
        self._inside.append(name)
        found = self._of(node.formula, scope)
        self._inside.pop()
        return found

    def _of(self, node: ast.Temporal | ast.Atom, scope: Scope) -> Formula:
        self._size += 1
        scope.check_expansion(self._size, node.pos)
        self._depth += 1
        # Each assertion keeps the bound by itself, but they use each other.
        if self._depth > 2 * scope.limits.max_nesting:
            message = "references between assertions are nested too deeply here"
            hint = "--bound max-nesting raises this limit"
            raise FspFault("fsp-limit-nesting", message, node.pos, hint)
        found = self._built(node, scope)
        self._depth -= 1
        return found

    def _built(self, node: ast.Temporal | ast.Atom, scope: Scope) -> Formula:
        if isinstance(node, ast.Atom):
            return self._atom(node, scope)
        word = {"forall": "&&", "exists": "||"}.get(node.operator, node.operator)
        scopes = [bound for _values, bound in scope.bind(node.indices)]
        parts = [self._of(part, inner) for inner in scopes for part in node.operands]
        return Formula(word, tuple(parts), place=node.pos)

    def _atom(self, node: ast.Atom, scope: Scope) -> Formula:
        value = node.value
        if isinstance(value, ast.Expr):
            return TRUE if scope.integer(value) else FALSE
        if isinstance(value, ast.Label):
            found = tuple(dict.fromkeys(scope.label_names(value)))
            fluent = Fluent(" or ".join(found), frozenset(found))
            return Formula("fluent", fluent=fluent, place=node.pos)
        name = value.name.text
        declared = self._names.tables["fluent"].get(name)
        if isinstance(declared, ast.FluentDef):
            return self._fluent(declared, value, scope)
        if name in self._names.foreign:
            message = not_fsp(self._names.foreign[name])
            raise FspFault("fsp-foreign", message, value.pos)
        assertion = self._names.tables["assertion"].get(name)
        assert isinstance(assertion, ast.Assert), "names were checked"
        given = tuple(scope.evaluate(a) for a in value.arguments)
        return self.assertion(assertion, given, value.pos)

    def _fluent(self, node: ast.FluentDef, call: ast.Call, scope: Scope) -> Formula:
        """Return a fluent; a range among its indices means one of several."""
        found = []
        for wanted, _bound in scope.bind(call.indices):
            key = (node.name.text, wanted)
            if key not in self._fluents:
                self._fluents[key] = self._instance(node, wanted, call.pos)
            fluent = self._fluents[key]
            found.append(Formula("fluent", fluent=fluent, place=call.pos))
        return found[0] if len(found) == 1 else Formula("||", tuple(found))

    def _instance(
        self, node: ast.FluentDef, wanted: tuple[Value, ...], pos: int
    ) -> Fluent:
        for values, bound in self._names.scope.bind(node.indices):
            if values == wanted:
                initially = node.initially is not None and bound.integer(node.initially)
                return Fluent(
                    "".join((node.name.text, *(f"[{v}]" for v in values))),
                    frozenset(bound.label_names(node.initiating)),
                    frozenset(bound.label_names(node.terminating)),
                    bool(initially),
                )
        shown = "".join(f"[{value}]" for value in wanted)
        message = f"there is no fluent {node.name.text}{shown}"
        raise FspFault("fsp-index-range", message, pos)
