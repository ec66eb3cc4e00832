"""Tokens and expressions of CIF; `syntax` reads the declarations.

In:  the text of a file.
Out: its tokens; expressions as trees.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from symrob.formats.cif.tree import CifText, CifToken, CifTree
from symrob.limits import Limits, watched

IDENTIFIER = r"\$?[A-Za-z_]\w*"
NAME = r"(?:\.|::|\^)?\$?[A-Za-z_]\w*(?:\.\$?[A-Za-z_]\w*)*"
_TOKEN = re.compile(
    rf"(?P<blank>\s+|//[^\n]*|/\*.*?\*/)|(?P<range>\.\.)|(?P<name>{NAME})"
    r'|(?P<other>"(?:\\.|[^"\\\n])*"|\d[\w]*(?:\.\d\w*)?|:=|->|<=>|=>|<=|>=|!=|[^\s])',
    re.DOTALL | re.ASCII,
)
# What begins something inside of an expression or a function that an `end` closes.
_OPENING = {"if", "switch", "while"}

# Every word that CIF keeps for itself needs a mark before it to be a name.
WORDS = frozenset(
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
_FUNCTIONS = {"abs", "min", "max"}


class BadCif(Exception):
    """A problem is noted; continue after the next semicolon."""


# Operators from the loosest to the tightest.
_LEVELS: tuple[tuple[str, ...], ...] = (
    ("=>", "<=>"),
    ("or",),
    ("and",),
    ("<", "<=", ">", ">=", "=", "!="),
    ("+", "-"),
    ("*", "div", "mod"),
)


class CifWords:
    """Reads the tokens of a text from left to right.

    Args:
        text: The file; receives its problems.
        limits: Bounds; `max_nesting` is that of brackets.
    """

    def __init__(self, text: CifText, limits: Limits) -> None:
        self.text, self.limits = text, limits
        self.tokens = list(watched(self._scanned()))
        self.at = self.depth = self.brackets = 0

    def _scanned(self) -> Iterator[CifToken]:
        place, text = 0, self.text.text
        while place < len(text):
            found = _TOKEN.match(text, place)
            assert found is not None
            if found.lastgroup != "blank":
                yield CifToken(found[0], place, found.end(), self.text)
            place = found.end()

    # Tokens.

    @property
    def _next(self) -> CifToken:
        if self.at < len(self.tokens):
            return self.tokens[self.at]
        end = len(self.text.text.rstrip())
        return CifToken("", end, end, self.text)

    def _ahead(self, distance: int) -> str:
        """The text of a token that far ahead; empty behind the last one."""
        place = self.at + distance
        return self.tokens[place].text if place < len(self.tokens) else ""

    def _take(self) -> CifToken:
        token = self._next
        self.at += 1
        return token

    def _accept(self, word: str) -> bool:
        if self._next.text == word:
            self.at += 1
            return True
        return False

    def _expect(self, word: str) -> None:
        if self._accept(word):
            return
        before = self.tokens[self.at - 1] if self.at else self._next
        if word == ";" and "\n" in self.text.text[before.end : self._next.place]:
            # It is missing where the line ends, not where the next one begins.
            where = CifToken("", before.end, before.end, self.text)
            found = self._next.text or "the end of the file"
            raise self._bad(where, f"expected ';', not '{found:.40}'")
        raise self._missing(f"'{word}'")

    def _word(self, what: str, pattern: str = IDENTIFIER) -> CifToken:
        if not re.fullmatch(pattern, self._next.text) or self._next.text in WORDS:
            raise self._missing(what)
        return self._take()

    def _event_names(self) -> list[CifToken]:
        found = []
        while True:
            if self._next.text == "tau":
                found.append(self._take())
            else:
                found.append(self._word("an event", NAME))
            if self._next.text in ("!", "?"):
                message = f"a channel ('{self._next.text}') is not supported"
                raise self._bad(self._next, message)
            if not self._accept(","):
                return found

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

    # Problems.

    def _bad(self, token: CifToken, message: str) -> BadCif:
        token.note(message)
        return BadCif()

    def _missing(self, what: str) -> BadCif:
        found = self._next.text or "the end of the file"
        return self._bad(self._next, f"expected {what}, not '{found:.40}'")

    # Expressions.

    def _expression(self) -> CifTree:
        self.brackets += 1
        self._keep_nesting(self.brackets)
        try:
            return self._level(0)
        finally:
            self.brackets -= 1

    def _keep_nesting(self, depth: int, what: str = "an expression is") -> None:
        if depth > self.limits.max_nesting:
            hint = "--bound max-nesting raises this limit"
            message = f"{what} nested too deeply"
            self.text.note(self._next, message, "cif-limit", hint)
            self.text.problems.check()

    def _level(self, level: int) -> CifTree:
        if level == len(_LEVELS):
            return self._unary()
        left, nested = self._level(level + 1), 0
        while self._next.text in _LEVELS[level]:
            token = self._take()
            right = self._level(level + 1)
            if left.kind == token.text and token.text in ("and", "or"):
                left = CifTree(left.kind, left.token, (*left.parts, right))
                continue
            nested += 1
            self._keep_nesting(self.brackets + nested)
            left = CifTree(token.text, token, (left, right))
        return left

    def _unary(self) -> CifTree:
        signs = []
        while self._next.text in ("not", "-", "+"):
            signs.append(self._take())
        found = self._primary()
        for sign in reversed(signs):
            if sign.text != "+":
                kind = "not" if sign.text == "not" else "neg"
                found = CifTree(kind, sign, (found,))
        return found

    def _primary(self) -> CifTree:
        token = self._next
        word = token.text
        if self._accept("("):
            found = self._expression()
            self._expect(")")
            return found
        if word in ("true", "false"):
            self.at += 1
            return CifTree(word, token)
        if word.isdecimal() and len(word) <= 18:
            self.at += 1
            return CifTree("number", token)
        if word in ("if", "switch"):
            self.at += 1
            return self._if(token) if word == "if" else self._switch(token)
        if word in _FUNCTIONS:
            self.at += 1
            self._expect("(")
            parts = [self._expression()]
            while self._accept(","):
                parts.append(self._expression())
            self._expect(")")
            return CifTree("call", token, tuple(parts))
        if word[:1].isdigit() or word[:1] == '"':
            raise self._bad(token, f"the value '{word:.40}' is not supported")
        name = self._word("an expression", NAME)
        if self._next.text == "[":
            raise self._bad(name, "a list is not supported")
        if not self._accept("("):
            return CifTree("name", name)
        given: list[CifTree] = []
        while not self._accept(")"):
            given.append(self._expression())
            if not self._accept(",") and self._next.text != ")":
                raise self._missing("')'")
        return CifTree("apply", name, tuple(given))

    def _if(self, token: CifToken) -> CifTree:
        parts: list[CifTree] = []
        while True:
            parts.append(self._expression())
            self._expect(":")
            parts.append(self._expression())
            if not self._accept("elif"):
                break
        self._expect("else")
        parts.append(self._expression())
        self._expect("end")
        return CifTree("if", token, tuple(parts))

    def _switch(self, token: CifToken) -> CifTree:
        parts = [self._expression()]
        self._expect(":")
        while self._accept("case"):
            parts.append(self._expression())
            self._expect(":")
            parts.append(self._expression())
        self._expect("else")
        parts.append(self._expression())
        self._expect("end")
        return CifTree("switch", token, tuple(parts))
