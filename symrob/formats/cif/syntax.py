"""Parser of CIF: the text of a specification to a tree, without resolving names.

In:  the text of a file.
Out: its declarations, in order, each with its token. Unsupported features are problems
     with places; reading continues after the next semicolon.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from typing import ClassVar

from symrob.formats.cif.tree import (
    CifAssignment,
    CifBody,
    CifEdge,
    CifEnum,
    CifEquation,
    CifEvents,
    CifFunction,
    CifImport,
    CifInstance,
    CifLocation,
    CifParameter,
    CifText,
    CifToken,
    CifTree,
    CifType,
    CifValue,
    CifVariable,
    Invariant,
    TypeName,
)
from symrob.formats.cif.words import IDENTIFIER, NAME, WORDS, BadCif, CifWords
from symrob.formats.text import room
from symrob.limits import Limits

ROLES = ("plant", "requirement", "supervisor", "automaton")
_KINDS = ROLES[:-1]
_EVENTS = ("event", "controllable", "uncontrollable")
# How files of crystallography begin, which have the same suffix.
_CRYSTAL = re.compile(r"(?:\s|#[^\n]*\n)*data_\S*\s+(?:loop_|[_#])")
# What else an automaton has.
_PARTS = ("alphabet", "monitor")
_DRAWN = {
    *("svgfile", "svgout", "svgin", "svgcopy", "svgmove", "print", "printfile"),
    "marked",
}
# What the body of an automaton begins with; nothing of it begins an expression.
_BODY = {
    *(*_PARTS, *_DRAWN, *_EVENTS, "location", "disc", "cont", "alg", "const", "input"),
    *("enum", "type", "equation", "initial", "invariant", *_KINDS, "end", "func", ""),
}


def parsed(text: CifText, limits: Limits) -> CifBody:
    """Return the declarations of a file, as a group without a name.

    Args:
        text: The file; receives its problems.
        limits: Bounds; `max_nesting` is that of groups and brackets.

    Cost: linear in the text.
    """
    with room(limits):
        return _CifParser(text, limits).specification()


class _CifParser(CifWords):
    def specification(self) -> CifBody:
        top = CifBody("group", self._next)
        if _CRYSTAL.match(self.text.text):
            message = "this file describes a crystal, not automata"
            hint = "symrob reads CIF 3, the language of Eclipse ESCET"
            self._next.note(message, hint)
            return top
        self._body(top)
        while self.at < len(self.tokens):
            # An `end` too many, which was noted.
            self.at += 1
            self._body(top)
        return top

    # Declarations.

    def _body(self, body: CifBody) -> None:
        """Read declarations up to `end` or the end of the file."""
        while self.at < len(self.tokens):
            if self._next.text == "end":
                if not self.depth and not self.text.problems.errors:
                    self._next.note("unexpected 'end'")
                return
            before = self.at
            try:
                self._declaration(body)
            except BadCif:
                self._skip()
                self.at += self.at == before

    def _declaration(self, body: CifBody) -> None:
        token = self._next
        word = token.text
        if word in _DRAWN:
            self._skip()
        elif word in self._known:
            self.at += 1
            self._known[word](self, body, token)
        elif body.kind != "group" and word in ("location", *_PARTS):
            self.at += 1
            self._of_automaton(body, token)
        elif self.text.problems.errors and word in ("location", "edge", *_PARTS):
            # What it belongs to was not read.
            self.at += 1
            self._skip()
        elif word in ROLES:
            self._of_role(body)
        elif word == "invariant":
            self._invariants(body, "")
        elif self._ahead(1) == ":" and re.fullmatch(IDENTIFIER, word):
            self._instance(body)
        elif (
            self._ahead(1) in ("needs", ",", ".")
            or word in ("{", "not", "(")
            or (re.fullmatch(NAME, word) and word not in WORDS)
        ):
            self._invariants(body, "")
        else:
            self.at += 1
            raise self._bad(token, f"expected a declaration, not '{word:.40}'")

    def _namespace(self, body: CifBody, token: CifToken) -> None:
        name = self._word("the name of a namespace", NAME)
        if self.depth:
            raise self._bad(token, "a namespace is not allowed in a component")
        body.namespace = name
        self._expect(";")

    def _data(self, *ends: str) -> bool:
        """Read the type of an event, if it has one."""
        if self._ahead(1) in (*ends, ""):
            return False
        self._type()
        return True

    def _events(self, body: CifBody, token: CifToken) -> None:
        self._accept("event")
        channel = self._data(",", ";")
        names = [self._word("the name of an event")]
        while self._accept(","):
            names.append(self._word("the name of an event"))
        body.parts.append(CifEvents(names, token.text, channel))
        self._expect(";")

    def _enum(self, body: CifBody, _token: CifToken) -> None:
        name = self._word("the name of an enumeration")
        self._expect("=")
        values = [self._word("a value")]
        while self._accept(","):
            values.append(self._word("a value"))
        body.parts.append(CifEnum(name, values))
        self._expect(";")

    def _type_names(self, body: CifBody, _token: CifToken) -> None:
        while True:
            name = self._word("the name of a type")
            self._expect("=")
            body.parts.append(TypeName(name, self._type()))
            if not self._accept(","):
                break
        self._expect(";")

    def _values(self, body: CifBody, _token: CifToken) -> None:
        kind = self._type()
        while True:
            name = self._word("a name")
            value = self._expression() if self._accept("=") else None
            body.parts.append(CifValue(name, kind, value))
            if not self._accept(","):
                break
        self._expect(";")

    def _function(self, body: CifBody, _token: CifToken) -> None:
        self._type()
        while self._accept(","):
            self._type()
        name = self._word("the name of a function")
        start, errors = self.at, self.text.problems.errors
        before = len(errors)
        try:
            body.parts.append(self._defined(name))
        except BadCif:
            # It is wrong where it is called: drawings call most of them.
            why, errors[before:] = errors[before], ()
            at = f"line {why.line}: {why.message}"
            body.parts.append(CifFunction(name, why=at))
            self.at = start
            self._skip(1)
            if self.tokens[self.at - 1].text != "end":
                name.note(f"the function '{name.text:.40}' has no 'end'")

    def _defined(self, name: CifToken) -> CifFunction:
        """A function, of which each way through ends in a value."""
        parameters = []
        self._expect("(")
        while not self._accept(")"):
            self._type()
            parameters.append(self._word("the name of a parameter"))
            while self._accept(","):
                parameters.append(self._word("the name of a parameter"))
            if not self._accept(";") and self._next.text != ")":
                raise self._missing("')'")
        self._expect(":")
        if self._next.text[:1] == '"':
            self.at += 1
            self._expect(";")
            return CifFunction(name, why="it is external")
        value = self._statements(None)
        self._expect("end")
        if value is None:
            raise self._bad(name, f"'{name.text}' does not always return a value")
        return CifFunction(name, parameters, value)

    def _statements(self, rest: CifTree | None) -> CifTree | None:
        """The value of statements, behind which comes another one."""
        token = self._next
        if token.text in ("end", "elif", "else", ""):
            return rest
        if self._accept("return"):
            value = self._expression()
            self._expect(";")
            self._statements(None)
            return value
        if not self._accept("if"):
            message = "only 'return' and 'if' are supported in a function"
            raise self._bad(token, message)
        self.brackets += 1
        self._keep_nesting(self.brackets)
        parts: list[CifTree | None] = []
        # What follows is read first, for it is the value where no branch has one.
        before = self.at
        self._skip(1)
        self._accept(";")
        rest = self._statements(rest)
        after, self.at = self.at, before
        while True:
            parts += [self._conditions()]
            self._expect(":")
            parts.append(self._statements(rest))
            if not self._accept("elif"):
                break
        parts.append(self._statements(rest) if self._accept("else") else rest)
        self._expect("end")
        self.at = after
        self.brackets -= 1
        known = tuple(part for part in parts if part is not None)
        return CifTree("if", token, known) if len(known) == len(parts) else None

    def _variables(self, body: CifBody, token: CifToken) -> None:
        kind, given = self._type(), token.text == "input"
        while True:
            name = self._word("the name of a variable")
            first: list[CifTree] | None = None if given else []
            if self._accept("="):
                first = [self._expression()]
            elif self._accept("in"):
                first = None
                if not self._accept("any"):
                    self._expect("{")
                    first = [self._expression()]
                    while self._accept(","):
                        first.append(self._expression())
                    self._expect("}")
            body.parts.append(CifVariable(name, kind, first, given))
            if not self._accept(","):
                break
        self._expect(";")

    def _continuous(self, body: CifBody, token: CifToken) -> None:
        while True:
            name = self._word("the name of a variable")
            body.parts.append(CifVariable(name, CifType(token), []))
            for before in ("=", "der"):
                if self._accept(before):
                    self._expression()
            if not self._accept(","):
                break
        self._expect(";")

    def _equation(self, body: CifBody, _token: CifToken) -> None:
        body.parts += self._equated()

    def _equated(self) -> list[CifEquation]:
        """Equations; those of derivatives say nothing without time."""
        found = []
        while True:
            name = self._word("the name of a variable", NAME)
            derived = self._accept("'")
            self._expect("=")
            value = self._expression()
            if not derived:
                found.append(CifEquation(name, value))
            if not self._accept(","):
                break
        self._expect(";")
        return found

    def _import(self, body: CifBody, _token: CifToken) -> None:
        while True:
            if not self._next.text.startswith('"'):
                raise self._missing("the name of a file in quotes")
            body.parts.append(CifImport(self._take()))
            if not self._accept(","):
                break
        self._expect(";")

    def _initial(self, body: CifBody, _token: CifToken) -> None:
        body.initial.append(self._expression())
        while self._accept(","):
            body.initial.append(self._expression())
        self._expect(";")

    def _group(self, body: CifBody, _token: CifToken) -> None:
        self._component(body, "group", "a group")

    _known: ClassVar[Mapping[str, Callable[..., None]]] = {
        **dict.fromkeys(_EVENTS, _events),
        **dict.fromkeys(("const", "alg"), _values),
        **dict.fromkeys(("disc", "input"), _variables),
        "cont": _continuous,
        "enum": _enum,
        "func": _function,
        "type": _type_names,
        "equation": _equation,
        "import": _import,
        "namespace": _namespace,
        "initial": _initial,
        "group": _group,
    }

    def _component(self, body: CifBody, kind: str, what: str) -> None:
        """Read a component or a definition, its kind already taken."""
        defined = self._accept("def")
        name = self._word(f"the name of {what}")
        inner = CifBody(kind, name)
        if defined:
            inner.parameters = []
            self._parameters(inner.parameters)
        self._expect(":")
        body.parts.append(inner)
        self.depth += 1
        self._keep_nesting(self.depth, "groups are")
        self._body(inner)
        self.depth -= 1
        if not self._accept("end"):
            self._missing("'end'")

    def _parameters(self, found: list[CifParameter]) -> None:
        self._expect("(")
        while not self._accept(")"):
            kind = self._next.text
            if kind in _EVENTS:
                self.at += 1
                self._accept("event")
                self._data(*",;)!?~")
            elif kind in ("alg", "const"):
                self.at += 1
                self._type()
            elif kind == "location":
                self.at += 1
            else:
                kind = "component"
                self._word("a parameter", NAME)
            while True:
                found.append(CifParameter(kind, self._word("the name of a parameter")))
                while self._next.text in ("!", "?", "~"):
                    # What a channel is used for; the edges say it, too.
                    self.at += 1
                if not self._accept(","):
                    break
            if not self._accept(";") and self._next.text != ")":
                raise self._missing("')'")

    def _instance(self, body: CifBody) -> None:
        name = self._word("the name of an instance")
        self._expect(":")
        of = self._word("a definition", NAME)
        self._expect("(")
        given = self._listed(")")
        self._expect(";")
        body.parts.append(CifInstance(name, of, given))

    def _of_role(self, body: CifBody) -> None:
        """A component of a role, or what must hold in one."""
        role = self._take().text
        automaton = self._accept("automaton") or role == "automaton"
        named = self._ahead(1) == ":" and self._ahead(2) in _BODY
        if automaton or self._next.text == "def" or named:
            self._component(body, role, "an automaton")
        elif self._next.text == "" or self._next.text in (";", "end"):
            raise self._missing("the name of an automaton")
        else:
            self._invariants(body, role)

    def _invariants(self, body: CifBody | CifLocation, kind: str) -> None:
        self._accept("invariant")
        while True:
            found = self._invariant(kind)
            where = body.parts if isinstance(body, CifBody) else body.invariants
            where.append(found)
            if not self._accept(","):
                break
        self._expect(";")

    def _invariant(self, kind: str) -> Invariant:
        token, name = self._next, ""
        if self._ahead(1) == ":":
            name = self._word("the name of an invariant").name
            self._expect(":")
        events: Sequence[CifToken] = ()
        if self._next.text == "{":
            form, events = "needs", self._event_set()
            self._expect("needs")
            condition = self._expression()
        else:
            form, condition = "holds", self._expression()
            if self._accept("needs"):
                if condition.kind != "name":
                    message = "expected an event before 'needs'"
                    raise self._bad(condition.token, message)
                form, events = "needs", [condition.token]
                condition = self._expression()
            elif self._accept("disables"):
                braced = self._next.text == "{"
                form = "disables"
                events = self._event_set() if braced else [self._word("an event", NAME)]
        return Invariant(kind, form, events, condition, token, name)

    def _event_set(self) -> list[CifToken]:
        self._expect("{")
        events = self._event_names()
        self._expect("}")
        return events

    # Automata.

    def _of_automaton(self, body: CifBody, token: CifToken) -> None:
        if token.text == "location":
            self._location(body, token)
            return
        listed = [] if self._next.text == ";" else self._event_names()
        what = "alphabet" if token.text == "alphabet" else "monitored"
        setattr(body, what, [*(getattr(body, what) or ()), *listed])
        self._expect(";")

    def _location(self, body: CifBody, token: CifToken) -> None:
        name = ""
        if self._next.text not in (":", ";"):
            token = self._word("the name of a location")
            name = token.name
        location = CifLocation(name, token)
        body.locations.append(location)
        if self._accept(";"):
            return
        self._expect(":")
        while self.at < len(self.tokens):
            word = self._next.text
            if word in ("end", "location") or self._begins_another():
                return
            try:
                self._of_location(location)
            except BadCif:
                self._skip()

    def _begins_another(self) -> bool:
        """Whether something of the automaton comes, and not of its location."""
        word = self._next.text
        return word in (*_PARTS, *_DRAWN - {"marked"}, *_EVENTS)

    def _of_location(self, location: CifLocation) -> None:
        token = self._next
        word = token.text
        if word == "edge":
            self.at += 1
            location.edges.append(self._edge(token))
        elif word in ("marked", "urgent"):
            self._skip()
        elif word == "initial":
            self.at += 1
            location.initial = self._next.text == ";" or self._conditions()
            self._expect(";")
        elif word == "equation":
            self.at += 1
            location.equations += self._equated()
        else:
            kind = self._take().text if word in _KINDS else ""
            self._invariants(location, kind)

    def _edge(self, token: CifToken) -> CifEdge:
        edge = CifEdge(token, [])
        if self._next.text not in ("goto", ";", "when", "do", "now"):
            edge.events = self._event_names(edge.uses)
        if self._accept("when"):
            edge.guards.append(self._expression())
            while self._accept(","):
                edge.guards.append(self._expression())
        self._accept("now")
        if self._accept("do"):
            edge.updates = self._updates()
        if self._accept("goto"):
            edge.target = self._word("a location")
        self._expect(";")
        return edge

    def _updates(self) -> list[CifAssignment]:
        found = [self._update()]
        while self._accept(","):
            found.append(self._update())
        return found

    def _update(self) -> CifAssignment:
        token = self._next
        if self._accept("if"):
            branches: list[tuple[CifTree | None, Sequence[CifAssignment]]] = []
            while True:
                condition = self._conditions()
                self._expect(":")
                branches.append((condition, self._updates()))
                if not self._accept("elif"):
                    break
            if self._accept("else"):
                branches.append((None, self._updates()))
            self._expect("end")
            return CifAssignment(token, branches=branches)
        names = self._addressed()
        parts = names if self.tokens[self.at - 1] is not token else ()
        self._expect(":=")
        return CifAssignment(names[0], self._expression(), parts=parts)

    def _addressed(self) -> list[CifToken]:
        """The variables that a value is assigned to."""
        if self._accept("("):
            self.brackets += 1
            self._keep_nesting(self.brackets)
            found = self._addressed()
            while self._accept(","):
                found += self._addressed()
            self._expect(")")
            self.brackets -= 1
            return found
        name = self._word("a variable", NAME)
        while self._accept("["):
            self._expression()
            self._expect("]")
        return [name]
