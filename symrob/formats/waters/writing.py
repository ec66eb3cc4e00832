"""Supremica modules (`.wmod`), written: a plant for each component."""

from __future__ import annotations

import re
from collections.abc import Iterator
from xml.sax.saxutils import quoteattr

from symrob.errors import Diagnostic, SymrobError
from symrob.formats.registry import Text
from symrob.formats.text import distinct_names, sample
from symrob.lts import ERROR, TAU, Lts, Network

_ERROR_NAME = "ERROR"
# What XML 1.0 holds in no way, not even escaped.
_NO_XML = re.compile("[^\t\n\r -\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")


def module_text(system: Lts | Network) -> Text:
    """Return the lines of a module that holds a system, and what it cannot hold.

    Args:
        system: Each component becomes an automaton: a plant; or, if it has transitions
            to ERROR, a property with a forbidden state.

    Raises:
        SymrobError: A name holds what XML cannot hold.

    Cost: linear in the transitions.
    """
    return list(_lines(system)), tuple(_losses(system))


def _lines(system: Lts | Network) -> Iterator[str]:
    events = sorted({a for c in system.components for a in c.alphabet})
    moves = any(t.action == TAU for c in system.components for t in c.transitions)
    yield '<?xml version="1.0" encoding="UTF-8"?>'
    space = "http://waters.sourceforge.net/xsd/module"
    yield f'<Module xmlns="{space}" Name="model">'
    yield "<EventDeclList>"
    for event in (*events, *([TAU] if moves else ())):
        kind = "UNCONTROLLABLE" if event == TAU else "CONTROLLABLE"
        yield f'<EventDecl Kind="{kind}" Name={_quoted(event)}/>'
    yield '<EventDecl Kind="PROPOSITION" Name=":accepting"/>'
    yield '<EventDecl Kind="PROPOSITION" Name=":forbidden"/>'
    yield "</EventDeclList>"
    yield "<ComponentList>"
    names = distinct_names(system.component_names, "M")
    for name, lts in zip(names, system.components, strict=True):
        yield from _automaton(name, lts)
    yield "</ComponentList>"
    yield "</Module>"


def _automaton(name: str, lts: Lts) -> Iterator[str]:
    error = any(target == ERROR for _source, _action, target in lts.transitions)
    kind = "PROPERTY" if error else "PLANT"
    states = _states(lts)
    yield f'<SimpleComponent Kind="{kind}" Name={_quoted(name)}>'
    yield f'<Graph Deterministic="{str(lts.deterministic).lower()}">'
    if lts.unused_actions:
        yield "<LabelBlock>"
        for action in lts.unused_actions:
            yield f"<SimpleIdentifier Name={_quoted(action)}/>"
        yield "</LabelBlock>"
    yield "<NodeList>"
    for state, label in enumerate(states):
        first = ' Initial="true"' if state == 0 else ""
        yield from _node(label, ":accepting", first)
    if error:
        yield from _node(_ERROR_NAME, ":forbidden", "")
    yield "</NodeList>"
    yield "<EdgeList>"
    for source, row in enumerate(lts.successors):
        edges: dict[int, list[str]] = {}
        for action, targets in row.items():
            for target in targets:
                edges.setdefault(target, []).append(action)
        for target, actions in edges.items():
            there = _ERROR_NAME if target == ERROR else states[target]
            yield f"<Edge Source={_quoted(states[source])} Target={_quoted(there)}>"
            labels = (f"<SimpleIdentifier Name={_quoted(a)}/>" for a in actions)
            yield f"<LabelBlock>{''.join(labels)}</LabelBlock>"
            yield "</Edge>"
    yield "</EdgeList>"
    yield "</Graph>"
    yield "</SimpleComponent>"


def _node(name: str, mark: str, first: str) -> Iterator[str]:
    yield f"<SimpleNode{first} Name={_quoted(name)}>"
    yield f'<EventList><SimpleIdentifier Name="{mark}"/></EventList>'
    yield "</SimpleNode>"


def _states(lts: Lts) -> tuple[str, ...]:
    """The names of the states, distinct and none of them that of ERROR."""
    names = lts.names
    if names is None or {_ERROR_NAME, ""} & {*names}:
        return tuple(str(state) for state in range(lts.size))
    return names


def _losses(system: Lts | Network) -> Iterator[Diagnostic]:
    def loss(message: str) -> Diagnostic:
        return Diagnostic("wmod-loss", message, severity="warning")

    if system.hidden:
        yield loss(
            f"hidden actions are written as others: {sample(sorted(system.hidden))}"
        )
    if any(lts.names not in (None, _states(lts)) for lts in system.components):
        yield loss("one of the state names is empty or ERROR: numbers are written")
    if any(lts.end is not None for lts in system.components):
        yield loss("that a state is END is not written")
    if any(c.deterministic is False for c in system.components):
        yield loss("Supremica's algorithms want deterministic automata; this is none")


def _quoted(name: str) -> str:
    """A name as the value of an attribute, so that reading gives it back."""
    if _NO_XML.search(name):
        message = f"XML cannot hold a character of the name {name!r:.60}"
        raise SymrobError(Diagnostic("wmod-name", message))
    escapes = {"\n": "&#10;", "\r": "&#13;", "\t": "&#9;"}
    return quoteattr(name, escapes)
