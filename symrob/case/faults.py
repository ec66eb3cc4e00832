"""Fault modes of a case: `[faults]`, read and checked.

In:  the table `faults` of a case file, and its environment.
Out: `Faults`, every problem of it, and its `FaultMode`s.

    [faults]
    loss = "trans:EMPTY,put.*,EMPTY"
    repetition = ["trans:FULL[0],get.0,FULL[0]", "trans:FULL[1],get.1,FULL[1]"]
    only = true
    not_among = ["FULL[0],get.1,EMPTY"]
    table = "table.csv"

A mode is one expression or a list of them, as in `case.transitions`, on E or, with the
name of a component and a colon before it, on a component of E. A component
`trans:CHANNEL` is also called `trans`; one `*` stands for any text. A dot in the name
of a mode may be one of TOML's. With `only = true`, no other deviations can happen;
otherwise each candidate that is in no mode is a unit, too. `among` and `not_among`
restrict these candidates. A table with the key `transitions` is one mode, with
`at_most`, how many steps of a run may use it, and `id` and `source`, its identifier in
other documents; one with the key `template` defines several modes, see
`case.templates`. `table` is a completed table of candidates, see `case.table`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from typing import Any

from symrob.case.components import owners, unknown_component
from symrob.case.places import TomlSource
from symrob.case.tables import (
    AT_MOST,
    FILE,
    IDENTITY,
    VALUE,
    YES_OR_NO,
    FreeNames,
    Key,
    KeyPath,
    KeyProblem,
    Keys,
    dotted,
    is_text,
    printable_name,
)
from symrob.case.templates import TEMPLATE, Template, row_names
from symrob.case.transitions import parse_transitions
from symrob.errors import Diagnostic, SymrobError, did_you_mean
from symrob.files.paths import beside
from symrob.limits import MAX_EXPANSION
from symrob.lts import Lts, Transition
from symrob.problem import FaultMode, LocalTransition, Model
from symrob.problem.classes import Classes
from symrob.words import Identity

# Characters of the name of a mode.
MAX_LENGTH = 200
MAX_MODES = 10_000
# What candidates can be grouped by.
BY = ("component", "class", "action")


@dataclass(frozen=True)
class Faults:
    """The declared modes of a case.

    Attributes:
        texts: The expressions of each mode, by its name; none for an empty mode.
        only: Whether these modes are the only possible deviations.
        by: How the other candidates are grouped: some of `BY`.
        among: Expressions for the only candidates beside the modes; by default all.
        not_among: Expressions for excluded candidates.
        modes: Modes given as `FaultMode`s.
        templates: What stands for several modes, by its name.
        table: The path of a completed table of candidates; `None` for none.
        source: Where the modes were declared; `None` if unknown.
        at_most: How many steps of a run may use a mode, or each mode of a template, by
            its name.
        identities: The identifier of a mode in other documents, or of each mode of a
            template, by its name.

    Raises:
        SymrobError: A unit is unknown.
    """

    texts: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    only: bool = False
    by: tuple[str, ...] = ()
    among: tuple[str, ...] = ()
    not_among: tuple[str, ...] = ()
    modes: tuple[FaultMode, ...] = ()
    table: str | None = None
    source: TomlSource | None = field(default=None, repr=False, compare=False)
    templates: Mapping[str, Template] = field(default_factory=dict)
    at_most: Mapping[str, int] = field(default_factory=dict)
    identities: Mapping[str, Identity] = field(default_factory=dict)

    @property
    def excluding(self) -> tuple[str, ...]:
        """Options that may exclude candidates, such as `only`, `among` or `table`."""
        said: Iterable[tuple[str, object]] = (
            ("only", self.only),
            ("among", self.among),
            ("not_among", self.not_among),
            ("table", self.table),
        )
        return tuple(key for key, given in said if given)

    def __post_init__(self) -> None:
        """Check the units."""
        problems = [
            Diagnostic(
                "usage-by",
                f"--by takes one or more of {', '.join(BY)}, not '{unit:.60}'",
                hint=did_you_mean(unit, BY),
            )
            for unit in self.by
            if unit not in BY
        ]
        problems += [
            Diagnostic(
                "usage-by",
                f"--by names '{unit}' twice",
                hint=f"write --by {','.join(dict.fromkeys(self.by))}",
            )
            for unit in BY
            if self.by.count(unit) > 1
        ]
        if problems:
            raise SymrobError(problems)


def _is_template(value: object) -> bool:
    return isinstance(value, dict) and "template" in value


def is_mode(value: object) -> bool:
    """Whether a value is the table of one mode."""
    return isinstance(value, dict) and "transitions" in value


def _is_meant(value: object) -> bool:
    return _is_template(value) or is_mode(value) or _are_texts(value)


class _OfOne(Keys):
    """What the table of a mode may hold, or that of a template."""

    def problems(
        self, data: Mapping[str, Any], at: KeyPath = ()
    ) -> Iterator[KeyProblem]:
        """See `Keys`."""
        return (MODE if is_mode(data) else TEMPLATE).problems(data, at)


def _given_twice(data: Mapping[str, Any], at: KeyPath) -> Iterator[KeyProblem]:
    """Modes that are declared beside a template that has them."""
    leaves = [(dotted(keys), keys, value) for keys, value in FAULTS.leaves(data)]
    owner = {row: name for name, _, value in leaves for row in row_names(name, value)}
    for name, keys, _ in leaves:
        if name in owner:
            message = f"'{dotted((*at, name))}' is given twice: the template "
            message += f"'{owner[name]}' also declares it"
            yield KeyProblem(
                message, (*at, *keys), "list only the other rows in 'rows'"
            )


def _are_texts(value: object) -> bool:
    return all(map(is_text, value if isinstance(value, list) else [value]))


_TEXTS = Key(_are_texts, "a transition 'source,action,target', or a list of them")
MODE = Keys({"transitions": _TEXTS, "at_most": AT_MOST, **IDENTITY})
FAULTS = Keys(
    {
        "only": YES_OR_NO,
        "among": _TEXTS,
        "not_among": _TEXTS,
        "table": Key(is_text, "the path of a table of candidates", FILE),
    },
    free=Key(
        _is_meant,
        "a transition 'source,action,target', a list of them, or a template",
        inside=_OfOne(),
    ),
    names=FreeNames(
        (printable_name(MAX_LENGTH),),
        MAX_MODES,
        "modes",
        lambda value: not isinstance(value, dict) or _is_meant(value),
    ),
    together=_given_twice,
)


def declared_names(table: Mapping[str, Any]) -> list[str]:
    """Return the names of all modes of a table, also of one with problems."""
    leaves = ((dotted(keys), value) for keys, value in FAULTS.leaves(table))
    return [
        mode for name, value in leaves for mode in (row_names(name, value) or (name,))
    ]


def faults_of(
    table: Mapping[str, Any], file: str | None = None, source: TomlSource | None = None
) -> Faults:
    """Return the modes of a valid table.

    Args:
        table: The table.
        file: The file that contains it; the path of a table of candidates is relative
            to it.
        source: That file, for the locations of the modes.
    """
    leaves = {dotted(at): (at, value) for at, value in FAULTS.leaves(table)}

    def several(value: Any) -> tuple[str, ...]:
        return tuple(value) if isinstance(value, list) else (value,)

    texts, templates, at_most, identities = {}, {}, {}, {}
    keys: dict[str, KeyPath] = {}
    for name, (at, value) in leaves.items():
        keys[name] = ("faults", *at, *(("transitions",) if is_mode(value) else ()))
        if _is_template(value):
            templates[name] = Template.of(value)
        else:
            texts[name] = several(value["transitions"] if is_mode(value) else value)
        if isinstance(value, dict) and "at_most" in value:
            at_most[name] = value["at_most"]
        if isinstance(value, dict) and "id" in value:
            identities[name] = Identity(value["id"], value.get("source", ""))
    path = table.get("table")
    return Faults(
        texts,
        table.get("only", False),
        among=several(table.get("among", [])),
        not_among=several(table.get("not_among", [])),
        table=path and beside(file or "", path),
        source=source and replace(source, keys=keys),
        templates=templates,
        at_most=at_most,
        identities=identities,
    )


def modes_table(faults: Faults) -> dict[str, Any]:
    """Return the part of a table that declares modes without templates."""
    found: dict[str, Any] = {}
    for name, texts in faults.texts.items():
        more = _beside_transitions(faults, name)
        found[name] = {"transitions": [*texts], **more} if more else [*texts]
    return found


def _beside_transitions(faults: Faults, name: str) -> dict[str, Any]:
    """What the table of a mode, or of a template, says of it as a whole."""
    known, most = faults.identities.get(name), faults.at_most.get(name)
    more = {} if known is None else known._asdict().items()
    found = {key: text for key, text in dict(more).items() if text}
    return found if most is None else {**found, "at_most": most}


def table_of(faults: Faults, relative: Callable[[str], str]) -> dict[str, Any]:
    """Return the table for some modes, except for the grouping of candidates.

    Args:
        faults: The modes.
        relative: Converts a path to one relative to the file that contains the table.
    """
    table = modes_table(faults)
    for name, template in faults.templates.items():
        table[name] = template.table | _beside_transitions(faults, name)
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
    classes: Classes | None = None,
) -> tuple[FaultMode, ...]:
    """Return the modes that a case declares; those of templates come last.

    Args:
        faults: The expressions.
        environment: E as it was read: its components, if it is composed.
        plain: E as one system, with any extra states; without it, expressions on E as a
            whole are left out.
        limit: Bound on the number of transitions that one expression may match.
        classes: Classes of the candidates of E, if states were added to it.

    Raises:
        SymrobError: Expressions or templates are invalid, ambiguous, or match too much;
            the problems of all of them.

    Cost: as for `parse_transitions`, for each matching component.
    """
    problems: list[Diagnostic] = []
    modes: list[FaultMode] = []
    if plain is not None:
        classes = classes or Classes(plain)

    def marked(name: str, mode: FaultMode) -> FaultMode:
        identity, most = faults.identities.get(name), faults.at_most.get(name)
        return replace(mode, identity=identity, at_most=most)

    for name, texts in faults.texts.items():
        try:
            mode = meaning(
                name,
                texts,
                environment,
                plain,
                limit=limit,
                classes=classes,
                source=faults.source,
            )
            modes.append(marked(name, mode))
        except SymrobError as error:
            problems += error.diagnostics
    for name, template in faults.templates.items():
        place = partial(_placed, faults.source, name)
        try:
            rows = template.modes(name, environment, classes, limit, place)
            modes += (marked(name, mode) for mode in rows)
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
    """Return the transitions of some expressions together, as one mode.

    Args:
        name: The name of the mode.
        texts: The expressions.
        environment: See `modes_of`.
        plain: See `modes_of`.
        limit: See `modes_of`.
        classes: Classes of the candidates of E, if states were added to it.
        source: Where the mode was declared; `None` if unknown.

    Raises:
        SymrobError: As for `modes_of`.
    """
    problems: list[Diagnostic] = []
    transitions: set[Transition] = set()
    local: set[LocalTransition] = set()
    for number, text in enumerate(texts):
        prefix, rest, meant_by = owners(text, environment)
        try:
            if meant_by:
                local |= _meant(prefix, rest, meant_by, environment, limit)
            elif plain is not None:
                (meant,) = parse_transitions(
                    [text], plain, limit=limit, classes=classes
                )
                transitions |= meant
        except SymrobError as error:
            found = error.diagnostics
            owner, colon, _ = text.partition(",")[0].partition(":")
            composed = len(environment.components) > 1
            if composed and not meant_by and colon and owner != "class":
                one = unknown_component(owner, environment)
                found = (replace(one, message=f"transition '{text}': {one.message}"),)
            problems += (_placed(source, name, each, (number,)) for each in found)
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
    whose = f"component {prefix}"
    for index in owners:
        component = environment.components[index]
        try:
            (meant,) = parse_transitions([text], component, limit=limit, whose=whose)
        except SymrobError as error:
            errors.append(error)
            continue
        found.update(LocalTransition(index, *t) for t in meant)
    if not found:
        raise errors[0]
    return found


def _placed(
    source: TomlSource | None, name: str, problem: Diagnostic, key: KeyPath
) -> Diagnostic:
    """A problem at an expression of a mode, or at a key of a template."""
    if source is None:
        return problem
    at = (*source.keys[name], *key)
    return source.at(problem, at if source.has(at) else (*at[:-1], VALUE))


def is_local(text: str, environment: Model) -> bool:
    """Whether an expression is on components of E."""
    return bool(owners(text, environment)[2])


def changes_components(faults: Faults, environment: Model) -> bool:
    """Whether some declared mode changes a component of E."""
    return (
        any(
            is_local(text, environment)
            for each in faults.texts.values()
            for text in each
        )
        or any(template.component for template in faults.templates.values())
        or any(mode.local for mode in faults.modes)
    )


def speaks_of_all(faults: Faults, environment: Model) -> bool:
    """Whether some mode is on E as a whole."""
    texts = (text for several in faults.texts.values() for text in several)
    return not (
        all(is_local(text, environment) for text in texts)
        and all(template.component for template in faults.templates.values())
    )
