"""Parser of FSP: text to syntax tree, with all syntax errors at once.

In:  a text.
Out: its declarations, the `FspSource`, and the diagnostics.

A correct text is parsed as a whole. Otherwise each declaration is parsed separately, so
a mistake affects only one: a keyword, or the context of an upper-case name, marks the
beginning of a declaration. Declarations of tools derived from LTSA are recognised and
skipped.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from string import ascii_lowercase, digits
from typing import Any, NamedTuple

from symrob.errors import Diagnostic
from symrob.formats.fsp.ast import Declaration, Declarations, Foreign, Name, Process
from symrob.formats.fsp.tokens import (
    KEYWORDS,
    MODIFIERS,
    UPPER,
    FspSource,
    Token,
    Tokens,
    tokens_of,
)
from symrob.limits import Limits, watched

# These stand nowhere but where a declaration begins.
_FIRST = frozenset(
    {
        *("const", "range", "set", "progress", "menu", "animation"),
        *("import", "assert", "fluent"),
    }
)
# These begin declarations that FSP does not have, of tools that grew out of LTSA. They
# are labels wherever no such declaration begins.
_FOREIGN = frozenset(
    {
        *("abstract", "closure", "component", "constraint", "controller"),
        *("controllerSpec", "def", "heuristic", "ltl_property", "monolithicDirector"),
        *("optimistic", "pessimistic", "plant", "probabilistic", "starenv"),
    }
)
_MARKS = {*MODIFIERS, *_FOREIGN}
_SIGNS = {"!", "[]", "<>", "forall", "exists"}
_SMALL = f"{ascii_lowercase}{digits}_"
_NO_GUARD = {"->", "then", "else", ",", "|", "||"}
# Behind these, a name with a capital letter is taken for a label.
_BEFORE_LABELS = ("(", "|", "->", "{", ",", ".")


class Parsed(NamedTuple):
    """The result of parsing a text.

    Attributes:
        declarations: The valid declarations.
        source: The text.
        problems: Lexical and syntactic diagnostics, in reading order.
        broken: Names defined by invalid declarations.
        doubtful: Names defined after an unfinished declaration: they may be its local
            processes.
    """

    declarations: Declarations
    source: FspSource
    problems: list[Diagnostic]
    broken: frozenset[str] = frozenset()
    doubtful: frozenset[str] = frozenset()


def parse(text: str, file: str, limits: Limits) -> Parsed:
    """Parse a text, inside `model.room`.

    Args:
        text: The FSP text.
        file: Its name, for diagnostics.
        limits: Bounds; `max_nesting` is that of brackets.

    Returns:
        The valid declarations, and all problems.

    Cost: linear in the text.
    """
    source = FspSource(text, file)
    tokens, lexical = tokens_of(source)
    if _too_deep(tokens, limits.max_nesting) is None:
        found = _parsed("whole", tokens)
        if found is not None:
            return Parsed(found, source, list(lexical.values()))
    return _Recovery(tokens, source, lexical).parsed(limits.max_nesting)


def _parsed(rule: str, tokens: Tokens) -> Any:
    from symrob.formats.fsp.grammar import parsed  # It takes long to load.

    return parsed(rule, tokens)


def _too_deep(tokens: Sequence[Token], limit: int) -> int | None:
    """Return the token where brackets, `then if` or signs nest too deeply, if any."""
    depth = signs = square = start = 0
    for at, (kind, word, _pos) in enumerate(tokens):
        square += (kind == "[") - (kind == "]")
        if kind in _SIGNS or (word == "X" and kind in UPPER):
            start = start if signs else at
            signs += 1
            if signs > 1 and depth + signs > limit:
                return start
        elif not square and kind != "]":
            signs = 0
        if kind in (")", "]", "}"):
            depth -= 1
        elif kind in ("(", "[", "{") or (kind == "if" and tokens[at - 1][0] == "then"):
            depth += 1
            if depth > limit:
                return at
    return None


class _Recovery:
    """Parses each declaration of a text alone.

    Args:
        tokens: Those of the text.
        source: The text.
        lexical: What is wrong with its characters and numbers, by offset.
    """

    def __init__(
        self, tokens: Tokens, source: FspSource, lexical: dict[int, Diagnostic]
    ) -> None:
        self.tokens, self.source, self.lexical = tokens, source, lexical
        self._gaps = [at for at, d in lexical.items() if d.code != "fsp-number"]
        # The first token at or behind each that is no modifier nor the like.
        self._behind = [*range(len(tokens))]
        for at in reversed(range(len(tokens) - 1)):
            if tokens[at].word in _MARKS:
                self._behind[at] = self._behind[at + 1]

    def parsed(self, max_nesting: int) -> Parsed:
        """Return what could be read."""
        lexical = self.lexical
        problems: list[Diagnostic] = []
        broken: set[str] = set()
        sure: list[Declaration] = []
        maybe: list[Process] = []
        unfinished = cut_short = -1
        for start, end in self._pieces():
            first, last = self.tokens[start].pos, self.tokens[end].pos
            node: Declaration | None = self._foreign(start, end)
            if node is not None:
                sure.append(node)
                lexical = {at: d for at, d in lexical.items() if not first < at < last}
                continue
            node, at, problem = self._declaration(start, end, max_nesting)
            if isinstance(node, Process) and start == unfinished:
                maybe.append(node)
            elif node is not None:
                sure.append(node)
            if problem is None:
                continue
            broken |= self._seems_defined(start, end)
            # A keyword in the wrong place cuts a declaration in two; the second half is
            # no news then. Nor is what follows a character that was left out.
            gap = any(first < place <= self.tokens[at].pos for place in self._gaps)
            if not gap and (start != cut_short or at > start + 1):
                problems.append(problem)
            cut_short = end if at == end else -1
            before, begins = self.tokens[end - 1].kind, self.tokens[start].kind
            unfinished = end if before != "." and begins not in _FIRST else -1
        certain = {node.name.text for node in sure if isinstance(node, Process)}
        maybe = [node for node in maybe if node.name.text not in certain]
        nodes = sorted([*sure, *maybe], key=lambda d: d.pos)
        problems += lexical.values()
        problems.sort(key=lambda d: (d.line, d.column))
        doubtful = frozenset(node.name.text for node in maybe)
        return Parsed(tuple(nodes), self.source, problems, frozenset(broken), doubtful)

    def _declaration(
        self, start: int, end: int, max_nesting: int
    ) -> tuple[Declaration | None, int, Diagnostic | None]:
        """Parse a declaration: its node, or where it cannot go on and what is wrong."""
        piece = Tokens(self.tokens[start:end])
        piece.append(Token("end", "", self.tokens[end].pos))
        deep = _too_deep(piece, max_nesting)
        if deep is None:
            node = _parsed("declaration", piece)
            at = start + piece.furthest
            if node is not None:
                return node, at, None
            return None, at, self._problem(start, at, piece.expected)
        at = start + deep
        message = f"more than {max_nesting} levels of nesting"
        hint, code = "--bound max-nesting raises this limit", "fsp-limit-nesting"
        pos = self.tokens[at].pos
        return None, at, self.source.diagnostic(code, message, pos, hint=hint)

    # --- where declarations begin -------------------------------------------

    def _pieces(self) -> Iterator[tuple[int, int]]:
        """Yield the declarations, each from one beginning to the next."""
        start, end = 0, len(self.tokens) - 1
        for at in self._beginnings():
            if at > start:
                yield start, at
                start = at
        if start < end:
            yield start, end

    def _beginnings(self) -> Iterator[int]:
        before = ""
        for at, (kind, word, _pos) in enumerate(watched(self.tokens)):
            modifies = kind in MODIFIERS or (word in _FOREIGN and self._is_foreign(at))
            if modifies:
                # A row of them counts once; `compose {` is part of an animation.
                if before != "modifier" and self._kind(at + 1) != "{":
                    yield at
            elif kind in _FIRST or self._begins(at, before):
                yield at
            before = "modifier" if modifies else kind

    def _begins(self, at: int, before: str) -> bool:
        """Whether a name that is defined stands here, or a composite."""
        kind, after = self._kind(at), self._kind(at + 1)
        if before == ".":
            # Labels have dots, too.
            named = after in ("(", "@") and kind in UPPER
            if kind in ("||", "name") or after == "=" or named:
                return True
        if before in _FIRST or before in ("modifier", "(", "||"):
            return False
        if kind == "||":
            return before != "|" and self._is_composite(at)
        accepting = after == "@" and self._kind(at + 2) == "="
        defined = accepting or self._is_defined(at + 1)
        return defined and kind in UPPER and before not in (",", "when", "if")

    def _kind(self, at: int) -> str:
        return self.tokens[min(at, len(self.tokens) - 1)].kind

    def _is_defined(self, at: int) -> bool:
        """Whether what stands here defines the name before it."""
        parameter = self._kind(at) == "(" and self._kind(at + 1) in UPPER
        return self._kind(at) == "=" or (parameter and self._kind(at + 2) == "=")

    def _is_composite(self, at: int) -> bool:
        return self._kind(at + 1) in UPPER and self._is_defined(at + 2)

    # --- declarations that FSP does not have --------------------------------

    def _is_foreign(self, at: int) -> bool:
        # In formulas, `U` and `W` are operators between two labels.
        if self.tokens[at + 1].word in ("U", "W") and self._kind(at + 2) != "=":
            return False
        return self.tokens[at].kind == "constraint" or self._named(at) is not None

    def _named(self, at: int) -> int | None:
        """Return the token that names what a row of modifiers and such declares."""
        at = self._behind[at]
        kind = self._kind(at)
        if kind in UPPER or (kind == "lower" and self._kind(at + 1) in ("=", "(", "[")):
            return at
        return at + 1 if kind == "||" and self._is_composite(at) else None

    def _foreign(self, start: int, end: int) -> Foreign | None:
        """Return the node of a declaration that FSP does not have, if it is one."""
        piece = self.tokens[start:end]
        first = next((t for t in piece if t.kind not in MODIFIERS), None)
        at = self._named(start)
        if first is None or first.word not in _FOREIGN or at is None or at >= end:
            return None
        name = self.tokens[at]
        mentions = {t.word for t in self.tokens[at + 1 : end] if t.kind in UPPER}
        node = Name(name.pos, name.word)
        return Foreign(first.pos, node, first.word, frozenset(mentions))

    def _seems_defined(self, start: int, end: int) -> set[str]:
        """Return the upper-case names that a broken declaration may have defined."""
        # What stands before `=`, but for indices, or behind a comma, may be defined; in
        # `rangeR =` a blank is missing.
        found: set[str] = set()
        for at, (kind, word, _pos) in enumerate(self.tokens[start:end], start):
            if kind not in UPPER and kind != "lower":
                continue
            listed = self._kind(at - 1) == "," and at + 1 < end
            defined = self._kind(self._behind_indices(at + 1)) == "="
            likely = kind in UPPER and (listed or not found)
            if (defined or likely) and (name := word.lstrip(_SMALL)):
                found.add(name)
        return found

    def _behind_indices(self, at: int) -> int:
        """Return the token behind `@` and indices, as they stand before `=`."""
        at += self._kind(at) == "@"
        while self._kind(at) == "[":
            end = at + 1
            while self._kind(end) not in ("[", "]", "end"):
                end += 1
            if self._kind(end) != "]":
                break
            at = end + 1
        return at

    # --- what is said ---------------------------------------------------------

    def _problem(self, start: int, at: int, expected: str) -> Diagnostic:
        """Return the diagnostic of a syntax error, blamed on the word that is wrong.

        Args:
            start: Where the declaration begins.
            at: Where it could not go on.
            expected: What could have stood there.
        """
        if self._kind(at) == "->" and (name := self._no_action(start, at)):
            expected, at = "an action before '->'", name
        elif self._lacks_equals(start, at):
            expected, at = "'='", at - 1
        word = self.tokens[at].word
        found = f"'{word}'" if word else "the end of the file"
        before = [token.kind for token in self.tokens[start:at]]
        hint = self._hint(before, at, expected)
        message = f"expected {expected}, found {found}"
        pos = self.tokens[at].pos
        return self.source.diagnostic("fsp-syntax", message, pos, hint=hint)

    def _no_action(self, start: int, end: int) -> int | None:
        """Return the name, with indices or not, that stands before `->`."""
        depth = 0
        for at in range(end - 1, start, -1):
            kind = self._kind(at)
            depth += (kind == "]") - (kind == "[")
            if depth == 0 and kind != "[":
                begins = self._kind(at - 1) in ("->", "(", "|")
                return at if begins and kind in UPPER else None
        return None

    def _lacks_equals(self, start: int, at: int) -> bool:
        """Tell whether `P (a -> P)` is meant to define P, not to give it parameters."""
        kinds = [t.kind for t in self.tokens[start:at]]
        kinds = [kind for kind in kinds if kind not in MODIFIERS and kind != "||"]
        here = self._kind(at)
        begins = here in ("(", "[", "{", "lower") or here in KEYWORDS
        opened = len(kinds) == 2 and kinds[1] == "("
        return opened and begins and self._kind(at + 1) != "="

    def _hint(self, before: list[str], at: int, expected: str) -> str | None:
        """Explain the slips that are made most often."""
        kind, word, _pos = self.tokens[at]
        last = before[-1] if before else ""
        named = self.tokens[at - 1].word if before else ""
        defines = self._kind(at + 1) == "="
        if kind in UPPER:
            return self._capital_hint(last, at)
        if kind == "[]":
            return "an index cannot be empty"
        if kind == "-" and last and not expected.startswith("an expression"):
            return "names consist of letters, digits and '_', without '-'"
        if kind == "#" and not before:
            return "write comments as // … or /* … */"
        if kind == ";" and before:
            return "local processes are separated by ','"
        if kind in ("}", ")", "]") and last == ",":
            return f"leave out the ',' before '{word}'"
        if kind == "=" and self._in_expression(before):
            return "equality is written '=='"
        if kind == "lower" and (not before or defines):
            return "names of processes begin with a capital letter"
        if last == "=" and kind in ("[", "{", "lower"):
            return "write a choice in parentheses: (a -> P)"
        if last == "." and kind == "number":
            return f"write the index in brackets: [{word}]"
        if kind == "[" and (
            len(before) == 1 or (before[:1] and before[0] in MODIFIERS)
        ):
            local = f"begin with {named} = Q[0]"
            return f"{local}, and give the index to the local process Q"
        if expected == "'='" and last in UPPER:
            return f"write '=' after the name '{named}'"
        return f"'{word}' is a keyword of FSP" if kind in KEYWORDS else None

    def _capital_hint(self, last: str, at: int) -> str | None:
        """Explain an upper-case name where none can stand."""
        if last in _BEFORE_LABELS:
            word = self.tokens[at].word
            return (
                f"labels begin with a lower-case letter; '{word}' would have to be a "
                "set that is declared before this line"
            )
        if self._kind(self._behind_indices(at + 1)) == "=":
            return "write ',' before a local process, '.' at the end of a definition"
        return None

    def _in_expression(self, before: list[str]) -> bool:
        """Tell whether the last words are a condition or in an index."""
        for kind in reversed(before):
            if kind in ("when", "if", "["):
                return True
            if kind in _NO_GUARD:
                return False
        return False
