"""The grammar of FSP, as pyparsing rules over kinds of tokens.

In:  a string of kinds (`lexer.Kinds`) of one declaration.
Out: `declaration()`, the start rule; its result is one node of `ast`.

Rules have the names that they have in grammar/fsp.ebnf. The grammar is LL(1) on
kinds, with a look-ahead pattern at the few places that need a second token, and
every rule commits (`-`) once its first token has matched. So nothing is ever
parsed twice, and an error shows exactly at the first token that cannot go on.
Operators of expressions are read flat and put in order by `actions`: no rule
for each level of precedence.

pyparsing is imported here only, and the rules are made at first use.
"""

from __future__ import annotations

from functools import cache
from typing import Any

import pyparsing as pp

from symrob.fsp import actions, shortcuts
from symrob.fsp.lexer import SPELLING, Kinds

Rule = pp.ParserElement


def _t(kind: str) -> Rule:
    """Return the terminal for one kind."""
    return pp.Literal(kind).set_name(f"'{SPELLING.get(kind, kind)}'")


def _re(pattern: str, name: str) -> Rule:
    """Return a terminal for several kinds."""
    return pp.Regex(pattern).set_name(name)


def _rule(name: str, body: Rule, action: Any = None) -> Rule:
    """Name a rule for messages and give it its action."""
    body = body.set_name(name)
    return body.set_parse_action(action) if action is not None else body


def _forward(name: str) -> Any:
    """Return a rule that is defined later by `<<=`."""
    return pp.Forward().set_name(name)


def _separated(item: Rule, separator: str) -> Rule:
    return item + pp.ZeroOrMore(_t(separator) - item)


def _operator(pattern: str) -> Rule:
    return _rule("an operator", _re(pattern, "an operator"), actions.operator)


def _opt(item: Rule) -> Rule:
    return pp.Opt(item, default=None)


class _Grammar:
    """All rules; made once by `declaration`."""

    def __init__(self) -> None:
        self.lower = _rule("a label", _re("a", "a label"), actions.name)
        self.upper = _rule("a name", _re("[USR]", "an upper-case name"), actions.name)
        # The name of a set is a label wherever a process could stand too.
        self.process_name = _rule("a name", _re("[UR]", "a name"), actions.name)
        self.expression = _forward("an expression")
        self.label = _forward("a label, a set or an index in brackets")
        self.set_literal = _forward("'{'")
        self.body = _forward("a process name, '(' or 'if'")
        self.composite_body = _forward(
            "a process name, a label with ':', '(', 'forall' or 'if'"
        )
        self.relabels = _forward("relabels in braces")
        self._expressions()
        self._labels()
        self._suffixes()
        self._processes()
        self._composites()
        self._declarations()

    @staticmethod
    def _or_shorter(name: str, full: Rule, action: Any, shortcut: str) -> Rule:
        """Return a rule that tries the pattern of `shortcuts` for it first."""
        pattern: str = getattr(shortcuts, shortcut.upper())
        short = _rule(name, _re(pattern, name), getattr(shortcuts, shortcut))
        return _rule(name, short | _rule(name, full, action))

    def _expressions(self) -> None:
        expression = self.expression
        set_name = _rule("a set", _re("S", "a set"), actions.domain_name)
        self.set_expression = _rule(
            "a set: '{' or the name of a set declared before",
            self.set_literal | set_name,
        )
        atom = _rule("a value", _re("[9aUSR]", "a value"), actions.atom)
        bracketed = _rule("'('", _t("(") - expression - _t(")"), actions.bracketed)
        quote = _rule("'''", _t("'") - self.label, actions.quote)
        cardinality = _rule("'#'", _t("#") - self.set_expression, actions.cardinality)
        element = _rule(
            "'@'",
            _t("@") - _t("(") - self.set_expression - _t(",") - expression - _t(")"),
            actions.element,
        )
        primary = _rule(
            "a value: a number, a name or '('",
            atom | bracketed | quote | cardinality | element,
        )
        sign = _re("[-+!]", "a sign")
        operand = _rule(
            "a value: a number, a name or '('",
            (sign - primary) | primary,
            actions.operand,
        )
        operator = _operator(shortcuts.OPERATOR)
        additive = _operator(shortcuts.ADDITIVE)
        full = operand + pp.ZeroOrMore(operator - operand)
        expression <<= self._or_shorter(
            "an expression", full, actions.expression, "expression"
        )
        full = operand + pp.ZeroOrMore(additive - operand)
        self.simple_expression = self._or_shorter(
            "an expression", full, actions.expression, "simple_expression"
        )

    def _labels(self) -> None:
        set_literal = _t("{") - _separated(self.label, ",") - _t("}")
        self.set_literal <<= _rule("'{'", set_literal, actions.set_literal)
        domain_name = _rule(
            "a range or a set", _re(r"[SR](?=\])", "a name"), actions.domain_name
        )
        variable = _rule("a variable", _re("a(?=:)", "a variable"), actions.name)
        interval = self.expression + pp.Opt(_t("…") - self.expression)
        open_interval = _rule("a value, a range or a set", interval, actions.interval)
        closed_interval = _rule(
            "a range or a set",
            self.expression - _t("…") - self.expression,
            actions.interval,
        )
        bound = variable - _t(":") - (self.set_literal | domain_name | closed_interval)
        free = self.set_literal | domain_name | open_interval
        full = _t("[") - (bound | free) - _t("]")
        self.index = self._or_shorter("'['", full, actions.index, "index")
        set_part = _rule(
            "a set",
            self.set_expression + pp.Opt(_t("\\") - self.set_expression),
            actions.set_part,
        )
        part = _rule(
            "a label, a set or an index in brackets",
            self.lower | set_part | self.index,
        )
        self.label <<= self._or_shorter(
            "a label, a set or an index in brackets",
            part + pp.ZeroOrMore((_t(".") - part) | self.index),
            actions.label,
            "label",
        )
        self.indices = _rule("'['", pp.ZeroOrMore(self.index), actions.group)

    def _suffixes(self) -> None:
        relabel_forall = _rule(
            "'forall'",
            _t("f") - self.index - pp.ZeroOrMore(self.index) - self.relabels,
            actions.relabel_forall,
        )
        relabel = _rule(
            "a relabel: new/old", self.label - _t("/") - self.label, actions.relabel
        )
        one = _rule("a relabel: new/old, or 'forall'", relabel_forall | relabel)
        self.relabels <<= _rule(
            "relabels in braces",
            _t("{") - _separated(one, ",") - _t("}"),
            actions.group,
        )
        self.relabelling = _rule("'/'", _t("/") - self.relabels, _second)
        self.extension = _rule("'+'", _t("+") - self.set_expression, _second)
        self.hiding = _rule(
            "'\\' or '@'",
            _re(r"[\\@]", "'\\' or '@'") - self.set_expression,
            actions.hiding,
        )
        parameter = _rule(
            "a parameter: N = default",
            self.upper - _t("=") - self.simple_expression,
            actions.parameter,
        )
        self.parameters = _rule(
            "'('", _t("(") - _separated(parameter, ",") - _t(")"), actions.group
        )
        self.arguments = _rule(
            "'('", _t("(") - _separated(self.expression, ",") - _t(")"), actions.group
        )
        # Matches the empty string too, so that it always delivers a set.
        self.modifiers = _rule(
            "'property' or 'minimal'", _re("d?l?o?p?", "modifiers"), actions.modifiers
        )

    def _processes(self) -> None:
        call = _rule(
            "a process name",
            self.process_name + _opt(self.arguments) + pp.ZeroOrMore(self.index),
            actions.call,
        )
        sequence = self._or_shorter(
            "a process name", _separated(call, ";"), actions.sequence, "reference"
        )
        guard = _rule("'when'", _t("w") - self.expression, _second)
        step = self.label - _t("→")
        alternative = self._or_shorter(
            "a label, a set, an index in brackets or 'when'",
            _opt(guard) + step - pp.ZeroOrMore(step) - self.body,
            actions.alternative,
            "steps",
        )
        choice = _rule(
            "'('", _t("(") - _separated(alternative, "|") - _t(")"), actions.choice
        )
        if_body = _rule("'if'", self._if(self.expression, self.body), actions.if_body)
        self.body <<= _rule("a process name, '(' or 'if'", sequence | choice | if_body)
        accepting = pp.Opt(_t("@"))
        local = _rule(
            "a local process",
            self.upper - accepting - self.indices - _t("=") - self.body,
            actions.local,
        )
        main = _rule("'='", accepting + _t("=") - self.body, actions.main_part)
        self.process = (
            self.upper
            - _opt(self.parameters)
            - main
            - pp.ZeroOrMore(_t(",") - local)
            - _opt(self.extension)
            - _opt(self.relabelling)
            - _opt(self.hiding)
            - _rule("'.' at the end of the definition", _t("."))
        )

    @staticmethod
    def _if(expression: Rule, body: Rule) -> Rule:
        # `else if` is one step of a flat chain; so chains do not nest.
        case = expression - _t("t") - body
        more = pp.ZeroOrMore(_re("ei", "'else if'") - case)
        return _t("i") - case - more - _opt(_rule("'else'", _t("e") - body, _second))

    def _composites(self) -> None:
        call = _rule(
            "a process name", self.process_name + _opt(self.arguments), actions.call
        )
        group = _rule(
            "'('",
            _t("(") - pp.Opt(_separated(self.composite_body, "∨")) - _t(")"),
            actions.group,
        )
        prefixes = _rule(
            "a label with ':'",
            self.label
            - ((_t("∷") - pp.Opt(self.label - _t(":"))) | _t(":")).set_name(
                "':' or '::'"
            ),
            actions.prefixes,
        )
        target = _rule("a process name or '('", call | group)
        member = _rule(
            "a process name",
            _opt(prefixes) + target + _opt(self.relabelling),
            actions.member,
        )
        forall = _rule(
            "'forall'",
            _t("f") - self.index - pp.ZeroOrMore(self.index) - self.composite_body,
            actions.forall,
        )
        composite_if = _rule(
            "'if'",
            self._if(self.expression, self.composite_body),
            actions.composite_if,
        )
        self.composite_body <<= _rule(
            "a process name, a label with ':', '(', 'forall' or 'if'",
            member | forall | composite_if,
        )
        priority = _rule(
            "'<<' or '>>'",
            _re("[«»]", "'<<' or '>>'") - self.set_expression,
            actions.priority,
        )
        self.composite = (
            _t("∨")
            - self.upper
            - _opt(self.parameters)
            - _t("=")
            - self.composite_body
            - _opt(priority)
            - _opt(self.hiding)
            - _rule("'.' at the end of the definition", _t("."))
        )

    def _declarations(self) -> None:
        upper, label, simple = self.upper, self.label, self.simple_expression
        title = upper - _t("=")
        indexed = upper - self.indices - _t("=")
        const_def = _rule("'const'", _t("c") - title - simple, actions.const_def)
        range_def = _rule(
            "'range'", _t("r") - title - simple - _t("…") - simple, actions.range_def
        )
        set_def = _rule("'set'", _t("s") - title - self.set_literal, actions.set_def)
        progress = _rule(
            "'progress'",
            _t("g") - indexed - ((_t("i") - label - _t("t") - label) | label),
            actions.progress,
        )
        menu = _rule("'menu'", _t("m") - title - label, actions.menu)
        string = _re('"', "a file name in quotes")
        import_def = _rule("'import'", _t("j") - title - string, actions.import_def)
        fluent = _rule(
            "'fluent'",
            _t("u")
            - indexed
            - _t("<")
            - label
            - _t(",")
            - label
            - _t(">")
            - _opt(_rule("'initially'", _t("z") - simple, _second)),
            actions.fluent,
        )
        animated = upper + pp.Opt(self.relabelling)
        animation = _rule(
            "'animation'",
            _t("n")
            - title
            - string
            - pp.Opt(_t("q") - upper)
            - pp.Opt(_t("o") - _t("{") - _separated(animated, "∨") - _t("}"))
            - pp.Opt(_t("b") - self.relabels)
            - pp.Opt(_t("k") - self.relabels),
            actions.animation,
        )
        assertion = _rule(
            "'assert'",
            _re("[hv]", "'assert'")
            - upper
            - _opt(self.parameters)
            - _t("=")
            - self._formulas()
            - _opt(self.extension),
            actions.assert_def,
        )
        definition = _rule(
            "a definition",
            self.modifiers
            + (self.composite | self.process).set_name("a process name or '||'"),
            actions.definition,
        )
        self.declaration = (
            definition
            | const_def
            | range_def
            | set_def
            | progress
            | menu
            | import_def
            | fluent
            | animation
            | assertion
        ).set_name("a definition")

    def _formulas(self) -> Rule:
        formula = _forward("a formula")
        rigid = _rule("'rigid'", _t("y") - self.simple_expression, _second)
        call = _rule(
            "a fluent or an assertion",
            self.process_name + _opt(self.arguments) + pp.ZeroOrMore(self.index),
            actions.call,
        )
        atom = _rule("a formula", rigid | call | self.label, actions.formula_atom)
        bracketed = _rule("'('", _t("(") - formula - _t(")"), _second)
        sign = _rule("'!'", _re("[!□◇]", "'!'"), actions.temporal)
        next_ = _word("X")
        quantifier = _rule(
            "'forall'",
            _re("[fx]", "'forall'") - self.index - pp.ZeroOrMore(self.index),
            actions.temporal,
        )
        unary = _rule(
            "a formula",
            pp.ZeroOrMore(sign | next_ | quantifier)
            + (bracketed | atom).set_name("a formula"),
            actions.formula_unary,
        )
        and_ = _rule("'&&'", _t("∧"), actions.temporal)
        or_ = _rule("'||'", _t("∨"), actions.temporal)
        arrow = _rule("'->'", _re("[→↔]", "'->'"), actions.temporal) | _word("U", "W")
        conjunction = _rule(
            "a formula", unary + pp.ZeroOrMore(and_ - unary), actions.formula_binary
        )
        binary = _rule(
            "a formula",
            conjunction + pp.Opt(arrow - conjunction),
            actions.formula_binary,
        )
        formula <<= _rule(
            "a formula", binary + pp.ZeroOrMore(or_ - binary), actions.formula_binary
        )
        return unary


def _second(parts: Any) -> Any:
    return parts[1]


def _word(*words: str) -> Rule:
    """Return the terminal for upper-case names that are operators in formulas."""

    def spelled(s: Kinds, at: int, _parts: Any) -> bool:
        return s.source.word(s.base + at) in words

    rule: Any = _re("[USR]", " or ".join(f"'{w}'" for w in words))
    rule.add_condition(spelled).add_parse_action(actions.temporal)
    named: Rule = rule
    return named


@cache
def declaration() -> Rule:
    """Return the start rule: one declaration and nothing behind it.

    Returns:
        A rule to be applied to `Kinds`; it delivers one `ast.Declaration`.

    Cost: about 20 ms at the first call, for importing pyparsing not counted.
    """
    whole = _Grammar().declaration - pp.StringEnd().set_name("a definition")
    _no_white_space(whole)
    return whole.parse_with_tabs()


def _no_white_space(start: Rule) -> None:
    """Switch off skipping of white space: strings of kinds have none."""
    todo, seen = [start], {id(start)}
    while todo:
        rule = todo.pop()
        rule.skipWhitespace = rule.callPreparse = False
        for part in rule.recurse():
            if id(part) not in seen:
                seen.add(id(part))
                todo.append(part)
