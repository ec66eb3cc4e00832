"""Writing Supremica modules: a plant for each component.

In:  a system.
Out: the lines of a module, and warnings about unsupported features.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from xml.sax.saxutils import quoteattr

from symrob.errors import Diagnostic, SymrobError
from symrob.formats.text import ERROR_NAME, Holds, by_target, distinct_names
from symrob.lts import ERROR, TAU, Lts, Network

HOLDS = Holds(
    fits=bool,
    names="the state names '' and ERROR are not supported; numbers are written",
    hidden=False,
    end="END states are written as ordinary states",
    choices="Supremica's algorithms require deterministic automata; this one is not",
)
# What XML 1.0 holds in no way, not even escaped.
_NO_XML = re.compile("[^\t\n\r -\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")


def module_lines(system: Lts | Network) -> Iterator[str]:
    """Yield the lines of a module for a system.

    Args:
        system: The system. Each component becomes an automaton: a plant or, if it has
            transitions to ERROR, a property with a forbidden state.

    Raises:
        SymrobError: A name contains a character that XML does not support.

    Cost: linear in the transitions.
    """
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
    error = lts.can_fail
    kind = "PROPERTY" if error else "PLANT"
    states = HOLDS.state_names(lts)
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
        yield from _node(ERROR_NAME, ":forbidden", "")
    yield "</NodeList>"
    yield "<EdgeList>"
    for source, row in enumerate(lts.successors):
        for target, actions in by_target(row).items():
            there = ERROR_NAME if target == ERROR else states[target]
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


def _quoted(name: str) -> str:
    """A name as the value of an attribute, so that reading gives it back."""
    if _NO_XML.search(name):
        message = f"XML does not support a character of the name {name!r:.60}"
        raise SymrobError(Diagnostic("wmod-name", message))
    escapes = {"\n": "&#10;", "\r": "&#13;", "\t": "&#9;"}
    return quoteattr(name, escapes)
