"""The names of a text: its definitions by kind, constants evaluated.

In:  the declarations of a text and the constants that the user overrides.
Out: a `Names` table, and the diagnostics of duplicates and of values that
     cannot be computed.

Constants, ranges, sets and defaults of parameters are evaluated at once, from
what stands before them; a constant inside a process may follow the process.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from symrob.errors import Diagnostic, SymrobError
from symrob.formats.fsp import ast
from symrob.formats.fsp.tokens import FspFault, FspSource
from symrob.formats.fsp.values import Scope, Value
from symrob.limits import Limits

Constants = Mapping[str, int | tuple[int, int]]

_KINDS = {
    ast.ConstDef: "constant",
    ast.RangeDef: "range",
    ast.SetDef: "set",
    ast.Process: "process",
    ast.Import: "process",
    ast.Composite: "composite",
    ast.Progress: "progress declaration",
    ast.Menu: "menu",
    ast.Animation: "animation",
    ast.Fluent: "fluent",
    ast.Assert: "assertion",
    ast.Foreign: "foreign declaration",
}


class Names:
    """The definitions of a text.

    Args:
        declarations: Those of the text.
        source: Where they stand.
        constants: Values that replace those of `const` (a number) or `range`
            (a pair) declarations.
        limits: Bounds on the size of sets.

    Attributes:
        scope: Values of all constants, ranges and sets.
        tables: For each kind (`process`, `composite`, `fluent`, …), the
            definitions by name; some have a name of their own here.
        defaults: For each process and composite, the defaults of its parameters.
        used_constants: Which of the overrides the text has.
        problems: Duplicates, and values that cannot be computed.
    """

    def __init__(
        self,
        declarations: ast.Declarations,
        source: FspSource,
        constants: Constants,
        limits: Limits,
    ) -> None:
        self.tables: dict[str, dict[str, Any]] = {kind: {} for kind in _KINDS.values()}
        self.processes: dict[str, ast.Process | ast.Import] = self.tables["process"]
        self.composites: dict[str, ast.Composite] = self.tables["composite"]
        self.assertions: dict[str, ast.Assert] = self.tables["assertion"]
        self.foreign: dict[str, ast.Foreign] = self.tables["foreign declaration"]
        self.defaults: dict[ast.Key, Mapping[str, Value]] = {}
        self.used_constants: frozenset[str] = frozenset()
        self.problems: list[Diagnostic] = []
        self._values: dict[str, Value] = {}
        self._ranges: dict[str, tuple[int, int]] = {}
        self._sets: dict[str, tuple[str, ...]] = {}
        ranges = [node for node in declarations if isinstance(node, ast.RangeDef)]
        places = {node.name.text: node.low.pos for node in ranges}
        self.scope = Scope(self._values, self._ranges, self._sets, limits, places, {})
        for node in declarations:
            title = node.name.text
            try:
                self._register(node, source)
                if title in constants and isinstance(node, ast.ConstDef | ast.RangeDef):
                    self._override(node, constants[title])
                else:
                    self._evaluate(node)
            except FspFault as fault:
                self.problems.append(source.of_fault(fault))
                # So that one mistake here is not reported again at each use.
                self._values.setdefault(title, 0)
                self._ranges.setdefault(title, (0, 0))
                self._sets.setdefault(title, (title,))
                self.defaults.setdefault(node.key, {})

    def _register(self, node: ast.Declaration, source: FspSource) -> None:
        kind, title = _KINDS[type(node)], node.name.text
        table = self.tables[kind]
        if kind == "process" and title in ("STOP", "END", "ERROR"):
            message = f"'{title}' has a fixed meaning and cannot be defined"
            raise FspFault("fsp-reserved", message, node.name.pos)
        if title in table and kind != "foreign declaration":
            line = source.line(table[title].name.pos)
            message = f"{kind} '{title}' is defined already, in line {line}"
            raise FspFault(f"fsp-duplicate-{kind.split()[0]}", message, node.name.pos)
        table[title] = node

    def _override(
        self, node: ast.ConstDef | ast.RangeDef, value: int | tuple[int, int]
    ) -> None:
        title = node.name.text
        self.used_constants |= {title}
        if isinstance(node, ast.RangeDef):
            if isinstance(value, int):
                raise SymrobError(f"'{title}' is a range: give two bounds for it")
            self._ranges[title] = value
        elif isinstance(value, int):
            self._values[title] = value
        else:
            raise SymrobError(f"'{title}' is a constant: give one number for it")

    def _evaluate(self, node: ast.Declaration) -> None:
        title, scope = node.name.text, self.scope
        match node:
            case ast.ConstDef(value=value):
                self._values[title] = scope.evaluate(value)
            case ast.RangeDef(low=low, high=high):
                # A reversed range is a mistake only if it is used.
                first = scope.integer(low)
                self._ranges[title] = first, scope.integer(high)
            case ast.SetDef(labels=labels):
                self._sets[title] = scope.set_names(labels)
            case ast.Process() | ast.Composite() | ast.Assert():
                self.defaults[node.key] = {
                    p.name.text: scope.evaluate(p.default) for p in node.parameters
                }

    def instance(
        self,
        node: ast.Process | ast.Composite | ast.Assert,
        arguments: tuple[Value, ...],
        pos: int,
    ) -> tuple[Scope, tuple[Value, ...]]:
        """Return the scope inside a definition, and the values of its parameters.

        Args:
            node: The definition.
            arguments: What they are given; none for the defaults.
            pos: Where that is.

        Raises:
            FspFault: There are too many arguments, or too few.
        """
        defaults = self.defaults[node.key]
        values = arguments or tuple(defaults.values())
        if len(values) != len(defaults):
            name, wanted = node.name.text, len(defaults)
            message = f"'{name}' has {wanted} parameters, not {len(values)}"
            raise FspFault("fsp-arguments", message, pos)
        parameters = dict(zip(defaults, values, strict=True))
        return self.scope.with_constants(parameters), values


def not_fsp(node: ast.Foreign) -> str:
    """Return what to say where a declaration that FSP does not have is needed."""
    return f"'{node.name.text}' is declared by '{node.word}', which FSP does not have"
