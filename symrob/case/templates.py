"""Templates: fault modes of common components, without writing transitions.

In:  a table `[faults.NAME]`: a template, the component, the actions.
Out: one fault mode for each row of the template; all problems.

    [faults.messages]
    template = "channel"
    component = "messages"
    send = "put.*"
    deliver = "get.*"

A row adds these transitions to each component, except planned ones:

| template | row           | adds                                                   |
|----------|---------------|--------------------------------------------------------|
| channel  | loss          | (q, send, q) for each planned (q, send, r)             |
|          | duplication   | (q, deliver, q) for each planned (q, deliver, r)       |
|          | corruption    | (q, other, r) for each planned (q, deliver, r) and any |
|          |               | other deliver action                                   |
|          | spurious      | (q, deliver, q) where q plans no deliver action        |
|          | overwriting   | (q, send, r) where q plans no send action and some p   |
|          |               | plans (p, send, r)                                     |
| sensor   | stuck         | (q, sense, q) for each planned (q, sense, r)           |
|          | wrong         | as corruption, of its reports                          |
|          | spurious      | as spurious, of its reports                            |
| human    | omission      | its candidates of the class omission                   |
|          | repetition    | of the class repetition                                |
|          | too-early     | of the class jump-ahead                                |
|          | back          | of the class jump-back                                 |
|          | wrong-outcome | of the class wrong-outcome                             |

Faults of a channel or sensor never start in states that were added to E.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, NamedTuple

from symrob.case.components import called, labels_of, unknown_component
from symrob.case.tables import (
    A_TEXT,
    AT_MOST,
    IDENTITY,
    VALUE,
    Key,
    KeyPath,
    KeyProblem,
    Keys,
    dotted,
    is_text,
    list_of,
    some_texts,
)
from symrob.errors import Diagnostic, SymrobError, did_you_mean, known_or_near
from symrob.lts import Action, StateId, Transition
from symrob.problem import FaultMode, LocalTransition, Model
from symrob.problem.classes import Class, Classes
from symrob.words import fits

# Adds the place of a key of the table to a problem.
Place = Callable[[Diagnostic, KeyPath], Diagnostic]


class _Plan:
    """What a system does by the actions of each key.

    Args:
        classes: Of its candidates.
        meant: The actions that each text of each key of the template means.
        owner: The number of the component; `None` for E as a whole.
    """

    def __init__(
        self,
        classes: Classes,
        meant: Mapping[str, Mapping[str, Sequence[Action]]],
        owner: int | None,
    ) -> None:
        self.owner = owner
        self.classes = classes
        self.meant = meant
        self.actions = {
            key: tuple(dict.fromkeys(a for each in texts.values() for a in each))
            for key, texts in meant.items()
        }

    def added(self, row: Row, limit: int) -> set[Transition]:
        """What a row adds; where that is more than a limit, some more than that."""
        planned = self.classes.environment.visible_transitions
        found: set[Transition] = set()
        for t in row(self):
            if t not in planned:
                found.add(t)
            if len(found) > limit:
                break
        return found

    def steps(self, key: str) -> Iterator[Transition]:
        """The planned steps by actions of a key."""
        planned, actions = self.classes.environment.transitions, self.actions[key]
        return (Transition(*t) for t in planned if t[1] in actions)

    def resting(self, key: str) -> Iterator[StateId]:
        """The nominal states that plan no action of a key."""
        busy = {t.source for t in self.steps(key)}
        return (q for q in range(self.classes.nominal) if q not in busy)


Row = Callable[[_Plan], Iterable[Transition]]


def _stays(key: str) -> Row:
    return lambda plan: {Transition(q, a, q) for q, a, _ in plan.steps(key)}


def _others(key: str) -> Row:
    return lambda plan: (
        Transition(q, other, r)
        for q, a, r in plan.steps(key)
        for other in plan.actions[key]
        if other != a
    )


def _unasked(key: str) -> Row:
    return lambda plan: (
        Transition(q, a, q) for q in plan.resting(key) for a in plan.actions[key]
    )


def _once_more(key: str) -> Row:
    return lambda plan: (
        Transition(q, a, r)
        for q in plan.resting(key)
        for a, r in {t[1:] for t in plan.steps(key)}
    )


def _of_class(kind: Class) -> Row:
    return lambda plan: plan.classes.transitions(kind)


class _Kind(NamedTuple):
    """What a template is made of.

    Attributes:
        keys: Those that name actions.
        rows: What each of its modes adds.
    """

    keys: tuple[str, ...]
    rows: Mapping[str, Row]


TEMPLATES = {
    "channel": _Kind(
        ("send", "deliver"),
        {
            "loss": _stays("send"),
            "duplication": _stays("deliver"),
            "corruption": _others("deliver"),
            "spurious": _unasked("deliver"),
            "overwriting": _once_more("send"),
        },
    ),
    "sensor": _Kind(
        ("sense", "report"),
        {
            "stuck": _stays("sense"),
            "wrong": _others("report"),
            "spurious": _unasked("report"),
        },
    ),
    "human": _Kind(
        (),
        {
            "omission": _of_class("omission"),
            "repetition": _of_class("repetition"),
            "too-early": _of_class("jump-ahead"),
            "back": _of_class("jump-back"),
            "wrong-outcome": _of_class("wrong-outcome"),
        },
    ),
}
_KEYS = tuple(dict.fromkeys(key for kind in TEMPLATES.values() for key in kind.keys))


def _together(data: Mapping[str, Any], at: KeyPath) -> Iterator[KeyProblem]:
    """Keys and rows that the template does not have, or lacks."""
    name = data.get("template")
    kind = TEMPLATES.get(name) if isinstance(name, str) else None
    if kind is None:
        return
    for key in kind.keys:
        if key not in data:
            message = f"'{dotted(at)}' lacks the key '{key}' of the template '{name}'"
            yield KeyProblem(message, (*at, "template"))
    for key in _KEYS:
        if key in data and key not in kind.keys:
            message = f"'{dotted((*at, key))}': the template '{name}' has no such key"
            known = ", ".join(("component", *kind.keys, "rows"))
            yield KeyProblem(message, (*at, key), f"its keys: {known}")
    rows = data.get("rows", ())
    for number, row in enumerate(rows if isinstance(rows, list) else ()):
        if is_text(row) and row not in kind.rows:
            message = f"'{row:.60}' is not a row of the template '{name}'"
            hint = did_you_mean(row, kind.rows) or f"its rows: {', '.join(kind.rows)}"
            yield KeyProblem(message, (*at, "rows", number), hint)


def row_names(name: str, value: object) -> tuple[str, ...]:
    """Return the names of the modes of a template, even of an invalid one.

    Args:
        name: The name of the template in the case.
        value: The output of the TOML reader.
    """
    table = value if isinstance(value, dict) else {}
    kind, rows = str(table.get("template")), table.get("rows")
    known = TEMPLATES[kind].rows if kind in TEMPLATES else ()
    chosen = rows if isinstance(rows, list) else known
    return tuple(f"{name}.{row}" for row in known if row in chosen)


TEMPLATE = Keys(
    {
        "template": Key(
            lambda v: isinstance(v, str) and v in TEMPLATES,
            f"one of {', '.join(TEMPLATES)}",
        ),
        "component": A_TEXT,
        **dict.fromkeys(_KEYS, Key(some_texts(1), "an action, or a list of them")),
        "rows": Key(list_of(is_text, 1), "a list of rows of the template"),
        "at_most": AT_MOST,
        **IDENTITY,
    },
    together=_together,
)


@dataclass(frozen=True)
class Template:
    """A template with its component and actions.

    Attributes:
        kind: One of `TEMPLATES`.
        component: A name, a label or a pattern for components; empty for E as a whole.
        actions: The value of each key: actions, or patterns for them.
        rows: The rows that become modes; by default all.
    """

    kind: str
    component: str = ""
    actions: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    rows: tuple[str, ...] = ()

    @classmethod
    def of(cls, table: Mapping[str, Any]) -> Template:
        """Return the template of a valid table."""
        actions = {key: table[key] for key in _KEYS if key in table}
        return cls(
            table["template"],
            table.get("component", ""),
            {k: (v,) if isinstance(v, str) else tuple(v) for k, v in actions.items()},
            tuple(dict.fromkeys(table.get("rows", ()))),
        )

    @property
    def table(self) -> dict[str, Any]:
        """The table of the template."""
        table: dict[str, Any] = {"template": self.kind}
        if self.component:
            table["component"] = self.component
        table |= {
            key: texts[0] if len(texts) == 1 else [*texts]
            for key, texts in self.actions.items()
        }
        return table | ({"rows": [*self.rows]} if self.rows else {})

    def names(self, name: str) -> tuple[str, ...]:
        """Return the names of its modes: NAME.ROW each.

        Args:
            name: The name of the template in the case.
        """
        return tuple(f"{name}.{row}" for row in self._rows)

    def modes(
        self,
        name: str,
        environment: Model,
        whole: Classes | None,
        limit: int,
        place: Place = lambda problem, _key: problem,
    ) -> list[FaultMode]:
        """Return its modes, in their order; one that adds nothing is empty.

        Components that match a pattern share one mode, which adds transitions to all of
        them.

        Args:
            name: The name of the template in the case.
            environment: E as it was read.
            whole: The classes of E as one system; without them, modes on E as a whole
                are empty.
            limit: Bound on the number of transitions of one mode.
            place: Adds the location of a key in the case to a diagnostic.

        Raises:
            SymrobError: A component or an action is unknown, or there are too many
                transitions; all problems of the template.

        Cost: linear in what is returned; for `overwriting` and the like, the states
            times the steps.
        """
        plans = [] if whole is None else [self._plan(whole)]
        if self.component:
            found = called(self.component, environment)
            if not found:
                problem = unknown_component(self.component, environment)
                raise SymrobError(place(problem, ("component", VALUE)))
            parts, names = environment.components, environment.component_names
            plans = [self._plan(Classes(parts[i]), i, names[i]) for i in found]
        if problems := [*self._strangers(plans, place)]:
            raise SymrobError(problems)
        modes = []
        for mode, row in zip(self.names(name), self._rows.values(), strict=True):
            transitions: set[Transition] = set()
            local: set[LocalTransition] = set()
            for plan in plans:
                added = plan.added(row, limit)
                if plan.owner is None:
                    transitions = added
                else:
                    local.update(LocalTransition(plan.owner, *t) for t in added)
                if len(added) > limit:
                    message = (
                        f"fault mode '{mode}' adds more than {limit:,} transitions"
                    )
                    hint = "--bound max-expansion raises this limit"
                    problem = Diagnostic("transition-limit", message, hint=hint)
                    raise SymrobError(place(problem, ("template", VALUE)))
            modes.append(FaultMode(mode, frozenset(transitions), frozenset(local)))
        return modes

    @property
    def _rows(self) -> Mapping[str, Row]:
        rows = TEMPLATES[self.kind].rows
        return {row: rows[row] for row in self.rows or rows}

    def _plan(
        self, classes: Classes, owner: int | None = None, name: str = ""
    ) -> _Plan:
        """What a system does by the actions that the keys mean."""
        meant = {
            key: {
                text: [
                    a
                    for a in classes.environment.alphabet
                    if any(fits(text, each) for each in _called(a, name))
                ]
                for text in texts
            }
            for key, texts in self.actions.items()
        }
        return _Plan(classes, meant, owner)

    def _strangers(self, plans: Sequence[_Plan], place: Place) -> Iterator[Diagnostic]:
        """A problem for each text that means no action."""
        whose = f"component '{self.component}'" if self.component else "the environment"
        known = [a for plan in plans for a in plan.classes.environment.alphabet]
        for key, texts in self.actions.items():
            for number, text in enumerate(texts):
                if plans and not any(plan.meant[key][text] for plan in plans):
                    message = f"{key}: no action of {whose} is called '{text}'"
                    hint = known_or_near(text, known, "its actions")
                    problem = Diagnostic("transition-action", message, hint=hint)
                    yield place(problem, (key, number))


def _called(action: Action, component: str) -> Iterator[str]:
    """An action as E calls it, and as the component does, without its labels."""
    yield action
    for label in labels_of(component):
        prefix = f"{label.replace(':', '.')}."
        if action.startswith(prefix):
            yield action.removeprefix(prefix)
