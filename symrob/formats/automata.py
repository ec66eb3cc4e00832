"""Files of several automata with roles: which of them a model is made of.

In:  the automata of a file, and the part that is asked for.
Out: a `ModelFile` of those that are meant; `Parts`, the roles that the file gives.
"""

from __future__ import annotations

from collections.abc import Container, Sequence, Set
from dataclasses import dataclass

from symrob.errors import Diagnostic, SymrobError, did_you_mean
from symrob.formats.registry import Part, Parts, Source
from symrob.formats.text import ModelFile, stem
from symrob.lts import Action, Lts, Network

PLANT, CONTROLLER, SPECIFICATION, OTHER = "plant", "controller", "specification", ""


@dataclass(frozen=True)
class Automaton:
    """One automaton of a file.

    Attributes:
        name: Its name, unlike all others of the file.
        role: `PLANT`, `CONTROLLER`, `SPECIFICATION` or `OTHER`.
        lts: What it does.
    """

    name: str
    role: str
    lts: Lts


def chosen(
    automata: Sequence[Automaton],
    source: Source,
    warnings: Sequence[Diagnostic] = (),
    hidden: frozenset[str] = frozenset(),
) -> ModelFile:
    """Return the model of the automata that are asked for.

    Args:
        automata: All of the file; at least one.
        source: Its part is a name, or several; `None` for all automata of the file.
        warnings: What reading the file gave.
        hidden: Actions that nobody outside of the model sees.

    Raises:
        SymrobError: No automaton has such a name; for every name that is wrong.
    """
    wanted = automata if source.part is None else _named(automata, source)
    name = source.process or stem(source.path)
    unseen = hidden & {a for each in wanted for a in each.lts.alphabet}
    system: Lts | Network = wanted[0].lts
    if len(wanted) > 1 or unseen:
        names = [each.name for each in wanted]
        system = Network(
            [each.lts for each in wanted], component_names=names, hidden=unseen
        )
    return ModelFile(system, name, tuple(warnings))


def _named(automata: Sequence[Automaton], source: Source) -> list[Automaton]:
    known = {each.name: each for each in automata}
    names = split_names(source.part or "", known)
    problems = [
        Diagnostic(
            "format-process",
            f"this file has no automaton '{name}'; it has {_listed(known)}",
            file=source.path,
            hint=did_you_mean(name, known),
        )
        for name in dict.fromkeys(names)
        if name not in known
    ]
    if problems:
        raise SymrobError(problems)
    return [known[name] for name in dict.fromkeys(names)]


def split_names(part: Part, known: Container[str]) -> tuple[str, ...]:
    """Return the names that a part means; a name of the file may hold commas."""
    if isinstance(part, tuple):
        return part
    return (part,) if part in known else tuple(n.strip() for n in part.split(","))


def _listed(names: dict[str, Automaton]) -> str:
    first = ", ".join(list(names)[:10])
    return f"{first}, … ({len(names)})" if len(names) > 10 else first


def parts(
    automata: Sequence[Automaton],
    warnings: Sequence[Diagnostic] = (),
    controllable: Set[Action] | None = None,
) -> Parts:
    """Return the roles of the automata of a file.

    Args:
        automata: The automata.
        warnings: What reading them gave.
        controllable: The actions that may be disabled; `None` if the file says nothing.
    """
    known = None
    if controllable is not None:
        known = {a.name: frozenset(controllable & {*a.lts.alphabet}) for a in automata}

    def of(role: str) -> tuple[str, ...]:
        return tuple(each.name for each in automata if each.role == role)

    return Parts(
        of(PLANT), of(CONTROLLER), of(SPECIFICATION), of(OTHER), known, tuple(warnings)
    )
