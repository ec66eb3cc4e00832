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
from symrob.formats.fsp.node import Node
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
        self._local = NONE
        self._early = False

    def check(self, declarations: ast.Declarations) -> None:
        """Check all declarations."""
        for node in declarations:
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
        self._user = node.key
        self.uses.setdefault(self._user, set())
        self._parameters = NONE
        self._local = NONE
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
            self.problems[pos] = self.source.diagnostic(code, message, pos, hint=hint)
            self.users[pos] = self._user

    def _use(self, kind: str, name: str) -> None:
        self.uses[self._user].add((kind, name))

    # --- nodes ------------------------------------------------------------

    def _walk(self, node: Node, bound: Bound) -> Bound:
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
            case ast.Constant(pos, name):
                self._constant(name, pos)
            case ast.RangeName(_, name):
                self._use("RangeDef", name)
            case ast.SetName(_, name):
                self._use("SetDef", name)
            case _:
                self._inside(node, bound)
        return bound

    def _inside(self, node: Node, bound: Bound) -> None:
        """Check what a node is made of; indices of its own bind for all the rest."""
        if isinstance(node, ast.Local) and node.name.text in SPECIAL:
            message = f"'{node.name.text}' has a fixed meaning"
            self._say("fsp-reserved", message, node.name.pos)
        bound = self._indices(getattr(node, "indices", ()), bound)
        for child in node.children():
            if not isinstance(child, ast.Index | ast.Name):
                self._walk(child, bound)

    def _constant(self, name: str, pos: int) -> None:
        if name in self._parameters:
            return
        self._use("ConstDef", name)
        known = name in self.names.tables["constant"] or name in self.broken
        if not (self._early or known):
            message = f"constant '{name}' is not defined"
            hint = constant_hint(name, self.names)
            self._say("fsp-undefined-constant", message, pos, hint)

    def _label(self, label: ast.Label, bound: Bound) -> Bound:
        here = bound
        for part in label.parts:
            match part:
                case ast.Name(pos, "tau"):
                    message = "'tau' is the internal move and no label"
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
            message = f"variable '{variable.text}' is bound already"
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

    def _reference(self, call: ast.Call, bound: Bound) -> None:
        """Check the last name of a body, which must be local."""
        name = call.name.text
        for index in call.indices:
            self._walk(index.domain, bound)
        if call.arguments:
            message = "a local process has indices in [ ], not arguments in ( )"
            hint = "arguments belong to a process that ';' follows"
            self._say("fsp-local-arguments", message, call.pos, hint)
        if name in self._local or name in SPECIAL:
            return
        if self._user[1] in self.doubtful and name in self.broken:
            self._use("Process", name)
            return
        suggestion = did_you_mean(name, self._local)
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
        for argument in call.arguments:
            self._walk(argument, bound)
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
        if call.arguments and len(call.arguments) != wanted:
            message = f"'{name}' has {wanted} parameters, not {len(call.arguments)}"
            self._say("fsp-arguments", message, call.pos)

    def _formula_call(self, call: ast.Call, bound: Bound) -> None:
        name = call.name.text
        for argument in call.arguments:
            self._walk(argument, bound)
        for index in call.indices:
            self._walk(index.domain, bound)
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
