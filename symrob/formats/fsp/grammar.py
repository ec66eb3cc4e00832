"""The grammar of FSP, as pyparsing rules over kinds of tokens.

In:  a string of kinds (`lexer.Kinds`) of one declaration.
Out: `declaration`, the start rule for one of them; its result is one node of `ast`.

Rules have the names that they have in grammar/fsp.ebnf. The grammar is LL(1) on
kinds, with a look-ahead pattern at the few places that need a second token, and
every rule commits (`-`) once its first token has matched. So nothing is ever
parsed twice, and an error shows exactly at the first token that cannot go on.
Operators of expressions are read flat and put in order by `actions`: no rule
for each level of precedence.

pyparsing is imported here only, and the rules are made at first use.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cache, partial
from typing import Any

import pyparsing as pp

from symrob.formats.fsp import actions, seldom, shortcuts
from symrob.formats.fsp.rules import (
    Rule,
    forward,
    no_white_space,
    operator_token,
    optional,
    pattern,
    rule,
    second,
    separated,
    token,
)


class Grammar:
    """The rules, those of each sort of declaration made at its first use."""

    def __init__(self) -> None:
        self._starts: dict[str, Rule] = {}
        self._seen: set[int] = set()
        self._makers: dict[str, Callable[[], Rule]] = {
            "U": lambda: self._definition(self.process()),
            "¦": lambda: self._definition(self.composite()),
            "c": self._const_def,
            "r": self._range_def,
            "s": self._set_def,
        } | {kind: partial(make, self) for kind, make in seldom.DECLARATIONS.items()}
        self.lower = rule("a label", pattern("a", "a label"), actions.name)
        self.upper = rule(
            "a name", pattern("[USR]", "an upper-case name"), actions.name
        )
        # The name of a set is a label wherever a process could stand too.
        self.process_name = rule("a name", pattern("[UR]", "a name"), actions.name)
        self.expression = forward("an expression")
        self.label = forward("a label, a set or an index in brackets")
        self.set_literal = forward("'{'")
        self.body = forward("a process name, '(' or 'if'")
        self.composite_body = forward(
            "a process name, a label with ':', '(', 'forall' or 'if'"
        )
        self.relabels = forward("relabels in braces")
        self.title = self.upper - token("=")
        self._expressions()
        self._labels()
        self._suffixes()

    @staticmethod
    def _or_shorter(name: str, full: Rule, action: Any, shortcut: str) -> Rule:
        """Return a rule that tries the pattern of `shortcuts` for it first."""
        regex: str = getattr(shortcuts, shortcut.upper())
        short = rule(name, pattern(regex, name), getattr(shortcuts, shortcut))
        return rule(name, short | rule(name, full, action))

    def _expressions(self) -> None:
        expression = self.expression
        set_name = rule("a set", pattern("S", "a set"), actions.domain_name)
        self.set_expression = rule(
            "a set: '{' or the name of a set declared before",
            self.set_literal | set_name,
        )
        atom = rule("a value", pattern("[9aUSR]", "a value"), actions.atom)
        bracketed = rule("'('", token("(") - expression - token(")"), actions.bracketed)
        quote = rule("'''", token("'") - self.label, actions.quote)
        cardinality = rule("'#'", token("#") - self.set_expression, actions.cardinality)
        element = rule(
            "'@'",
            token("@")
            - token("(")
            - self.set_expression
            - token(",")
            - expression
            - token(")"),
            actions.element,
        )
        primary = rule(
            "a value: a number, a name or '('",
            atom | bracketed | quote | cardinality | element,
        )
        sign = pattern("[-+!]", "a sign")
        operand = rule(
            "a value: a number, a name or '('",
            (sign - primary) | primary,
            actions.operand,
        )
        operator = operator_token(shortcuts.OPERATOR)
        additive = operator_token(shortcuts.ADDITIVE)
        full = operand + pp.ZeroOrMore(operator - operand)
        expression <<= self._or_shorter(
            "an expression", full, actions.expression, "expression"
        )
        full = operand + pp.ZeroOrMore(additive - operand)
        self.simple_expression = self._or_shorter(
            "an expression", full, actions.expression, "simple_expression"
        )

    def _labels(self) -> None:
        set_literal = token("{") - separated(self.label, ",") - token("}")
        self.set_literal <<= rule("'{'", set_literal, actions.set_literal)
        domain_name = rule(
            "a range or a set", pattern(r"[SR](?=\])", "a name"), actions.domain_name
        )
        variable = rule("a variable", pattern("a(?=:)", "a variable"), actions.name)
        interval = self.expression + pp.Opt(token("…") - self.expression)
        open_interval = rule("a value, a range or a set", interval, actions.interval)
        closed_interval = rule(
            "a range or a set",
            self.expression - token("…") - self.expression,
            actions.interval,
        )
        bound = (
            variable - token(":") - (self.set_literal | domain_name | closed_interval)
        )
        free = self.set_literal | domain_name | open_interval
        full = token("[") - (bound | free) - token("]")
        self.index = self._or_shorter("'['", full, actions.index, "index")
        set_part = rule(
            "a set",
            self.set_expression + pp.Opt(token("\\") - self.set_expression),
            actions.set_part,
        )
        part = rule(
            "a label, a set or an index in brackets",
            self.lower | set_part | self.index,
        )
        self.label <<= self._or_shorter(
            "a label, a set or an index in brackets",
            part + pp.ZeroOrMore((token(".") - part) | self.index),
            actions.label,
            "label",
        )
        self.indices = rule("'['", pp.ZeroOrMore(self.index), actions.group)

    def _suffixes(self) -> None:
        relabel_forall = rule(
            "'forall'",
            token("f") - self.index - pp.ZeroOrMore(self.index) - self.relabels,
            actions.relabel_forall,
        )
        relabel = rule(
            "a relabel: new/old", self.label - token("/") - self.label, actions.relabel
        )
        one = rule("a relabel: new/old, or 'forall'", relabel_forall | relabel)
        self.relabels <<= rule(
            "relabels in braces",
            token("{") - separated(one, ",") - token("}"),
            actions.group,
        )
        self.relabelling = rule("'/'", token("/") - self.relabels, second)
        self.extension = rule("'+'", token("+") - self.set_expression, second)
        self.hiding = rule(
            "'\\' or '@'",
            pattern(r"[\\@]", "'\\' or '@'") - self.set_expression,
            actions.hiding,
        )
        parameter = rule(
            "a parameter: N = default",
            self.upper - token("=") - self.simple_expression,
            actions.parameter,
        )
        self.parameters = rule(
            "'('", token("(") - separated(parameter, ",") - token(")"), actions.group
        )
        self.arguments = rule(
            "'('",
            token("(") - separated(self.expression, ",") - token(")"),
            actions.group,
        )
        # Matches the empty string too, so that it always delivers a set.
        self.modifiers = rule(
            "'property' or 'minimal'",
            pattern("d?l?o?p?", "modifiers"),
            actions.modifiers,
        )

    def process(self) -> Rule:
        """Return the rule of a process."""
        call = rule(
            "a process name",
            self.process_name + optional(self.arguments) + pp.ZeroOrMore(self.index),
            actions.call,
        )
        sequence = self._or_shorter(
            "a process name", separated(call, ";"), actions.sequence, "reference"
        )
        guard = rule("'when'", token("w") - self.expression, second)
        step = self.label - token("→")
        alternative = self._or_shorter(
            "a label, a set, an index in brackets or 'when'",
            optional(guard) + step - pp.ZeroOrMore(step) - self.body,
            actions.alternative,
            "steps",
        )
        choice = rule(
            "'('", token("(") - separated(alternative, "|") - token(")"), actions.choice
        )
        if_body = rule("'if'", self._if(self.expression, self.body), actions.if_body)
        self.body <<= rule("a process name, '(' or 'if'", sequence | choice | if_body)
        accepting = pp.Opt(token("@"))
        head = self._or_shorter(
            "a local process",
            self.upper - accepting - self.indices - token("="),
            actions.head,
            "head",
        )
        local = rule("a local process", head - self.body, actions.local)
        main = rule("'='", accepting + token("=") - self.body, actions.main_part)
        return (
            self.upper
            - optional(self.parameters)
            - main
            - pp.ZeroOrMore(token(",") - local)
            - optional(self.extension)
            - optional(self.relabelling)
            - optional(self.hiding)
            - rule("'.' at the end of the definition", token("."))
        )

    @staticmethod
    def _if(expression: Rule, body: Rule) -> Rule:
        # `else if` is one step of a flat chain; so chains do not nest.
        case = expression - token("t") - body
        more = pp.ZeroOrMore(pattern("ei", "'else if'") - case)
        return (
            token("i")
            - case
            - more
            - optional(rule("'else'", token("e") - body, second))
        )

    def composite(self) -> Rule:
        """Return the rule of a composite."""
        call = rule(
            "a process name", self.process_name + optional(self.arguments), actions.call
        )
        group = rule(
            "'('",
            token("(") - pp.Opt(separated(self.composite_body, "¦")) - token(")"),
            actions.group,
        )
        prefixes = rule(
            "a label with ':'",
            self.label
            - ((token("∷") - pp.Opt(self.label - token(":"))) | token(":")).set_name(
                "':' or '::'"
            ),
            actions.prefixes,
        )
        target = rule("a process name or '('", call | group)
        member = rule(
            "a process name",
            optional(prefixes) + target + optional(self.relabelling),
            actions.member,
        )
        forall = rule(
            "'forall'",
            token("f") - self.index - pp.ZeroOrMore(self.index) - self.composite_body,
            actions.forall,
        )
        composite_if = rule(
            "'if'",
            self._if(self.expression, self.composite_body),
            actions.composite_if,
        )
        self.composite_body <<= rule(
            "a process name, a label with ':', '(', 'forall' or 'if'",
            member | forall | composite_if,
        )
        priority = rule(
            "'<<' or '>>'",
            pattern("[«»]", "'<<' or '>>'") - self.set_expression,
            actions.priority,
        )
        definition: Rule = (
            token("¦")
            - self.upper
            - optional(self.parameters)
            - token("=")
            - self.composite_body
            - optional(priority)
            - optional(self.hiding)
            - rule("'.' at the end of the definition", token("."))
        )
        return definition

    def declaration(self, piece: str) -> Rule:
        """Return the start rule for one declaration and nothing behind it.

        Args:
            piece: The kinds of its tokens. The first one behind the modifiers
                tells which declaration it can be, so the rules of others need
                not be there; with other first tokens it can be none.
        """
        kind = piece[:1]
        if kind not in self._makers:
            kind = "¦" if piece.lstrip("dlop").startswith("¦") else "U"
        known = self._starts.get(kind)
        if known is None:
            one = pp.MatchFirst([self._makers[kind]()]).set_name("a definition")
            whole = one - pp.StringEnd().set_name("a definition")
            no_white_space(whole, self._seen)
            known = self._starts[kind] = whole.parse_with_tabs()
        return known

    def _const_def(self) -> Rule:
        body = token("c") - self.title - self.simple_expression
        return rule("'const'", body, actions.const_def)

    def _range_def(self) -> Rule:
        simple = self.simple_expression
        body = token("r") - self.title - simple - token("…") - simple
        return rule("'range'", body, actions.range_def)

    def _set_def(self) -> Rule:
        body = token("s") - self.title - self.set_literal
        return rule("'set'", body, actions.set_def)

    def _definition(self, process: Rule) -> Rule:
        body = pp.MatchFirst([process]).set_name("a process name or '||'")
        return rule("a definition", self.modifiers + body, actions.definition)


@cache
def _grammar() -> Grammar:
    return Grammar()


def declaration(piece: str) -> Rule:
    """Return the start rule for a piece of text: one declaration.

    Args:
        piece: The kinds of its tokens.

    Returns:
        A rule to be applied to `Kinds` that begin like the piece; it delivers one
        `ast.Declaration`.

    Cost: about 10 ms at the first call, for importing pyparsing not counted.
    """
    return _grammar().declaration(piece)
