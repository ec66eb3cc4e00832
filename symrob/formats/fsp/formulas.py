"""The rules of assertions: formulas of linear temporal logic.

In:  the rules of `grammar` that formulas are made of.
Out: the rule of an assertion.
"""

from __future__ import annotations

from symrob.formats.fsp import actions, ast, words
from symrob.formats.fsp.actions import node
from symrob.formats.fsp.rules import (
    Choice,
    Many,
    Maybe,
    Rule,
    behind,
    either,
    forward,
    optional,
    rule,
    terminal,
    token,
)


def assertion(
    title: Rule,
    process_name: Rule,
    arguments: Rule,
    label: Rule,
    index: Rule,
    simple_expression: Rule,
    extension: Rule,
) -> Rule:
    """Return the rule of an assertion; arguments are rules of the same name."""
    name = "a formula"
    formula = forward(name)
    rigid = behind("'rigid'", "rigid", simple_expression)
    call = rule(
        "a fluent or an assertion",
        process_name + optional(arguments) + Many(index),
        actions.call,
    )
    formula_atom = rule(name, Choice(rigid, call, label), node(ast.Atom))
    bracketed = behind("'('", "(", formula - token(")"))
    temporal = actions.temporal
    sign = either("!", "[]", "<>", name="'!'", action=temporal)
    next_ = terminal(words.only("X"), words.INITIALS, "'X'", temporal)
    quantified = either("forall", "exists", name="'forall'")
    quantifier = rule("'forall'", quantified - index - Many(index), temporal)
    prefixes = Many(Choice(sign, next_, quantifier))
    operand = rule(name, Choice(bracketed, formula_atom))
    unary = rule(name, prefixes + operand, actions.formula_unary)
    and_ = either("&&", name="'&&'", action=temporal)
    or_ = either("||", name="'||'", action=temporal)
    arrow = Choice(
        either("->", "<->", name="'->'", action=temporal),
        terminal(words.only("UW"), words.INITIALS, "'U' or 'W'", temporal),
    )
    of_two = actions.formula_binary
    conjunction = rule(name, unary + Many(and_ - unary), of_two)
    binary = rule(name, conjunction + Maybe(arrow - conjunction), of_two)
    formula <<= rule(name, binary + Many(or_ - binary), of_two)
    body = token("assert") - title - unary - optional(extension)
    return rule("'assert'", body, actions.assert_def)
