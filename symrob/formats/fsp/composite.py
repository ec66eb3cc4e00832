"""Composites to networks of components that are not multiplied out.

In:  the definitions of a text (`Names`) and what to compose.
Out: a `Net`: components with names, and which named composites they form.

Prefixes, relabels and hiding are pushed to the components. A product is made only
where the language asks for one: priority, `minimal`, `deterministic` and
`property` on a composite, names given to a named composite that merge two of its
actions, and a composite as a part of `A; B`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from math import inf

from symrob.errors import LimitExceeded, SymrobError, printable
from symrob.formats.fsp import ast
from symrob.formats.fsp.names import Names
from symrob.formats.fsp.net import Net
from symrob.formats.fsp.process import ProcessBuilder
from symrob.formats.fsp.relabel import (
    HIDDEN_MARK,
    complete,
    hidden_actions,
    hiding_set,
    make_deterministic,
    note_relabels,
    prefixed,
    relabel_pairs,
)
from symrob.formats.fsp.tokens import Findings, FspFault, keep_limit
from symrob.formats.fsp.values import Scope, Value, meaning
from symrob.limits import Limits, watched
from symrob.lts import TAU, Action, Lts
from symrob.lts.bisimulation import minimise
from symrob.lts.product import Priority, drop_tau_only

_DETERMINISED = (
    "this property is nondeterministic; a trace counts as bad if some run of it fails"
)
# Of a call; none for the defaults.
Arguments = tuple[Value, ...]
Importer = Callable[[str], Lts]


class Composer:
    """Makes instances of processes and composites.

    Args:
        names: The definitions of the text.
        limits: Bounds on states, expansion and nesting.
        importer: Reads the file that an `import` declaration names.

    Attributes:
        findings: What was seen on the way, for warnings.
        instances: Every process compiled so far, with its arguments.
    """

    def __init__(
        self, names: Names, limits: Limits, importer: Importer | None = None
    ) -> None:
        self.names = names
        self.limits = limits
        self.importer = importer
        self.findings = Findings()
        self.instances: dict[tuple[str, Arguments], Lts] = {}
        self._running: list[tuple[str, str, Arguments]] = []
        self._hidings = 0
        self._components = 0
        self._states = 0

    # --- processes --------------------------------------------------------

    def process(self, name: str, arguments: Arguments, pos: int) -> Lts:
        """Return an instance of a primitive process, compiled once.

        Raises:
            FspFault: The arguments do not fit, or the process is wrong.
        """
        node = self.names.processes[name]
        if isinstance(node, ast.Import):
            return self._imported(node)
        scope, values = self.names.instance(node, arguments, pos)
        key = (name, values)
        if key not in self.instances:
            with self._inside(("process", *key), pos):
                builder = ProcessBuilder(node, scope, self.sequential, self.findings)
                lts = builder.build()
            self._states += lts.size
            message = "the processes have more than {} states together"
            keep_limit(self.limits, "max_states", self._states, pos, message)
            self.instances[key] = lts
        return self.instances[key]

    def _imported(self, node: ast.Import) -> Lts:
        key = (node.name.text, ())
        if key not in self.instances:
            if self.importer is None:
                message = f"nothing here can read the file '{node.file}'"
                raise FspFault("fsp-import", message, node.pos)
            try:
                lts = self.importer(node.file)
            except SymrobError as error:
                problem = error.diagnostics[0]
                if problem.line is not None or isinstance(error, LimitExceeded):
                    raise
                # It is about the file as a whole: shown where that is named.
                message = f"'{printable(node.file):.200}': {problem.message}"
                raise FspFault(problem.code, message, node.pos, problem.hint) from None
            marked = [a for a in lts.alphabet if HIDDEN_MARK in a]
            if marked:
                message = (
                    f"the action '{marked[0]}' of '{node.file}' has a "
                    f"'{HIDDEN_MARK}', which marks hidden actions here"
                )
                raise FspFault(
                    "fsp-import", message, node.pos, "rename it in that file"
                )
            self.instances[key] = lts
        return self.instances[key]

    @contextmanager
    def _inside(self, what: tuple[str, str, Arguments], pos: int) -> Iterator[None]:
        """Note that an instance is being made; refuse what would never end."""
        if what in self._running:
            message = f"'{what[1]}' contains itself"
            hint = "a recursion needs a parameter that changes and an 'if' that ends it"
            raise FspFault("fsp-recursion", message, pos, hint)
        depth = len(self._running) + 1
        message = "more than {} definitions inside each other"
        advice = "; does the recursion end?"
        keep_limit(self.limits, "max_nesting", depth, pos, message, advice)
        self._running.append(what)
        try:
            yield
        finally:
            self._running.pop()

    def sequential(self, call: ast.Call, scope: Scope) -> Lts:
        """Return the transition system of a part of `A; B`.

        Raises:
            FspFault: It is not defined, or never terminates.
        """
        net = self._called(call, scope)
        lts = self._single(net, call.name.text, call.pos)
        if lts.end is None:
            message = f"'{call.name.text}' never reaches END, so nothing can follow it"
            raise FspFault("fsp-not-sequential", message, call.pos)
        return lts

    # --- composites -------------------------------------------------------

    def composite(self, name: str, arguments: Arguments, pos: int) -> Net:
        """Return an instance of a composite: one part, unless it has none.

        Raises:
            FspFault: The arguments do not fit, or something in it is wrong.
        """
        node = self.names.composites[name]
        scope, values = self.names.instance(node, arguments, pos)
        with self._inside(("composite", name, values), pos):
            net = self._body(node.body, scope)
            if net.parts:
                net = self._finished(node, net, scope)
        first = node.hiding is not None or "compose" in node.modifiers
        return net.whole(call_name(name, arguments), first=first)

    def _finished(self, node: ast.Composite, net: Net, scope: Scope) -> Net:
        """Apply priority, hiding and modifiers, in this order."""
        title = node.name.text
        if node.priority is not None:
            self.findings.priorities.add(node.priority.pos)
            names = scope.set_names(node.priority.labels)
            favoured = hidden_actions(net.alphabet(), names, keep=False)
            priority = Priority(favoured, node.priority.sign == "<<")
            net = Net(self._single(net, title, node.pos, priority), title)
        net = self._hidden(net, hiding_set(node.hiding, net.alphabet(), scope))
        marks = node.modifiers
        if not marks & {"deterministic", "minimal", "property"}:
            return net
        lts = self._single(net, title, node.pos)
        if "minimal" in marks and "deterministic" not in marks:
            lts = minimise(drop_tau_only(lts))
        if marks & {"property", "deterministic"}:
            if "property" in marks and not lts.deterministic:
                code = "fsp-property-determinised"
                self.findings.doubt(code, node.pos, _DETERMINISED)
            lts = make_deterministic(lts, self.limits.max_states)
        if "property" in marks:
            lts = complete(lts)
        return Net(lts, title)

    def _hidden(self, net: Net, actions: frozenset[Action]) -> Net:
        if not actions:
            return net
        if len(net.parts) == 1 and isinstance(net.parts[0].inside, Lts):
            (part,) = net.parts
            return part.renamed(lambda a: (TAU,) if a in actions else (a,))
        self._hidings += 1
        suffix = f"{HIDDEN_MARK}{self._hidings}"
        names = {action: (action + suffix,) for action in actions}
        return net.renamed(lambda a: names.get(a, (a,)))

    def _single(
        self, net: Net, title: str, pos: int, priority: Priority | None = None
    ) -> Lts:
        """Multiply a net out, within the limit on states.

        Raises:
            LimitFault: The product is too large.
        """
        try:
            return check_parts(net, title, pos).product(
                self.limits.max_states, priority
            )
        except LimitExceeded:
            message = f"'{title}' must be multiplied out here, and has more than"
            keep_limit(self.limits, "max_states", inf, pos, message + " {} states")
            raise

    def _body(self, body: ast.CompositeBody, scope: Scope) -> Net:
        if isinstance(body, ast.Member):
            return self._member(body, scope)
        if isinstance(body, ast.Forall):
            instances = scope.bind(body.indices)
            return Net.side_by_side(
                self._body(body.body, bound)
                for _values, bound in watched(instances, 16)
            )
        chosen = scope.chosen_case(body)
        return Net() if chosen is None else self._body(chosen, scope)

    def _member(self, member: ast.Member, scope: Scope) -> Net:
        def multiply(part: Net) -> Lts:
            return self._single(part, part.title, member.pos)

        if member.prefix is None:
            net = self._target(member, scope)
        else:
            net = Net.side_by_side(
                self._target(member, bound).renamed(prefixed((prefix,)), f"{prefix}:")
                for prefix, bound in scope.expand(member.prefix)
            )
        if member.share is not None:
            users = tuple(dict.fromkeys(scope.label_names(member.share)))
            title = users[0] if len(users) == 1 else "{" + ",".join(users) + "}"
            net = net.relabelled(prefixed(users), multiply, f"{title}::")
        if member.relabels:
            pairs = relabel_pairs(member.relabels, scope)
            note_relabels(pairs, net.alphabet(), self.findings)
            net = net.relabelled(pairs, multiply)
        return net

    def _target(self, member: ast.Member, scope: Scope) -> Net:
        if isinstance(member.target, ast.Call):
            return self._called(member.target, scope)
        return Net.side_by_side(self._body(body, scope) for body in member.target)

    def _called(self, call: ast.Call, scope: Scope) -> Net:
        name, pos = call.name.text, call.pos
        arguments = tuple(scope.evaluate(e) for e in call.arguments)
        known = {**self.names.composites, **self.names.processes}
        if isinstance(meaning("process", name, pos, known), ast.Composite):
            return self.composite(name, arguments, pos)
        self._components += 1
        message = "more than {} components"
        keep_limit(self.limits, "max_expansion", self._components, pos, message)
        return Net(self.process(name, arguments, pos), call_name(name, arguments))


def check_parts(net: Net, title: str, pos: int) -> Net:
    """Return `net` if it has components.

    Raises:
        FspFault: It has none; such a composite has no meaning.
    """
    if not net.parts:
        raise FspFault("fsp-empty-composition", f"'{title}' has no components", pos)
    return net


def call_name(name: str, arguments: Arguments) -> str:
    """Return the name of an instance: `P(2)`, or `P` with its defaults."""
    return f"{name}({','.join(map(str, arguments))})" if arguments else name
