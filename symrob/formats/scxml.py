"""SCXML (`.scxml`), the statecharts of the W3C.

In:  one `scxml` element with its states.
Out: an `Lts`: hierarchy and parallel regions flattened (`formats.flattening`).

- Its actions are the events of transitions, and those sent without a target. `a.b`
  matches `a.b` and every event of the file that begins with `a.b.`; `*` matches every
  event, and the action `*`, which represents any other event.
- A guard (`cond`) is not evaluated: it becomes a choice. Data, scripts, `invoke` and
  sent events are ignored; the reader warns if a file uses them.
- `raise`, `done.state.ID` and eventless transitions are completed within the step.
- History is refused. Nothing is fetched (`src`) or executed.

With `FILE#ignoring` states ignore events that they do not handle, as in an interpreter.

Sources: docs/sources.md [SCXML].
"""

from __future__ import annotations

from collections.abc import Sequence

from symrob.errors import known_or_near
from symrob.files.xmltext import Element
from symrob.formats.flattening import chart_file
from symrob.formats.registry import Format, Source
from symrob.formats.statechart import (
    NO_HISTORY,
    Chart,
    Content,
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
from symrob.formats.xmlfile import XmlReader

NAMESPACE = "http://www.w3.org/2005/07/scxml"

_STATES = {"state": "atomic", "parallel": "parallel", "final": "final"}
# What stands in a state or in the document without any meaning for its events.
_IDLE = {"datamodel", "donedata", "script"}
# Executable content that raises no event.
_SILENT = {"log", "assign", "script", "cancel"}
# What can fail while it is executed, and the events that tell so.
_FAILS = {
    **dict.fromkeys(("log", "assign", "script", "foreach", "if"), ("error.execution",)),
    "send": ("error.execution", "error.communication"),
    "cancel": ("error.execution",),
}


def _read(source: Source) -> ModelFile:
    return _ScxmlReader(source).read()


class _ScxmlReader(XmlReader):
    kind = "scxml"

    def __init__(self, source: Source) -> None:
        super().__init__(source)
        self.notes = Notes()
        self.nodes: dict[str, Node] = {}
        self.edges: list[tuple[Edge, Element]] = []
        self.initials: list[tuple[Node, str, Element]] = []
        self.events: dict[str, None] = {}
        self.internal: set[str] = set()
        self.sent: set[str] = set()
        # The failures that some transition reacts to; all others have no effect.
        self.failing: set[str] = set()

    def read(self) -> ModelFile:
        top = self.top("scxml")
        self.failing = _handled(top)
        root = Node("", "compound")
        self._inside(root, top)
        if not root.children:
            self.error(top, "the chart has no states")
        self._resolve()
        self.problems.check(sort=True)
        for node in preorder(root):
            if node.kind == "compound":
                node.initial = node.initial or (node.children[0],)
        self._name_done(root)
        chart = Chart(root, self._alphabet(), Rules(matches_tokens))
        return chart_file(chart, self.source, self.notes)

    def _inside(self, node: Node, element: Element) -> None:
        """Read what stands in a state, or in the document."""
        initial = element.get("initial")
        if initial:
            self.initials.append((node, initial, element))
        for child in element:
            tag = child.tag
            if child.space not in (NAMESPACE, "", element.space):
                continue
            if tag in _STATES:
                node.add(self._state(child))
            elif tag == "transition":
                self._transition(node, child)
            elif tag in ("onentry", "onexit"):
                content = self._content(child)
                if tag == "onentry":
                    node.entry += content
                else:
                    node.exit += content
            elif tag == "initial":
                self._initial(node, child)
            elif tag == "history":
                self.error(child, *NO_HISTORY)
                if child.get("id"):
                    # Only so that naming it is no second problem.
                    ghost = Node(child.get("id"), parent=node)
                    self.nodes.setdefault(ghost.name, ghost)
            elif tag == "invoke":
                self.notes.add("invoked services")
                for part in child:
                    if part.tag == "finalize":
                        self._content(part)
            elif tag in _IDLE:
                if tag != "donedata":
                    self.notes.add("data")
                elif "error.execution" in self.failing:
                    node.entry += (((), ("error.execution",)),)
            else:
                self.error(child, f"unexpected element '{tag}'")
        if node.children and node.kind == "atomic":
            node.kind = "compound"

    def _state(self, element: Element) -> Node:
        name = element.get("id")
        if element.get("src"):
            self.error(element, "states of other files ('src') are not supported")
        node = Node(name or f"{element.tag}@{element.line}", _STATES[element.tag])
        if name in self.nodes:
            self.error(element, f"another state has the name '{name}'")
        elif name:
            self.nodes[name] = node
        self._inside(node, element)
        if node.kind == "parallel" and not node.children:
            node.kind = "atomic"
        if node.kind == "final" and node.children:
            self.error(element, "a final state cannot contain states")
        return node

    def _initial(self, node: Node, element: Element) -> None:
        transition = element.first("transition")
        target = transition.get("target") if transition else ""
        if transition is None or not target:
            self.error(element, "expected a transition with a target in 'initial'")
            return
        self.initials.append((node, target, transition))
        if self._content(transition):
            self.error(transition, "events raised in 'initial' are not supported")

    def _transition(self, node: Node, element: Element) -> None:
        words = element.get("event").split()
        edge = Edge(
            node,
            tuple(_descriptor(word) for word in words),
            guarded="cond" in element.attributes,
            internal=element.get("type") == "internal" and node.kind != "parallel",
            content=self._content(element),
        )
        if edge.guarded:
            self.notes.guards += 1
        if not words and "target" not in element.attributes and not edge.guarded:
            # It has no effect, but would be taken forever.
            if not edge.content:
                return
            message = "a transition without event and target would be taken forever"
            self.error(element, f"{message}; add an event, a target or a condition")
        self.events.update(dict.fromkeys(edge.events))
        node.edges.append(edge)
        self.edges.append((edge, element))

    def _content(self, element: Element) -> Content:
        """What executable content raises: a block ends where something fails."""
        rest: Content = ()
        # From the end, since what fails leaves out all that follows it.
        for child in reversed(element.children):
            if child.space not in (NAMESPACE, "", element.space):
                continue
            rest = self._executed(child) + rest
            failures = [e for e in _FAILS.get(child.tag, ()) if e in self.failing]
            if failures:
                rest = ((rest, *((event,) for event in failures)),)
        return rest

    def _executed(self, element: Element) -> Content:
        tag = element.tag
        if tag == "raise":
            return self._raised(element, element.get("event"))
        if tag == "send":
            return self._sent(element)
        if tag == "if":
            return (self._choice(element),)
        if tag == "foreach":
            self._content(element)
            if _raises(element):
                self.error(element, "events raised in 'foreach' are not supported")
            self.notes.add("data")
        elif tag in _SILENT:
            if tag in ("assign", "script"):
                self.notes.add("data")
        else:
            self.error(element, f"unexpected element '{tag}'")
        return ()

    def _raised(self, element: Element, event: str) -> Content:
        if not event or event.split() != [event]:
            self.error(element, "expected the name of one event")
            return ()
        self.internal.add(event)
        return (event,)

    def _sent(self, element: Element) -> Content:
        event, target = element.get("event"), element.get("target")
        if target == "#_internal" and "delay" not in element.attributes:
            return self._raised(element, event)
        if event and not target and event.split() == [event]:
            # It comes back from outside, at some time.
            self.events[event] = None
            self.sent.add(event)
        self.notes.add("sent events")
        return ()

    def _choice(self, element: Element) -> tuple[Content, ...]:
        self.notes.guards += 1
        branches: list[list[Element]] = [[]]
        complete = False
        for child in element:
            if child.tag in ("elseif", "else"):
                complete = complete or child.tag == "else"
                branches.append([])
            else:
                branches[-1].append(child)
        bodies = [Element("", element.space, {}, 1, 1, branch) for branch in branches]
        choices = list(map(self._content, bodies))
        return tuple(choices if complete else [*choices, ()])

    def _resolve(self) -> None:
        """Find the states that transitions and initial attributes name."""
        for edge, element in self.edges:
            words = element.get("target").split()
            edge.targets = self._targets(words, element)
            if "target" in element.attributes and not words:
                self.error(element, "expected the name of a state in 'target'")
        for node, words_text, element in self.initials:
            if node.kind == "parallel":
                self.error(element, "a parallel state must not have 'initial'")
                continue
            node.initial = self._targets(words_text.split(), element)
            for target in node.initial:
                if node.name and not target.within(node):
                    message = f"'{target.name}' is not a state within '{node.name}'"
                    self.error(element, message)

    def _targets(self, words: Sequence[str], element: Element) -> tuple[Node, ...]:
        found = []
        for word in words:
            if word in self.nodes:
                found.append(self.nodes[word])
            else:
                hint = known_or_near(word, self.nodes, "the states")
                self.error(element, f"no state has the name '{word}'", hint)
        if clash := exclusive(found):
            self.error(element, never_together(*clash))
        return tuple(found)

    def _name_done(self, root: Node) -> None:
        for name, node in self.nodes.items():
            if node.children and node is not root:
                node.done = f"done.state.{name}"

    def _alphabet(self) -> tuple[str, ...]:
        """The events that can come from outside."""
        inside = {node.done for node in self.nodes.values()} | self.internal
        # What is raised inside comes from outside only if it is sent too.
        return tuple(e for e in self.events if e not in inside or e in self.sent)


def _raises(element: Element) -> bool:
    """Whether an element raises an event somewhere in it."""
    target = element.get("target") if element.tag == "send" else ""
    return (
        element.tag == "raise"
        or target == "#_internal"
        or any(map(_raises, element.children))
    )


def _handled(top: Element) -> set[str]:
    """The failures that some transition of a document reacts to."""
    words: set[str] = set()
    work = [top]
    while work:
        element = work.pop()
        work += element.children
        if element.tag == "transition":
            words.update(map(_descriptor, element.get("event").split()))
    failures = {event for events in _FAILS.values() for event in events}
    return {e for e in failures if any(matches_tokens(word, e) for word in words)}


def _descriptor(word: str) -> str:
    """An event descriptor without the mark that it stands for longer names too."""
    return word if word == "*" else word.removesuffix(".*").removesuffix(".") or word


FORMAT = Format("SCXML", _read, has_parts=True, suffixes=(".scxml",))
