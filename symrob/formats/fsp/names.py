"""The names of an FSP text: definitions by kind, values of constants, checked uses.

In:  the declarations of a text and the constants that the user overrides.
Out: a `Names` table, with diagnostics of duplicates and of values that cannot be
     computed; before anything is built, those of undefined names, wrong numbers of
     arguments, variables out of scope or bound twice, and reserved labels, in all
     definitions, used or not; the references between definitions.

Constants, ranges, sets and defaults of parameters are evaluated at once and refer only
to earlier declarations; a constant used in a process may follow the process. LTSA
silently turns an undefined local process into ERROR; here it is an error.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from symrob.errors import Diagnostic, SymrobError, plural
from symrob.formats.fsp import ast
from symrob.formats.fsp.parser import Parsed
from symrob.formats.fsp.process import SPECIAL
from symrob.formats.fsp.tokens import FspFault, FspSource, did_you_mean
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
    ast.ProgressDef: "progress declaration",
    ast.Menu: "menu",
    ast.Animation: "animation",
    ast.FluentDef: "fluent",
    ast.Assert: "assertion",
    ast.Foreign: "foreign declaration",
}

Bound = frozenset[str]
NONE: Bound = frozenset()
# What an upper-case name may be where it is taken for something else.
_OTHERS = ("range", "set", "process", "composite")


class Names:
    """The definitions of a text.

    Args:
        declarations: The declarations of the text.
        source: The text.
        constants: Values that override `const` (a number) or `range` (a pair)
            declarations.
        limits: Bounds on the size of sets.

    Attributes:
        scope: Values of all constants, ranges and sets.
        tables: For each kind (`process`, `composite`, `fluent`, …), the definitions by
            name; attributes of this class refer to some of these tables.
        defaults: For each process and composite, the defaults of its parameters.
        used_constants: The overrides that the text declares.
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
            message = f"{kind} '{title}' is already defined on line {line}"
            raise FspFault(f"fsp-duplicate-{kind.split()[0]}", message, node.name.pos)
        table[title] = node

    def _override(
        self, node: ast.ConstDef | ast.RangeDef, value: int | tuple[int, int]
    ) -> None:
        title = node.name.text
        self.used_constants |= {title}
        if isinstance(node, ast.RangeDef):
            if isinstance(value, int):
                raise SymrobError(f"'{title}' is a range: give two bounds")
            self._ranges[title] = value
        elif isinstance(value, int):
            self._values[title] = value
        else:
            raise SymrobError(f"'{title}' is a constant: give one number")

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
            arguments: The values of its parameters; empty for the defaults.
            pos: The place of the call.

        Raises:
            FspFault: There are too many arguments, or too few.
        """
        defaults = self.defaults[node.key]
        values = arguments or tuple(defaults.values())
        if len(values) != len(defaults):
            name, wanted = node.name.text, len(defaults)
            message = f"'{name}' has {plural(wanted, 'parameter')}, not {len(values)}"
            raise FspFault("fsp-arguments", message, pos)
        parameters = dict(zip(defaults, values, strict=True))
        return self.scope.with_constants(parameters), values


def not_fsp(node: ast.Foreign) -> str:
    """Return the message about a used declaration that is not FSP."""
    return f"'{node.name.text}' is declared with '{node.word}', which is not FSP"


class DefinitionChecker:
    """Collects the problems and references of declarations.

    Args:
        names: The table of names.
        parsed: The text; names with invalid definitions are not reported as
            undefined.

    Attributes:
        problems: The diagnostics, at most one for each place.
        users: The definition (kind, name) of each problem.
        uses: The references of each definition.
    """

    def __init__(self, names: Names, parsed: Parsed) -> None:
        self.names = names
        self.problems: dict[int, Diagnostic] = {}
        self.users: dict[int, ast.Key] = {}
        self.uses: dict[ast.Key, set[ast.Key]] = {}
        self._parsed = parsed
        self._user = ("", "")
        self._parameters = self._local = NONE
        self._early = False
        for node in parsed.declarations:
            self._declaration(node)

    def reached_from(self, start: Iterable[ast.Key]) -> set[ast.Key]:
        """Return the definitions that some definitions use, directly or indirectly."""
        found: set[ast.Key] = set()
        todo = list(start)
        while todo:
            for use in self.uses.get(todo.pop(), ()):
                if use not in found:
                    found.add(use)
                    todo.append(use)
        return found

    def _declaration(self, node: ast.Declaration) -> None:
        self._user = node.key
        self.uses.setdefault(self._user, set())
        self._parameters = self._local = NONE
        # Names used too early are found where they are evaluated.
        self._early = isinstance(node, ast.ConstDef | ast.RangeDef)
        match node:
            case ast.Foreign():
                # What it does with them is unknown, but they are not unused.
                for table in self.names.tables.values():
                    for name in node.mentions & table.keys():
                        self._use(type(table[name]).__name__, name)
                return
            case ast.Process() | ast.Composite() | ast.Assert():
                self._parameter_list(node.parameters)
        if isinstance(node, ast.Process):
            self._local = frozenset(local.name.text for local in node.locals)
        self._inside(node, NONE)

    def _parameter_list(self, parameters: tuple[ast.Parameter, ...]) -> None:
        seen: set[str] = set()
        self._early = True
        for parameter in parameters:
            self._walk(parameter.default, NONE)
            if parameter.name.text in seen:
                message = f"parameter '{parameter.name.text}' is defined twice"
                self._say("fsp-duplicate-parameter", message, parameter.pos)
            seen.add(parameter.name.text)
        self._early = False
        self._parameters = frozenset(seen)

    def _say(self, code: str, message: str, pos: int, hint: str | None = None) -> None:
        if pos not in self.problems:
            found = self._parsed.source.diagnostic(code, message, pos, hint=hint)
            self.problems[pos] = found
            self.users[pos] = self._user

    def _use(self, kind: str, name: str) -> None:
        self.uses[self._user].add((kind, name))

    # --- nodes ------------------------------------------------------------

    def _walk(self, node: ast.SyntaxNode, bound: Bound) -> Bound:
        """Check a node; return the variables that are bound behind it."""
        match node:
            case ast.Label():
                return self._label(node, bound)
            case ast.Alternative() | ast.Relabel():
                # What a label binds is known in all that follows.
                for child in node.children():
                    bound = self._walk(child, bound)
            case ast.Sequence(calls=calls):
                for call in calls[:-1]:
                    self._part(call, bound)
                self._reference(calls[-1], bound)
            case ast.Member():
                self._member(node, bound)
            case ast.Call():
                self._formula_call(node, bound)
            case ast.Parameter():
                pass
            case ast.Variable(pos, name) if name not in bound:
                hint = did_you_mean(name, bound)
                if name in self.names.tables["constant"]:
                    hint = "constants are written with a capital letter"
                message = f"variable '{name}' is not bound here"
                self._say("fsp-undefined-variable", message, pos, hint)
            case ast.Constant(pos, name) if name not in self._parameters:
                self._refer(name, pos, "constant", "constant")
            case ast.RangeName(_, name):
                self._use("RangeDef", name)
            case ast.SetName(_, name):
                self._use("SetDef", name)
            case _:
                self._inside(node, bound)
        return bound

    def _inside(self, node: ast.SyntaxNode, bound: Bound) -> None:
        """Check what a node is made of; indices of its own bind for all the rest."""
        if isinstance(node, ast.Local) and node.name.text in SPECIAL:
            message = f"'{node.name.text}' has a fixed meaning"
            self._say("fsp-reserved", message, node.name.pos)
        bound = self._indices(getattr(node, "indices", ()), bound)
        for child in node.children():
            if not isinstance(child, ast.Index | ast.Name):
                self._walk(child, bound)

    def _label(self, label: ast.Label, bound: Bound) -> Bound:
        here = bound
        for part in label.parts:
            match part:
                case ast.Name(pos, "tau"):
                    message = "'tau' is the internal move and not a label"
                    self._say("fsp-tau", message, pos, "hide an action to get 'tau'")
                case ast.Index():
                    # Ranges and sets see only what earlier labels bound.
                    lone = isinstance(part.domain, ast.Expr)
                    self._walk(part.domain, here if lone else bound)
                    here = self._bind(part, bound, here)
                case _:
                    self._walk(part, bound)
        return here

    def _bind(self, index: ast.Index, taken: Bound, here: Bound) -> Bound:
        variable = index.variable
        if variable is None:
            return here
        if variable.text in taken:
            message = f"variable '{variable.text}' is already bound"
            hint = "use another name"
            self._say("fsp-variable-rebound", message, variable.pos, hint)
        return here | {variable.text}

    def _indices(self, indices: Iterable[ast.Index], bound: Bound) -> Bound:
        here = bound
        for index in indices:
            self._walk(index.domain, bound)
            # One label may bind a variable twice, a row of indices may not.
            here = self._bind(index, here, here)
        return here

    def _member(self, member: ast.Member, bound: Bound) -> None:
        here = bound
        if member.share is not None:
            self._walk(member.share, bound)
        if member.prefix is not None:
            here = self._walk(member.prefix, bound)
        if isinstance(member.target, ast.Call):
            self._part(member.target, here)
        else:
            for body in member.target:
                self._walk(body, here)
        for relabel in member.relabels:
            self._walk(relabel, bound)

    # --- calls ------------------------------------------------------------

    def _refer(
        self, name: str, pos: int, what: str, *kinds: str
    ) -> ast.Declaration | None:
        """Return what a name of one of some kinds means, or say that nothing does."""
        tables = self.names.tables
        for kind in kinds:
            if name in tables[kind]:
                node: ast.Declaration = tables[kind][name]
                self._use(*node.key)
                return node
        if name in self._parsed.broken:
            self._use("", name)
        elif name in self.names.foreign:
            self._say("fsp-foreign", not_fsp(self.names.foreign[name]), pos)
        elif not (self._early and what == "constant"):
            others = (f"'{name}' is a {k}" for k in _OTHERS if name in tables[k])
            known = [known for kind in kinds for known in tables[kind]]
            hint = next(others, None) or did_you_mean(name, known)
            message = f"{what} '{name}' is not defined"
            self._say(f"fsp-undefined-{what.split()[0]}", message, pos, hint)
        return None

    def _reference(self, call: ast.Call, bound: Bound) -> None:
        """Check the last name of a body, which must be local."""
        name = call.name.text
        for index in call.indices:
            self._walk(index.domain, bound)
        if call.arguments:
            message = "a local process has indices in [ ], not arguments in ( )"
            hint = "only a process followed by ';' takes arguments"
            self._say("fsp-local-arguments", message, call.pos, hint)
        if name in self._local or name in SPECIAL:
            return
        if self._user[1] in self._parsed.doubtful and name in self._parsed.broken:
            self._use("", name)
            return
        suggestion = did_you_mean(name, self._local)
        if name in self.names.processes:
            suggestion = (
                f"'{name}' is a separate process; define it here after a ',', "
                f"or write '{name}; END' to run it to its END"
            )
        message = f"local process '{name}' is not defined in '{self._user[1]}'"
        self._say("fsp-undefined-local", message, call.pos, suggestion)

    def _part(self, call: ast.Call, bound: Bound) -> None:
        """Check a name before `;`, or in a composite."""
        name = call.name.text
        for argument in call.arguments:
            self._walk(argument, bound)
        for index in call.indices:
            self._say("fsp-index", "an index is not allowed here", index.pos)
        node = self._refer(name, call.pos, "process", "process", "composite")
        if node is not None and call.arguments:
            wanted = len(getattr(node, "parameters", ()))
            if (given := len(call.arguments)) != wanted:
                message = f"'{name}' has {plural(wanted, 'parameter')}, not {given}"
                self._say("fsp-arguments", message, call.pos)

    def _formula_call(self, call: ast.Call, bound: Bound) -> None:
        name = call.name.text
        for argument in call.arguments:
            self._walk(argument, bound)
        for index in call.indices:
            self._walk(index.domain, bound)
        if name in self.names.foreign:
            return  # It matters only where the assertion is asked for.
        what = "fluent or assertion"
        node = self._refer(name, call.pos, what, "fluent", "assertion")
        if isinstance(node, ast.FluentDef):
            given, wanted = len(call.indices), len(node.indices)
            if given != wanted:
                indices = "1 index" if wanted == 1 else f"{wanted} indices"
                message = f"fluent '{name}' has {indices}, not {given}"
                self._say("fsp-index-count", message, call.pos)
