"""The grammar of FSP: the rules of fsp.ebnf as pyparsing elements.

In:  fsp.ebnf, and an action for each rule, which builds a node of the syntax tree;
     `checks` validates the complete tree.
Out: the declarations of a text; for a wrong text, the place of the first mistake and
     what was expected there.

A rule takes the first alternative that matches. One token nearly always determines the
alternative, and whether an optional part is present: these elements look at it first,
where pyparsing would try each alternative on the characters of the text.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from functools import cache, cached_property
from itertools import chain
from typing import Any, NoReturn

import pyparsing as pp

from symrob.formats.fsp import ast
from symrob.formats.fsp.tokens import MODIFIERS, SYNTAX, UPPER, Tokens, number_value
from symrob.limits import tick

Action = Callable[..., Any]
Items = tuple[ast.Item, ...]

# --- elements ---------------------------------------------------------------


def _refuse(tokens: Tokens, at: int, expected: str) -> NoReturn:
    if at >= tokens.furthest:
        tokens.furthest, tokens.expected = at, expected
    raise pp.ParseException("", at)


def listed(names: Iterable[str]) -> str:
    """Return names as in a sentence: `a, b or c`."""
    *most, last = dict.fromkeys(names)
    return f"{', '.join(most)} or {last}" if most else last


class Syntax(pp.ParserElement):
    """An element; it returns a plain list, or fails."""

    def streamline(self) -> pp.ParserElement:
        """Return the element unchanged."""
        return self

    def begin(self) -> list[Any]:
        """Return the possible first parts."""
        return [*self.recurse()]

    @cached_property
    def empty(self) -> bool:
        """Whether it matches the empty sequence."""
        parts = self.begin()
        return bool(parts) and all(part.empty for part in parts)

    @cached_property
    def first(self) -> frozenset[str]:
        """The kinds of its possible first tokens."""
        return frozenset().union(*(part.first for part in self.begin()))

    @cached_property
    def spoken(self) -> str:
        """Its name in messages."""
        return listed(part.spoken for part in self.begin() if not part.empty)


class Word(Syntax, pp.Token):
    """A token; it returns the text, or nothing for a fixed token.

    Args:
        kinds: The permitted kinds.
        spoken: Its name in messages.
        word: The only permitted text; by default any.
    """

    def __init__(self, kinds: Iterable[str], spoken: str, word: str = "") -> None:
        super().__init__()
        self.first, self.spoken, self.word = frozenset(kinds), spoken, word
        self.same = len(self.first) == 1 and spoken == f"'{min(self.first)}'"

    def _parse(self, tokens: Any, at: int, *_unused: Any) -> Any:
        token = tokens[at]
        if token.kind not in self.first or (self.word and token.word != self.word):
            _refuse(tokens, at, self.spoken)
        return at + 1, [] if self.same else [token.word]


class Series(Syntax, pp.And):
    """A sequence of elements; it returns their results."""

    def begin(self) -> list[Any]:
        """Return the parts up to the first that is not optional."""
        parts = super().begin()
        filled = (i for i, part in enumerate(parts, 1) if not part.empty)
        return parts[: next(filled, None)]

    def _parse(self, tokens: Any, at: int, *_unused: Any) -> Any:
        found: list[Any] = []
        for part in self.exprs:
            at, one = part._parse(tokens, at)
            found += one
        return at, found


class OneOf(Syntax, pp.MatchFirst):
    """The first matching alternative, among those that the next token permits."""

    @cached_property
    def _able(self) -> dict[str, list[Any]]:
        return {
            kind: [e for e in self.begin() if kind in e.first] for kind in self.first
        }

    def _parse(self, tokens: Any, at: int, *_unused: Any) -> Any:
        for option in self._able.get(tokens[at].kind, ()):
            try:
                return option._parse(tokens, at)
            except pp.ParseException:
                continue
        _refuse(tokens, at, self.spoken)


class Maybe(Syntax, pp.Opt):
    """An optional element; for a single word it returns whether it is present."""

    empty = True

    def _parse(self, tokens: Any, at: int, *_unused: Any) -> Any:
        if tokens[at].kind in self.first:
            try:
                at, found = self.expr._parse(tokens, at)
                return at, found or [True]
            except pp.ParseException:
                pass
        return at, [self.defaultValue]


class Repeated(Syntax, pp.ZeroOrMore):
    """Any number of elements; it returns one tuple."""

    empty = True

    def _parse(self, tokens: Any, at: int, *_unused: Any) -> Any:
        found: list[Any] = []
        try:
            while tokens[at].kind in self.first:
                at, one = self.expr._parse(tokens, at)
                found += one
                tick()
        except pp.ParseException:
            pass
        return at, [tuple(found)]


class Some(Syntax, pp.OneOrMore):
    """One or more elements; it returns one tuple."""

    def _parse(self, tokens: Any, at: int, *_unused: Any) -> Any:
        at, one = self.expr._parse(tokens, at)
        at, (more,) = Repeated._parse(self, tokens, at)  # type: ignore[arg-type]
        return at, [(*one, *more)]


class Rule(Syntax, pp.ParseElementEnhance):
    """A named rule; its result is one node, if it has an action.

    Args:
        action: Builds the node from the place of the rule and the results of its body.
        spoken: Its name in messages; by default, that of its first part.
    """

    def __init__(self, action: Action | None, spoken: str | None) -> None:
        pp.ParserElement.__init__(self)  # Its body comes later.
        self.expr: Any = None
        self._action, self._spoken = action, spoken
        if spoken:
            self.spoken = spoken

    def _parse(self, tokens: Any, at: int, *_unused: Any) -> Any:
        found: Any
        try:
            end, found = self.expr._parse(tokens, at)
        except pp.ParseException:
            if self._spoken and tokens.furthest == at:
                tokens.expected = self._spoken
            raise
        if self._action is None:
            return end, found
        return end, [self._action(tokens[at].pos, *found)]


# --- makers of actions ------------------------------------------------------
#
# An action gets the offset where the rule matched, and what its body delivered. A rule
# without an action delivers what its parts do.

# Binding strength of the binary operators, all left-associative.
STRENGTH = {
    operator: level
    for level, row in enumerate(
        ("||", "&&", "|", "^", "&", "== !=", "< <= > >=", "<< >>", "+ -", "* / %")
    )
    for operator in row.split()
}


def _flat(_at: int, *parts: Any) -> tuple[Any, ...]:
    """Return the first part and those that are repeated behind it in one row."""
    rows = (part if type(part) is tuple else (part,) for part in parts if part)
    return tuple(chain(*rows))


def _declaration(kind: Action) -> Action:
    """Make a declaration, blamed at its name."""
    return lambda _at, name, *rest: kind(name.pos, name, *rest)


def _row(kind: Action) -> Action:
    """Make a node that holds one row of equal things."""
    return lambda at, *parts: kind(at, _flat(at, *parts))


def _item(kind: Action) -> Action:
    """Make an item of an expression; what the expression in it needs stands before."""
    return lambda at, part, *rest: (*chain(*(e.code for e in rest)), kind(at, part))


def _temporal(operator: str | None = None) -> Action:
    """Make a temporal operator before it has operands, by default the word there."""
    return lambda at, word=operator, indices=(): ast.Temporal(at, word, (), indices)


# --- expressions, labels ----------------------------------------------------


def _atom(at: int, part: ast.Number | ast.Name) -> Items:
    if isinstance(part, ast.Number):
        return (part,)
    kind = ast.Constant if part.text[0].isupper() else ast.Variable
    return (kind(at, part.text),)


def _operator(at: int, symbol: str) -> ast.Operator:
    return ast.Operator(at, symbol, 2)


def _operand(at: int, sign: str | None, primary: Items) -> Items:
    # In postfix order, the operator comes last.
    return primary if sign is None else (*primary, ast.Operator(at, sign, 1))


def _expression(at: int, first: Items, rest: tuple[Any, ...]) -> ast.Expr:
    """`operand (operator operand)*` into postfix order, by operator strength."""
    code = list(first)
    waiting: list[ast.Operator] = []
    for symbol, right in zip(rest[::2], rest[1::2], strict=True):
        while waiting and STRENGTH[waiting[-1].symbol] >= STRENGTH[symbol.symbol]:
            code.append(waiting.pop())
        waiting.append(symbol)
        code.extend(right)
    return ast.Expr(at, (*code, *reversed(waiting)))


def _open_interval(
    at: int, low: ast.Expr, high: ast.Expr | None
) -> ast.Expr | ast.Range:
    return low if high is None else ast.Range(at, low, high)


def _index(at: int, *parts: Any) -> ast.Index:
    return ast.Index(at, parts[0] if len(parts) == 2 else None, parts[-1])


def _set_part(at: int, left: ast.SetExpr, right: ast.SetExpr | None) -> ast.SetExpr:
    return left if right is None else ast.Difference(at, left, right)


# --- processes, composites ------------------------------------------------


def _modifiers(_at: int, *there: bool) -> frozenset[str]:
    return frozenset(word for word, is_ in zip(MODIFIERS, there, strict=True) if is_)


def _process(
    _at: int,
    modifiers: frozenset[str],
    name: ast.Name,
    parameters: tuple[ast.Parameter, ...],
    accepting: bool,
    body: ast.Body,
    others: tuple[ast.Local, ...],
    *suffixes: Any,
) -> ast.Process:
    """The main local process comes first."""
    locals_ = (ast.Local(name.pos, name, accepting, (), body), *others)
    extension, relabels, hiding = suffixes
    return ast.Process(
        name.pos, name, modifiers, parameters, locals_, extension, relabels, hiding
    )


def _composite(
    _at: int, modifiers: frozenset[str], name: ast.Name, *rest: Any
) -> ast.Composite:
    return ast.Composite(name.pos, name, modifiers, *rest)


def _if(at: int, condition: Any, body: Any, more: Any, otherwise: Any) -> ast.If:
    """Pair the conditions with their bodies; the `else` part comes last."""
    pairs = ((condition, body), *zip(more[::2], more[1::2], strict=True))
    return ast.If(at, pairs, otherwise)


def _prefixes(_at: int, *labels: ast.Label | None) -> tuple[Any, ...]:
    """`share ::`, `prefix :` or both."""
    return labels if len(labels) == 2 else (None, *labels)


def _member(at: int, prefixes: Any, target: Any, relabels: Any) -> ast.Member:
    share, prefix = prefixes or (None, None)
    return ast.Member(at, share, prefix, target, relabels)


# --- formulas ---------------------------------------------------------------


def _unary(
    _at: int, prefixes: tuple[ast.Temporal, ...], inner: ast.Temporal | ast.Atom
) -> ast.Temporal | ast.Atom:
    """Apply a row of prefix operators to what follows, from the inside out."""
    for sign in reversed(prefixes):
        inner = ast.Temporal(sign.pos, sign.operator, (inner,), sign.indices)
    return inner


def _binary(at: int, first: Any, *more: Any) -> ast.Temporal | ast.Atom:
    """Apply one binary operator, or a row of equal ones, to its operands."""
    rest = _flat(at, *more)
    formula: ast.Temporal | ast.Atom = first
    if rest:
        sign = rest[0]
        formula = ast.Temporal(sign.pos, sign.operator, (first, *rest[1::2]), ())
    return formula


# Rules that deliver one tuple, which is empty where they are left out.
LISTS = ("parameters", "arguments", "relabelling")
ACTIONS: dict[str, Action] = {
    **dict.fromkeys(("lower", "upper", "process_name"), ast.Name),
    "set_name": ast.SetName,
    "range_name": ast.RangeName,
    "number": lambda at, word: ast.Number(at, number_value(word)),
    "string": lambda _at, word: word[1:-1],
    # Expressions, labels.
    "atom": _atom,
    "bracketed": lambda _at, expression: expression.code,
    "quote": _item(ast.Quote),
    "cardinality": _item(ast.Cardinality),
    "element": _item(ast.SetItem),
    **dict.fromkeys(("additive", "other_operator"), _operator),
    "operand": _operand,
    **dict.fromkeys(("expression", "simple_expression"), _expression),
    "closed_interval": ast.Range,
    "open_interval": _open_interval,
    "index": _index,
    "set_literal": _row(ast.SetLiteral),
    "set_part": _set_part,
    "label": _row(ast.Label),
    # Processes.
    "modifiers": _modifiers,
    "process": _process,
    "local": ast.Local,
    "sequence": _row(ast.Sequence),
    "call": ast.Call,
    "choice": _row(ast.Alternatives),
    "alternative": ast.Alternative,
    "if_body": _if,
    **dict.fromkeys(("parameters", "arguments", "relabels", "group"), _flat),
    "parameter": ast.Parameter,
    "relabel": ast.Relabel,
    "relabel_forall": ast.RelabelForall,
    "hiding": ast.Hiding,
    # Composites.
    "composite": _composite,
    "member": _member,
    "prefixes": _prefixes,
    "component": lambda at, name, arguments: ast.Call(at, name, arguments, ()),
    "forall": ast.Forall,
    "composite_if": _if,
    "priority": ast.PrioritySuffix,
    # Other declarations.
    "const_def": _declaration(ast.ConstDef),
    "range_def": _declaration(ast.RangeDef),
    "set_def": _declaration(ast.SetDef),
    "progress": _declaration(ast.ProgressDef),
    "menu": _declaration(ast.Menu),
    "import_def": _declaration(ast.Import),
    "fluent": _declaration(ast.FluentDef),
    "animation": lambda _at, name, *_ignored: ast.Animation(name.pos, name),
    "assertion": _declaration(ast.Assert),
    # Formulas.
    **dict.fromkeys(("sign", "quantifier", "implication"), _temporal()),
    **dict.fromkeys(("upper_x", "upper_u", "upper_w"), _temporal()),
    "and": _temporal("&&"),
    "or": _temporal("||"),
    "unary": _unary,
    **dict.fromkeys(("conjunction", "binary", "formula"), _binary),
    "formula_atom": ast.Atom,
}


# --- the grammar ------------------------------------------------------------

_NOTATION = re.compile(r"'[^']*'|\"[^\"]*\"|[a-z_]+|\S")
# What fsp.ebnf calls a token: its kinds, what messages call it, its only word if any.
TOKENS: dict[str, tuple[Any, ...]] = {
    "lower": (("lower",), "a label"),
    "upper": (UPPER, "an upper-case name"),
    # The name of a set is a label wherever a process could stand too.
    "process_name": (UPPER - {"set_name"}, "a process name"),
    "set_name": (("set_name",), "a set"),
    "range_name": (("range_name",), "a range"),
    "number": (("number",), "a value"),
    "string": (("string",), "a file name in quotes"),
    "upper_x": (UPPER, "'X'", "X"),
    "upper_u": (UPPER, "'U'", "U"),
    "upper_w": (UPPER, "'W'", "W"),
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


class GrammarReader:
    """Reads fsp.ebnf.

    Attributes:
        rules: The rules by name.
    """

    def __init__(self) -> None:
        self.rules: dict[str, Rule] = {}
        for name, look in TOKENS.items():
            self._rule(name).expr = Word(*look)
        self._words = _NOTATION.findall(SYNTAX)[::-1]
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

    def _alternatives(self) -> Syntax:
        options = [self._row()]
        while self._words[-1] == "|":
            self._words.pop()
            options.append(self._row())
        if len(options) == 1:
            return options[0]
        if all(isinstance(option, Word) for option in options):
            kinds = [kind for option in options for kind in option.first]
            return Word(kinds, listed(option.spoken for option in options))
        return OneOf(options)

    def _row(self) -> Syntax:
        parts = []
        while self._words[-1] not in "|);":
            parts.append(self._item())
        return parts[0] if len(parts) == 1 else Series(parts)

    def _item(self) -> Syntax:
        word = self._words.pop()
        default: Any = () if word in LISTS else None
        item: Syntax
        if word == "(":
            item = self._alternatives()
            self._words.pop()
        elif word[0] in "'\"":
            item, default = Word((word[1:-1],), f"'{word[1:-1]}'"), False
        else:
            item = self._rule(word)
        if self._words[-1] not in "?*+":
            return item
        mark = self._words.pop()
        if mark == "?":
            return Maybe(item, default)
        return Repeated(item) if mark == "*" else Some(item)


@cache
def _grammar() -> dict[str, Syntax]:
    """Return the rules for a whole text and for one declaration.

    Cost: some 10 ms at the first call, for importing pyparsing not counted.
    """
    end = Word(("end",), "a definition")
    one = GrammarReader().rules["declaration"]
    return {"whole": Series([Repeated(one), end]), "declaration": Series([one, end])}


def parsed(rule: str, tokens: Tokens) -> Any:
    """Return the result of a rule for all tokens.

    Returns `None` if they do not match; then the attributes of `tokens` say where.

    Args:
        rule: `whole` for a tuple of declarations, `declaration` for one.
        tokens: The tokens.

    Cost: linear in the tokens.
    """
    tokens.furthest = -1
    try:
        return _grammar()[rule]._parse(tokens, 0)[1][0]
    except pp.ParseException:
        return None
