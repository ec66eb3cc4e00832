"""The grammar of FSP: fsp.ebnf, rule by rule as pyparsing elements.

In:  fsp.ebnf, and what each rule becomes in the syntax tree; see `actions`.
Out: the declarations of a text that is ready (see `ready`); `furthest`, where one that
     is wrong could not go on, and what was expected there.
"""

from __future__ import annotations

import re
from functools import cache
from string import digits
from typing import Any

from pyparsing import ParseBaseException

from symrob.formats.fsp import words
from symrob.formats.fsp.actions import ACTIONS, LISTS
from symrob.formats.fsp.ast import Declaration, Declarations
from symrob.formats.fsp.rules import (
    Choice,
    Element,
    Many,
    Maybe,
    Row,
    Rule,
    Some,
    Terminal,
    furthest,
    listed,
)

_NOTATION = re.compile(r"'[^']*'|\"[^\"]*\"|[a-z_]+|\S")
TOKENS = {
    "lower": (words.LOWER, words.LOWER_INITIALS, "a label"),
    "upper": (words.UPPER, words.INITIALS, "an upper-case name"),
    # The name of a set is a label wherever a process could stand too.
    "process_name": (words.PROCESS_NAME, words.PROCESS_INITIALS, "a process name"),
    "set_name": (words.SET_NAME, words.SET_INITIALS, "a set"),
    "range_name": (words.RANGE_NAME, words.RANGE_INITIALS, "a range"),
    "number": (words.NUMBER, digits, "a value"),
    "string": (words.STRING, '"', "a file name in quotes"),
    "upper_x": (words.only("X"), words.INITIALS, "'X'"),
    "upper_u": (words.only("U"), words.INITIALS, "'U'"),
    "upper_w": (words.only("W"), words.INITIALS, "'W'"),
}
# What messages call a rule, where that is not what it begins with.
_PART = "a label, a set or an index in brackets"
_VALUE = "a value: a number, a name or '('"
SPOKEN = {
    "alternative": "a label, a set, an index in brackets or 'when'",
    "basic": "a formula",
    "colons": "':' or '::'",
    "composite_body": "a process name, a label with ':', '(', 'forall' or 'if'",
    "declaration": "a definition",
    "expression": "an expression",
    "formula": "a formula",
    "full_stop": "'.' at the end of the definition",
    "inside": "a value, a range or a set",
    "label": _PART,
    "local": "a local process",
    "one": "a relabel: new/old, or 'forall'",
    "operand": _VALUE,
    "parameter": "a parameter: N = default",
    "part": _PART,
    "prefixes": "a label with ':'",
    "primary": _VALUE,
    "relabels": "relabels in braces",
    "set_expression": "a set: '{' or the name of a set declared before",
    "several": "a range or a set",
    "simple_expression": "an expression",
    "title": "a process name or '||'",
    "unary": "a formula",
    "wanted": "a label, a set or 'if'",
}


class Reader:
    """Reads fsp.ebnf.

    Attributes:
        rules: The rules by name.
    """

    def __init__(self) -> None:
        self.rules: dict[str, Rule] = {}
        for name, (pattern, first, spoken) in TOKENS.items():
            look = re.compile(rf"({pattern})\s*")
            self._rule(name).expr = Terminal(look, first, spoken)
        self._words = _NOTATION.findall(words.SYNTAX)[::-1]
        while self._words:
            rule = self._rule(self._words.pop())
            self._words.pop()
            rule.expr = self._alternatives()
            self._words.pop()

    def _rule(self, name: str) -> Rule:
        """Return the rule with a name, which may get its body later."""
        if name not in self.rules:
            self.rules[name] = Rule(ACTIONS.get(name), SPOKEN.get(name))
        return self.rules[name]

    def _alternatives(self) -> Element:
        options = [self._row()]
        while self._words[-1] == "|":
            self._words.pop()
            options.append(self._row())
        if len(options) == 1:
            return options[0]
        literals = [w for o in options if isinstance(o, Terminal) for w in o.words]
        if len(literals) == len(options):
            return _literals(*literals)
        return Choice(options)

    def _row(self) -> Element:
        parts = []
        while self._words[-1] not in "|);":
            parts.append(self._item())
        return parts[0] if len(parts) == 1 else Row(parts)

    def _item(self) -> Element:
        word = self._words.pop()
        default: Any = () if word in LISTS else None
        item: Element
        if word == "(":
            item = self._alternatives()
            self._words.pop()
        elif word[0] in "'\"":
            item, default = _literals(word[1:-1]), False
        else:
            item = self._rule(word)
        if self._words[-1] not in "?*+":
            return item
        mark = self._words.pop()
        if mark == "?":
            return Maybe(item, default)
        return Many(item) if mark == "*" else Some(item)


def _literals(*literals: str) -> Terminal:
    spoken = listed(f"'{word}'" for word in literals)
    return Terminal(words.TOKEN, {word[0] for word in literals}, spoken, *literals)


@cache
def _grammar() -> dict[str, Element]:
    """Return the rules for a whole text and for one declaration.

    Cost: some 10 ms at the first call, for importing pyparsing not counted.
    """
    start = Terminal(re.compile(r"()\s*"), "", "", "")  # White space.
    end = Terminal(re.compile(r"(\Z)"), "", "a definition", "")
    one = Reader().rules["declaration"]
    return {"whole": Row([start, Many(one), end]), "declaration": Row([one, end])}


def _parsed(rule: str, text: str, start: int) -> Any:
    furthest.at = -1
    try:
        return _grammar()[rule]._parse(text, start)[1][0]
    except ParseBaseException:
        return None


def whole(text: str) -> Declarations | None:
    """Return the declarations of a text that is right, else `None`.

    Args:
        text: A text that is ready.

    Cost: linear in the text.
    """
    found: Declarations | None = _parsed("whole", text, 0)
    return found


def declaration(text: str, start: int) -> Declaration | None:
    """Return the declaration from a place to the end, else `None`; see `furthest`."""
    found: Declaration | None = _parsed("declaration", text, start)
    return found
