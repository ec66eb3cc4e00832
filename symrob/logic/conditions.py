"""Conditions on states, as text.

In:  `not (LOCK is OPEN or CLOSED) and PRESS is MOVING`.
Out: a `Condition`: names of components and states, joined by `not`, `and` and `or`.

`not` binds before `and`, and `and` before `or`. A name that is followed by `is` is a
component: in `E is A or C is B` the `or` joins conditions, in `E is A or B` states. A
name with spaces or brackets must be quoted.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Literal

from symrob.errors import Diagnostic, SymrobError

Operator = Literal["is", "not", "and", "or"]

_TOKEN = re.compile(
    r"""\s*(?:(?P<quoted>'[^']*'|"[^"]*")|(?P<plain>[()]|[^\s()'"]+))"""
)
_PLAIN = re.compile(r"""[^\s()'",]+""")
_WORDS = {"not", "and", "or", "is", "(", ")"}
# This many brackets or `not` may stand inside each other.
_DEEPEST = 100
_FORM = "a condition is 'COMPONENT is STATE [or STATE …]', joined by not, and, or, ()"


@dataclass(frozen=True)
class Condition:
    """A condition on states.

    Attributes:
        operator: `is`, `not`, `and` or `or`.
        parts: The operands of `not`, `and` or `or`.
        component: For `is`, the name of the component.
        states: For `is`, the names of the states, of which one must be met.
    """

    operator: Operator
    parts: tuple[Condition, ...] = ()
    component: str = ""
    states: tuple[str, ...] = ()


def parse_condition(text: str, sentence: str) -> Condition:
    """Read a condition.

    Args:
        text: The condition.
        sentence: The sentence that it is a part of, for messages.

    Raises:
        SymrobError: It is not a condition.
    """
    reader = _Reader(text, sentence)
    found = reader.any_of()
    if not reader.ended:
        raise reader.wrong("expected 'and', 'or' or the end")
    return found


class _Reader:
    """Reads a condition from left to right, and keeps the place."""

    def __init__(self, text: str, sentence: str) -> None:
        self._sentence = sentence
        self._place = self._depth = 0
        # Each word, and whether it stood in quotes.
        self._tokens: list[tuple[str, bool]] = []
        at, text = 0, text.strip()
        while at < len(text):
            match = _TOKEN.match(text, at)
            if match is None:
                raise self.wrong(f"a quote is not closed: {text[at:].strip():.40}")
            quoted = match["quoted"]
            self._tokens.append(
                (quoted[1:-1] if quoted else match["plain"], bool(quoted))
            )
            at = match.end()

    @property
    def ended(self) -> bool:
        return self._place == len(self._tokens)

    def wrong(self, what: str) -> SymrobError:
        here = ""
        if what.startswith("expected") and not self.ended:
            here = f", not '{self._tokens[self._place][0]:.60}'"
        message = f"'{self._sentence:.200}': {what}{here}"
        return SymrobError(Diagnostic("words-condition", message, hint=_FORM))

    def _word(self, ahead: int = 0) -> str:
        """The word that stands there if it is one of the grammar."""
        at = self._place + ahead
        word, quoted = self._tokens[at] if at < len(self._tokens) else ("", True)
        return word if word in _WORDS and not quoted else ""

    def _taken(self, word: str) -> bool:
        found = self._word() == word
        self._place += found
        return found

    def any_of(self) -> Condition:
        return self._joined("or", self._all_of)

    def _all_of(self) -> Condition:
        return self._joined("and", self._single)

    def _joined(self, operator: Literal["and", "or"], part) -> Condition:  # type: ignore[no-untyped-def]
        parts = [part()]
        while self._taken(operator):
            parts.append(part())
        return parts[0] if len(parts) == 1 else Condition(operator, tuple(parts))

    def _single(self) -> Condition:
        self._depth += 1
        if self._depth > _DEEPEST:
            raise self.wrong(f"brackets are nested more than {_DEEPEST} deep")
        if self._taken("not"):
            found = Condition("not", (self._single(),))
        elif self._taken("("):
            found = self.any_of()
            if not self._taken(")"):
                raise self.wrong("expected ')'")
        else:
            found = self._is()
        self._depth -= 1
        return found

    def _is(self) -> Condition:
        component = self._name("a component")
        if not self._taken("is"):
            raise self.wrong(f"expected 'is' after '{component:.60}'")
        states = [self._name("a state")]
        while self._word() == "or" and not self._word(1) and self._word(2) != "is":
            if self._place + 1 == len(self._tokens):
                break
            self._place += 1
            states.append(self._name("a state"))
        return Condition("is", (), component, tuple(dict.fromkeys(states)))

    def _name(self, what: str) -> str:
        if self.ended or self._word():
            raise self.wrong(f"expected the name of {what}")
        self._place += 1
        return self._tokens[self._place - 1][0]


def spoken(condition: Condition) -> str:
    """Return a condition in words, with brackets if needed."""
    if condition.operator == "is":
        return f"{condition.component} is {' or '.join(condition.states)}"
    parts = [
        f"({spoken(part)})" if len(part.parts) > 1 else spoken(part)
        for part in condition.parts
    ]
    if condition.operator == "not":
        return f"not {parts[0]}" if parts[0].startswith("(") else f"not ({parts[0]})"
    return f" {condition.operator} ".join(parts)


def written(condition: Condition) -> str:
    """Return a text that `parse_condition` reads as this condition."""
    if condition.operator == "is":
        states = " or ".join(map(_quoted, condition.states))
        return f"{_quoted(condition.component)} is {states}"
    parts = [f"({written(part)})" for part in condition.parts]
    if condition.operator == "not":
        return f"not {parts[0]}"
    return f" {condition.operator} ".join(parts)


def _quoted(name: str) -> str:
    """A name, in quotes where it needs them; it has not both kinds in it."""
    if name not in _WORDS and _PLAIN.fullmatch(name):
        return name
    return f'"{name}"' if "'" in name else f"'{name}'"
