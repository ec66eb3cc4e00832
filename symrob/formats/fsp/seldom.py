"""Rules of the declarations that play no part in an analysis.

In:  the `Grammar`, for the rules that they share with others.
Out: for each first kind of token the maker of its rule; see `grammar`.

They are apart because few models have them: their rules are made when one does.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Protocol

import pyparsing as pp

from symrob.formats.fsp import actions
from symrob.formats.fsp.rules import (
    Rule,
    forward,
    optional,
    pattern,
    rule,
    second,
    separated,
    token,
    word,
)


class Grammar(Protocol):
    """The rules that the declarations here are made of; see `grammar.Grammar`."""

    upper: Rule
    process_name: Rule
    label: Rule
    relabels: Rule
    title: Rule
    simple_expression: Rule
    index: Rule
    indices: Rule
    relabelling: Rule
    extension: Rule
    parameters: Rule
    arguments: Rule


def _progress(grammar: Grammar) -> Rule:
    label = grammar.label
    return rule(
        "'progress'",
        token("g")
        - _indexed(grammar)
        - ((token("i") - label - token("t") - label) | label),
        actions.progress,
    )


def _indexed(grammar: Grammar) -> Rule:
    return grammar.upper - grammar.indices - token("=")


def _menu(grammar: Grammar) -> Rule:
    return rule("'menu'", token("m") - grammar.title - grammar.label, actions.menu)


def _string() -> Rule:
    return pattern('"', "a file name in quotes")


def _import_def(grammar: Grammar) -> Rule:
    return rule("'import'", token("j") - grammar.title - _string(), actions.import_def)


def _fluent(grammar: Grammar) -> Rule:
    initially = rule("'initially'", token("z") - grammar.simple_expression, second)
    return rule(
        "'fluent'",
        token("u")
        - _indexed(grammar)
        - token("<")
        - grammar.label
        - token(",")
        - grammar.label
        - token(">")
        - optional(initially),
        actions.fluent,
    )


def _animation(grammar: Grammar) -> Rule:
    animated = grammar.upper + pp.Opt(grammar.relabelling)
    return rule(
        "'animation'",
        token("n")
        - grammar.title
        - _string()
        - pp.Opt(token("q") - grammar.upper)
        - pp.Opt(token("o") - token("{") - separated(animated, "¦") - token("}"))
        - pp.Opt(token("b") - grammar.relabels)
        - pp.Opt(token("k") - grammar.relabels),
        actions.animation,
    )


def _assertion(grammar: Grammar) -> Rule:
    return rule(
        "'assert'",
        token("h")
        - grammar.upper
        - optional(grammar.parameters)
        - token("=")
        - _formula(grammar)
        - optional(grammar.extension),
        actions.assert_def,
    )


def _formula(grammar: Grammar) -> Rule:
    formula = forward("a formula")
    rigid = rule("'rigid'", token("y") - grammar.simple_expression, second)
    call = rule(
        "a fluent or an assertion",
        grammar.process_name
        + optional(grammar.arguments)
        + pp.ZeroOrMore(grammar.index),
        actions.call,
    )
    atom = rule("a formula", rigid | call | grammar.label, actions.formula_atom)
    bracketed = rule("'('", token("(") - formula - token(")"), second)
    sign = rule("'!'", pattern("[!□◇]", "'!'"), actions.temporal)
    next_ = word("X")
    quantifier = rule(
        "'forall'",
        pattern("[fx]", "'forall'") - grammar.index - pp.ZeroOrMore(grammar.index),
        actions.temporal,
    )
    unary = rule(
        "a formula",
        pp.ZeroOrMore(sign | next_ | quantifier)
        + (bracketed | atom).set_name("a formula"),
        actions.formula_unary,
    )
    and_ = rule("'&&'", token("·"), actions.temporal)
    or_ = rule("'||'", token("¦"), actions.temporal)
    arrow = rule("'->'", pattern("[→↔]", "'->'"), actions.temporal) | word("U", "W")
    conjunction = rule(
        "a formula", unary + pp.ZeroOrMore(and_ - unary), actions.formula_binary
    )
    binary = rule(
        "a formula",
        conjunction + pp.Opt(arrow - conjunction),
        actions.formula_binary,
    )
    formula <<= rule(
        "a formula", binary + pp.ZeroOrMore(or_ - binary), actions.formula_binary
    )
    return unary


DECLARATIONS: dict[str, Callable[[Grammar], Rule]] = {
    "g": _progress,
    "m": _menu,
    "j": _import_def,
    "u": _fluent,
    "n": _animation,
    "h": _assertion,
}
