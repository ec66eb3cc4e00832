"""State machines of Python: objects of `transitions` and of `python-statemachine`.

In:  a machine, or the class of one; the packages themselves are not needed.
Out: a `ModelFile`: hierarchy and parallel states flattened (`formats.charts`).

Only what the object says of its states and transitions is looked at; no callback is
called, and each condition becomes a choice. What a state does not handle it does not
offer, as in files of statecharts.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from symrob.errors import Diagnostic, SymrobError
from symrob.formats.charts import Chart, Edge, Node
from symrob.formats.charts.reading import IGNORING, Notes, chart_file
from symrob.formats.registry import Source
from symrob.formats.text import ModelFile
from symrob.limits import DEFAULT_LIMITS, Limits


def read_machine(
    machine: Any, *, ignoring: bool = False, limits: Limits = DEFAULT_LIMITS
) -> ModelFile:
    """Return the model of a machine.

    Args:
        machine: A `transitions.Machine`, also a hierarchical one; or a
            `statemachine.StateMachine` or `StateChart`, or a class of one.
        ignoring: Let each state ignore the events that it does not handle.
        limits: Bounds on its size.

    Raises:
        SymrobError: It is no such object, or uses history.
        LimitExceeded: It is too large when it is flattened.
    """
    notes = Notes()
    if hasattr(machine, "states_map") or hasattr(machine, "final_states"):
        chart = _statemachine(machine, notes)
    elif hasattr(machine, "events") and hasattr(machine, "states"):
        chart = _transitions(machine, notes)
    else:
        message = (
            "expected a machine of the package transitions or python-statemachine, "
            f"not {machine!r:.60}"
        )
        raise SymrobError(Diagnostic("api-argument", message))
    name = type(machine).__name__ if not isinstance(machine, type) else machine.__name__
    source = Source(name, IGNORING if ignoring else None, limits=limits)
    return chart_file(chart, source, notes)


def _chart(root: Node, events: Iterable[str]) -> Chart:
    return Chart(root, tuple(dict.fromkeys(events)), lambda one, other: one == other)


# The package `transitions`.


def _transitions(machine: Any, notes: Notes) -> Chart:
    between = getattr(getattr(machine, "state_cls", None), "separator", "_")
    nodes: dict[str, Node] = {}
    root = Node("", "compound")

    def add(states: Mapping[str, Any], parent: Node, prefix: str) -> None:
        for key, state in states.items():
            path = f"{prefix}{between}{key}" if prefix else str(key)
            node = Node(path)
            parent.add(node)
            nodes[path] = node
            inner = getattr(state, "states", None) or {}
            if inner:
                add(inner, node, path)
                initial = getattr(state, "initial", None)
                node.kind = "parallel" if isinstance(initial, list) else "compound"
                if node.kind == "compound" and initial:
                    node.initial = (nodes[f"{path}{between}{_text(initial)}"],)

    add(machine.states, root, "")
    first = machine.initial
    names = first if isinstance(first, list) else [first]
    chosen = [nodes[_text(name)] for name in names if _text(name) in nodes]
    if not chosen:
        message = "the machine has no initial state"
        raise SymrobError(Diagnostic("machine-initial", message))
    root.initial = tuple(chosen)
    events: list[str] = []

    def edges(owner: Any, prefix: str) -> None:
        for name, event in owner.events.items():
            for source, rows in event.transitions.items():
                path = f"{prefix}{between}{source}" if prefix else str(source)
                for row in rows:
                    events.append(name)
                    target = () if row.dest is None else (_found(row.dest, prefix),)
                    guarded = bool(getattr(row, "conditions", None))
                    notes.guards += guarded
                    edge = Edge(nodes[path], (name,), target, guarded)
                    nodes[path].edges.append(edge)
        inner = machine.states if owner is machine else getattr(owner, "states", {})
        for key, state in (inner or {}).items():
            if getattr(state, "events", None):
                edges(state, f"{prefix}{between}{key}" if prefix else str(key))

    def _found(name: str, prefix: str) -> Node:
        inside = f"{prefix}{between}{name}"
        return nodes[inside] if prefix and inside in nodes else nodes[name]

    edges(machine, "")
    # Triggers `to_STATE` from every state to every other are no part of the model.
    if getattr(machine, "auto_transitions", False):
        events = [e for e in events if e.removeprefix("to_") not in nodes]
    return _chart(root, events)


def _text(name: Any) -> str:
    return str(getattr(name, "name", name))


# The package `python-statemachine`.


def _statemachine(machine: Any, notes: Notes) -> Chart:
    root = Node("", "compound")
    nodes: dict[int, Node] = {}
    pairs: list[tuple[Node, Any]] = []

    def add(states: Iterable[Any], parent: Node) -> None:
        initial = []
        for state in states:
            if type(state).__name__ == "HistoryState" or getattr(
                state, "history", None
            ):
                message = (
                    f"history is not read: '{state.id}' depends on the past"
                    if getattr(state, "id", None)
                    else "history is not read: where it leads depends on the past"
                )
                raise SymrobError(Diagnostic("machine-history", message))
            node = Node(str(state.id))
            parent.add(node)
            nodes[id(state)] = node
            pairs.append((node, state))
            if getattr(state, "initial", False):
                initial.append(node)
            inner = list(getattr(state, "states", None) or ())
            if inner:
                node.kind = (
                    "parallel" if getattr(state, "parallel", False) else "compound"
                )
                node.done = f"done.state.{state.id}"
                add(inner, node)
            elif getattr(state, "final", False):
                node.kind = "final"
        if parent.kind == "compound" and initial:
            parent.initial = (initial[0],)

    add(machine.states, root)
    events: list[str] = []
    inside = {node.done for node in nodes.values() if node.done}
    for node, state in pairs:
        for row in state.transitions:
            guarded = any(True for _ in _conditions(row))
            notes.guards += guarded
            names = [str(getattr(e, "id", e)) for e in row.events]
            # `done_state_ID` is the spelling of `done.state.ID` for names of Python.
            names = [
                name.replace("_", ".", 2) if name.startswith("done_state_") else name
                for name in names
            ]
            events += [name for name in names if name not in inside]
            targets = getattr(row, "targets", None) or (row.target,)
            inner = bool(getattr(row, "internal", False))
            there = tuple(nodes[id(t)] for t in targets if t is not None)
            # An internal transition to its own state enters nothing.
            if inner and there == (node,):
                there = ()
            node.edges.append(Edge(node, tuple(names), there, guarded, inner))
    return _chart(root, events)


def _conditions(row: Any) -> Iterable[Any]:
    found = getattr(row, "cond", None)
    specs = getattr(row, "_specs", None)
    if specs is not None:
        for spec in specs:
            if getattr(getattr(spec, "group", None), "name", "") == "COND":
                yield spec
    elif found:
        yield from found
