"""XState machines (`.json`): the argument of `createMachine` of XState 5, as JSON.

In:  an object with `states`.
Out: an `Lts`: hierarchy and parallel regions flattened (`formats.flattening`).

- Its actions are the events of `on`. A delayed transition is the action
  `xstate.after.DELAY.ID`, possible at any time while its state is active; an actor
  reports `xstate.done.actor.ID` or `xstate.error.actor.ID`.
- A guard (`guard`) is not evaluated: it becomes a choice. Context, actions other than
  `raise`, and actors are ignored; the reader warns if a file uses them.
- `always` and `onDone` are completed within the step.
- History, `route` and features of XState 4 alone are refused. A warning lists unknown
  keys.
- If the guards of an exact descriptor fail, XState 5.33 tries `*` and `a.*` of the same
  state, earlier versions the enclosing states: both are possible.

With `FILE#ignoring` states ignore events that they do not handle, as in an interpreter.

Sources: docs/sources.md [XState], [SCXML].
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from itertools import permutations
from typing import Any

from symrob.files.jsontext import Path
from symrob.formats.flattening import chart_file
from symrob.formats.jsonfile import JsonReader, show
from symrob.formats.registry import Format, Source
from symrob.formats.statechart import (
    NO_HISTORY,
    Chart,
    Configuration,
    Content,
    Edge,
    Node,
    Notes,
    Rules,
    exclusive,
    never_together,
)
from symrob.formats.text import ModelFile

_KINDS = {"atomic", "compound", "parallel", "final", "history"}
_SILENT = {
    *("description", "meta", "tags", "output", "data", "version", "id", "key"),
    *("strict", "predictableActionArguments", "preserveActionOrder", "transitions"),
    *("schema", "schemas", "tsTypes", "types", "order", "path", "$schema", "delays"),
    *("actions", "guards", "services", "actors", "setup", "input", "target", "title"),
}
_KNOWN = {
    *("type", "initial", "states", "on", "always", "after", "onDone"),
    *("entry", "exit", "invoke", "history"),
}
# What XState 4 gave a meaning that XState 5 does not look at, and what says it now.
_OLD = {
    "onEntry": "'entry'",
    "onExit": "'exit'",
    "activities": "'invoke'",
    "parallel": "'type': 'parallel'",
    "delimiter": "'.' between keys",
    "cond": "'guard'",
    "in": "a guard",
    "internal": "'reenter'",
}
_RAISES = {"raise", "xstate.raise"}
# Actions that choose other ones, which may raise events.
_CHOOSES = {
    f"{xstate}{action}"
    for action in ("choose", "pure", "enqueueActions")
    for xstate in ("", "xstate.")
}
_NUMBER = re.compile(r"\s*[+-]?(\d+\.?\d*|\.\d+)(e[+-]?\d+)?\s*", re.IGNORECASE)
_BEGINS = re.compile(r'"states"\s*:\s*\{')
_MEANS_ALL = "*"


def _begins(text: str) -> bool:
    return _BEGINS.search(text) is not None


def _read(source: Source) -> ModelFile:
    return _XStateReader(source).read()


class _XStateReader(JsonReader):
    code = "xstate-model"

    def __init__(self, source: Source) -> None:
        super().__init__(source)
        self.notes = Notes()
        self.name = ""
        # States by their place among the keys, and by their identifiers.
        self.by_path: dict[tuple[str, ...], Node] = {}
        self.by_id: dict[str, Node] = {}
        self.ids: dict[Node, str] = {}
        self.keys: dict[Node, str] = {}
        self.edges: list[tuple[Edge, list[str], Path]] = []
        self.initials: list[tuple[Node, Any, Path]] = []
        self.events: dict[str, None] = {}
        self.only_in: dict[str, set[Node]] = {}
        self.raised: set[str] = set()
        # The events that a key of a state gives transitions for.
        self.given: set[tuple[Node, str]] = set()
        # Events that are raised after some time.
        self.later: dict[str, None] = {}
        self.unknown: dict[str, None] = {}

    def read(self) -> ModelFile:
        data = self.data()
        if not isinstance(data, dict) or not isinstance(data.get("states"), dict):
            self.error((), "expected an object with 'states'")
            self.problems.check()
        name = data.get("id")
        self.name = name if isinstance(name, str) and name else "(machine)"
        root = self._state(data, (), (), None)
        root.name = ""
        if not root.children:
            self.error((), "the machine has no states")
        self._resolve(root)
        self.problems.check(sort=True)
        if self.unknown:
            self.notes.add(f"unknown keys ({', '.join(sorted(self.unknown))})")
        reports = [
            event
            for event in self.only_in
            if any(_matches(descriptor, event) for descriptor in self.events)
        ]
        inside = {node.done for node in self.by_path.values()} | self.raised
        outside = dict.fromkeys(e for e in (*self.events, *reports) if e not in inside)
        chart = Chart(
            root,
            tuple(outside | self.later),
            _RULES,
            {event: frozenset(nodes) for event, nodes in self.only_in.items()},
        )
        return chart_file(chart, self.source, self.notes)

    def _state(
        self, data: Any, keys: tuple[str, ...], at: Path, parent: Node | None
    ) -> Node:
        node = Node(".".join(keys), parent=parent)
        self.by_path[keys] = node
        self.keys[node] = keys[-1] if keys else ""
        self.ids[node] = ".".join((self.name, *keys))
        if not isinstance(data, dict):
            self.error(at, f"expected an object for the state '{node.name}'")
            return node
        identifier = data.get("id") if keys else self.name
        if not isinstance(identifier, str) or not identifier:
            identifier = ".".join((self.name, *keys))
        if identifier in self.by_id:
            self.error(at, f"another state has the identifier '{identifier}'")
        self.by_id[identifier] = node
        node.done = f"xstate.done.state.{identifier}"
        self.ids[node] = identifier
        if len(keys) > self.limits.max_nesting:
            message = (
                "states are nested too deeply; --bound max-nesting raises this limit"
            )
            self.error(at, message, code="xstate-limit-nesting")
            return node
        states = data.get("states") or {}
        node.kind = self._kind(data, states, at)
        if not isinstance(states, dict):
            self.error((*at, "states"), "expected an object of states")
            states = {}
        for key in _in_order(states):
            child = states[key]
            place = (*at, "states", key)
            node.children.append(self._state(child, (*keys, key), place, node))
        if node.kind == "compound":
            if data.get("initial"):
                self.initials.append((node, data["initial"], (*at, "initial")))
            else:
                first = node.children[0] if node.children else node
                self.error(
                    at,
                    f"the state '{identifier}' contains states, but has no 'initial'",
                    f'"initial": "{self.keys[first]}" enters the first one',
                )
        self._notice(data, at)
        node.entry = self._content(data.get("entry"), (*at, "entry"))
        node.exit = self._content(data.get("exit"), (*at, "exit"))
        self._transitions(node, data, at)
        # Exact descriptors come first, then the longest ones.
        node.edges.sort(key=lambda edge: _generality(*edge.events))
        return node

    def _kind(self, data: Mapping[str, Any], states: Any, at: Path) -> str:
        kind = data.get("type") or ("compound" if states else "atomic")
        if kind == "history" or data.get("history"):
            self.error(at, *NO_HISTORY)
        elif not isinstance(kind, str) or kind not in _KINDS:
            known = ", ".join(sorted(_KINDS))
            message = f"the type of a state must be one of {known}, not {show(kind)}"
            self.error((*at, "type"), message)
        elif states and kind in ("atomic", "final"):
            article = "an atomic" if kind == "atomic" else "a final"
            self.error(at, f"{article} state cannot contain states")
        elif not states and kind == "parallel":
            self.error(at, "a parallel state must contain states")
        else:
            return kind
        return "compound" if states else "atomic"

    def _notice(self, data: Mapping[str, Any], at: Path) -> None:
        """Note what is left out, and what is not known."""
        self._refuse_old(data, at)
        if _given(data.get("route")):
            self.error((*at, "route"), "'route' is not supported")
        for key, value in data.items():
            if key in ("context", "invoke") and value:
                self.notes.add("data" if key == "context" else "invoked services")
            elif key not in {*_SILENT, *_KNOWN, *_OLD, "context", "route"}:
                self.unknown[f"{key:.40}"] = None

    def _refuse_old(self, data: Mapping[str, Any], at: Path) -> None:
        for key, now in _OLD.items():
            if data.get(key) is not None:
                message = f"'{key}' of XState 4 is not supported: XState 5 ignores it"
                self.error((*at, key), message, f"XState 5 uses {now}")

    def _transitions(self, node: Node, data: Mapping[str, Any], at: Path) -> None:
        for event, value in self._object(data, "on", at):
            place = (*at, "on", event)
            if not event or "*" in event.split(".")[:-1]:
                hint = (
                    None if event else "use 'always' for transitions without an event"
                )
                self.error(place, f"no event fits the descriptor '{event}'", hint)
            elif value is None or value == []:
                self.error(place, "expected a transition", "use {} to forbid an event")
            else:
                self._once(node, event, value, place)
        if _given(data.get("always")):
            self._handlers(node, "", data["always"], (*at, "always"))
        for delay, value in self._object(data, "after", at):
            event = f"xstate.after.{_number(delay)}.{self.ids[node]}"
            self.only_in.setdefault(event, set()).add(node)
            place = (*at, "after", delay)
            if isinstance(value, list) and not all(isinstance(v, dict) for v in value):
                self.error(place, "expected an object in a list of transitions")
            self._handlers(node, event, value, place)
        if _given(data.get("onDone")):
            self._once(node, node.done, data["onDone"], (*at, "onDone"))
        self._invoked(node, data.get("invoke") or [], at)

    def _once(self, node: Node, event: str, value: Any, at: Path) -> None:
        """Read the transitions of one event, for which no other key has some."""
        if (node, event) in self.given:
            self.error(at, f"another key also defines '{event}'")
        self.given.add((node, event))
        self._handlers(node, event, value, at)

    def _invoked(self, node: Node, invoked: Any, at: Path) -> None:
        """Read what is done with the reports of actors."""
        node.acts = bool(invoked)
        for i, actor in enumerate(invoked if isinstance(invoked, list) else [invoked]):
            place = (*at, "invoke", i) if actor is not invoked else (*at, "invoke")
            if not isinstance(actor, dict):
                self.error(place, "expected an object with the invoked service")
                continue
            name = actor.get("id")
            name = name if isinstance(name, str) else f"{i}.{self.ids[node]}"
            for key, event in (
                ("onDone", f"xstate.done.actor.{name}"),
                ("onError", f"xstate.error.actor.{name}"),
                ("onSnapshot", f"xstate.snapshot.{name}"),
            ):
                if _given(actor.get(key)) or key != "onSnapshot":
                    self.only_in.setdefault(event, set()).add(node)
                if _given(actor.get(key)):
                    self._once(node, event, actor[key], (*place, key))
            error = (f"xstate.error.actor.{name}",)
            errors = [edge for edge in node.edges if edge.events == error]
            if errors and errors[-1].guarded:
                self.error(
                    (*place, "onError"),
                    "XState stops if every guard of 'onError' fails",
                    "add a last transition without a guard",
                )

    def _object(
        self, data: Mapping[str, Any], key: str, at: Path
    ) -> Iterator[tuple[str, Any]]:
        value = data.get(key) or {}
        if isinstance(value, dict):
            yield from value.items()
        else:
            self.error((*at, key), f"expected an object in '{key}'")

    def _handlers(self, node: Node, event: str, given: Any, at: Path) -> None:
        """Read the transitions of one event, which are tried in their order."""
        for i, each in enumerate(given if isinstance(given, list) else [given]):
            place = (*at, i) if isinstance(given, list) else at
            self._transition(node, event, each, place)

    def _transition(self, node: Node, event: str, given: Any, at: Path) -> None:
        data = {"target": given} if isinstance(given, str) else given
        if not isinstance(data, dict):
            self.error(at, "expected a transition")
            return
        self._refuse_old(data, at)
        targets = data.get("target", "")
        named = [t for t in targets if t] if isinstance(targets, list) else [targets]
        if not all(isinstance(word, str) for word in named):
            self.error(at, "expected the name of a state as target")
            return
        edge = Edge(
            node,
            (event,) if event else (),
            guarded=_given(data.get("guard")),
            internal=not data.get("reenter"),
            content=self._content(data.get("actions"), (*at, "actions")),
        )
        self.notes.guards += edge.guarded
        if event:
            self.events.setdefault(event)
        node.edges.append(edge)
        if any(named):
            self.edges.append((edge, named, (*at, "target") if data is given else at))

    def _content(self, given: Any, at: Path) -> Content:
        """What actions raise."""
        raised: list[str] = []
        for action in given if isinstance(given, list) else [given]:
            kind = action.get("type") if isinstance(action, dict) else action
            if isinstance(kind, dict | list):
                self.error(at, "expected the name of an action as type")
                continue
            if kind in _CHOOSES:
                self.error(at, f"events that '{kind}' raises are not supported")
            if kind not in _RAISES or not isinstance(action, dict):
                if action is not None:
                    self.notes.add("actions")
                continue
            params = action.get("params")
            params = {**action, **params} if isinstance(params, dict) else action
            event = params.get("event")
            event = event.get("type") if isinstance(event, dict) else event
            if not isinstance(event, str) or not event:
                self.error(at, "expected the event that is raised")
            elif params.get("delay") is not None:
                self.later.setdefault(event)
            else:
                raised.append(event)
                self.raised.add(event)
        return tuple(raised)

    def _resolve(self, root: Node) -> None:
        for edge, named, at in self.edges:
            found = [self._target(edge.source, word, at) for word in named]
            edge.targets = tuple(node for node in found if node is not None)
            if clash := exclusive(edge.targets):
                self.error(at, never_together(*clash))
            for one, other in permutations(edge.targets, 2):
                if one is other or one.within(other):
                    message = f"'{one.name}' is inside '{other.name}': name one of them"
                    self.error(at, message)
            if root in edge.targets and root.entry and edge.internal:
                message = "events that 'entry' of the machine raises are not supported"
                self.error(at, message)
        for node, given, at in self.initials:
            value = given.get("target") if isinstance(given, dict) else given
            if isinstance(given, dict) and self._content(given.get("actions"), at):
                self.error(at, "events raised in 'initial' are not supported")
            # As `machine.definition` has it: a list with the identifier.
            word = value[0] if isinstance(value, list) and len(value) == 1 else value
            for child in node.children:
                if word in (self.keys[child], f"#{self.ids[child]}"):
                    node.initial = (child,)
            if not node.initial:
                message = f"no state {word!r:.60} in '{node.name or self.name}'"
                self.error(at, message)

    def _target(self, source: Node, word: str, at: Path) -> Node | None:
        hint = None
        if word.startswith("#"):
            first, *keys = _split(word[1:])
            found = self.by_id.get(first)
            found = self._below(found, keys) if found else None
        elif source.parent is not None:
            relative = word.startswith(".")
            path = f"{self.keys[source]}{word}" if relative else word
            found = self._below(source.parent, _split(path))
        elif word.startswith("."):
            found = self._below(source, _split(word[1:]))
        else:
            found = None
            hint = f"'.{word:.60}' names a state of the machine itself"
        if found is None:
            if hint is None and any(key == word for key in self.keys.values()):
                hint = "a state elsewhere has this name; '#ID' selects it by its 'id'"
            self.error(at, f"cannot resolve the state '{word:.60}' from here", hint)
        return found

    def _below(self, node: Node | None, keys: Iterable[str]) -> Node | None:
        for key in keys:
            if node is None or not key:
                break
            node = next((n for n in node.children if self.keys[n] == key), None)
        return node


def _given(value: Any) -> bool:
    """Whether a value counts as given in JavaScript: an empty object does."""
    return not (value is None or value is False or value in ("", 0))


def _in_order(states: Mapping[str, Any]) -> list[str]:
    """Keys in the order of JavaScript: numbers first."""
    return sorted(states, key=lambda key: (0, int(key)) if _is_index(key) else (1, 0))


def _is_index(key: str) -> bool:
    return len(key) < 10 and key.isascii() and key.isdigit() and str(int(key)) == key


def _number(delay: str) -> str:
    """A delay as XState writes it in the name of its event."""
    if not _NUMBER.fullmatch(delay):
        return delay
    value = float(delay)
    return str(int(value)) if value.is_integer() else str(value)


def _split(word: str) -> list[str]:
    """The keys in a path, between dots; a backslash takes the meaning of the next."""
    parts = re.findall(r"(?:\\.|[^.\\])+|(?<=\.)(?=\.|$)", word)
    return [re.sub(r"\\(.)", r"\1", part) for part in parts]


def _is_open(descriptor: str) -> bool:
    return descriptor == _MEANS_ALL or descriptor.endswith(".*")


def _generality(event: str = "") -> tuple[bool, int]:
    return (True, -len(event)) if _is_open(event) else (False, 0)


def _matches(descriptor: str, event: str) -> bool:
    """Whether a descriptor stands for an event: itself, `*`, or `a.*`, also for `a`."""
    return descriptor in (_MEANS_ALL, event) or (
        descriptor.endswith(".*") and f"{event}.".startswith(descriptor[:-1])
    )


def _domain(edge: Edge, _: Configuration) -> Node:
    """The state within which XState leaves and enters: also a parallel one."""
    source, targets = edge.source, edge.targets
    if edge.internal and all(t is source or t.within(source) for t in targets):
        return source
    first, *others = *targets, source
    around = next(a for a in first.ancestors if all(o.within(a) for o in others))
    # Around the machine itself, which only what reenters leaves.
    return around.children[0] if around.parent is None and edge.internal else around


_RULES = Rules(
    _matches,
    _domain,
    inner_first=True,
    falls_through=_is_open,
    unordered="eventless",
    idle_ends=True,
    final_regions=True,
)

FORMAT = Format("XState", _read, begins=_begins, has_parts=True, suffixes=(".json",))
