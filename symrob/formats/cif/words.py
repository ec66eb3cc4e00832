"""Tokens and expressions of CIF; `syntax` reads the declarations.

In:  the text of a file.
Out: its tokens; expressions as trees.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from symrob.formats.cif.tree import CifText, CifToken, CifTree, CifType
from symrob.limits import Limits, watched

IDENTIFIER = r"\$?[A-Za-z_]\w*"
NAME = r"(?:\.|::|\^)?\$?[A-Za-z_]\w*(?:\.\$?[A-Za-z_]\w*)*"
_TOKEN = re.compile(
    rf"(?P<blank>\s+|//[^\n]*|/\*.*?\*/)|(?P<range>\.\.)|(?P<name>{NAME})"
    r"|(?P<other>@@?[A-Za-z_]\w*(?::[A-Za-z_]\w*)*"
    r'|"(?:\\.|[^"\\\n])*"|\d+(?:\.\d+)?(?:[eE][-+]?\d+)?\w*'
    r"|:=|->|<=>|=>|<=|>=|!=|[^\s])",
    re.DOTALL | re.ASCII,
)
# What begins something inside of an expression or a function that an `end` closes.
_OPENING = {"if", "switch", "while"}

# The standard functions, of which those of `_FUNCTIONS` are computed.
_LIBRARY = frozenset(
    """
    abs acos acosh asin asinh atan atanh cbrt ceil cos cosh del empty exp floor fmt ln
    log max min pop pow round scale sign sin sinh size sqrt tan tanh bernoulli beta
    binomial constant erlang exponential gamma geometric lognormal normal poisson random
    triangle uniform weibull
    """.split()  # noqa: SIM905
)
_FUNCTIONS = {"abs", "min", "max"}
# Every word that CIF keeps for itself needs a mark before it to be a name.
WORDS = _LIBRARY | frozenset(
    """
    alg alphabet and any attr automaton bool break case const cont continue controllable
    def der dict disables disc dist div do edge elif else end enum equation event false
    file final for func goto group id if import in initial input int invariant list
    location marked mod monitor namespace needs not now or plant post pre print
    printfile real requirement return sample self set string sub supervisor svgcopy
    svgfile svgin svgmove svgout switch tau text time to true tuple type uncontrollable
    urgent value void when while
    """.split()  # noqa: SIM905
)
# What values begin with that are neither names nor in words.
_VALUES = {*'0123456789"?[{<'}
# What stands behind the events of an edge.
_AFTER_EVENT = {",", ";", "when", "now", "do", "goto"}
# What is read and has no value here, and what it is called.
_UNVALUED = {
    "/": "the division '/', whose result is a real number,",
    "in": "the operator 'in'",
    "sub": "the operator 'sub'",
    "time": "the variable 'time'",
    "?": "the received value '?'",
}


class BadCif(Exception):
    """A problem is noted; continue after the next semicolon."""


# Operators from the loosest to the tightest.
_LEVELS: tuple[tuple[str, ...], ...] = (
    ("=>", "<=>"),
    ("or",),
    ("and",),
    ("<", "<=", ">", ">=", "=", "!=", "in", "sub"),
    ("+", "-"),
    ("*", "div", "mod", "/"),
)


class CifWords:
    """Reads the tokens of a text from left to right.

    Args:
        text: The file; receives its problems.
        limits: Bounds; `max_nesting` is that of brackets.
    """

    def __init__(self, text: CifText, limits: Limits) -> None:
        self.text, self.limits = text, limits
        self.tokens = list(watched(self._unannotated()))
        self.at = self.depth = self.brackets = 0

    def _scanned(self) -> Iterator[CifToken]:
        place, text = 0, self.text.text
        while place < len(text):
            found = _TOKEN.match(text, place)
            assert found is not None
            if found.lastgroup != "blank":
                yield CifToken(found[0], place, found.end(), self.text)
            place = found.end()

    def _unannotated(self) -> Iterator[CifToken]:
        """The tokens without annotations, which say nothing about behaviour."""
        begun: CifToken | None = None
        open_ = 0
        for token in self._scanned():
            if open_:
                open_ += {"(": 1, ")": -1}.get(token.text, 0)
            elif begun and token.text == "(":
                open_ = 1
            elif token.text[0] == "@" and len(token.text) > 1:
                begun = token
            else:
                begun = None
                yield token
        if begun and open_:
            begun.note(f"the annotation '{begun.text:.40}' has no ')'")

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

    def _event_names(
        self, uses: dict[int, tuple[str, CifTree | None]] | None = None
    ) -> list[CifToken]:
        """Read events, and how an edge uses them as channels."""
        found: list[CifToken] = []
        while True:
            if self._next.text == "tau":
                found.append(self._take())
            else:
                found.append(self._word("an event", NAME))
                if uses is not None and self._next.text in ("!", "?"):
                    use, value = self._take().text, None
                    if use == "!" and self._next.text not in _AFTER_EVENT:
                        value = self._expression()
                    uses[len(found) - 1] = use, value
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
            if token.text in _UNVALUED:
                left = self._unvalued(token, _UNVALUED[token.text])
                continue
            if left.kind == token.text and token.text in ("and", "or"):
                left = CifTree(left.kind, left.token, (*left.parts, right))
                continue
            nested += 1
            self._keep_nesting(self.brackets + nested)
            left = CifTree(token.text, token, (left, right))
        return left

    def _unary(self) -> CifTree:
        signs = []
        while self._next.text in ("not", "-", "+", "sample"):
            signs.append(self._take())
        found = self._projected()
        for sign in reversed(signs):
            if sign.text == "sample":
                found = self._unvalued(sign, "'sample'")
            elif sign.text != "+":
                kind = "not" if sign.text == "not" else "neg"
                found = CifTree(kind, sign, (found,))
        return found

    def _unvalued(self, token: CifToken, what: str) -> CifTree:
        """What is an error only where its value matters."""
        return CifTree("unvalued", token, what=what)

    def _projected(self) -> CifTree:
        found = self._primary()
        while self._next.text in ("[", "("):
            token = found.token
            if self._accept("["):
                if self._next.text != ":":
                    self._expression()
                if self._accept(":") and self._next.text != "]":
                    self._expression()
                self._expect("]")
                what = f"the element '{token.text:.40}[…]' of a list or tuple"
                found = self._unvalued(token, what)
            elif found.kind == "name":
                self.at += 1
                found = CifTree("apply", token, tuple(self._listed(")")))
            else:
                break
        return found

    def _listed(self, end: str) -> list[CifTree]:
        """Expressions up to a bracket."""
        found: list[CifTree] = []
        while not self._accept(end):
            found.append(self._expression())
            if self._accept(":"):
                # The value of a key.
                self._expression()
            if not self._accept(",") and self._next.text != end:
                raise self._missing(f"'{end}'")
        return found

    def _primary(self) -> CifTree:
        token = self._next
        word = token.text
        if self._accept("("):
            found = self._expression()
            if self._accept(","):
                self._listed(")")
                return self._unvalued(token, "a tuple")
            self._expect(")")
            return found
        if word in ("true", "false", "self"):
            self.at += 1
            return CifTree(word, token)
        if word in ("if", "switch"):
            self.at += 1
            return self._if(token) if word == "if" else self._switch(token)
        if word in _LIBRARY:
            self.at += 1
            self._expect("(")
            parts = self._listed(")")
            if word in _FUNCTIONS and parts:
                return CifTree("call", token, tuple(parts))
            return self._unvalued(token, f"the function '{word}'")
        if word == "time" or word[:1] in _VALUES:
            self.at += 1
            return self._literal(token)
        name = self._word("an expression", NAME)
        if self._accept("'"):
            return self._unvalued(name, f"the derivative of '{name.text:.40}'")
        return CifTree("name", name)

    def _literal(self, token: CifToken) -> CifTree:
        """A value: a number, or one that is not unfolded."""
        word = token.text
        if word.isdecimal() and len(word) <= 18:
            return CifTree("number", token)
        if word in ("[", "{"):
            self._listed({"[": "]", "{": "}"}[word])
            what = "a list" if word == "[" else "a set or dictionary"
        elif word == "<":
            self._type()
            self._expect(">")
            self._primary()
            what = "a cast"
        elif word[0] == '"':
            what = f"the string {word:.40}"
        else:
            what = _UNVALUED.get(word, f"the number '{word:.40}'")
        return self._unvalued(token, what)

    def _type(self) -> CifType:
        """A type; `real` and others are errors only where their values matter."""
        token = self._next
        word = token.text
        if word not in WORDS:
            return CifType(self._word("a type", NAME))
        self.at += 1
        bounds: tuple[CifTree, CifTree] | None = None
        if word in ("int", "list") and self._accept("["):
            low = high = self._expression()
            if word == "int" or self._next.text == "..":
                self._expect("..")
                high = self._expression()
            self._expect("]")
            bounds = low, high
        if word in ("list", "set", "dist"):
            self._type()
        elif word in ("dict", "tuple", "func"):
            self._composite(word)
        elif word not in ("bool", "int", "real", "string", "void"):
            raise self._bad(token, f"expected a type, not '{word:.40}'")
        return CifType(token, bounds)

    def _composite(self, word: str) -> None:
        """What stands behind `dict`, `tuple` or `func` in a type."""
        self.brackets += 1
        self._keep_nesting(self.brackets)
        if word == "func":
            self._type()
        self._expect("(")
        while not self._accept(")"):
            self._type()
            if word == "tuple":
                self._word("the name of a field")
                while self._accept(","):
                    self._word("the name of a field")
            if self._next.text != ")" and not self._accept(
                {"dict": ":", "tuple": ";", "func": ","}[word]
            ):
                raise self._missing("')'")
        self.brackets -= 1

    def _conditions(self) -> CifTree:
        """Conditions with commas between them, all of which must hold."""
        found = [self._expression()]
        while self._accept(","):
            found.append(self._expression())
        if len(found) == 1:
            return found[0]
        return CifTree("and", found[0].token, tuple(found))

    def _if(self, token: CifToken) -> CifTree:
        parts: list[CifTree] = []
        while True:
            parts.append(self._conditions())
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
        if self._accept("else"):
            parts.append(self._expression())
        elif len(parts) == 1:
            raise self._missing("'case'")
        else:
            # The cases are all that there are: the last one is as good as `else`.
            del parts[-2]
        self._expect("end")
        return CifTree("switch", token, tuple(parts))
