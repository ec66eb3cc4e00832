"""Fault modes of a case: `[faults]`, read and checked.

In:  what a case file says under `faults`, and the environment it speaks of.
Out: `Faults`, every problem of it, and the `FaultMode`s that it means.

    [faults]
    loss = "trans:EMPTY,put.*,EMPTY"
    repetition = ["trans:FULL[0],get.0,FULL[0]", "trans:FULL[1],get.1,FULL[1]"]
    only = true
    not_among = ["FULL[0],get.1,EMPTY"]
    table = "table.csv"

A mode is one expression or a list of them, as of `case.transitions`, on E or, with
the name of a component and a colon before it, on a component of E. A component
`trans:CHANNEL` is also called `trans`; one `*` stands for any text. A dot in the name
of a mode may be one of TOML's. `only = true` says that these modes are all that can
happen; else each candidate that is in none of them stays beside them, on its own.
`among` and `not_among` say which candidates these are.
`table` is a file that people filled in, see `case.table`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from symrob.case.places import TomlSource
from symrob.case.tables import (
    FILE,
    YES_OR_NO,
    FreeNames,
    Key,
    Keys,
    dotted,
    is_text,
    printable_name,
)
from symrob.case.transitions import parse_transitions
from symrob.errors import Diagnostic, SymrobError, did_you_mean
from symrob.files.paths import beside
from symrob.limits import MAX_EXPANSION
from symrob.lts import Lts, Transition
from symrob.problem import FaultMode, LocalTransition, Model
from symrob.problem.classes import Classes
from symrob.words import fits

# Characters of the name of a mode.
MAX_LENGTH = 200
MAX_MODES = 10_000
# Of the components that a message names.
MOST_NAMES = 8
# What candidates can be grouped by.
BY = ("component", "class", "action")


@dataclass(frozen=True)
class Faults:
    """The declared modes of a case.

    Attributes:
        texts: The expressions of each mode, by its name; none for an empty mode.
        only: Whether nothing else can happen.
        by: By what the other candidates are grouped: some of `BY`.
        among: Expressions for the only candidates beside the modes; by default all.
        not_among: Expressions for candidates that are left out.
        modes: Modes that are given as such.
        table: The path of a table that people filled in; `None` for none.
        source: Where the modes were declared; `None` where that is not known.

    Raises:
        SymrobError: A unit that there is not.
    """

    texts: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    only: bool = False
    by: tuple[str, ...] = ()
    among: tuple[str, ...] = ()
    not_among: tuple[str, ...] = ()
    modes: tuple[FaultMode, ...] = ()
    table: str | None = None
    source: TomlSource | None = field(default=None, repr=False, compare=False)

    def __post_init__(self) -> None:
        """Check the units."""
        problems = [
            Diagnostic(
                "usage-by",
                f"--by takes some of {', '.join(BY)}, not '{unit:.60}'",
                hint=did_you_mean(unit, BY),
            )
            for unit in self.by
            if unit not in BY
        ]
        problems += [
            Diagnostic(
                "usage-by",
                f"--by names '{unit}' twice",
                hint=f"--by {','.join(dict.fromkeys(self.by))} is sufficient",
            )
            for unit in BY
            if self.by.count(unit) > 1
        ]
        if problems:
            raise SymrobError(problems)


def _are_texts(value: object) -> bool:
    return all(map(is_text, value if isinstance(value, list) else [value]))


_TEXTS = Key(_are_texts, "a transition 'source,action,target', or a list of them")
FAULTS = Keys(
    {
        "only": YES_OR_NO,
        "among": _TEXTS,
        "not_among": _TEXTS,
        "table": Key(is_text, "the path of a table of candidates", FILE),
    },
    free=_TEXTS,
    names=FreeNames(
        (printable_name(MAX_LENGTH),),
        MAX_MODES,
        "modes",
    ),
)


def faults_of(
    table: Mapping[str, Any], file: str | None = None, source: TomlSource | None = None
) -> Faults:
    """Return the modes of a table without problems.

    Args:
        table: The table.
        file: Where it stands, which the path of a table of candidates is relative to.
        source: That file, for the places of the modes.
    """
    leaves = {dotted(at): (at, value) for at, value in FAULTS.leaves(table)}

    def several(value: Any) -> tuple[str, ...]:
        return tuple(value) if isinstance(value, list) else (value,)

    texts = {name: several(value) for name, (_, value) in leaves.items()}
    keys = {name: ("faults", *at) for name, (at, _) in leaves.items()}
    path = table.get("table")
    return Faults(
        texts,
        table.get("only", False),
        among=several(table.get("among", [])),
        not_among=several(table.get("not_among", [])),
        table=path and beside(file or "", path),
        source=source and replace(source, keys=keys),
    )


def table_of(faults: Faults, relative: Callable[[str], str]) -> dict[str, Any]:
    """Return the table that says the same, but for how options group candidates.

    Args:
        faults: The modes.
        relative: Gives the path from the file in which the table stands.
    """
    table: dict[str, Any] = {name: [*texts] for name, texts in faults.texts.items()}
    for key, some in (("among", faults.among), ("not_among", faults.not_among)):
        if some:
            table[key] = [*some]
    path = faults.table and relative(faults.table)
    return table | {"only": faults.only, "table": path}


def modes_of(
    faults: Faults,
    environment: Model,
    plain: Lts | None,
    *,
    limit: int = MAX_EXPANSION,
) -> tuple[FaultMode, ...]:
    """Return the modes that a case declares, in their order.

    Args:
        faults: The expressions.
        environment: E as it was read: its components, where it is composed.
        plain: E as one system, with any extra states; without it, what is said of E as
            a whole is left out.
        limit: Bound on the transitions that one expression may stand for.

    Raises:
        SymrobError: Expressions that mean nothing, or not one thing, or too much; the
            problems of all of them.

    Cost: as of `parse_transitions`, for each component that is meant.
    """
    problems: list[Diagnostic] = []
    modes = []
    for name, texts in faults.texts.items():
        try:
            modes.append(
                meaning(
                    name, texts, environment, plain, limit=limit, source=faults.source
                )
            )
        except SymrobError as error:
            problems += error.diagnostics
    if problems:
        raise SymrobError(list(dict.fromkeys(problems)))
    return (*modes, *faults.modes)


def meaning(
    name: str,
    texts: Iterable[str],
    environment: Model,
    plain: Lts | None,
    *,
    limit: int = MAX_EXPANSION,
    classes: Classes | None = None,
    source: TomlSource | None = None,
) -> FaultMode:
    """Return all that some expressions mean, as one mode.

    Args:
        name: What the mode is called.
        texts: The expressions.
        environment: As of `modes_of`.
        plain: As of `modes_of`.
        limit: As of `modes_of`.
        classes: Those of the candidates of E, where states were added to it.
        source: Where the mode was declared; `None` where that is not known.

    Raises:
        SymrobError: As `modes_of`.
    """
    problems: list[Diagnostic] = []
    transitions: set[Transition] = set()
    local: set[LocalTransition] = set()
    for number, text in enumerate(texts):
        prefix, rest, owners = _owners(text, environment)
        try:
            if owners:
                local |= _meant(prefix, rest, owners, environment, limit)
            elif plain is not None:
                (meant,) = parse_transitions(
                    [text], plain, limit=limit, classes=classes
                )
                transitions |= meant
        except SymrobError as error:
            unknown = None if owners else _unknown_component(text, environment)
            found = error.diagnostics if unknown is None else (unknown,)
            if source is not None:
                key = (*source.keys[name], number)
                found = tuple(source.at(problem, key) for problem in found)
            problems += found
    if problems:
        raise SymrobError(problems)
    return FaultMode(name, frozenset(transitions), frozenset(local))


def _meant(
    prefix: str,
    text: str,
    owners: Sequence[int],
    environment: Model,
    limit: int,
) -> set[LocalTransition]:
    """What an expression on components means."""
    found: set[LocalTransition] = set()
    errors: list[SymrobError] = []
    for index in owners:
        component = environment.components[index]
        try:
            (meant,) = parse_transitions([text], component, limit=limit)
        except SymrobError as error:
            errors.append(error)
            continue
        found.update(LocalTransition(index, *t) for t in meant)
    if not found:
        raise SymrobError(
            [
                Diagnostic(d.code, f"component {prefix}: {d.message}", hint=d.hint)
                for d in errors[0].diagnostics
            ]
        )
    return found


def _owners(text: str, environment: Model) -> tuple[str, str, tuple[int, ...]]:
    """The component that a text begins with, what follows, and which ones are meant.

    Names may hold colons: of all ways to cut, the longest known name counts.
    """
    names = environment.component_names
    if len(names) < 2:
        return "", text, ()
    for cut in range(len(text) - 1, 0, -1):
        if text[cut] != ":":
            continue
        prefix = text[:cut].strip()
        owners = tuple(i for i, name in enumerate(names) if _is_called(name, prefix))
        if owners:
            return prefix, text[cut + 1 :], owners
    return "", text, ()


def _unknown_component(text: str, environment: Model) -> Diagnostic | None:
    """What to say of a text that means nothing, and begins as one on a component."""
    prefix, colon, _rest = text.partition(",")[0].partition(":")
    names = environment.component_names
    if not colon or len(names) < 2:
        return None
    message = f"transition '{text}': no component of the environment is called "
    message += f"'{prefix}', and it has no such transition as a whole"
    called = dict.fromkeys((*names, *(name.partition(":")[0] for name in names)))
    shown = ", ".join(names[:MOST_NAMES]) + ", …" * (len(names) > MOST_NAMES)
    hint = did_you_mean(prefix, called) or f"its components are {shown}"
    return Diagnostic("transition-component", message, hint=hint)


def is_local(text: str, environment: Model) -> bool:
    """Whether an expression is on components of E."""
    return bool(_owners(text, environment)[2])


def _is_called(name: str, prefix: str) -> bool:
    """Whether a component is meant: by its name or its label in FSP, or a pattern."""
    cuts = (i for i, c in enumerate(name) if c == ":")
    called = (name, *(name[:i] for i in cuts))
    return any(fits(prefix, each) for each in called)
