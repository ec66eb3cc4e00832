"""Formulas of linear temporal logic over fluents, and which of them are safety.

In:  formulas as written.
Out: the same in negation normal form, and its liveness parts.

Formulas are evaluated after each action of a word. A fluent holds there if an action
that starts it has occurred, and none since that stops it; before any such action it has
its initial value.

A formula is a safety formula here if its normal form has no liveness operator: no `U`
and no `<>`, once negations are pushed inwards. Such formulas express safety, and every
safety property of this logic can be written in this way.

Source: docs/sources.md [Fluents], [Safety].
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from symrob.limits import tick
from symrob.lts import Action


@dataclass(frozen=True)
class Fluent:
    """A fluent: a proposition that actions start and stop.

    Attributes:
        name: Its name.
        starts: The actions that start it.
        stops: The actions that stop it; `None` for all others, as for an action itself,
            which holds when it has just occurred.
        initially: Whether it holds before any of them.
    """

    name: str
    starts: frozenset[Action]
    stops: frozenset[Action] | None = None
    initially: bool = False

    def after(self, before: bool, action: Action) -> bool:
        """Whether it holds after an action."""
        if action in self.starts:
            return True
        return before and self.stops is not None and action not in self.stops


@dataclass(frozen=True, eq=False)
class Formula:
    """A formula; two of them are equal only if they are the same object.

    Parts can be shared, so a formula may be exponentially smaller than its text; to
    compare or hash it by its text could take too long.

    Attributes:
        operator: `true`, `false`, `fluent`, `!`, `&&`, `||`, `->`, `<->`, `X`, `[]`,
            `<>`, `U`, `W`.
        parts: The operands; `&&` and `||` take any number.
        fluent: The fluent of an operator `fluent`.
        place: Its location in a text, for messages.
    """

    operator: str
    parts: tuple[Formula, ...] = ()
    fluent: Fluent | None = None
    place: int = 0


TRUE = Formula("true")
FALSE = Formula("false")


def fluents(formula: Formula) -> Iterator[Fluent]:
    """Yield the fluents of a formula, each once."""
    found: set[Fluent] = set()
    seen = {formula}
    todo = [formula]
    while todo:
        here = todo.pop()
        todo += [part for part in here.parts if part not in seen]
        seen.update(here.parts)
        if here.fluent is not None and here.fluent not in found:
            found.add(here.fluent)
            yield here.fluent


class NormalForm:
    """A formula with negations only before fluents.

    Its nodes are `true`, `false`, `fluent`, `!` of a fluent, `&&`, `||` of two or more,
    `X` and `W`. Equal formulas share one node, so that repeated negation or `<->` does
    not double the size at each level.

    Attributes:
        root: The normal form; not valid if `liveness` is not empty.
        liveness: The liveness parts of the formula.
    """

    def __init__(self, formula: Formula) -> None:
        self.liveness: list[Formula] = []
        self._known: dict[tuple[Formula, bool], Formula] = {}
        self._nodes: dict[object, Formula] = {}
        self.root = self._of(formula, positive=True)

    def _of(self, formula: Formula, *, positive: bool) -> Formula:
        key = (formula, positive)
        if key not in self._known:
            tick()
            self._known[key] = self._built(formula, positive)
        return self._known[key]

    def _built(self, formula: Formula, positive: bool) -> Formula:
        def of(part: Formula, same: bool = True) -> Formula:
            return self._of(part, positive=positive == same)

        parts = formula.parts
        match formula.operator:
            case "true" | "false" as word:
                return TRUE if (word == "true") == positive else FALSE
            case "fluent":
                same = self._node("fluent", (), formula.fluent)
                return same if positive else self._node("!", (same,))
            case "!":
                return of(parts[0], same=False)
            case "&&" | "||" as word:
                return self._joined((word == "&&") == positive, map(of, parts))
            case "->":
                both = (of(parts[0], same=False), of(parts[1]))
                return self._joined(not positive, both)
            case "<->":
                one, other = parts
                yes, no = (self._of(one, positive=sign) for sign in (True, False))
                left = self._joined(False, (no, of(other)))
                right = self._joined(False, (yes, of(other, same=False)))
                return self._joined(True, (left, right))
            case "X":
                return self._node("X", (of(parts[0]),))
            case "[]":
                if positive:
                    return self._weak(of(parts[0]), FALSE)
            case "<>":
                if not positive:
                    return self._weak(of(parts[0]), FALSE)
            case "W":
                if positive:
                    return self._weak(of(parts[0]), of(parts[1]))
            case "U":
                if not positive:
                    left, right = map(of, parts)
                    return self._weak(right, self._joined(True, (left, right)))
            case word:
                raise AssertionError(word)
        self.liveness.append(formula)
        return TRUE

    def _joined(self, every: bool, parts: Iterable[Formula]) -> Formula:
        """Return a conjunction or disjunction without what makes no difference."""
        zero, one = (FALSE, TRUE) if every else (TRUE, FALSE)
        kept = [p for p in dict.fromkeys(parts) if p is not one]
        if zero in kept:
            return zero
        if len(kept) == 1:
            return kept[0]
        return self._node("&&" if every else "||", tuple(kept)) if kept else one

    def _weak(self, left: Formula, right: Formula) -> Formula:
        if TRUE in (left, right):
            return TRUE
        return right if left is FALSE else self._node("W", (left, right))

    def _node(
        self, operator: str, parts: tuple[Formula, ...], fluent: Fluent | None = None
    ) -> Formula:
        """Return the node that says so: always the same."""
        unordered = operator in ("&&", "||")
        key = (operator, frozenset(parts) if unordered else parts, fluent)
        return self._nodes.setdefault(key, Formula(operator, parts, fluent))
