"""CIF 3 (`.cif`), parsed: declarations to automata, what is not read to problems.

In:  the text of a specification.
Out: its automata with their events, by name; each problem with its place.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field

from symrob import files
from symrob.formats.automata import CONTROLLER, OTHER, PLANT, SPECIFICATION
from symrob.formats.registry import Source
from symrob.formats.text import Problems, check_states, check_transitions
from symrob.limits import watched

_IDENTIFIER = r"\$?[A-Za-z_]\w*"
_NAME = r"[.^]?\$?[A-Za-z_]\w*(?:\.\$?[A-Za-z_]\w*)*"
_TOKEN = re.compile(
    rf"(?P<blank>\s+|//[^\n]*|/\*.*?\*/)|(?P<name>{_NAME})"
    r'|(?P<other>"(?:\\.|[^"\\\n])*"|\d[\w.]*|:=|->|<=|>=|!=|[^\s])',
    re.DOTALL | re.ASCII,
)
_ROLES = {
    "plant": PLANT,
    "requirement": SPECIFICATION,
    "supervisor": CONTROLLER,
    "automaton": OTHER,
}
_EVENTS = {"event", "controllable", "uncontrollable"}
# What is refused where a declaration begins, and what it is called.
_DATA = {
    **dict.fromkeys(("disc", "cont", "alg", "input"), "a variable"),
    **dict.fromkeys(("const", "type", "enum"), "data"),
    "equation": "an equation",
    "func": "a function",
    "invariant": "an invariant",
    "needs": "an invariant",
    "disables": "an invariant",
    "import": "an import",
    "namespace": "a namespace",
}
# What is refused behind the events of an edge.
_REFUSED = {"when": "a guard", "do": "an update", "!": "a channel", "?": "a channel"}
# What begins something inside of an expression or a function that an `end` closes.
_OPENING = {"if", "switch", "while"}
_IN_LOCATION = ("initial", "marked", "urgent", "edge", "@", "equation")
_INVARIANT = "an invariant is not read: no data is"
_DRAWN = {"svgfile", "svgout", "svgin", "svgcopy", "svgmove", "print", "printfile"}


@dataclass(frozen=True)
class Token:
    """A word of the text, and where it stands."""

    text: str
    place: int
    end: int


@dataclass
class Edge:
    """An edge: the location that it leaves, its events, where it leads.

    With the guard `false` it is never taken.
    """

    source: str
    events: list[Token]
    target: Token | None
    taken: bool


@dataclass
class ParsedAutomaton:
    """An automaton as it was read, its events not yet resolved."""

    name: str
    role: str
    token: Token
    locations: dict[str, Token] = field(default_factory=dict)
    initial: list[str] = field(default_factory=list)
    edges: list[Edge] = field(default_factory=list)
    alphabet: list[Token] | None = None
    monitored: list[Token] | None = None


class _Bad(Exception):
    """A problem was noted; go on behind the next semicolon."""


class Parser:
    """Parses one specification.

    Args:
        source: The file.

    Attributes:
        problems: What is wrong.
        events: The events that are declared, by their full names.
        automata: The automata, likewise.
    """

    def __init__(self, source: Source) -> None:
        self.source = source
        self.problems = Problems(source.path)
        self.text = files.read_text(source.path)
        self.tokens = list(watched(self._scanned()))
        self.at = 0
        self.depth = 0
        self.events: dict[str, None] = {}
        self.controllable: set[str] = set()
        # Whether anything is said of it.
        self.controllability = False
        self.automata: dict[str, ParsedAutomaton] = {}

    def parse(self) -> None:
        """Read the whole text."""
        self._body("", None)
        while self.at < len(self.tokens):
            # An `end` too many, which was noted.
            self.at += 1
            self._body("", None)
        if not self.automata and not self.problems.errors:
            self.problems.error("cif-model", "the specification has no automaton")

    def _scanned(self) -> Iterator[Token]:
        place = 0
        while place < len(self.text):
            found = _TOKEN.match(self.text, place)
            assert found is not None
            if found.lastgroup != "blank":
                yield Token(found[0], place, found.end())
            place = found.end()

    # Tokens.

    @property
    def _next(self) -> Token:
        if self.at < len(self.tokens):
            return self.tokens[self.at]
        return Token("", len(self.text.rstrip()), len(self.text.rstrip()))

    def _ahead(self, distance: int) -> str:
        """The text of a token that far ahead; empty behind the last one."""
        place = self.at + distance
        return self.tokens[place].text if place < len(self.tokens) else ""

    def _take(self) -> Token:
        token = self._next
        self.at += 1
        return token

    def _accept(self, word: str) -> bool:
        if self._next.text == word:
            self.at += 1
            return True
        return False

    def _expect(self, word: str) -> None:
        if not self._accept(word):
            raise self._missing(f"'{word}'")

    def _identifier(self, what: str) -> Token:
        return self._word(f"the name of {what}", _IDENTIFIER)

    def _word(self, what: str, pattern: str) -> Token:
        if not re.fullmatch(pattern, self._next.text):
            raise self._missing(what)
        return self._take()

    def _listed(self, what: str, pattern: str) -> Iterator[Token]:
        yield self._word(what, pattern)
        while self._accept(","):
            yield self._word(what, pattern)

    def _names(self) -> list[Token]:
        return list(self._listed("an event", _NAME))

    def _skip(self, depth: int = 0) -> None:
        """Go behind the next semicolon, or to what surely begins something else.

        Args:
            depth: How many `end`s stand open. If some do, go behind the last of them.
        """
        closed = not depth
        while self.at < len(self.tokens):
            word = self._next.text
            if not depth and word in ("end", "location", "edge"):
                return
            self.at += 1
            depth += (word in _OPENING) - (word == "end")
            if word == ";" if closed else not depth:
                return

    # Declarations.

    def _body(self, scope: str, automaton: ParsedAutomaton | None) -> None:
        """Read declarations up to `end` or the end of the file."""
        while self.at < len(self.tokens):
            if self._next.text == "end":
                if not self.depth:
                    self.note(self._next, "this 'end' ends nothing")
                return
            try:
                self._declaration(scope, automaton)
            except _Bad:
                self._skip()

    def _declaration(self, scope: str, automaton: ParsedAutomaton | None) -> None:
        token = self._take()
        word = token.text
        if word in _EVENTS:
            self._event(scope, word)
        elif word == "group":
            self._group(scope, token)
        elif word in _ROLES:
            self._automaton(scope, token)
        elif word == "func":
            self.note(token, f"{_DATA[word]} ('{word}') is not read: no data is")
            self._skip(1)
        elif word in _DATA:
            raise self._bad(token, f"{_DATA[word]} ('{word}') is not read: no data is")
        elif word in _DRAWN or word == "marked":
            self._skip()
        elif word == "@":
            self._annotation()
        elif automaton is not None and word == "location":
            self._location(automaton, token)
        elif automaton is not None and word in ("alphabet", "monitor"):
            listed = [] if self._next.text == ";" else self._names()
            what = "alphabet" if word == "alphabet" else "monitored"
            setattr(automaton, what, [*(getattr(automaton, what) or ()), *listed])
            self._expect(";")
        elif word == "initial":
            raise self._bad(token, f"a condition on states ('{word}') is not read here")
        elif self._next.text == ":":
            raise self._bad(
                token, f"'{word:.40}' instantiates a definition, which is not read"
            )
        else:
            raise self._bad(token, f"'{word:.40}' begins no declaration that is read")

    def _annotation(self) -> None:
        self._take()
        if self._accept("("):
            level = 1
            while level and self.at < len(self.tokens):
                level += {"(": 1, ")": -1}.get(self._take().text, 0)

    def _event(self, scope: str, word: str) -> None:
        if self._next.text == "event":
            self._take()
        if self._ahead(1) not in (",", ";", ""):
            raise self._bad(self._next, "an event with data (a channel) is not read")
        for token in self._listed("the name of an event", _IDENTIFIER):
            name = scope + token.text.lstrip("$")
            if name in self.events:
                self.note(token, f"another event has the name '{name}'")
            self.events[name] = None
            if word != "event":
                self.controllability = True
            if word == "controllable":
                self.controllable.add(name)
        self._expect(";")

    def _group(self, scope: str, token: Token) -> None:
        if self._next.text == "def":
            self.note(token, "a definition that is instantiated is not read")
            self._header()
            name = "def"
        else:
            name = self._identifier("a group").text
            self._expect(":")
        self._nested(f"{scope}{name}.", None)

    def _automaton(self, scope: str, token: Token) -> None:
        role = _ROLES[token.text]
        self._accept("automaton")
        if self._next.text in ("invariant", "def"):
            if self._next.text == "invariant":
                raise self._bad(self._next, _INVARIANT)
            self.note(self._next, "a definition that is instantiated is not read")
            self._header()
            self._nested(f"{scope}def.", ParsedAutomaton("", role, token))
            return
        begin = self._next
        if self._ahead(1) not in (":", ""):
            raise self._bad(begin, _INVARIANT)
        name = scope + self._identifier("an automaton").text.lstrip("$")
        self._expect(":")
        automaton = ParsedAutomaton(name, role, begin)
        if name in self.automata:
            self.note(begin, f"another automaton has the name '{name}'")
        self.automata[name] = automaton
        self._nested(f"{name}.", automaton)

    def _header(self) -> None:
        """Go behind the head of a definition."""
        while self.at < len(self.tokens) and self._take().text != ":":
            pass

    def _nested(self, scope: str, automaton: ParsedAutomaton | None) -> None:
        self.depth += 1
        if self.depth > self.source.limits.max_nesting:
            message = "groups are nested too deeply"
            hint = "--bound max-nesting raises this limit"
            self.note(self._next, message, "cif-limit", hint)
            self.problems.check()
        self._body(scope, automaton)
        self.depth -= 1
        try:
            self._expect("end")
        except _Bad:
            return

    def _location(self, automaton: ParsedAutomaton, token: Token) -> None:
        name = ""
        if self._next.text not in (":", ";"):
            begin = self._identifier("a location")
            name, token = begin.text.lstrip("$"), begin
        if name in automaton.locations:
            self.note(token, f"another location has the name '{name}'")
        automaton.locations[name] = token
        check_states(self.source.path, len(automaton.locations), self.source.limits)
        if self._accept(";"):
            return
        self._expect(":")
        while self.at < len(self.tokens):
            word = self._next.text
            ruled = word in _ROLES and self._ahead(1) == "invariant"
            try:
                if word == "invariant" or ruled:
                    raise self._bad(self._next, _INVARIANT)
                if word not in _IN_LOCATION:
                    return
                self._of_location(automaton, name)
            except _Bad:
                self._skip()

    def _of_location(self, automaton: ParsedAutomaton, name: str) -> None:
        token = self._take()
        if token.text == "edge":
            self._edge(automaton, name)
        elif token.text == "@":
            self._annotation()
        elif token.text == "marked":
            self._skip()
        else:
            never = self._accept("false")
            if token.text == "initial" and not never:
                automaton.initial.append(name)
            if not (never or self._accept("true")) and self._next.text != ";":
                raise self._bad(token, f"a condition ('{token.text}') is not read")
            self._expect(";")

    def _edge(self, automaton: ParsedAutomaton, name: str) -> None:
        events: list[Token] = []
        if self._next.text not in ("goto", ";", "when", "do"):
            events = self._names()
        taken = True
        constant = self._ahead(1) in ("true", "false")
        if self._next.text == "when" and constant and self._ahead(2) in (";", "goto"):
            taken = self._ahead(1) == "true"
            self.at += 2
        for word, what in _REFUSED.items():
            if self._next.text == word:
                message = f"{what} ('{word}') is not read: no data is"
                raise self._bad(self._next, message)
        target = None
        if self._accept("goto"):
            target = self._identifier("a location")
        self._expect(";")
        automaton.edges.append(Edge(name, events, target, taken))
        check_transitions(self.source.path, len(automaton.edges), self.source.limits)

    # Problems.

    def _bad(self, token: Token, message: str) -> _Bad:
        self.note(token, message)
        return _Bad()

    def _missing(self, what: str) -> _Bad:
        found = self._next.text or "the end of the file"
        return self._bad(self._next, f"expected {what}, not '{found:.40}'")

    def note(
        self,
        token: Token,
        message: str,
        code: str = "cif-model",
        hint: str | None = None,
    ) -> None:
        """Note a problem of a word."""
        start = self.text.rfind("\n", 0, token.place) + 1
        stop = self.text.find("\n", token.place)
        self.problems.error(
            code,
            message,
            hint=hint,
            line=self.text.count("\n", 0, token.place) + 1,
            column=token.place - start + 1,
            length=token.end - token.place,
            source=self.text[start : stop if stop >= 0 else None],
        )
