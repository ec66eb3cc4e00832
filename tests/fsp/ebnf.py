"""An interpreter for fsp.ebnf that shares nothing with the parser.

In:  the text of the grammar.
Out: `Grammar`, which tells whether it accepts an FSP text, and which makes
     texts by walking through its rules.

It reads the notation by hand, turns the token rules into regular expressions
and recognises by memoised descent over whole texts: no pyparsing, no cutting
into declarations, no marks.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from pathlib import Path
from random import Random

GRAMMAR_FILE = Path(__file__).parents[2] / "symrob/formats/fsp/fsp.ebnf"

_NOTATION = re.compile(
    r"""(?P<skip>\s+|\(\*.*?\*\))|(?P<quoted>'[^']*'|"[^"]*")"""
    r"""|(?P<class>\[(?:\\.|[^\]])+\])|(?P<name>[a-z_]+)|(?P<mark>[()|?*+=;])""",
    re.DOTALL,
)
# Rules of tokens are spelled with characters; all others with tokens.
LEXICAL = ("lower", "capital", "number", "string", "space", "line_comment")
SPECIAL_WORDS = {"upper_x": "X", "upper_u": "U", "upper_w": "W"}

Node = tuple  # ("seq", […]), ("alt", […]), ("?", n), ("text", s), ("rule", s), …


def _notation_tokens(text: str) -> list[tuple[str, str]]:
    found, at = [], 0
    while at < len(text):
        match = _NOTATION.match(text, at)
        assert match, f"notation: {text[at : at + 40]!r}"
        at = match.end()
        if match.lastgroup != "skip":
            found.append((match.lastgroup, match.group()))
    return found


def read_rules(text: str) -> dict[str, Node]:
    """Read the rules of an EBNF text."""
    tokens, at, rules = _notation_tokens(text), 0, {}

    def alternatives() -> Node:
        nonlocal at
        options = [sequence()]
        while tokens[at][1] == "|" and tokens[at][0] == "mark":
            at += 1
            options.append(sequence())
        return options[0] if len(options) == 1 else ("alt", options)

    def sequence() -> Node:
        nonlocal at
        items = []
        while not (tokens[at][0] == "mark" and tokens[at][1] in ")|;"):
            items.append(item())
        return items[0] if len(items) == 1 else ("seq", items)

    def item() -> Node:
        nonlocal at
        kind, word = tokens[at]
        at += 1
        if kind == "quoted":
            node: Node = ("text", word[1:-1])
        elif kind == "class":
            node = ("class", word)
        elif kind == "name":
            node = ("rule", word)
        else:
            assert word == "(", word
            node = alternatives()
            assert tokens[at][1] == ")"
            at += 1
        while tokens[at][0] == "mark" and tokens[at][1] in "?*+":
            node = (tokens[at][1], node)
            at += 1
        return node

    while at < len(tokens):
        name = tokens[at][1]
        assert tokens[at + 1][1] == "=", name
        at += 2
        assert name not in rules, f"two rules {name}"
        rules[name] = alternatives()
        assert tokens[at][1] == ";", name
        at += 1
    return rules


def _regex(node: Node) -> str:
    """Turn a token rule into a regular expression."""
    kind, body = node
    if kind == "text":
        return re.escape(body)
    if kind == "class":
        return body
    if kind == "seq":
        return "".join(_regex(n) for n in body)
    if kind == "alt":
        return "(?:" + "|".join(_regex(n) for n in body) + ")"
    return f"(?:{_regex(body)}){kind}"


def _texts(node: Node) -> set[str]:
    kind, body = node
    if kind == "text":
        return {body}
    if kind in ("seq", "alt"):
        return set().union(*(_texts(n) for n in body))
    return _texts(body) if kind in ("?", "*", "+") else set()


@dataclass
class Token:
    kinds: frozenset[str]
    text: str


@dataclass
class Grammar:
    """The rules of a grammar, ready to recognise and to generate."""

    rules: dict[str, Node]
    words: set[str] = field(default_factory=set)
    tokeniser: re.Pattern[str] | None = None
    depths: dict[str, int] = field(default_factory=dict)

    def __post_init__(self) -> None:
        lexical = {*LEXICAL, "block_comment"}
        syntax = [n for name, n in self.rules.items() if name not in lexical]
        self.words = set().union(*(_texts(n) for n in syntax))
        symbols = sorted((w for w in self.words if not w[0].isalpha()), reverse=True)
        groups = [
            f"(?P<{name}>{_regex(self.rules[name])})"
            for name in ("space", "line_comment", "block_comment")
        ]
        groups.append(r"(?P<open_comment>/\*.*)")
        groups += [
            f"(?P<{n}>{_regex(self.rules[n])})" for n in LEXICAL[:4] if n != "string"
        ]
        groups.append(f"(?P<string>{_regex(self.rules['string'])})")
        # Reverse order puts each symbol before its own prefixes.
        groups.append("(?P<symbol>" + "|".join(re.escape(s) for s in symbols) + ")")
        self.tokeniser = re.compile("|".join(groups), re.DOTALL)
        for _round in self.rules:
            for name in self.rules.keys() - lexical:
                self.depths[name] = 1 + self._depth(self.rules[name])

    def tokens(self, text: str) -> list[Token] | None:
        """Split a text; `None` if some character fits no token."""
        found: list[Token] = []
        declared: dict[str, str] = {}
        at = 0
        while at < len(text):
            match = self.tokeniser.match(text, at)
            if match is None:
                return None
            at = match.end()
            group, word = match.lastgroup, match.group()
            if group in ("space", "line_comment", "block_comment", "open_comment"):
                continue
            kinds = {group}
            if group == "symbol" or word in self.words:
                kinds = {"'" + word}
            elif group == "capital":
                kinds = {declared.get(word, "name"), *_special(word)}
                before = found[-1].text if found else ""
                if before == "set":
                    declared[word] = "set_name"
                elif before == "range":
                    declared.setdefault(word, "range_name")
            elif group == "number" and _value(word) > 2**31 - 1:
                return None
            found.append(Token(frozenset(kinds), word))
        return found

    def accepts(self, text: str) -> bool:
        """Tell whether a text follows the grammar."""
        tokens = self.tokens(text)
        if tokens is None:
            return False
        memo: dict[tuple[str, int], int | None] = {}

        def match(node: Node, at: int) -> int | None:
            kind, body = node
            if kind == "text":
                return at + 1 if _has(tokens, at, "'" + body) else None
            if kind == "rule":
                if body not in self.rules or body in LEXICAL:
                    return at + 1 if _has(tokens, at, body) else None
                if (body, at) not in memo:
                    memo[body, at] = match(self.rules[body], at)
                return memo[body, at]
            if kind == "seq":
                for part in body:
                    at = match(part, at)
                    if at is None:
                        return None
                return at
            if kind == "alt":
                ends = (match(part, at) for part in body)
                return next((end for end in ends if end is not None), None)
            end = match(body, at)
            if kind == "?":
                return at if end is None else end
            if end is None:
                return None if kind == "+" else at
            while end is not None and end != at:
                at, end = end, match(body, end)
            return at

        return match(("rule", "description"), 0) == len(tokens)

    def generate(self, random: Random, rule: str, depth: int = 12) -> list[str]:
        """Make the words of some text that a rule allows, by chance."""
        return self._generate(random, ("rule", rule), depth)

    def _generate(self, random: Random, node: Node, depth: int) -> list[str]:
        kind, body = node
        if kind == "text":
            return [body]
        if kind == "rule":
            if body in WORDS:
                return [random.choice(WORDS[body])]
            return self._generate(random, self.rules[body], depth - 1)
        if kind == "seq":
            return [w for part in body for w in self._generate(random, part, depth)]
        if kind == "alt":
            # Deep down, take what ends soonest.
            options = body if depth > 0 else [min(body, key=self._depth)]
            return self._generate(random, random.choice(options), depth)
        least = 1 if kind == "+" else 0
        most = least if depth <= 0 else (1 if kind == "?" else 2)
        times = random.randint(least, most)
        return [w for _ in range(times) for w in self._generate(random, body, depth)]

    def _depth(self, node: Node) -> int:
        """Return how deep the shortest text of a node nests."""
        kind, body = node
        if kind in ("?", "*", "text"):
            return 0
        if kind == "rule":
            return 0 if body in WORDS else self.depths.get(body, 10**6)
        if kind in ("alt", "seq"):
            worst = min if kind == "alt" else max
            return worst(self._depth(n) for n in body)
        return self._depth(body)


# What generated texts use for the kinds of tokens that rules do not spell out.
WORDS = {
    "lower": ["a", "b", "i", "_x1"],
    "name": ["P", "Q", "N", "X", "U"],
    "range_name": ["RA"],
    "set_name": ["SA"],
    "number": ["0", "1", "07", "0x1F"],
    "string": ['"f.aut"'],
    "upper_x": ["X"],
    "upper_u": ["U"],
    "upper_w": ["W"],
}
PRELUDE = [
    "set",
    "SA",
    "=",
    "{",
    "a",
    ",",
    "b",
    "}",
    "range",
    "RA",
    "=",
    "0",
    "..",
    "1",
]


def _special(word: str) -> set[str]:
    return {kind for kind, text in SPECIAL_WORDS.items() if text == word}


def _has(tokens: list[Token], at: int, kind: str) -> bool:
    return at < len(tokens) and kind in tokens[at].kinds


def _value(word: str) -> int:
    if word[:2] in ("0x", "0X"):
        return int(word, 16)
    return int(word, 8 if word[0] == "0" else 10)


def load_grammar() -> Grammar:
    """Read fsp.ebnf."""
    return Grammar(read_rules(GRAMMAR_FILE.read_text(encoding="utf-8")))
