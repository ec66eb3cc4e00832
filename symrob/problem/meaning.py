"""Resolving the names in a requirement on states.

In:  a sentence, and the components of E and C.
Out: a `Requirement`, by numbers; every unknown name is an error.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import NamedTuple

from symrob.errors import Diagnostic, SymrobError, known_or_near
from symrob.logic.conditions import Condition
from symrob.logic.patterns import Pattern
from symrob.lts import Action, Lts, StateId
from symrob.problem.requirements import Met, Requirement, Side
from symrob.problem.roles import GUARD, Role
from symrob.words import ANY, fits


class _Parts(NamedTuple):
    """What a side is made of."""

    names: tuple[str, ...]
    components: tuple[Lts, ...]

    @classmethod
    def of(cls, role: Role) -> _Parts:
        model = role.model
        if isinstance(model, Lts) and model.parts is not None:
            return cls(model.parts.names, model.parts.components)
        if isinstance(model, Lts):
            # What was taken from a file has a name there.
            name = role.name.rpartition("#")[2] if "#" in role.name else ""
            return cls((name,), model.components)
        return cls(model.component_names, model.components)

    def called(self, text: str, side: Side) -> list[int]:
        """The components of that name or FSP label; `E` or `C` is a flat one.

        A flat C may have guards of a repair beside it.
        """
        names = [*enumerate(self.names)]
        exact = [i for i, name in names if name and name == text]
        flat = [i for i, name in names if name.rstrip("_0123456789") != GUARD]
        if side == "E" or len(names) == 1:
            flat = [i for i, _ in names]
        if text == side and len(flat) == 1 and not exact:
            return flat
        return exact or [i for i, name in names if text in _labels(name)]


def components_of(role: Role) -> tuple[Lts, ...]:
    """Return the components whose states conditions can name."""
    return _Parts.of(role).components


def _labels(name: str) -> list[str]:
    """The labels of a component: `a` and `a:b` of `a:b:CHANNEL`."""
    return [name[:i] for i, c in enumerate(name) if c == ":"]


def resolved(
    role: Role,
    environment: Role,
    controller: Role | None,
    actions: Iterable[Action],
    own: Iterable[Action] = (),
) -> Requirement:
    """Return the requirement that a sentence about states means in a problem.

    Args:
        role: The role with the `sentence`.
        environment: E: a network, or a product that knows its parts.
        controller: C; `None` if the sentence is about E alone.
        actions: The actions that the sentence can use.
        own: The actions of C, which a guard can use.

    Raises:
        SymrobError: A component, state or action is unknown, or the sentence is not
            allowed in this role; all problems at once.
    """
    sentence = role.sentence
    assert sentence is not None, "it is a sentence about states"
    assert sentence.condition is not None, "it is about states"
    problems: list[Diagnostic] = []
    meant: frozenset[Action] = frozenset()
    is_guard = sentence.kind == "guard"
    if is_guard and controller is None:
        message = f"'{role.name}': a guard restricts C; an assumption is about E alone"
        hint = "list it among the properties, or write '… only while …'"
        problems.append(Diagnostic("condition-guard", message, hint=hint))
    elif sentence.groups:
        try:
            meant = sentence.actions(own if is_guard else actions)
        except SymrobError as error:
            problems += error.diagnostics
    sides: dict[Side, _Parts] = {"E": _Parts.of(environment)}
    if controller is not None:
        sides["C"] = _Parts.of(controller)
    met = _resolved(sentence, sentence.condition, sides, problems)
    if problems:
        raise SymrobError(problems)
    return Requirement(role.name, sentence.kind, meant, met)


def multiplied_out(
    role: Role, environment: Role, controller: Role, product: Lts
) -> str:
    """Return a sentence about components of E as one about their product, a flat E.

    Args:
        role: Whose `sentence` it is, one about states.
        environment: E, of several components.
        controller: C.
        product: The product of E; it knows its parts.
    """
    sentence = role.sentence
    assert sentence is not None, "it is a sentence about states"
    assert sentence.condition is not None, "it is about states"
    sides: dict[Side, _Parts] = {
        "E": _Parts.of(environment),
        "C": _Parts.of(controller),
    }
    met = _resolved(sentence, sentence.condition, sides, [])
    return sentence.about(_of_product(sentence.condition, met, product))


def _of_product(condition: Condition, met: Met, product: Lts) -> Condition:
    if condition.operator != "is":
        pairs = zip(condition.parts, met.parts, strict=True)
        parts = [_of_product(part, its, product) for part, its in pairs]
        return Condition(condition.operator, tuple(parts))
    if met.side == "C":
        return condition
    assert product.parts is not None, "it is a product"
    states = [
        _named(state, product)
        for state in range(len(product.parts.codes))
        if product.parts.numbers(state)[met.component] in met.states
    ]
    if states:
        return Condition("is", (), "E", tuple(states))
    # The product does not reach them, so nothing meets it.
    some = Condition("is", (), "E", (_named(0, product),))
    return Condition("and", (some, Condition("not", (some,))))


def _named(state: StateId, lts: Lts) -> str:
    """The name of a state in a sentence: its number where no quotes hold its name."""
    name = lts.state_name(state)
    return str(state) if "'" in name and '"' in name else name


def _resolved(
    sentence: Pattern,
    condition: Condition,
    sides: dict[Side, _Parts],
    problems: list[Diagnostic],
) -> Met:
    if condition.operator != "is":
        parts = [_resolved(sentence, p, sides, problems) for p in condition.parts]
        return Met(condition.operator, tuple(parts))
    name, found = condition.component, _found(condition.component, sides)
    if len(found) != 1:
        problems.append(_unclear(sentence, name, found, sides))
        return Met("is")
    side, number = found[0]
    lts, states = sides[side].components[number], set[StateId]()
    for state in condition.states:
        meant = _states(lts, state)
        states |= meant
        if not meant:
            message = f"'{sentence.text:.200}': unknown state '{state}' of component "
            hint = known_or_near(state, lts.numbers, "its states")
            problems.append(Diagnostic("condition-state", message + name, hint=hint))
    return Met("is", (), side, number, frozenset(states), name.removeprefix("C:"))


def _found(name: str, sides: dict[Side, _Parts]) -> list[tuple[Side, int]]:
    """The components of that name, on both sides or on the one before a colon."""
    found = [
        (side, i) for side, parts in sides.items() for i in parts.called(name, side)
    ]
    if not found and name[:2] in ("E:", "C:"):
        side: Side = "E" if name[0] == "E" else "C"
        if side in sides:
            found = [(side, i) for i in sides[side].called(name[2:], side)]
    return found


def _unclear(
    sentence: Pattern,
    name: str,
    found: Sequence[tuple[Side, int]],
    sides: dict[Side, _Parts],
) -> Diagnostic:
    known = [
        each or side
        for side, parts in sides.items()
        for each in (parts.names if len(parts.names) > 1 else (parts.names[0] or side,))
    ]
    if not found:
        message = f"'{sentence.text:.200}': unknown component '{name}'"
        hint = known_or_near(name, known, "the components")
        if "C" not in sides:
            message += " of the environment (an assumption is about E alone)"
        return Diagnostic("condition-component", message, hint=hint)
    ways = [f"{side}:{sides[side].names[i]}" for side, i in found]
    message = f"'{sentence.text:.200}': '{name}' is ambiguous: {', '.join(ways)}"
    return Diagnostic("condition-component", message, hint="write one of these")


def _states(lts: Lts, text: str) -> set[StateId]:
    """The states of a name, a number or a pattern; none if it is not known."""
    if text in lts.numbers:
        return {lts.numbers[text]}
    if text.isascii() and text.isdigit() and len(text) < 10:
        return {int(text)} if int(text) < lts.size else set()
    if ANY not in text:
        return set()
    return {q for name, q in lts.numbers.items() if fits(text, name)}
