"""Composites to networks of components, without their product.

In:  the definitions of a text (`Names`) and a composite.
Out: a `Net`: named components, and the named composites that they form.

Prefixes, relabels and hiding are applied to the components. A product is computed only
where the language requires it: priority, `minimal`, `deterministic` and `property` on
a composite, a renaming of a named composite that merges two of its actions, and a
composite in `A; B`.

A named composite is a whole: a renaming that gives two of its actions the same name
applies to its product, because inside it the two do not synchronise. Brackets do not
form a whole; each copy of a composite is a separate whole. So wholes form a tree, and
the product of each is computed separately, and only if a renaming merges its actions.

A hidden action of a composite has a name with a number (`a#1`), which no label can
have, so only the components that share it synchronise.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from math import inf
from typing import NamedTuple

from symrob.errors import LimitExceeded, SymrobError, printable
from symrob.formats.fsp import ast
from symrob.formats.fsp.names import Names
from symrob.formats.fsp.process import ProcessBuilder, complete, make_deterministic
from symrob.formats.fsp.renaming import (
    HIDDEN_MARK,
    Renaming,
    hidden_actions,
    hiding_set,
    merges,
    note_relabels,
    prefixed,
    relabel_pairs,
    rename,
)
from symrob.formats.fsp.tokens import Findings, FspFault, keep_limit
from symrob.formats.fsp.values import Scope, Value, meaning
from symrob.limits import Limits, watched
from symrob.lts import TAU, Action, Lts, Network
from symrob.lts.bisimulation import minimise
from symrob.lts.naming import distinct
from symrob.lts.product import Priority, compose, drop_tau_only, product

_DETERMINISED = (
    "this property is nondeterministic; a trace violates it "
    "if one choice leads to ERROR"
)
# Of a call; none for the defaults.
Arguments = tuple[Value, ...]
Importer = Callable[[str], Lts]


class Net(NamedTuple):
    """A component, a named composite, or an unnamed parallel composition.

    Attributes:
        inside: The component, or the parts of a composite.
        title: Its name with prefixes, if any.
        hidden: Its hidden actions, if the language composes it before the enclosing
            composite, otherwise `None`. This affects only END.
    """

    inside: Lts | tuple[Net, ...] = ()
    title: str = ""
    hidden: frozenset[Action] | None = None

    @property
    def parts(self) -> tuple[Net, ...]:
        """The parallel parts: only itself, if it has a name."""
        if self.title or isinstance(self.inside, Lts):
            return (self,)
        return self.inside

    def components(self) -> list[tuple[str, Lts]]:
        """Return all components with their names."""
        if isinstance(self.inside, Lts):
            return [(self.title, self.inside)]
        return [found for part in self.inside for found in part.components()]

    def alphabet(self) -> set[Action]:
        """Return the visible actions."""
        actions = {a for _title, lts in self.components() for a in lts.alphabet}
        return {action for action in actions if HIDDEN_MARK not in action}

    def renamed(self, renaming: Renaming, title: str = "") -> Net:
        """Return the net with the actions of each component renamed.

        Args:
            renaming: The new names of each action. It must not merge actions, unless
                the net is a component.
            title: The prefix of the names.
        """
        if isinstance(self.inside, Lts):
            inside: Lts | tuple[Net, ...] = rename(self.inside, renaming)
        else:
            inside = tuple(part.renamed(renaming, title) for part in self.inside)
        return Net(inside, self.title and title + self.title, self.hidden)

    def relabelled(
        self, renaming: Renaming, multiply: Callable[[Net], Lts], title: str = ""
    ) -> Net:
        """Return the net renamed by any map, with products of wholes where it merges.

        Args:
            renaming: The new names of each action.
            multiply: Computes the product of a whole.
            title: The prefix of the names.
        """
        parts = (
            Net(multiply(part), part.title)
            if not isinstance(part.inside, Lts) and merges(part.alphabet(), renaming)
            else part
            for part in self.parts
        )
        return Net.side_by_side(parts).renamed(renaming, title)

    def whole(self, title: str, *, first: bool) -> Net:
        """Return the net as a named whole, so that renaming keeps it together.

        Args:
            title: Its name.
            first: Whether the language composes it before the enclosing composite.
        """
        if not self.parts or (
            len(self.parts) == 1 and isinstance(self.parts[0].inside, Lts)
        ):
            return self
        hidden = _marked(self.components()) if first else None
        return Net(self.parts, title, hidden)

    @staticmethod
    def side_by_side(nets: Iterable[Net]) -> Net:
        """Return the parallel composition of nets."""
        return Net(tuple(part for net in nets for part in net.parts))

    def network(self) -> Network | Lts:
        """Return the network, or its only component if nothing is hidden."""
        components = self.components()
        return _network(components, _marked(components))

    def product(self, max_states: int, priority: Priority | None = None) -> Lts:
        """Compute the product of the net.

        Where a component can end, what the language composes first is composed
        first, since END is decided there; else the product of all components is
        computed at once, which never makes more states.

        Args:
            max_states: Bound on the states of each product.
            priority: Actions with priority over all others, or below them.

        Raises:
            LimitExceeded: A product has more than `max_states` states.
        """
        components = self.components()
        hidden = _marked(components)
        if any(lts.end is not None for _title, lts in components):
            components = _settled(self, max_states)
        network = _network(components, hidden)
        if isinstance(network, Lts) and priority is None:
            return network
        return compose(network, max_states=max_states, priority=priority)


def _settled(net: Net, max_states: int) -> list[tuple[str, Lts]]:
    """Return the components, with products where END is decided inside."""
    if isinstance(net.inside, Lts):
        return [(net.title, net.inside)]
    found = [lts for part in net.inside for lts in _settled(part, max_states)]
    if net.hidden is None:
        return found
    # What is hidden further outside is still shared with other parts.
    network = _network(found, net.hidden)
    return [(net.title, product(network, max_states=max_states))]


def _marked(components: list[tuple[str, Lts]]) -> frozenset[Action]:
    """Return the actions that were hidden so far."""
    return frozenset(
        a for _title, lts in components for a in lts.alphabet if HIDDEN_MARK in a
    )


def _network(
    components: list[tuple[str, Lts]], hidden: frozenset[Action]
) -> Network | Lts:
    """Return the network, or its only component if nothing is hidden in it."""
    present = {a for _title, lts in components for a in lts.alphabet}
    if len(components) == 1 and not hidden & present:
        return components[0][1]
    return Network(
        [lts for _title, lts in components],
        component_names=distinct([title for title, _lts in components]),
        hidden=hidden & present,
    )


class Composer:
    """Instantiates processes and composites.

    Args:
        names: The definitions of the text.
        limits: Bounds on states, expansion and nesting.
        importer: Reads the file of an `import` declaration.

    Attributes:
        findings: Findings for warnings.
        instances: The processes compiled so far, by name and arguments.
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
            FspFault: The arguments do not match, or the process is invalid.
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
                message = f"no reader recognises the file '{node.file}'"
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
                    f"the action '{marked[0]}' of '{node.file}' contains "
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
            hint = "a recursion requires a changing parameter and an 'if' that ends it"
            raise FspFault("fsp-recursion", message, pos, hint)
        depth = len(self._running) + 1
        message = "more than {} nested definitions"
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
            FspFault: It is undefined, or never terminates.
        """
        net = self._called(call, scope)
        lts = self._single(net, call.name.text, call.pos)
        if lts.end is None:
            message = f"'{call.name.text}' never reaches END, so nothing can follow it"
            raise FspFault("fsp-not-sequential", message, call.pos)
        return lts

    # --- composites -------------------------------------------------------

    def composite(self, name: str, arguments: Arguments, pos: int) -> Net:
        """Return an instance of a composite, as one part, or none.

        Raises:
            FspFault: The arguments do not match, or the composite is invalid.
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
        """Compute the product of a net, within the limit on states.

        Raises:
            LimitFault: The product is too large.
        """
        try:
            return check_parts(net, title, pos).product(
                self.limits.max_states, priority
            )
        except LimitExceeded:
            message = f"'{title}' requires a product here, of more than {{}} states"
            keep_limit(self.limits, "max_states", inf, pos, message)
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
        FspFault: It has no components.
    """
    if not net.parts:
        raise FspFault("fsp-empty-composition", f"'{title}' has no components", pos)
    return net


def call_name(name: str, arguments: Arguments) -> str:
    """Return the name of an instance: `P(2)`, or `P` with its defaults."""
    return f"{name}({','.join(map(str, arguments))})" if arguments else name
