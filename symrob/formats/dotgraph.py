r"""Reader of the DOT language of Graphviz: nodes and edges of a directed graph.

In:  the text of a `.dot` file with one graph.
Out: its nodes and its edges with their attributes, in the order of the file.

- The whole language is supported: `strict`, comments, preprocessor lines, defaults
  (`node [...]`), subgraphs (also as ends of edges), chains `a -> b -> c`, ports, quoted
  strings with escapes and `+`, HTML-like strings.
- Drawing attributes are ignored. Ports do not distinguish nodes.

Sources: docs/sources.md [Graphviz].
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from itertools import pairwise
from typing import NamedTuple

from symrob.files.jsontext import spanned
from symrob.formats.registry import Source
from symrob.formats.text import FileReader, keep_bound, read_text, room
from symrob.limits import watched

_LETTER = "A-Za-z_\u0080-\U0010ffff"
_TOKEN = re.compile(
    r"(?P<blank>\s+|//[^\n]*|^\#[^\n]*|/\*.*?\*/)"
    rf"|(?P<word>[{_LETTER}][0-9{_LETTER}]*)"
    r'|(?P<quoted>"(?:[^"\\]|\\.)*")'
    r"|(?P<sign>->|--|[][{}=;,:+])"
    r"|(?P<number>-?(?:\.[0-9]+|[0-9]+(?:\.[0-9]*)?))"
    r"|(?P<other>/\*|.)",
    re.ASCII | re.DOTALL | re.MULTILINE,
)
_BRACKET = re.compile(r"[<>]")
_UNCLOSED = {'"': "quote", "/*": "comment", "<": "bracket"}
_NAMES = {"word", "number", "quoted", "html"}


class DotToken(NamedTuple):
    """A token.

    Attributes:
        kind: `word`, `number`, `quoted`, `html`, `sign`, `other`; empty at the end.
        text: Its value: of a quoted or HTML-like string its contents.
        start: Its offset in the text.
        end: The offset of its end.
    """

    kind: str
    text: str
    start: int
    end: int

    @property
    def keyword(self) -> str:
        """The word in lower case, for keywords; empty for other kinds."""
        return self.text.lower() if self.kind == "word" else ""


Attributes = Mapping[str, DotToken]


class DotEdge(NamedTuple):
    """An edge.

    Attributes:
        source: Its source node.
        target: Its target node.
        attributes: Its attributes, by name.
        start: Its offset in the text.
        end: The offset of the end of its target.
    """

    source: str
    target: str
    attributes: Attributes
    start: int
    end: int


@dataclass
class DotGraph:
    """A directed graph.

    Attributes:
        start: Its offset in the text.
        end: The offset of the end of its first word.
        strict: Whether it is `strict`.
        nodes: The attributes of each node.
        edges: The edges, in the order of the file.
    """

    start: int
    end: int
    strict: bool
    nodes: dict[str, dict[str, DotToken]] = field(default_factory=dict)
    edges: list[DotEdge] = field(default_factory=list)


class _Scope(NamedTuple):
    """What holds in a graph or subgraph: defaults, and the nodes that are in it."""

    node: dict[str, DotToken]
    edge: dict[str, DotToken]
    members: dict[str, None]


class _Ends(NamedTuple):
    """What stands on one side of an edge: a node, or those of a subgraph."""

    nodes: tuple[str, ...]
    start: int
    end: int


class _Bad(Exception):
    """A problem was noted; go on with the next statement."""


class DotReader(FileReader):
    """Reads the graph of a file.

    Args:
        source: The file.
    """

    def __init__(self, source: Source) -> None:
        super().__init__(source)
        self.text = read_text(source.path)
        self._tokens = list(watched(self._scanned()))
        self._at = self._depth = 0

    def note(
        self, code: str, message: str, start: int, end: int, hint: str | None = None
    ) -> None:
        """Note a problem of a range of characters."""
        self.problems.error(code, message, spanned(self.text, start, end), hint)

    def graph(self) -> DotGraph:
        """Return the graph; syntax problems are noted.

        Raises:
            SymrobError: The file is not a directed graph, or has too many problems.
            LimitExceeded: The graph has too many edges.

        Cost: linear in the text and the edges.
        """
        strict = self._keyword("strict")
        first = self._take()
        if first.keyword != "digraph":
            message = "expected 'digraph'"
            if first.keyword == "graph":
                message = "an undirected graph has no transitions; expected 'digraph'"
            self._syntax(first, message)
            self.problems.check()
        found = DotGraph(first.start, first.end, strict)
        if self._next.kind in _NAMES:
            self._name()
        with room(self.limits), suppress(_Bad):
            self._braces(found, _Scope({}, {}, {}))
            self._behind()
        return found

    # Tokens.

    def _scanned(self) -> Iterator[DotToken]:
        place = 0
        while found := _TOKEN.match(self.text, place):
            kind, text, place = found.lastgroup or "", found[0], found.end()
            if text == "<" and (end := self._closed(place)):
                kind, text, place = "html", self.text[place : end - 1], end
            elif kind == "quoted":
                text = text[1:-1].replace("\\\n", "").replace('\\"', '"')
            if kind != "blank":
                yield DotToken(kind, text, found.start(), place)
            if kind == "other" and text in _UNCLOSED:
                return

    def _closed(self, place: int) -> int:
        """Where a bracket is closed that was opened before; 0 if nowhere."""
        depth = 1
        for sign in _BRACKET.finditer(self.text, place):
            depth += 1 if sign[0] == "<" else -1
            if not depth:
                return sign.end()
        return 0

    @property
    def _next(self) -> DotToken:
        if self._at < len(self._tokens):
            return self._tokens[self._at]
        end = len(self.text.rstrip())
        return DotToken("", "", end, end)

    def _take(self) -> DotToken:
        token = self._next
        self._at += 1
        return token

    def _accept(self, *signs: str) -> bool:
        found = self._next.kind == "sign" and self._next.text in signs
        self._at += found
        return found

    def _is(self, sign: str) -> bool:
        return self._next.kind == "sign" and self._next.text == sign

    def _keyword(self, word: str) -> bool:
        found = self._next.keyword == word
        self._at += found
        return found

    def _expect(self, sign: str) -> DotToken:
        token = self._next
        if not self._accept(sign):
            raise self._missing(f"'{sign}'")
        return token

    def _name(self, what: str = "a name") -> DotToken:
        token = self._next
        if token.kind not in _NAMES:
            raise self._missing(what)
        self._at += 1
        while token.kind == "quoted" and self._accept("+"):
            more = self._take()
            if more.kind != "quoted":
                self._at -= 1
                raise self._missing("a quoted string after '+'")
            text = token.text + more.text
            token = DotToken("quoted", text, token.start, more.end)
        return token

    def _missing(self, what: str) -> _Bad:
        token = self._next
        if token.kind == "other" and token.text in _UNCLOSED:
            self._syntax(token, f"this {_UNCLOSED[token.text]} is not closed")
            self._at = len(self._tokens)
        elif token.kind:
            found = self.text[token.start : token.end].split("\n")[0]
            self._syntax(token, f"expected {what}, not '{found[:40]}'")
        else:
            message = f"the file ends where {what} is expected"
            self._syntax(token, message, "the file may be truncated")
        return _Bad()

    def _syntax(self, token: DotToken, message: str, hint: str | None = None) -> None:
        self.note("dot-syntax", message, token.start, token.end, hint)

    # Statements.

    def _braces(self, graph: DotGraph, scope: _Scope) -> int:
        """Read what stands in braces; return where they end."""
        self._expect("{")
        self._depth += 1
        found = "braces nested more than {} deep"
        keep_bound(self.path, self._depth, self.limits, "nesting", found)
        while not self._accept("}"):
            if self._accept(";"):
                continue
            before = self._at
            try:
                if not self._next.kind:
                    raise self._missing("'}'")
                self._statement(graph, scope)
            except _Bad:
                if not self._next.kind:
                    raise
                self._skip(before)
        self._depth -= 1
        return self._tokens[self._at - 1].end

    def _skip(self, before: int) -> None:
        """Go to where the next statement surely begins."""
        self._at = max(self._at, before + 1)
        while self._next.kind and not self._is(";"):
            start = self._tokens[self._at - 1].end
            if self._is("}") or "\n" in self.text[start : self._next.start]:
                return
            self._at += 1

    def _statement(self, graph: DotGraph, scope: _Scope) -> None:
        word = self._next.keyword
        defaults = {"node": scope.node, "edge": scope.edge, "graph": {}}
        if word in defaults:
            self._at += 1
            defaults[word].update(self._attributes())
            return
        ends = [self._ends(graph, scope)]
        if self._accept("="):
            self._name("a value")
            return
        while self._accept("->", "--"):
            if self._tokens[self._at - 1].text == "--":
                token = self._tokens[self._at - 1]
                self._syntax(token, "a directed graph requires edges '->', not '--'")
            ends.append(self._ends(graph, scope))
        found = self._attributes()
        if len(ends) == 1:
            for node in ends[0].nodes:
                graph.nodes[node].update(found)
            return
        given = {**scope.edge, **found}
        for before, after in pairwise(ends):
            for source in before.nodes:
                for target in after.nodes:
                    edge = DotEdge(source, target, given, before.start, after.end)
                    graph.edges.append(edge)
                self.check_transitions(len(graph.edges))

    def _ends(self, graph: DotGraph, scope: _Scope) -> _Ends:
        start = self._next.start
        named = self._keyword("subgraph")
        if named and self._next.kind in _NAMES:
            self._name()
        if named or self._is("{"):
            inner = _Scope(dict(scope.node), dict(scope.edge), {})
            end = self._braces(graph, inner)
            scope.members.update(inner.members)
            return _Ends(tuple(inner.members), start, end)
        token = self._name("a statement")
        end = token.end
        if not self._is("="):
            graph.nodes.setdefault(token.text, dict(scope.node))
            scope.members[token.text] = None
        while self._accept(":"):
            end = self._name("a port").end
        return _Ends((token.text,), start, end)

    def _attributes(self) -> dict[str, DotToken]:
        found = {}
        while self._accept("["):
            while not self._accept("]"):
                name = self._name("an attribute or ']'")
                found[name.text] = name
                if self._accept("="):
                    found[name.text] = self._name("a value")
                self._accept(",", ";")
        return found

    def _behind(self) -> None:
        """Reject what follows the graph."""
        if self._next.keyword in ("strict", "digraph", "graph"):
            message = "a second graph begins here; symrob reads one graph per file"
            self._syntax(self._next, message, "write each graph to a separate file")
        elif self._next.kind:
            raise self._missing("the end of the file")
