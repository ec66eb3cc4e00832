r"""Mealy machines in DOT (`.dot`), as LearnLib, AALpy and the automata wiki write them.

In:  a directed graph whose edges are labelled `input/output`.
Out: an `Lts` in which an input and its output are two steps: from a state `s0` with
     `in_HELLO` to the state `s0/HELLO`, from there with `out_DONE` to the target. In
     the other direction a picture (`dot.py`), which symrob cannot read back.

- The start is where an edge without a label leads from a node that nothing enters, such
  as `__start0`; without one, the source of the first edge.
- A label is a text, quoted or not, or is in the manner of HTML, also a table with the
  input and the output in a row. ` / ` separates them, else the first `/`. Each line of
  a label that has a `/` in each is a transition.
- Actions are names of FSP and keep inputs and outputs apart: `in_` or `out_` and the
  text, each run of other characters replaced by `_`. Equal names get a number, and a
  warning says so.
- An output that says that there is none (`_SILENT`) is the action `out_silence`.
- Several outputs of one input leave one state: the machine chooses among them.
- Moore machines and acceptors have outputs of states: an input is followed by that of
  the state that it leads to, `accept` or `reject` in an acceptor.

Sources: docs/sources.md [Graphviz], [LearnLib].
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Mapping
from html import unescape
from typing import NamedTuple

from symrob.formats.dot import pictures_dot, system_pictures
from symrob.formats.dotgraph import DotEdge, DotGraph, DotReader, DotToken
from symrob.formats.registry import Format
from symrob.formats.text import sample
from symrob.limits import watched
from symrob.lts import Lts, StateId, Transition
from symrob.lts.naming import distinct

# Outputs that mean that there is none, in small letters, without blanks, `-` and `_`.
_SILENT = {
    *("", "noresponse", "noresp", "noreply", "nooutput", "empty", "timeout", "silence"),
    *("none", "null", "nil", "quiescence", "epsilon", "ε", "ϵ", "λ", "∅"),
}
SILENCE = "out_silence"
_START = "__start"
_ROW, _CELL = re.compile(r"(?i)<tr\b[^>]*>"), re.compile(r"(?i)<t[dh]\b[^>]*>")
_BREAK, _TAG = re.compile(r"(?i)<br\b[^>]*>"), re.compile(r"<[^>]*>")
# A state of a Moore machine as AALpy writes it, its output behind the line; an input
# with its probability.
_RECORD = re.compile(r"[^|]*\|([^|]*)", re.DOTALL)
_CHANCE = re.compile(r".+:\s*(?:[01]?\.\d+|[01])", re.DOTALL)
_ENTITY = re.compile(r"&#?\w+;")
_ESCAPE = re.compile(r"\\(.)", re.DOTALL)
_HINT = "a transition of a Mealy machine is labelled 'input/output'"


class Exchange(NamedTuple):
    """An input and its output, as written in the file."""

    input: str
    output: str


class _Names:
    """The action of each input or output."""

    def __init__(self, prefix: str, *taken: str) -> None:
        self.prefix = prefix
        self.actions: dict[str, str] = {}
        # How many numbers each name has given away.
        self.used = dict.fromkeys(taken, 0)
        self.numbered: dict[str, str] = {}

    def action(self, text: str) -> str:
        """Return the action of a text, always the same one."""
        if text not in self.actions:
            base = name = self.prefix + _word(text)
            count = self.used.get(base, 0)
            while name in self.used:
                count += 1
                name = f"{base}_{count + 1}"
            self.used[base] = count
            self.used.setdefault(name, 0)
            if name != base:
                self.numbered[text] = name
            self.actions[text] = name
        return self.actions[text]


def _word(text: str) -> str:
    """The text as a part of a name of FSP."""
    word = re.sub(r"[^A-Za-z0-9_]+", "_", text).strip("_")
    return word or "x" + "".join(f"{ord(c):x}" for c in text)


class _MealyReader(DotReader):
    def read(self) -> Lts:
        graph = self.graph()
        self._refuse_picture(graph)
        marks = self._marks(graph)
        edges = [edge for edge in graph.edges if edge.source not in marks]
        start = self._start(graph, marks, edges)
        found = list(self._labelled(graph, edges))
        self.problems.check(sort=True)
        if graph.strict:
            self._strict(edges)
        return self._lts(start, found)

    def _refuse_picture(self, graph: DotGraph) -> None:
        classes = {
            n["class"].text.split(" ")[0] for n in graph.nodes.values() if "class" in n
        }
        if {"start", "state"} <= classes:
            self.problems.errors.clear()
            message = "this is a picture that symrob drew, not a machine"
            hint = "name the model that the picture shows"
            self.note("dot-picture", message, graph.start, graph.end, hint)
            self.problems.check()

    def _marks(self, graph: DotGraph) -> set[str]:
        """The nodes that are no states: an edge without a label leads to the start."""
        entered = {edge.target for edge in graph.edges}
        leaving = Counter(edge.source for edge in graph.edges)
        outside = [edge for edge in graph.edges if edge.source not in entered]
        named = {e.source for e in outside if e.source.startswith(_START)}
        others = (e for e in outside if leaving[e.source] == 1 and not _label(e))
        return named or {edge.source for edge in others}

    def _start(self, graph: DotGraph, marks: set[str], edges: list[DotEdge]) -> str:
        first = edges[0].source if edges else ""
        starts = [edge for edge in graph.edges if edge.source in marks]
        for edge in starts:
            if edge.target != starts[0].target:
                message = (
                    f"the machine starts in '{edge.target}' and in "
                    f"'{starts[0].target}': several initial states are not supported"
                )
                self.note("dot-start", message, edge.start, edge.end)
        return starts[0].target if starts else first

    def _labelled(
        self, graph: DotGraph, edges: list[DotEdge]
    ) -> Iterator[tuple[DotEdge, list[Exchange]]]:
        """The transitions of each edge; what is none is noted."""
        found = [(edge, _pairs(_label(edge))) for edge in watched(edges)]
        if not any(pairs for _edge, pairs in found):
            found = self._of_states(graph, edges)
        if not any(pairs for _edge, pairs in found):
            if not self.problems.errors:
                self._no_machine(graph, edges)
            return
        for edge, pairs in found:
            label = _label(edge)
            if pairs:
                yield edge, pairs
            elif label is None:
                message = "this edge has no label"
                self.note("dot-label", message, edge.start, edge.end, _HINT)
            else:
                text = " ".join(_plain(label).split())
                missing = "no input before" if text.startswith("/") else "no"
                message = f"the label '{text:.60}' has {missing} '/'"
                self.note("dot-label", message, label.start, label.end, _HINT)

    def _of_states(
        self, graph: DotGraph, edges: list[DotEdge]
    ) -> list[tuple[DotEdge, list[Exchange]]]:
        """The transitions of a machine whose outputs stand in its states."""
        labels = [_plain(label) for edge in edges if (label := _label(edge))]
        if labels and all(map(_CHANCE.fullmatch, labels)):
            return []
        outputs = _outputs(graph, {end for edge in edges for end in edge[:2]})
        return [(edge, _inputs(edge, outputs)) for edge in watched(edges)]

    def _no_machine(self, graph: DotGraph, edges: list[DotEdge]) -> None:
        label = next(filter(None, map(_label, edges)), None)
        message, start, end = "no edge has a label", graph.start, graph.end
        if label:
            start, end = label.start, label.end
            text = " ".join(_plain(label).split())
            message = f"no label has the form 'input/output'; the first is '{text:.60}'"
            if _CHANCE.fullmatch(text):
                message = f"the label '{text:.60}' gives a probability"
        message = f"this graph is not a Mealy machine: {message}"
        hint = "write automata without outputs as .aut or FSP (.lts)"
        self.note("dot-machine", message, start, end, hint)

    def _strict(self, edges: list[DotEdge]) -> None:
        if len({(edge.source, edge.target) for edge in edges}) < len(edges):
            message = (
                "a strict graph has at most one edge between two nodes; symrob reads "
                "all edges"
            )
            self.problems.warn("dot-strict", message)

    def _lts(self, start: str, found: list[tuple[DotEdge, list[Exchange]]]) -> Lts:
        inputs, outputs = _Names("in_"), _Names("out_", SILENCE)
        # A state, or a state with an input that waits for its output.
        numbers: dict[tuple[str, str] | str, StateId] = {start: 0}
        transitions: dict[Transition, None] = {}

        def number(state: tuple[str, str] | str) -> StateId:
            return numbers.setdefault(state, len(numbers))

        for edge, pairs in watched(found):
            for pair in pairs:
                source, within = number(edge.source), number((edge.source, pair.input))
                target = number(edge.target)
                output = SILENCE
                if re.sub(r"[\s_-]", "", pair.output.lower()) not in _SILENT:
                    output = outputs.action(pair.output)
                action = inputs.action(pair.input)
                transitions[Transition(source, action, within)] = None
                transitions[Transition(within, output, target)] = None
            self.check_states(len(numbers))
            self.check_transitions(len(transitions))
        self._say_numbered(inputs, outputs)
        names = [s if isinstance(s, str) else "/".join(s) for s in numbers]
        alphabet = {action for _source, action, _target in transitions}
        return Lts(alphabet, len(names), list(transitions), names=distinct(names))

    def _say_numbered(self, inputs: _Names, outputs: _Names) -> None:
        numbered = [*inputs.numbered.items(), *outputs.numbered.items()]
        if numbered:
            what = sample([f"{text}' is '{action}" for text, action in numbered])
            message = (
                f"labels that differ only in special characters are numbered: {what}"
            )
            self.problems.warn("dot-names", message)


def _outputs(graph: DotGraph, states: set[str]) -> dict[str, str]:
    """The output of each state, if states have some; else none."""
    nodes = {name: graph.nodes[name] for name in states}
    looks = {name: _attribute(node, "shape") for name, node in nodes.items()}
    if any(look == "doublecircle" for look in looks.values()):
        return {
            name: "accept" if look == "doublecircle" else "reject"
            for name, look in looks.items()
        }
    labels = {name: _attribute(node, "label").strip() for name, node in nodes.items()}
    records = {name: _RECORD.fullmatch(label) for name, label in labels.items()}
    if {*looks.values()} <= {"record", "Mrecord"} and all(records.values()):
        return {name: found[1].strip() for name, found in records.items() if found}
    # Names differ; what several states have in common is no name.
    several = len({*labels.values()}) < len(labels)
    return labels if several and all(labels.values()) else {}


def _attribute(node: Mapping[str, DotToken], name: str) -> str:
    token = node.get(name)
    return _plain(token) if token else ""


def _inputs(edge: DotEdge, outputs: Mapping[str, str]) -> list[Exchange]:
    """The transitions of an edge that has inputs only; an input may be a blank."""
    label = edge.attributes.get("label")
    if label is None or not label.text or edge.target not in outputs:
        return []
    lines = [" ".join(line.split()) for line in _plain(label).split("\n")]
    lines = [line for line in lines if line] or [label.text]
    return [Exchange(line, outputs[edge.target]) for line in lines]


def _label(edge: DotEdge) -> DotToken | None:
    """The label of an edge; `None` if it has none, or an empty one."""
    label = edge.attributes.get("label")
    return label if label and label.text.strip() else None


def _pairs(label: DotToken | None) -> list[Exchange]:
    """The transitions that a label stands for; none if it does not fit."""
    if label is None:
        return []
    rows = _ROW.split(label.text)[1:] if label.kind == "html" else []
    lines = [*map(_row, rows)] or _plain(label).split("\n")
    lines = [line for line in map(str.strip, lines) if line]
    found = [*map(_split, lines)]
    if not all(found):
        found = [_split(" ".join(lines))]
    return [pair for pair in found if pair]


def _row(row: str) -> str:
    """A row of a table as a line: input, a slash, output."""
    cells = [_text(cell).strip() for cell in _CELL.split(row)[1:]]
    return " / ".join(cells) if len(cells) == 2 else " ".join(cells)


def _plain(label: DotToken) -> str:
    """What a label shows."""
    if label.kind == "html":
        return _text(label.text)
    text = _ESCAPE.sub(lambda e: "\n" if e[1] in "nlr" else e[1], label.text)
    return _ENTITY.sub(lambda entity: unescape(entity[0]), text)


def _text(html: str) -> str:
    """What a text in the manner of HTML shows."""
    return unescape(_TAG.sub("", _BREAK.sub("\n", html.replace("\n", " "))))


def _split(line: str) -> Exchange | None:
    before, slash, after = line.partition(" / " if " / " in line else "/")
    if not slash or not before.strip():
        return None
    return Exchange(" ".join(before.split()), " ".join(after.split()))


FORMAT = Format(
    "Graphviz",
    _MealyReader.model,
    lambda system: pictures_dot(system_pictures(system)),
    networks=True,
)
