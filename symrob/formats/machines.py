"""Python state machines: objects of `transitions` and `python-statemachine`.

In:  a machine, or its class; the packages themselves are not required.
Out: a `ModelFile`: hierarchy and parallel states flattened (`formats.flattening`).

Only the states and transitions of the object are read: no callback is called, and each
condition becomes a choice. A state does not offer events that it does not handle, as in
files of statecharts.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any, NoReturn

from symrob.errors import Diagnostic, SymrobError, known_or_near
from symrob.formats.flattening import IGNORING, chart_file
from symrob.formats.registry import Source
from symrob.formats.statechart import (
    Chart,
    Configuration,
    Edge,
    Node,
    Notes,
    Rules,
    exclusive,
    matches_tokens,
    never_together,
    preorder,
)
from symrob.formats.text import ModelFile
from symrob.limits import DEFAULT_LIMITS, Limits


def read_machine(
    machine: Any, *, ignoring: bool = False, limits: Limits = DEFAULT_LIMITS
) -> ModelFile:
    """Return the model of a state machine.

    Args:
        machine: A `transitions.Machine`, possibly hierarchical; or a
            `statemachine.StateMachine` or `StateChart`, or its class.
        ignoring: Let each state ignore the events that it does not handle.
        limits: Bounds on the size of the model.

    Raises:
        SymrobError: The object is something else, or uses history.
        LimitExceeded: The flattened machine exceeds the limits.

    Cost: that of `formats.charts.chart_file`.
    """
    notes = Notes()
    if hasattr(machine, "states_map") or hasattr(machine, "final_states"):
        chart = _Together(machine, notes).chart()
    elif hasattr(machine, "events") and hasattr(machine, "states"):
        chart = _OneByOne(machine, notes).chart()
    else:
        message = (
            "expected a machine of the package transitions or python-statemachine, "
            f"not {machine!r:.60}"
        )
        raise SymrobError(Diagnostic("api-argument", message))
    name = type(machine).__name__ if not isinstance(machine, type) else machine.__name__
    source = Source(name, IGNORING if ignoring else None, limits=limits)
    return chart_file(chart, source, notes)


# The package `transitions`.


class _OneByOne:
    """Reads a machine of `transitions`, whose states may declare events themselves."""

    def __init__(self, machine: Any, notes: Notes) -> None:
        self.machine, self.notes = machine, notes
        self.between = getattr(getattr(machine, "state_cls", None), "separator", "_")
        self.root = Node("", "compound")
        self.nodes: dict[str, Node] = {"": self.root}
        # The states that declare each event.
        self.scopes: dict[str, list[Node]] = {}

    def chart(self) -> Chart:
        self._states(self.machine.states, self.root)
        first = self.machine.initial
        if isinstance(first, list):
            _refuse(
                "machine-initial", "a list as 'initial' of the machine is not supported"
            )
        if _text(first) not in self.nodes or not first:
            _refuse("machine-initial", "the machine has no initial state")
        self.root.initial = (self.nodes[_text(first)],)
        self._events(self.machine, self.root)
        for name, scopes in self.scopes.items():
            for scope in scopes:
                if scope.kind == "parallel":
                    where = f"in the parallel state '{scope.name}'"
                    _refuse(
                        "machine-scope", f"the event '{name}' {where} is not supported"
                    )
                for inner in scopes:
                    near = [*inner.ancestors, *preorder(inner)]
                    whole = any(node.kind == "parallel" for node in near)
                    if whole and inner.within(scope):
                        message = f"'{inner.name}' also declares it, with regions"
                        place = f" of '{scope.name}'" if scope.name else ""
                        message = (
                            f"the event '{name}'{place} is not supported: {message}"
                        )
                        _refuse("machine-scope", message)
        rules = Rules(_same, _active_domain, inner_first=True, one_by_one=True)
        return Chart(self.root, tuple(self.scopes), rules)

    def _path(self, node: Node, name: Any) -> str:
        return f"{node.name}{self.between}{_text(name)}" if node.name else _text(name)

    def _states(self, states: Mapping[str, Any], parent: Node) -> None:
        for key, state in states.items():
            node = Node(self._path(parent, key))
            parent.add(node)
            self.nodes[node.name] = node
            self._states(getattr(state, "states", None) or {}, node)
            if not node.children:
                continue
            initial = getattr(state, "initial", None)
            names = initial if isinstance(initial, list) else [initial]
            node.kind = "parallel" if len(names) > 1 else "compound"
            node.initial = tuple(
                self._child(node, self._path(node, name)) for name in names if name
            )
            # Regions are tried in the order in which they are entered.
            rest = [child for child in node.children if child not in node.initial]
            node.children = [*node.initial, *rest]

    def _child(self, node: Node, path: str) -> Node:
        for child in node.children:
            if child.name == path:
                return child
        message = f"the initial state '{path}' is not a state of '{node.name}'"
        raise SymrobError(Diagnostic("machine-initial", message))

    def _events(self, owner: Any, scope: Node) -> None:
        """Read the transitions that a state, or the machine, declares in itself."""
        inner = [
            (state, self.nodes[self._path(scope, key)])
            for key, state in owner.states.items()
            if getattr(state, "states", None)
        ]
        for state, node in inner:
            self._events(state, node)
        for name, event in owner.events.items():
            automatic = scope is self.root and self._is_automatic(name, event)
            # One that a state declares, too, is meant.
            if not automatic or name in self.scopes:
                for source, rows in event.transitions.items():
                    for row in rows:
                        self._row(name, scope, source, row)

    def _row(self, name: str, scope: Node, source: Any, row: Any) -> None:
        if scope not in self.scopes.setdefault(name, []):
            self.scopes[name].append(scope)
        node = self._found(name, scope, source)
        targets = () if row.dest is None else (self._found(name, scope, row.dest),)
        for target in targets:
            for inner in (target, *target.ancestors):
                around = inner.parent or self.root
                if around.kind == "parallel" and inner not in around.initial:
                    message = f"'{inner.name}' is not an initial region"
                    _refuse("machine-target", f"the event '{name}': {message}")
            if scope is not self.root:
                # The library looks for the first part of a target in the wrong place.
                above = [target, *target.ancestors]
                part = above[above.index(scope) - 1].name
                part = part.removeprefix(f"{scope.name}{self.between}")
                if above[-2].name == part:
                    message = f"'{part}' is inside a state of the same name"
                    _refuse("machine-target", f"the event '{name}': {message}")
        guarded = bool(getattr(row, "conditions", None))
        self.notes.guards += guarded
        edge = Edge(node, (name,), targets, guarded, scope=scope)
        node.edges.append(edge)

    def _found(self, name: str, scope: Node, state: Any) -> Node:
        path = self._path(scope, state)
        if not _text(state) or path not in self.nodes:
            place = f" in '{scope.name}'" if scope.name else ""
            message = f"the event '{name}': unknown state '{_text(state)}'{place}"
            hint = known_or_near(path, filter(None, self.nodes), "its states")
            raise SymrobError(Diagnostic("machine-target", message, hint=hint))
        return self.nodes[path]

    def _is_automatic(self, name: str, event: Any) -> bool:
        """Whether an event is one that leads from each state to one, by itself."""
        if not getattr(self.machine, "auto_transitions", False):
            return False
        attribute = getattr(self.machine, "model_attribute", "state")
        goals = [name.removeprefix("to_"), name.removeprefix(f"to_{attribute}_")]
        rows = list(event.transitions.values())
        tops = self.machine.states
        plain = ("conditions", "prepare", "before", "after")
        return (
            name.startswith("to_")
            and all(_text(source) in tops for source in event.transitions)
            and all(len(of_one) == 1 for of_one in rows)
            and all(
                _text(row.dest) in goals
                and not any(getattr(row, key, None) for key in plain)
                for (row,) in rows
            )
        )


def _active_domain(edge: Edge, here: Configuration) -> Node:
    """The innermost active state around the target, in the state that declares it."""
    (target,) = edge.targets
    scope = edge.scope
    if scope is not None and scope.name:
        return scope
    active = (node for node in target.ancestors if node in here)
    return next(active)


def _same(one: str, other: str) -> bool:
    return one == other


def _text(name: Any) -> str:
    return str(getattr(name, "name", name))


def _refuse(code: str, message: str) -> NoReturn:
    raise SymrobError(Diagnostic(code, message))


# The package `python-statemachine`.


class _Together:
    """Reads a machine of `python-statemachine`, or the class of one."""

    def __init__(self, machine: Any, notes: Notes) -> None:
        self.kind: Any = machine if isinstance(machine, type) else type(machine)
        self.notes = notes
        self.root = Node("", "compound")
        self.nodes: dict[int, Node] = {}
        self.pairs: list[tuple[Node, Any]] = []
        self.events: dict[str, None] = {}
        # Whether a state is entered again by a transition to itself.
        self.enters = bool(getattr(self.kind, "enable_self_transition_entries", False))

    def chart(self) -> Chart:
        kind = self.kind
        self._states(kind.states, self.root)
        start = [kind.initial_state.value]
        start = list(getattr(kind, "start_configuration_values", None) or start)
        self.root.initial = tuple(
            node for value in start for node, s in self.pairs if s.value == value
        )
        inside = {node.done for node in self.nodes.values() if node.done}
        for node, state in self.pairs:
            for row in state.transitions:
                self._row(node, row, inside)
        rules = Rules(
            _descriptor_matches,
            unordered="all",
            wholes_end=True,
            at_once=bool(getattr(kind, "atomic_configuration_update", False)),
        )
        return Chart(self.root, tuple(self.events), rules)

    def _states(self, states: Iterable[Any], parent: Node) -> None:
        for state in states:
            history = list(getattr(state, "history", None) or ())
            if history or type(state).__name__ == "HistoryState":
                name = str((history or [state])[0].id)
                message = f"history is not supported: '{name}' depends on the past"
                _refuse("machine-history", message)
            node = Node(str(state.id))
            if any(node.name == other.name for other, _ in self.pairs):
                message = f"two states are called '{node.name}'"
                _refuse(
                    "machine-names", f"{message}, which the library does not support"
                )
            parent.add(node)
            self.nodes[id(state)] = node
            self.pairs.append((node, state))
            node.rank = getattr(state, "document_order", None) or None
            if list(getattr(state, "invoke", None) or ()):
                self.notes.add("invoked services")
            if inner := getattr(state, "states", None):
                node.kind = "parallel" if state.parallel else "compound"
                node.done = f"done.state.{state.id}"
                self._states(inner, node)
            elif state.final:
                node.kind = "final"

    def _row(self, node: Node, row: Any, inside: set[str]) -> None:
        targets = getattr(row, "targets", None) or (row.target,)
        there = tuple(self.nodes[id(t)] for t in targets if t is not None)
        if clash := exclusive(there):
            _refuse("machine-target", never_together(*clash))
        if getattr(row, "initial", False):
            if node.kind == "compound" and not node.initial:
                node.initial = there
            return
        names = [str(getattr(event, "id", event)) for event in row.events]
        # `done_state_ID` is declared beside `done.state.ID`, which it means.
        names = [n for n in names if n.replace("_", ".", 2) not in inside or "." in n]
        self.events |= dict.fromkeys(name for name in names if name not in inside)
        guarded = any(True for _ in _conditions(row))
        self.notes.guards += guarded
        internal = bool(getattr(row, "internal", False))
        idle = internal and there == (node,) and not node.children
        # The library enters the regions around such a state once more, and it.
        again = any(around.kind == "parallel" for around in node.ancestors)
        again = again or (self.enters and node.kind == "final")
        if internal and (again if idle else not self.enters):
            message = f"the internal transition from '{node.name}' is not supported: "
            what = (
                "the library would enter active states, or states that exclude others"
            )
            _refuse("machine-internal", message + what)
        edge = Edge(node, tuple(names), () if idle else there, guarded)
        edge.internal = internal and node.kind == "compound"
        node.edges.append(edge)


def _descriptor_matches(descriptor: str, event: str) -> bool:
    return matches_tokens(descriptor.removesuffix(".*").removesuffix("."), event)


def _conditions(row: Any) -> Iterable[Any]:
    """What decides whether a transition is taken: conditions and validators."""
    specs = getattr(row, "_specs", None)
    if specs is not None:
        for spec in specs:
            group = getattr(getattr(spec, "group", None), "name", "")
            if group in ("COND", "VALIDATOR"):
                yield spec
    else:
        yield from getattr(row, "cond", None) or ()
