"""The grammar of FSP, as pyparsing rules on the text, one for each of fsp.ebnf.

In:  a text without comments whose names are marked; see `words`.
Out: `description`, the start rule for a whole text, and `declaration` for one piece.

Rules have the names and the order that they have in grammar/fsp.ebnf, but that a rule
stands behind those that it is made of. The grammar is LL(1) on words, with a look
ahead at the few places that need a second one, and every rule commits (`-`) once its
first word has matched. So nothing is ever parsed twice, and an error shows exactly at
the first word that cannot go on. Operators of expressions are read flat and put in
order by `actions`: no rule for each level of precedence.

pyparsing is imported here only, and the rules are made at first use.
"""

from __future__ import annotations

from functools import cache
from string import digits
from typing import Any

from symrob.formats.fsp import actions, ast, formulas, words
from symrob.formats.fsp.actions import group, node, row, titled
from symrob.formats.fsp.rules import (
    Choice,
    Many,
    Maybe,
    Rule,
    Terminal,
    behind,
    either,
    forward,
    listed,
    optional,
    rule,
    separated,
    terminal,
    token,
)

_VALUE = "a value: a number, a name or '('"
_PART = "a label, a set or an index in brackets"


class Grammar:
    """The rules; those that several parts share are attributes."""

    def __init__(self) -> None:
        # The name of a set is a label wherever a process could stand too.
        self.process_name = terminal(
            words.PROCESS_NAME, words.PROCESS_INITIALS, "a name", actions.name
        )
        self.upper = terminal(
            words.UPPER, words.INITIALS, "an upper-case name", actions.name
        )
        self.lower = terminal(
            words.LOWER, words.LOWER_INITIALS, "a label", actions.name
        )
        self.file_name = terminal(words.STRING, '"', "a file name in quotes")
        self.title = self.upper - token("=")
        self.label = forward(_PART)
        self.expression = forward("an expression")
        self.set_literal = forward("'{'")
        self._expressions()
        self._labels()
        self._suffixes()
        body = rule(
            "a process name or '||'", Choice(self._composite(), self._process())
        )
        definition = rule("a definition", self.modifiers + body, actions.definition)
        self.declaration = rule(
            "a definition",
            Choice(
                definition,
                *self._small(),
                self._progress(),
                self._fluent(),
                self._animation(),
                formulas.assertion(
                    self.upper - optional(self.parameters) - token("="),
                    self.process_name,
                    self.arguments,
                    self.label,
                    self.index,
                    self.simple_expression,
                    self.extension,
                ),
            ),
        )

    # --- expressions, labels ----------------------------------------------

    def _expressions(self) -> None:
        set_name = terminal(
            words.SET_NAME, words.SET_INITIALS, "a set", actions.set_name
        )
        self.set_expression = rule(
            "a set: '{' or the name of a set declared before",
            Choice(self.set_literal, set_name),
        )
        values = f"{words.NUMBER}|{words.LOWER}|{words.UPPER}"
        initials = digits + words.LOWER_INITIALS + words.INITIALS
        atom = terminal(values, initials, "a value", actions.atom)
        bracketed = rule(
            "'('", token("(") - self.expression - token(")"), actions.bracketed
        )
        quote = rule("'''", token("'") - self.label, actions.quote)
        cardinality = rule("'#'", token("#") - self.set_expression, actions.cardinality)
        element = rule(
            "'@'",
            token("@")
            - token("(")
            - self.set_expression
            - token(",")
            - self.expression
            - token(")"),
            actions.element,
        )
        primary = rule(_VALUE, Choice(atom, bracketed, quote, cardinality, element))
        sign = either("-", "+", "!", name="a sign")
        operand = rule(
            _VALUE, Choice(primary, rule(_VALUE, sign - primary, actions.signed))
        )
        operator = either(
            *actions.STRENGTH, name="an operator", action=actions.operator
        )
        # Behind `rigid e`, a `+` with a brace begins the suffix of the assertion.
        additive = terminal(
            r"-(?!>)|[*/%]|\+(?!\s*\{)", "-*/%+", "an operator", actions.operator
        )
        name = "an expression"
        full = operand + Many(operator - operand)
        self.expression <<= rule(name, full, actions.expression)
        full = operand + Many(additive - operand)
        self.simple_expression = rule(name, full, actions.expression)

    def _labels(self) -> None:
        self.set_literal <<= listed("'{'", "{", self.label, "}", row(ast.SetLiteral))
        end = r"(?=\s*\])"
        set_domain = terminal(
            words.SET_NAME + end, words.SET_INITIALS, "a name", actions.set_name
        )
        range_domain = terminal(
            words.RANGE_NAME + end, words.RANGE_INITIALS, "a name", actions.range_name
        )
        domain_name = rule("a range or a set", Choice(range_domain, set_domain))
        variable = terminal(
            words.LOWER + r"(?=\s*:(?!:))",
            words.LOWER_INITIALS,
            "a variable",
            actions.name,
        )
        interval = self.expression + Maybe(token("..") - self.expression)
        open_interval = rule(
            "a value, a range or a set", interval, actions.lone_or(ast.Range)
        )
        closed_interval = rule(
            "a range or a set",
            self.expression - token("..") - self.expression,
            node(ast.Range),
        )
        several = rule(
            "a range or a set", Choice(self.set_literal, domain_name, closed_interval)
        )
        bound = variable - token(":") - several
        free = Choice(self.set_literal, domain_name, open_interval)
        inside = rule("a value, a range or a set", Choice(bound, free))
        self.index = rule("'['", token("[") - inside - token("]"), actions.index)
        self.indices = rule("'['", Many(self.index), group)
        self.some_indices = rule("'['", self.index + Many(self.index), group)
        set_part = rule(
            "a set",
            self.set_expression + Maybe(token("\\") - self.set_expression),
            actions.lone_or(ast.Difference),
        )
        part = rule(_PART, Choice(self.lower, set_part, self.index))
        self.label <<= rule(
            _PART,
            part + Many(Choice(token(".") - part, self.index)),
            row(ast.Label),
        )

    # --- what processes and composites share --------------------------------

    def _suffixes(self) -> None:
        self.relabels = forward("relabels in braces")
        relabel_forall = rule(
            "'forall'",
            token("forall") - self.some_indices - self.relabels,
            node(ast.RelabelForall),
        )
        relabel = rule(
            "a relabel: new/old",
            self.label - token("/") - self.label,
            node(ast.Relabel),
        )
        one = rule("a relabel: new/old, or 'forall'", Choice(relabel_forall, relabel))
        self.relabels <<= listed("relabels in braces", "{", one, "}", group)
        self.relabelling = behind("'/'", "/", self.relabels)
        self.extension = behind("'+'", "+", self.set_expression)
        self.hiding = rule(
            "'\\' or '@'",
            either("\\", "@", name="'\\' or '@'") - self.set_expression,
            actions.marked(ast.Hiding, "@"),
        )
        parameter = rule(
            "a parameter: N = default",
            self.upper - token("=") - self.simple_expression,
            node(ast.Parameter),
        )
        self.parameters = listed("'('", "(", parameter, ")", group)
        self.arguments = listed("'('", "(", self.expression, ")", group)
        in_order = ("deterministic", "minimal", "compose", "property")
        some = "".join(rf"(?:{word}\b\s*)?" for word in in_order)
        self.modifiers = Maybe(
            terminal(
                rf"(?=[dmcp]){some}(?<=[\w\s])",
                "dmcp",
                "'property' or 'minimal'",
                actions.modifiers,
            ),
            frozenset(),
        )
        self.full_stop = rule("'.' at the end of the definition", token("."))

    def _if(self, kind: Any, body: Rule) -> Rule:
        # `else if` is one step of a flat chain; so chains do not nest.
        case = self.expression - token("then") - body
        more = Many(terminal(r"else\s+if\b", "e", "'else if'") - case)
        otherwise = optional(behind("'else'", "else", body))
        return rule("'if'", token("if") - case - more - otherwise, actions.cases(kind))

    def _process(self) -> Rule:
        body = forward("a process name, '(' or 'if'")
        call = rule(
            "a process name",
            self.process_name + optional(self.arguments) + Many(self.index),
            actions.call,
        )
        sequence = rule("a process name", separated(call, ";"), row(ast.Sequence))
        guard = behind("'when'", "when", self.expression)
        step = self.label - token("->")
        alternative = rule(
            "a label, a set, an index in brackets or 'when'",
            optional(guard) + step - Many(step) - body,
            actions.alternative,
        )
        choice = rule(
            "'('",
            token("(") - separated(alternative, "|") - token(")"),
            row(ast.Choice),
        )
        body <<= rule(
            "a process name, '(' or 'if'",
            Choice(sequence, choice, self._if(ast.If, body)),
        )
        accepting = Maybe(token("@"))
        head = self.upper - accepting - self.indices - token("=")
        local = rule("a local process", head - body, actions.local)
        main = rule("'='", accepting + token("=") - body, actions.main_part)
        return (
            self.upper
            - optional(self.parameters)
            - main
            - Many(token(",") - local)
            - optional(self.extension)
            - optional(self.relabelling)
            - optional(self.hiding)
            - self.full_stop
        )

    def _composite(self) -> Rule:
        names = "a process name, a label with ':', '(', 'forall' or 'if'"
        composite_body = forward(names)
        call = rule(
            "a process name", self.process_name + optional(self.arguments), actions.call
        )
        members = Maybe(separated(composite_body, "||"))
        group = rule("'('", token("(") - members - token(")"), actions.group)
        colons = rule(
            "':' or '::'",
            Choice(token("::") - Maybe(self.label - token(":")), token(":")),
        )
        prefixes = rule("a label with ':'", self.label - colons, actions.prefixes)
        target = rule("a process name or '('", Choice(call, group))
        member = rule(
            "a process name",
            optional(prefixes) + target + optional(self.relabelling),
            actions.member,
        )
        forall = rule(
            "'forall'",
            token("forall") - self.some_indices - composite_body,
            node(ast.Forall),
        )
        composite_body <<= rule(
            names,
            Choice(member, forall, self._if(ast.CompositeIf, composite_body)),
        )
        priority = rule(
            "'<<' or '>>'",
            either("<<", ">>", name="'<<' or '>>'") - self.set_expression,
            actions.marked(ast.Priority, "<<"),
        )
        definition: Rule = (
            token("||")
            - self.upper
            - optional(self.parameters)
            - token("=")
            - composite_body
            - optional(priority)
            - optional(self.hiding)
            - self.full_stop
        )
        return definition

    # --- other declarations -------------------------------------------------

    def _small(self) -> list[Rule]:
        title, simple = self.title, self.simple_expression
        bounds = simple - token("..") - simple
        const_def = token("const") - title - simple
        range_def = token("range") - title - bounds
        set_def = token("set") - title - self.set_literal
        menu = token("menu") - title - self.label
        import_def = token("import") - title - self.file_name
        return [
            rule("'const'", const_def, titled(ast.ConstDef)),
            rule("'range'", range_def, titled(ast.RangeDef)),
            rule("'set'", set_def, titled(ast.SetDef)),
            rule("'menu'", menu, titled(ast.Menu)),
            rule("'import'", import_def, actions.import_def),
        ]

    def _progress(self) -> Rule:
        label = self.label
        condition = token("if") - label - token("then") - label
        either_way = rule("a label, a set or 'if'", Choice(condition, label))
        body = token("progress") - self._indexed() - either_way
        return rule("'progress'", body, actions.progress)

    def _indexed(self) -> Rule:
        return self.upper - self.indices - token("=")

    def _fluent(self) -> Rule:
        label = self.label
        initially = behind("'initially'", "initially", self.simple_expression)
        labels = token("<") - label - token(",") - label - token(">")
        body = token("fluent") - self._indexed() - labels - optional(initially)
        return rule("'fluent'", body, titled(ast.Fluent))

    def _animation(self) -> Rule:
        animated = separated(self.upper + Maybe(self.relabelling), "||")
        # A `compose` without a brace begins the next declaration.
        compose = terminal(r"compose(?=\s*\{)", "c", "'compose'")
        return rule(
            "'animation'",
            token("animation")
            - self.title
            - self.file_name
            - Maybe(token("target") - self.upper)
            - Maybe(compose - token("{") - animated - token("}"))
            - Maybe(token("actions") - self.relabels)
            - Maybe(token("controls") - self.relabels),
            actions.animation,
        )


@cache
def _grammar() -> tuple[Rule, Rule]:
    one = Grammar().declaration
    end = rule("a definition", Terminal(r"\Z", ""))
    start = Terminal("", "")  # Takes the white space before the first word.
    whole = rule("a text", start + Many(one) + end, group)
    return whole.parse_with_tabs(), (start + one - end).parse_with_tabs()


def description() -> Rule:
    """Return the start rule for whole texts; it delivers a tuple of declarations.

    Cost: some 10 ms at the first call, for importing pyparsing not counted.
    """
    return _grammar()[0]


def declaration() -> Rule:
    """Return the start rule for one declaration and nothing behind it."""
    return _grammar()[1]
