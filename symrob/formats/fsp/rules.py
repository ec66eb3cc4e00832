"""Small makers of pyparsing rules over strings of kinds.

In:  kinds, patterns, rules.
Out: rules, with the names that messages use.
"""

from __future__ import annotations

from typing import Any

import pyparsing as pp

from symrob.formats.fsp import actions
from symrob.formats.fsp.lexer import SPELLING, Kinds

Rule = pp.ParserElement


def token(kind: str) -> Rule:
    """Return the terminal for one kind."""
    return pp.Literal(kind).set_name(f"'{SPELLING.get(kind, kind)}'")


def pattern(regex: str, name: str) -> Rule:
    """Return a terminal for several kinds."""
    return pp.Regex(regex).set_name(name)


def rule(name: str, body: Rule, action: Any = None) -> Rule:
    """Name a rule for messages and give it its action."""
    body = body.set_name(name)
    return body.set_parse_action(action) if action is not None else body


def forward(name: str) -> Any:
    """Return a rule that is defined later by `<<=`."""
    return pp.Forward().set_name(name)


def separated(item: Rule, separator: str) -> Rule:
    """Return the rule for one item or more with a separator between them."""
    return item + pp.ZeroOrMore(token(separator) - item)


def optional(item: Rule) -> Rule:
    """Return the rule for an item that may be left out, which delivers `None`."""
    return pp.Opt(item, default=None)


def operator_token(regex: str) -> Rule:
    """Return the terminal for a binary operator."""
    return rule("an operator", pattern(regex, "an operator"), actions.operator)


def second(parts: Any) -> Any:
    """Deliver what stands behind the first token of a rule."""
    return parts[1]


def word(*words: str) -> Rule:
    """Return the terminal for upper-case names that are operators in formulas."""

    def spelled(s: Kinds, at: int, _parts: Any) -> bool:
        return s.source.word(s.base + at) in words

    found: Any = pattern("[USR]", " or ".join(f"'{w}'" for w in words))
    found.add_condition(spelled).add_parse_action(actions.temporal)
    named: Rule = found
    return named


def no_white_space(start: Rule, seen: set[int]) -> None:
    """Switch off skipping of white space: strings of kinds have none.

    Args:
        start: The rule; all rules in it are changed too.
        seen: The `id` of rules that have been changed already; added to.
    """
    todo = [start]
    seen.add(id(start))
    while todo:
        current = todo.pop()
        current.skipWhitespace = current.callPreparse = False
        for part in current.recurse():
            if id(part) not in seen:
                seen.add(id(part))
                todo.append(part)
