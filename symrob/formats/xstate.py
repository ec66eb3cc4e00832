"""XState machines (`.json`): what `createMachine` takes, as JSON.

In:  an object with `states`, as XState 4 and 5 write it.
Out: an `Lts`: hierarchy and parallel regions flattened (`formats.charts`).

- Its actions are the events of `on`; a delayed transition is the action
  `after.DELAY.STATE`, since the time may pass at any time; what an actor reports is
  `done.invoke.ID` or `error.platform.ID`.
- A guard (`guard`, `cond`) is not evaluated: it becomes a choice. Context, actions
  and actors have no effect, but `raise` has; the reader says what is left out.
- `always` and `onDone` are done within the step.
- History is refused. Keys that XState does not know are named in a warning.

`FILE#ignoring` lets each state ignore what it does not handle, as an interpreter does.

Sources: docs/sources.md [XState], [SCXML].
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import Any

from symrob.files.jsontext import Path, located, parsed
from symrob.formats.charts import Chart, Content, Edge, Node
from symrob.formats.charts.reading import Notes, chart_file
from symrob.formats.registry import Format, Source
from symrob.formats.text import ModelFile, Problems, read_text

_KINDS = {"atomic", "compound", "parallel", "final", "history"}
_SILENT = {
    *("description", "meta", "tags", "output", "data", "version", "id", "key"),
    *("strict", "predictableActionArguments", "preserveActionOrder", "delimiter"),
    *("schema", "schemas", "tsTypes", "types", "order", "path", "$schema", "delays"),
    *("actions", "guards", "services", "actors", "setup", "input", "target", "title"),
}
_LEFT_OUT = {"context": "data", "activities": "activities"}
_KNOWN = {
    *("type", "initial", "states", "on", "always", "after", "onDone", "onError"),
    *("entry", "exit", "onEntry", "onExit", "invoke", "history", "parallel"),
}
_RAISES = {"raise", "xstate.raise"}
_BEGINS = re.compile(r'"states"\s*:\s*\{')
_MEANS_ALL = "*"


def _begins(text: str) -> bool:
    return _BEGINS.search(text) is not None


def _read(source: Source) -> ModelFile:
    return _Reader(source).read()


class _Reader:
    def __init__(self, source: Source) -> None:
        self.source = source
        self.problems = Problems(source.path)
        self.notes = Notes()
        self.text = ""
        self.name = ""
        # States by their place among the keys, and by their identifiers.
        self.by_path: dict[tuple[str, ...], Node] = {}
        self.by_id: dict[str, Node] = {}
        self.paths: dict[Node, tuple[str, ...]] = {}
        self.edges: list[tuple[Edge, list[str], Path]] = []
        self.initials: list[tuple[Node, Any, Path]] = []
        self.events: dict[str, None] = {}
        self.raised: set[str] = set()
        self.unknown: dict[str, None] = {}

    def read(self) -> ModelFile:
        self.text = read_text(self.source.path)
        data = parsed(self.text, self.source.path, "json-syntax")
        if not isinstance(data, dict) or not isinstance(data.get("states"), dict):
            self._error((), "expected an object with 'states'")
            self.problems.check()
        name = data.get("id", data.get("key", "machine"))
        self.name = name if isinstance(name, str) else "machine"
        root = self._state(data, (), (), None)
        root.name = ""
        if not root.children:
            self._error((), "the machine has no state")
        self._resolve()
        self.problems.check(sort=True)
        if self.unknown:
            self.notes.add(f"unknown keys ({', '.join(sorted(self.unknown))})")
        inside = {node.done for node in self.by_path.values()} | self.raised
        alphabet = tuple(e for e in self.events if e not in inside)
        return chart_file(Chart(root, alphabet, _matches), self.source, self.notes)

    def _state(
        self, data: Any, keys: tuple[str, ...], at: Path, parent: Node | None
    ) -> Node:
        node = Node(".".join(keys), parent=parent)
        self.by_path[keys], self.paths[node] = node, keys
        if not isinstance(data, dict):
            self._error(at, f"expected an object for the state '{node.name}'")
            return node
        if len(keys) > self.source.limits.max_nesting:
            self._error(at, "states are nested too deeply (--bound max-nesting)")
            return node
        identifier = data.get("id") if keys else self.name
        if not isinstance(identifier, str):
            identifier = ".".join((self.name, *keys))
        if identifier in self.by_id:
            self._error(at, f"another state has the identifier '{identifier}'")
        self.by_id[identifier] = node
        node.done = f"done.state.{identifier}"
        states = data.get("states") or {}
        node.kind = self._kind(data, states, at)
        if not isinstance(states, dict):
            self._error((*at, "states"), "expected an object of states")
            states = {}
        for key, child in states.items():
            place = (*at, "states", key)
            node.children.append(self._state(child, (*keys, key), place, node))
        if "initial" in data and node.kind == "compound" and data["initial"]:
            self.initials.append((node, data["initial"], (*at, "initial")))
        self._notice(data)
        for key in ("entry", "onEntry"):
            node.entry += self._content(data.get(key), (*at, key))
        for key in ("exit", "onExit"):
            node.exit += self._content(data.get(key), (*at, key))
        self._transitions(node, data, at)
        return node

    def _kind(self, data: Mapping[str, Any], states: Any, at: Path) -> str:
        usual = "compound" if states else "atomic"
        kind = data.get("type") or ("parallel" if data.get("parallel") else usual)
        if kind == "history" or data.get("history") in ("deep", "shallow"):
            self._error(
                at,
                "history is not read: where it leads depends on the past",
                "a transition to each state that was meant says the same",
            )
        elif not isinstance(kind, str) or kind not in _KINDS:
            known = ", ".join(sorted(_KINDS))
            self._error((*at, "type"), f"the type of a state is one of {known}")
        if kind in ("compound", "parallel", "atomic") and not states:
            return "atomic"
        if kind == "final" and states:
            self._error(at, "a final state has no states in it")
        return kind if kind in ("parallel", "final") else usual

    def _notice(self, data: Mapping[str, Any]) -> None:
        """Note what is left out, and what is not known."""
        for key, value in data.items():
            if key in _LEFT_OUT and value:
                self.notes.add(_LEFT_OUT[key])
            elif key == "invoke" and value:
                self.notes.add("what is invoked")
            elif key not in _SILENT and key not in _KNOWN and key not in _LEFT_OUT:
                self.unknown[f"{key:.40}"] = None

    def _transitions(self, node: Node, data: Mapping[str, Any], at: Path) -> None:
        handlers = data.get("on") or {}
        where = (*at, "on")
        if isinstance(handlers, list):
            # As `machine.definition` has it: a list with the event in each.
            for i, each in enumerate(handlers):
                event = each.get("event") if isinstance(each, dict) else None
                if isinstance(event, str):
                    self._handlers(node, event, each, (*where, i))
        elif isinstance(handlers, dict):
            # The more a descriptor says, the sooner it is tried.
            for event in sorted(handlers, key=_generality):
                self._handlers(node, event, handlers[event], (*where, event))
        else:
            self._error(where, "expected an object of transitions by event")
        self._handlers(node, "", data.get("always"), (*at, "always"))
        for delay, given in self._delays(data.get("after"), (*at, "after")):
            event = f"after.{delay}.{node.name or self.name}"
            self._handlers(node, event, given, (*at, "after", delay))
        if node.kind in ("compound", "parallel"):
            self._handlers(node, node.done, data.get("onDone"), (*at, "onDone"))
        invoked = data.get("invoke") or []
        for i, actor in enumerate(invoked if isinstance(invoked, list) else [invoked]):
            if isinstance(actor, dict):
                place: Path = (*at, "invoke")
                self._actor(node, actor, (*place, i) if actor is not invoked else place)

    def _delays(self, after: Any, at: Path) -> Iterator[tuple[str, Any]]:
        if isinstance(after, dict):
            yield from after.items()
        elif isinstance(after, list):
            for each in after:
                if isinstance(each, dict):
                    yield str(each.get("delay", "")), each
        elif after:
            self._error(at, "expected an object of transitions by delay")

    def _actor(self, node: Node, actor: Mapping[str, Any], at: Path) -> None:
        name = actor.get("id")
        if not isinstance(name, str):
            name = node.name or self.name
        for key, event in (
            ("onDone", f"done.invoke.{name}"),
            ("onError", f"error.platform.{name}"),
            ("onSnapshot", f"snapshot.{name}"),
        ):
            self._handlers(node, event, actor.get(key), (*at, key))

    def _handlers(self, node: Node, event: str, given: Any, at: Path) -> None:
        """Read the transitions of one event, which are tried in their order."""
        # In `on`, `null` is a transition too: one that forbids the event.
        if given is None and not (len(at) > 1 and at[-2] == "on"):
            return
        for i, each in enumerate(given if isinstance(given, list) else [given]):
            place = (*at, i) if isinstance(given, list) else at
            self._transition(node, event, each, place)

    def _transition(self, node: Node, event: str, given: Any, at: Path) -> None:
        data = given if isinstance(given, dict) else {"target": given}
        targets = data.get("target")
        words: list[Any] = targets if isinstance(targets, list) else [targets]
        named = [word for word in words if isinstance(word, str)]
        if any(word is not None and not isinstance(word, str) for word in words):
            self._error(at, "expected the name of a state as target")
        guarded = any(data.get(key) is not None for key in ("guard", "cond", "in"))
        relative = bool(named) and all(word.startswith(".") for word in named)
        reenter = data.get("reenter", data.get("internal") is False)
        edge = Edge(
            node,
            (event,) if event else (),
            guarded=guarded,
            internal=relative or (bool(data.get("internal")) or not reenter),
            content=self._content(data.get("actions"), (*at, "actions")),
        )
        if guarded:
            self.notes.guards += 1
        if not event and not named and not edge.content and not guarded:
            # It has no effect, but would be taken forever.
            return
        if event:
            self.events.setdefault(event)
        node.edges.append(edge)
        if named:
            self.edges.append((edge, named, (*at, "target") if data is given else at))

    def _content(self, given: Any, at: Path) -> Content:
        """What actions raise."""
        raised: list[str] = []
        for action in given if isinstance(given, list) else [given]:
            if not isinstance(action, dict) or action.get("type") not in _RAISES:
                continue
            event = action.get("event", action.get("params"))
            if isinstance(event, dict):
                event = event.get("event", event.get("type"))
            if isinstance(event, dict):
                event = event.get("type")
            if isinstance(event, str) and event:
                raised.append(event)
                self.raised.add(event)
            else:
                self._error(at, "expected the event that is raised")
        return tuple(raised)

    def _resolve(self) -> None:
        for edge, named, at in self.edges:
            found = [self._target(edge.source, word, at) for word in named]
            edge.targets = tuple(node for node in found if node is not None)
        for node, given, at in self.initials:
            value = given.get("target") if isinstance(given, dict) else given
            words: list[Any] = value if isinstance(value, list) else [value]
            targets = []
            for word in words:
                target = None
                if isinstance(word, str):
                    target = self._below(node, word.lstrip(".")) or self._by_id(word)
                if target is None or not target.within(node):
                    message = f"no state {word!r:.60} in '{node.name or self.name}'"
                    self._error(at, message)
                else:
                    targets.append(target)
            node.initial = tuple(targets)

    def _target(self, source: Node, word: str, at: Path) -> Node | None:
        if word.startswith("#"):
            found = self._by_id(word)
        elif word.startswith("."):
            found = self._below(source, word[1:])
        else:
            found = self._below(source.parent or source, word)
            # XState 4 took the name of a machine for a path from its root.
            found = found or self._by_id(f"#{word}")
        if found is None:
            hint = None
            if any(keys and keys[-1] == word for keys in self.by_path):
                hint = "a state elsewhere has this name: '#ID' finds it by its 'id'"
            self._error(at, f"no state '{word:.60}' is found from here", hint)
        return found

    def _by_id(self, word: str) -> Node | None:
        if not word.startswith("#"):
            return None
        name = word[1:]
        if name in self.by_id:
            return self.by_id[name]
        head, dot, _ = name.rpartition(".")
        while dot:
            if head in self.by_id:
                return self._below(self.by_id[head], name[len(head) + 1 :])
            head, dot, _ = head.rpartition(".")
        return None

    def _below(self, node: Node, word: str) -> Node | None:
        keys = self.paths[node]
        if (*keys, word) in self.by_path:
            return self.by_path[*keys, word]
        return self.by_path.get((*keys, *word.split("."))) if word else None

    def _error(self, at: Path, message: str, hint: str | None = None) -> None:
        place = located(self.text, at)
        self.problems.error("xstate-model", message, hint=hint, **place)


def _generality(event: str) -> tuple[bool, bool, int]:
    return event == _MEANS_ALL, event.endswith(".*"), -len(event)


def _matches(descriptor: str, event: str) -> bool:
    """Whether a descriptor of XState stands for an event: itself, `*` or `a.*`."""
    if descriptor == event:
        return True
    if event.startswith("done.state."):
        return False
    return descriptor == _MEANS_ALL or (
        descriptor.endswith(".*") and event.startswith(descriptor[:-1])
    )


FORMAT = Format("XState", _read, begins=_begins, has_parts=True, suffixes=(".json",))
