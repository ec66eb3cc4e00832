"""CIF 3 (`.cif`), event-based: the language of Eclipse ESCET's supervisor tools.

In:  a specification of automata; `#NAME` or `#NAME,NAME` chooses some, else all are
     taken. A name in a group or automaton is written with the names around it: `g.p`.
Out: its automata as a network, with the roles that it gives them: plant, requirement,
     supervisor; in the other direction a specification with a plant for each component.

- Locations, edges, alphabets and monitors are read. `tau` is the internal move. A
  location `ERROR` without edges is the ERROR state.
- Data (variables, guards, updates, invariants, functions, channels), definitions that
  are instantiated, and imports are refused, each by its name.
- Marking has no meaning for symrob. Annotations and drawings are not looked at.

Sources: docs/sources.md [CIF].
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence, Set
from dataclasses import dataclass, field
from itertools import product
from typing import NamedTuple

from symrob import files
from symrob.files.jsontext import spanned
from symrob.formats.automata import (
    CONTROLLER,
    OTHER,
    PLANT,
    SPECIFICATION,
    AutomataReader,
    Automaton,
    automata_format,
)
from symrob.formats.registry import Source
from symrob.formats.text import (
    ERROR_NAME,
    Holds,
    by_target,
    distinct_names,
    numbered,
    renamed,
    unused_name,
)
from symrob.limits import watched
from symrob.lts import ERROR, TAU, Lts, Network
from symrob.lts.naming import distinct

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
_INVARIANT = "invariants over data are not supported"
_DRAWN = {"svgfile", "svgout", "svgin", "svgcopy", "svgmove", "print", "printfile"}

# Every word that CIF keeps for itself needs this mark before it.
_WORDS = frozenset(
    """
    alg alphabet and any attr automaton bool case const cont controllable cross
    def disables disc dist do edge elif else end enum equation error event
    external false file final for from func goto group id if import in initial
    input int intersect invariant list location map marked monitor namespace
    needs new not now or out plant post pre print printfile real requirement
    return sample self set string sub supervisor svgcopy svgfile svgin svgmove
    svgout switch tau time to true tuple type uncontrollable union urgent value
    void when while abs acos acosh asin asinh atan atanh bernoulli beta binomial
    cbrt ceil cos cosh del empty erlang exp exponential floor fmt gamma
    geometric ln log lognormal max min normal poisson pop pow random round scale
    sign sin sinh size sqrt tan tanh triangle uniform weibull
    """.split()  # noqa: SIM905
)


class _CifToken(NamedTuple):
    """A word of the text, and where it stands."""

    text: str
    place: int
    end: int


class _CifEdge(NamedTuple):
    """The location that it leaves, its events, where it leads, whether it is taken."""

    source: str
    events: list[_CifToken]
    target: _CifToken | None
    taken: bool


@dataclass
class _Parsed:
    """An automaton as it was read, its events not yet resolved."""

    name: str
    role: str
    token: _CifToken
    locations: dict[str, _CifToken] = field(default_factory=dict)
    initial: list[str] = field(default_factory=list)
    edges: list[_CifEdge] = field(default_factory=list)
    alphabet: list[_CifToken] | None = None
    monitored: list[_CifToken] | None = None


class _Bad(Exception):
    """A problem was noted; go on behind the next semicolon."""


class _CifReader(AutomataReader):
    def __init__(self, source: Source) -> None:
        super().__init__(source)
        self.text = files.read_text(source.path)
        self.tokens = list(watched(self._scanned()))
        self.at = 0
        self.depth = 0
        self.events: dict[str, None] = {}
        self.controllable: set[str] | None = None
        self.automata: dict[str, _Parsed] = {}

    def read(self) -> list[Automaton]:
        self._body("", None)
        while self.at < len(self.tokens):
            # An `end` too many, which was noted.
            self.at += 1
            self._body("", None)
        if not self.automata and not self.problems.errors:
            self.problems.error("cif-model", "the specification has no automaton")
        found = [self._built(each) for each in self.automata.values()]
        self.problems.check(sort=True)
        return [each for each in found if each is not None]

    def _scanned(self) -> Iterator[_CifToken]:
        place = 0
        while place < len(self.text):
            found = _TOKEN.match(self.text, place)
            assert found is not None
            if found.lastgroup != "blank":
                yield _CifToken(found[0], place, found.end())
            place = found.end()

    # Tokens.

    @property
    def _next(self) -> _CifToken:
        if self.at < len(self.tokens):
            return self.tokens[self.at]
        return _CifToken("", len(self.text.rstrip()), len(self.text.rstrip()))

    def _ahead(self, distance: int) -> str:
        """The text of a token that far ahead; empty behind the last one."""
        place = self.at + distance
        return self.tokens[place].text if place < len(self.tokens) else ""

    def _take(self) -> _CifToken:
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

    def _identifier(self, what: str) -> _CifToken:
        return self._word(f"the name of {what}", _IDENTIFIER)

    def _word(self, what: str, pattern: str) -> _CifToken:
        if not re.fullmatch(pattern, self._next.text):
            raise self._missing(what)
        return self._take()

    def _listed(self, what: str, pattern: str) -> Iterator[_CifToken]:
        yield self._word(what, pattern)
        while self._accept(","):
            yield self._word(what, pattern)

    def _names(self) -> list[_CifToken]:
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

    def _body(self, scope: str, automaton: _Parsed | None) -> None:
        """Read declarations up to `end` or the end of the file."""
        while self.at < len(self.tokens):
            if self._next.text == "end":
                if not self.depth:
                    self._note(self._next, "this 'end' ends nothing")
                return
            try:
                self._declaration(scope, automaton)
            except _Bad:
                self._skip()

    def _declaration(self, scope: str, automaton: _Parsed | None) -> None:
        token = self._take()
        word = token.text
        if word in _EVENTS:
            self._event(scope, word)
        elif word == "group":
            self._group(scope, token)
        elif word in _ROLES:
            self._automaton(scope, token)
        elif word == "func":
            self._note(token, f"{_DATA[word]} ('{word}') is not supported: no data")
            self._skip(1)
        elif word in _DATA:
            raise self._bad(
                token, f"{_DATA[word]} ('{word}') is not supported: no data"
            )
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
            raise self._bad(
                token, f"a condition on states ('{word}') is not supported here"
            )
        elif self._next.text == ":":
            raise self._bad(
                token, f"'{word:.40}' instantiates a definition, which is not supported"
            )
        else:
            raise self._bad(
                token, f"'{word:.40}' does not begin a supported declaration"
            )

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
            raise self._bad(self._next, "events with data (channels) are not supported")
        for token in self._listed("the name of an event", _IDENTIFIER):
            name = scope + token.text.lstrip("$")
            if name in self.events:
                self._note(token, f"another event has the name '{name}'")
            self.events[name] = None
            if word != "event":
                self.controllable = self.controllable or set()
                self.controllable |= {name} if word == "controllable" else set()
        self._expect(";")

    def _group(self, scope: str, token: _CifToken) -> None:
        if self._next.text == "def":
            self._note(token, "definitions with instances are not supported")
            self._header()
            name = "def"
        else:
            name = self._identifier("a group").text
            self._expect(":")
        self._nested(f"{scope}{name}.", None)

    def _automaton(self, scope: str, token: _CifToken) -> None:
        role = _ROLES[token.text]
        self._accept("automaton")
        if self._next.text in ("invariant", "def"):
            if self._next.text == "invariant":
                raise self._bad(self._next, _INVARIANT)
            self._note(self._next, "definitions with instances are not supported")
            self._header()
            self._nested(f"{scope}def.", _Parsed("", role, token))
            return
        begin = self._next
        if self._ahead(1) not in (":", ""):
            raise self._bad(begin, _INVARIANT)
        name = scope + self._identifier("an automaton").text.lstrip("$")
        self._expect(":")
        automaton = _Parsed(name, role, begin)
        if name in self.automata:
            self._note(begin, f"another automaton has the name '{name}'")
        self.automata[name] = automaton
        self._nested(f"{name}.", automaton)

    def _header(self) -> None:
        """Go behind the head of a definition."""
        while self.at < len(self.tokens) and self._take().text != ":":
            pass

    def _nested(self, scope: str, automaton: _Parsed | None) -> None:
        self.depth += 1
        if self.depth > self.limits.max_nesting:
            message = "groups are nested too deeply"
            hint = "--bound max-nesting raises this limit"
            self._note(self._next, message, "cif-limit", hint)
            self.problems.check()
        self._body(scope, automaton)
        self.depth -= 1
        try:
            self._expect("end")
        except _Bad:
            return

    def _location(self, automaton: _Parsed, token: _CifToken) -> None:
        name = ""
        if self._next.text not in (":", ";"):
            begin = self._identifier("a location")
            name, token = begin.text.lstrip("$"), begin
        if name in automaton.locations:
            self._note(token, f"another location has the name '{name}'")
        automaton.locations[name] = token
        self.check_states(len(automaton.locations))
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

    def _of_location(self, automaton: _Parsed, name: str) -> None:
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
                raise self._bad(token, f"a condition ('{token.text}') is not supported")
            self._expect(";")

    def _edge(self, automaton: _Parsed, name: str) -> None:
        events: list[_CifToken] = []
        if self._next.text not in ("goto", ";", "when", "do"):
            events = self._names()
        taken = True
        constant = self._ahead(1) in ("true", "false")
        if self._next.text == "when" and constant and self._ahead(2) in (";", "goto"):
            taken = self._ahead(1) == "true"
            self.at += 2
        for word, what in _REFUSED.items():
            if self._next.text == word:
                message = f"{what} ('{word}') is not supported: no data"
                raise self._bad(self._next, message)
        target = None
        if self._accept("goto"):
            target = self._identifier("a location")
        self._expect(";")
        automaton.edges.append(_CifEdge(name, events, target, taken))
        self.check_transitions(len(automaton.edges))

    # Problems.

    def _bad(self, token: _CifToken, message: str) -> _Bad:
        self._note(token, message)
        return _Bad()

    def _missing(self, what: str) -> _Bad:
        found = self._next.text or "the end of the file"
        return self._bad(self._next, f"expected {what}, not '{found:.40}'")

    def _note(
        self,
        token: _CifToken,
        message: str,
        code: str = "cif-model",
        hint: str | None = None,
    ) -> None:
        span = spanned(self.text, token.place, token.end)
        self.problems.error(code, message, span, hint)

    # Automata.

    def _built(self, automaton: _Parsed) -> Automaton | None:
        before, name = len(self.problems.errors), automaton.name
        if not automaton.locations:
            self._note(automaton.token, f"'{name}' has no location")
        elif len(automaton.initial) != 1:
            number = "no" if not automaton.initial else "more than one"
            self._note(automaton.token, f"'{name}' has {number} initial location")
        # A location ERROR that is left, or initial, is an ordinary one.
        left = {*automaton.initial, *(edge.source for edge in automaton.edges)}
        error = ERROR_NAME in automaton.locations and ERROR_NAME not in left
        order = sorted(automaton.locations, key=lambda n: n not in automaton.initial)
        states = numbered(order, error=error)
        rows, used = [], set()
        for edge in automaton.edges:
            target = edge.source
            if edge.target is not None:
                target = edge.target.text.lstrip("$")
                if target not in states:
                    self._note(edge.target, f"'{name}' has no location '{target}'")
                    continue
            events = self._all(edge.events, name) or [TAU]
            used.update(events)
            if edge.taken:
                rows += [(states[edge.source], e, states[target]) for e in events]
        alphabet = self._alphabet(automaton, used - {TAU})
        names = [each or "location" for each, state in states.items() if state >= 0]
        if automaton.monitored is not None:
            events = self._all(automaton.monitored, name) or sorted(alphabet)
            offered = {(source, event) for source, event, _ in rows}
            every = product(range(len(names)), events)
            rows += [(s, event, s) for s, event in every if (s, event) not in offered]
            alphabet |= set(events)
        if len(self.problems.errors) > before:
            return None
        lts = Lts(alphabet - {TAU, ""}, len(names), rows, names=distinct(names))
        return Automaton(name, automaton.role, lts)

    def _alphabet(self, automaton: _Parsed, used: set[str]) -> set[str]:
        """The events on its edges, and those that it lists."""
        if automaton.alphabet is None:
            return used
        listed = {*self._all(automaton.alphabet, automaton.name)}
        if missing := used - listed:
            message = f"'{min(missing)}' is on an edge of '{automaton.name}'"
            self._note(automaton.token, f"{message}, but not in its alphabet")
        return used | listed

    def _all(self, tokens: Iterable[_CifToken], scope: str) -> list[str]:
        return [self._resolved(token, scope) for token in tokens]

    def _resolved(self, token: _CifToken, scope: str) -> str:
        """The full name of an event, looked for from the inside to the outside."""
        name = token.text.replace("$", "")
        if name == TAU:
            return TAU
        if name[0] in ".^":
            scope, name = "", name[1:]
        around = scope.split(".") if scope else []
        while True:
            found = ".".join([*around, name])
            if found in self.events:
                return found
            if not around:
                self._note(token, f"no event '{token.text:.60}' is declared")
                return TAU
            around.pop()


def _spelling(system: Lts | Network) -> Iterator[tuple[str, dict[str, str]]]:
    """Yield the identifiers of actions, components, and states of each component."""
    actions = _spelled(sorted({a for c in system.components for a in c.alphabet}))
    yield "actions", actions
    taken = {name.lstrip("$") for name in actions.values()}
    components = distinct_names(system.component_names, "M")
    spelled = _spelled(components, taken)
    yield "components", {name: spelled[name] for name in components}
    for lts in system.components:
        names = map(lts.state_name, range(lts.size))
        yield "states", _spelled(names, {ERROR_NAME})


def _changed(system: Lts | Network) -> Iterator[str]:
    for what, row in _spelling(system):
        yield from renamed(what, {n: w.removeprefix("$") for n, w in row.items()})


def _lines(system: Lts | Network) -> Iterator[str]:
    """A plant for each component; a requirement where it has transitions to ERROR."""
    actions, automata, *states = (row for _what, row in _spelling(system))
    for name in actions.values():
        yield f"event {name};"
    for name, lts, row in zip(
        automata.values(), system.components, states, strict=True
    ):
        names = [row[lts.state_name(state)] for state in range(lts.size)]
        yield ""
        yield from _automaton(name, lts, {**actions, TAU: TAU}, names)


def _automaton(
    name: str, lts: Lts, spelled: Mapping[str, str], names: Sequence[str]
) -> Iterator[str]:
    error = lts.can_fail
    yield f"{'requirement' if error else 'plant'} {name}:"
    if lts.alphabet:
        yield f"  alphabet {', '.join(spelled[a] for a in lts.alphabet)};"
    for state, row in enumerate(lts.successors):
        yield f"  location {names[state]}:"
        if state == 0:
            yield "    initial;"
        yield "    marked;"
        for target, actions in by_target(row).items():
            words = ", ".join([spelled[action] for action in actions])
            there = ERROR_NAME if target == ERROR else names[target]
            yield f"    edge {words} goto {there};"
    if error:
        yield f"  location {ERROR_NAME};"
    yield "end"


def _spelled(names: Iterable[str], taken: Set[str] = frozenset()) -> dict[str, str]:
    """Spell names as identifiers, all of them different."""
    used, spelled = set(taken), {}
    # Those that stay as they are come first, so that others make room for them.
    for name in sorted(names, key=lambda n: not _fits(n)):
        word = name if _fits(name) else _made(name)
        unique = unused_name(word, used)
        spelled[name] = f"${unique}" if unique in _WORDS else unique
    return spelled


def _fits(name: str) -> bool:
    return re.fullmatch(r"[A-Za-z_][A-Za-z0-9_]*", name) is not None


def _made(name: str) -> str:
    word = re.sub(r"[^A-Za-z0-9_]", "_", name)
    return f"_{word}" if not word or word[0].isdigit() else word


FORMAT = automata_format(
    "CIF",
    _CifReader,
    _lines,
    holds=Holds(
        hidden=False, end="that a state is END is not written", others=_changed
    ),
)
