"""Checks of a whole text before anything of it is built.

In:  the declarations and the table of names.
Out: diagnostics of undefined names, wrong numbers of arguments, variables out
     of scope or bound twice, and reserved labels, in all definitions, whether
     anything uses them or not; and which definitions refer to which.

LTSA turns an undefined local process into ERROR, silently; here it is an error.
"""

from __future__ import annotations

from collections.abc import Iterable

from symrob.errors import Diagnostic
from symrob.formats.fsp import ast
from symrob.formats.fsp.names import Names, constant_hint, not_fsp
from symrob.formats.fsp.process import SPECIAL
from symrob.formats.fsp.source import Source, did_you_mean

Bound = frozenset[str]
NONE: Bound = frozenset()


class Checker:
    """Walks over declarations and gathers problems and references.

    Args:
        names: The table of names.
        source: The text.
        broken: Names whose definition could not be read; they are not reported
            as undefined.
        doubtful: Processes that may be local ones of a definition that could not be
            read, and then may use those of its other local processes.

    Attributes:
        problems: The diagnostics, one at most for each place.
        users: For each problem, the definition (kind, name) that has it.
        uses: For each definition, what it refers to.
    """

    def __init__(
        self,
        names: Names,
        source: Source,
        broken: frozenset[str] = frozenset(),
        doubtful: frozenset[str] = frozenset(),
    ) -> None:
        self.names = names
        self.source = source
        self.broken = broken
        self.doubtful = doubtful
        self.problems: dict[int, Diagnostic] = {}
        self.users: dict[int, tuple[str, str]] = {}
        self.uses: dict[tuple[str, str], set[tuple[str, str]]] = {}
        self._user = ("", "")
        self._parameters = NONE

    def check(self, description: ast.Description) -> None:
        """Check all declarations."""
        for node in description.declarations:
            self._declaration(node)

    def reached_from(self, start: Iterable[tuple[str, str]]) -> set[tuple[str, str]]:
        """Return the definitions that some definitions use, also through others."""
        found: set[tuple[str, str]] = set()
        todo = list(start)
        while todo:
            for use in self.uses.get(todo.pop(), ()):
                if use not in found:
                    found.add(use)
                    todo.append(use)
        return found

    def _declaration(self, node: ast.Declaration) -> None:
        self._user = (type(node).__name__, node.name.text)
        self.uses.setdefault(self._user, set())
        self._parameters = NONE
        match node:
            case ast.Process() | ast.Composite() | ast.Assert():
                self._parameter_list(node.parameters)
        match node:
            case ast.ConstDef(_, value):
                self._expr(value, NONE, early=True)
            case ast.RangeDef(_, low, high):
                self._expr(low, NONE, early=True)
                self._expr(high, NONE, early=True)
            case ast.SetDef(_, labels):
                self._set(labels, NONE)
            case ast.Process():
                self._process(node)
            case ast.Composite():
                self._composite(node)
            case ast.Progress():
                bound = self._indices(node.indices, NONE)
                if node.condition is not None:
                    self._label(node.condition, bound)
                self._label(node.labels, bound)
            case ast.Menu(_, menu):
                self._label(menu, NONE)
            case ast.Fluent():
                bound = self._indices(node.indices, NONE)
                self._label(node.initiating, bound)
                self._label(node.terminating, bound)
                if node.initially is not None:
                    self._expr(node.initially, bound)
            case ast.Assert():
                self._formula(node.formula, NONE)
                if node.extension is not None:
                    self._set(node.extension, NONE)
            case ast.Foreign():
                # What it does with them is unknown, but they are not unused.
                for table in self.names.tables.values():
                    for name in node.mentions & table.keys():
                        self._use(type(table[name]).__name__, name)

    def _say(self, code: str, message: str, pos: int, hint: str | None = None) -> None:
        if pos not in self.problems:
            self.problems[pos] = self.source.diagnostic(code, message, pos, hint=hint)
            self.users[pos] = self._user

    def _use(self, kind: str, name: str) -> None:
        self.uses[self._user].add((kind, name))

    # --- expressions, labels ----------------------------------------------

    def _parameter_list(self, parameters: tuple[ast.Parameter, ...]) -> None:
        seen: set[str] = set()
        for parameter in parameters:
            self._expr(parameter.default, NONE, early=True)
            if parameter.name.text in seen:
                message = f"parameter '{parameter.name.text}' is defined twice"
                self._say("fsp-duplicate-parameter", message, parameter.pos)
            seen.add(parameter.name.text)
        self._parameters = frozenset(seen)

    def _expr(self, expr: ast.Expr, bound: Bound, *, early: bool = False) -> None:
        for item in expr.code:
            match item:
                case ast.Variable(name, pos) if name not in bound:
                    hint = did_you_mean(name, bound)
                    if name in self.names.tables["constant"]:
                        hint = "constants are written with a capital letter"
                    message = f"variable '{name}' is not bound here"
                    self._say("fsp-undefined-variable", message, pos, hint)
                case ast.Constant(name, pos):
                    self._constant(name, pos, early)
                case ast.Quote(label):
                    self._label(label, bound)
                case ast.Cardinality(labels) | ast.Element(labels):
                    self._set(labels, bound)

    def _constant(self, name: str, pos: int, early: bool) -> None:
        if name in self._parameters:
            return
        self._use("ConstDef", name)
        # Names used too early are found where they are evaluated.
        if early or name in self.names.tables["constant"] or name in self.broken:
            return
        message = f"constant '{name}' is not defined"
        self._say(
            "fsp-undefined-constant", message, pos, constant_hint(name, self.names)
        )

    def _domain(self, domain: ast.Domain, bound: Bound) -> None:
        match domain:
            case ast.Expr():
                self._expr(domain, bound)
            case ast.Range(low, high):
                self._expr(low, bound)
                self._expr(high, bound)
            case ast.RangeName(name, _):
                self._use("RangeDef", name)
            case _:
                self._set(domain, bound)

    def _set(self, labels: ast.SetExpr, bound: Bound) -> None:
        match labels:
            case ast.SetName(name, _):
                self._use("SetDef", name)
            case ast.Difference(left, right):
                self._set(left, bound)
                self._set(right, bound)
            case ast.SetLiteral(members):
                for label in members:
                    self._label(label, bound)

    def _label(self, label: ast.Label, bound: Bound) -> Bound:
        """Check a label; return the variables that are bound behind it."""
        here = bound
        for part in label.parts:
            match part:
                case ast.Name("tau", pos):
                    message = "'tau' is the internal move and no label"
                    self._say("fsp-tau", message, pos, "hide an action to get 'tau'")
                case ast.Name():
                    pass
                case ast.Index():
                    # Ranges and sets see only what earlier labels bound.
                    lone = isinstance(part.domain, ast.Expr)
                    self._domain(part.domain, here if lone else bound)
                    here = self._bind(part, bound, here)
                case _:
                    self._set(part, bound)
        return here

    def _bind(self, index: ast.Index, taken: Bound, here: Bound) -> Bound:
        variable = index.variable
        if variable is None:
            return here
        if variable.text in taken:
            message = f"variable '{variable.text}' is bound already"
            hint = "use another name"
            self._say("fsp-variable-rebound", message, variable.pos, hint)
        return here | {variable.text}

    def _indices(self, indices: Iterable[ast.Index], bound: Bound) -> Bound:
        here = bound
        for index in indices:
            self._domain(index.domain, bound)
            # One label may bind a variable twice, a row of indices may not.
            here = self._bind(index, here, here)
        return here

    # --- processes --------------------------------------------------------

    def _process(self, node: ast.Process) -> None:
        local = {definition.name.text for definition in node.locals}
        for definition in node.locals:
            if definition.name.text in SPECIAL:
                message = f"'{definition.name.text}' has a fixed meaning"
                self._say("fsp-reserved", message, definition.name.pos)
            bound = self._indices(definition.indices, NONE)
            self._body(definition.body, bound, local)
        if node.extension is not None:
            self._set(node.extension, NONE)
        self._relabels(node.relabels, NONE)
        if node.hiding is not None:
            self._set(node.hiding.labels, NONE)

    def _body(self, body: ast.Body, bound: Bound, local: set[str]) -> None:
        match body:
            case ast.Sequence(calls):
                for call in calls[:-1]:
                    self._part(call, bound)
                self._reference(calls[-1], bound, local)
            case ast.If(cases, otherwise):
                for condition, then in cases:
                    self._expr(condition, bound)
                    self._body(then, bound, local)
                if otherwise is not None:
                    self._body(otherwise, bound, local)
            case ast.Choice(alternatives):
                for alternative in alternatives:
                    if alternative.guard is not None:
                        self._expr(alternative.guard, bound)
                    here = bound
                    for label in alternative.labels:
                        here = self._label(label, here)
                    self._body(alternative.body, here, local)

    def _reference(self, call: ast.Call, bound: Bound, local: set[str]) -> None:
        """Check the last name of a body, which must be local."""
        name = call.name.text
        for index in call.indices:
            self._domain(index.domain, bound)
        if call.arguments is not None:
            message = "a local process has indices in [ ], not arguments in ( )"
            hint = "arguments belong to a process that ';' follows"
            self._say("fsp-local-arguments", message, call.pos, hint)
        if name in local or name in SPECIAL:
            return
        if self._user[1] in self.doubtful and name in self.broken:
            self._use("Process", name)
            return
        suggestion = did_you_mean(name, local)
        if name in self.names.processes:
            suggestion = (
                f"'{name}' is a process of its own; define it here, behind a ',', "
                f"or write '{name}; END' to run it to its END"
            )
        message = f"local process '{name}' is not defined in '{self._user[1]}'"
        self._say("fsp-undefined-local", message, call.pos, suggestion)

    def _part(self, call: ast.Call, bound: Bound) -> None:
        """Check a name before `;`, or in a composite."""
        name = call.name.text
        for argument in call.arguments or ():
            self._expr(argument, bound)
        for index in call.indices:
            self._say("fsp-index", "an index cannot stand here", index.pos)
        node: ast.Declaration | None = self.names.processes.get(name)
        if node is None:
            node = self.names.composites.get(name)
        if node is None:
            if name in self.names.foreign:
                self._say("fsp-foreign", not_fsp(self.names.foreign[name]), call.pos)
            elif name in self.broken:
                self._use("Process", name)
            else:
                known = [*self.names.processes, *self.names.composites]
                message = f"process '{name}' is not defined"
                near = did_you_mean(name, known)
                self._say("fsp-undefined-process", message, call.pos, near)
            return
        self._use(type(node).__name__, name)
        wanted = len(getattr(node, "parameters", ()))
        if call.arguments is not None and len(call.arguments) != wanted:
            message = f"'{name}' has {wanted} parameters, not {len(call.arguments)}"
            self._say("fsp-arguments", message, call.pos)

    # --- relabels, composites ---------------------------------------------

    def _relabels(self, relabels: Iterable[ast.Relabelling], bound: Bound) -> None:
        for relabel in relabels:
            if isinstance(relabel, ast.RelabelForall):
                here = self._indices(relabel.indices, bound)
                self._relabels(relabel.relabels, here)
            else:
                here = self._label(relabel.new, bound)
                self._label(relabel.old, here)

    def _composite(self, node: ast.Composite) -> None:
        self._composite_body(node.body, NONE)
        if node.priority is not None:
            self._set(node.priority.labels, NONE)
        if node.hiding is not None:
            self._set(node.hiding.labels, NONE)

    def _composite_body(self, body: ast.CompositeBody, bound: Bound) -> None:
        match body:
            case ast.Forall(indices, inner):
                self._composite_body(inner, self._indices(indices, bound))
            case ast.CompositeIf(cases, otherwise):
                for condition, then in cases:
                    self._expr(condition, bound)
                    self._composite_body(then, bound)
                if otherwise is not None:
                    self._composite_body(otherwise, bound)
            case ast.Member():
                self._member(body, bound)

    def _member(self, member: ast.Member, bound: Bound) -> None:
        if member.share is not None:
            self._label(member.share, bound)
        here = bound
        if member.prefix is not None:
            here = self._label(member.prefix, bound)
        if isinstance(member.target, ast.Call):
            self._part(member.target, here)
        else:
            for body in member.target:
                self._composite_body(body, here)
        self._relabels(member.relabels, bound)

    # --- formulas ---------------------------------------------------------

    def _formula(self, formula: ast.Formula | ast.Atom, bound: Bound) -> None:
        if isinstance(formula, ast.Formula):
            here = self._indices(formula.indices, bound)
            for operand in formula.operands:
                self._formula(operand, here)
            return
        match formula.value:
            case ast.Expr():
                self._expr(formula.value, bound)
            case ast.Label():
                self._label(formula.value, bound)
            case ast.Call():
                self._formula_call(formula.value, bound)

    def _formula_call(self, call: ast.Call, bound: Bound) -> None:
        name = call.name.text
        for argument in call.arguments or ():
            self._expr(argument, bound)
        for index in call.indices:
            self._domain(index.domain, bound)
        tables = self.names.tables
        if name in tables["fluent"]:
            self._use("Fluent", name)
            declared = tables["fluent"][name]
            assert isinstance(declared, ast.Fluent)
            if len(declared.indices) != len(call.indices):
                message = (
                    f"fluent '{name}' has {len(declared.indices)} indices, "
                    f"not {len(call.indices)}"
                )
                self._say("fsp-index-count", message, call.pos)
        elif name in tables["assertion"]:
            self._use("Assert", name)
        elif name not in self.broken and name not in self.names.foreign:
            known = [*tables["fluent"], *tables["assertion"]]
            message = f"fluent or assertion '{name}' is not defined"
            self._say(
                "fsp-undefined-fluent", message, call.pos, did_you_mean(name, known)
            )
