"""The names of a text: its definitions by kind, constants evaluated.

In:  the declarations of a text and the constants that the user overrides.
Out: a `Names` table, and the diagnostics of duplicates and of values that
     cannot be computed.

Constants, ranges, sets and defaults of parameters are evaluated at once, from
what stands before them; a constant inside a process may follow the process.
"""

from __future__ import annotations

from collections.abc import Mapping

from symrob.errors import Diagnostic, SymrobError
from symrob.formats.fsp import ast
from symrob.formats.fsp.source import Fault, Source, did_you_mean
from symrob.formats.fsp.values import (
    NOTHING,
    Scope,
    Value,
    evaluate,
    integer,
    set_names,
)
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

    Attributes:
        scope: Values of all constants, ranges and sets.
        tables: For each kind (`process`, `composite`, `fluent`, …), the
            definitions by name.
        defaults: For each process and composite, the defaults of its parameters.
        used_constants: Which of the overrides the text has.
        problems: Duplicates, and values that cannot be computed.
    """

    def __init__(self, scope: Scope) -> None:
        self.scope = scope
        self.tables: dict[str, dict[str, ast.Declaration]] = {
            kind: {} for kind in _KINDS.values()
        }
        self.defaults: dict[int, Mapping[str, Value]] = {}
        self.used_constants: frozenset[str] = frozenset()
        self.problems: list[Diagnostic] = []

    @property
    def processes(self) -> dict[str, ast.Process | ast.Import]:
        """The primitive processes, imported ones among them."""
        return self.tables["process"]  # type: ignore[return-value]

    @property
    def foreign(self) -> dict[str, ast.Foreign]:
        """The declarations that FSP does not have."""
        return self.tables["foreign declaration"]  # type: ignore[return-value]

    @property
    def composites(self) -> dict[str, ast.Composite]:
        """The composites."""
        return self.tables["composite"]  # type: ignore[return-value]

    @property
    def assertions(self) -> dict[str, ast.Assert]:
        """The assertions."""
        return self.tables["assertion"]  # type: ignore[return-value]


def collect(
    declarations: ast.Declarations, source: Source, constants: Constants, limits: Limits
) -> Names:
    """Collect and evaluate the definitions of a text.

    Args:
        declarations: The declarations.
        source: Where they stand.
        constants: Values that replace those of `const` (a number) or `range`
            (a pair) declarations.
        limits: Bounds on the size of sets.

    Returns:
        The table of names; what went wrong is among its `problems`.
    """
    values: dict[str, Value] = {}
    ranges: dict[str, tuple[int, int]] = {}
    sets: dict[str, tuple[str, ...]] = {}
    places = {
        node.name.text: node.low.pos
        for node in declarations
        if isinstance(node, ast.RangeDef)
    }
    scope = Scope(values, ranges, sets, limits, places)
    names = Names(scope)
    used: set[str] = set()
    for node in declarations:
        kind, title = _KINDS[type(node)], node.name.text
        try:
            _register(names, kind, node, source)
            if title in constants and kind in ("constant", "range"):
                used.add(title)
                _override(node, constants[title], values, ranges)
            else:
                _evaluate(node, scope, values, ranges, sets, names)
        except Fault as fault:
            names.problems.append(source.of_fault(fault))
            # So that one mistake here is not reported again at each use.
            values.setdefault(title, 0)
            ranges.setdefault(title, (0, 0))
            sets.setdefault(title, (title,))
            names.defaults.setdefault(id(node), {})
    names.used_constants = frozenset(used)
    return names


def _register(names: Names, kind: str, node: ast.Declaration, source: Source) -> None:
    table, title = names.tables[kind], node.name.text
    if kind in ("process",) and title in ("STOP", "END", "ERROR"):
        message = f"'{title}' has a fixed meaning and cannot be defined"
        raise Fault("fsp-reserved", message, node.name.pos)
    if title in table and kind != "foreign declaration":
        line = source.line(table[title].name.pos)
        message = f"{kind} '{title}' is defined already, in line {line}"
        raise Fault(f"fsp-duplicate-{kind.split()[0]}", message, node.name.pos)
    table[title] = node


def _override(
    node: ast.Declaration,
    value: int | tuple[int, int],
    values: dict[str, Value],
    ranges: dict[str, tuple[int, int]],
) -> None:
    title = node.name.text
    if isinstance(node, ast.ConstDef):
        if not isinstance(value, int):
            raise SymrobError(f"'{title}' is a constant: give one number for it")
        values[title] = value
    elif isinstance(value, int):
        raise SymrobError(f"'{title}' is a range: give two bounds for it")
    else:
        ranges[title] = value


def _evaluate(
    node: ast.Declaration,
    scope: Scope,
    values: dict[str, Value],
    ranges: dict[str, tuple[int, int]],
    sets: dict[str, tuple[str, ...]],
    names: Names,
) -> None:
    title = node.name.text
    match node:
        case ast.ConstDef(_, _, value):
            values[title] = evaluate(value, scope, NOTHING)
        case ast.RangeDef(_, _, low, high):
            # A reversed range is a mistake only if it is used.
            ranges[title] = (
                integer(low, scope, NOTHING),
                integer(high, scope, NOTHING),
            )
        case ast.SetDef(_, _, labels):
            sets[title] = set_names(labels, scope, NOTHING)
        case ast.Process() | ast.Composite() | ast.Assert():
            defaults = {
                p.name.text: evaluate(p.default, scope, NOTHING)
                for p in node.parameters
            }
            names.defaults[id(node)] = defaults


def not_fsp(node: ast.Foreign) -> str:
    """Return what to say where a declaration that FSP does not have is needed."""
    return f"'{node.name.text}' is declared by '{node.word}', which FSP does not have"


def constant_hint(name: str, names: Names) -> str | None:
    """Return what a constant that is not defined may have meant."""
    for kind in ("range", "set", "process"):
        if name in names.tables[kind]:
            return f"'{name}' is a {kind}"
    return did_you_mean(name, names.tables["constant"])
