"""Files of several automata with roles: selecting those of a model.

In:  what reads the automata of a file.
Out: a `Format`: of the part that is asked for its `ModelFile`; `RoleParts`, the roles
     that the file gives.
"""

from __future__ import annotations

from collections.abc import Callable, Container, Iterable, Sequence, Set
from dataclasses import dataclass

from symrob.errors import did_you_mean
from symrob.formats.registry import Format, RoleParts, WrongRole
from symrob.formats.text import (
    EVERYTHING,
    FileReader,
    Holds,
    ModelFile,
    Part,
    Problems,
    Source,
    stem,
)
from symrob.lts import Action, Lts, Network

PLANT, CONTROLLER, SPECIFICATION, OTHER = "plant", "controller", "specification", ""
# A requirement that only sentences state: it is no part that the user can name.
SAID = "said"
# How the name of a part of C begins that blocks what only requirements have.
NEVER = "never("


@dataclass(frozen=True)
class Automaton:
    """One automaton of a file.

    Attributes:
        name: Its name, unique in the file.
        role: `PLANT`, `CONTROLLER`, `SPECIFICATION`, `SAID` or `OTHER`.
        lts: Its transition system.
        copy: Whether it repeats another automaton in another role; then it is used
            only if the user names it.
    """

    name: str
    role: str
    lts: Lts
    copy: bool = False


class AutomataReader(FileReader):
    """Reads a file of several automata.

    Attributes:
        hidden: Actions that are internal to the model.
        controllable: The actions that C may disable; `None` if unspecified.
        environment: The automata of E by default; `None` for all plants.
        sentences: Property sentences about states, in addition to the specifications.
        guards: Sentences that restrict the actions of C.
        wrong: Problems of the user's choice of roles.
    """

    hidden: frozenset[Action] = frozenset()
    controllable: Set[Action] | None = None
    environment: tuple[str, ...] | None = None
    sentences: tuple[str, ...] = ()
    guards: tuple[str, ...] = ()
    wrong: tuple[WrongRole, ...] = ()

    def read(self) -> list[Automaton]:
        """Return all automata of the file, at least one."""
        raise NotImplementedError

    def choose(self, automata: Iterable[Automaton]) -> None:
        """Apply the user's choice of roles, unless `read` has applied it."""
        choice, known = self.source.roles, [each.name for each in automata]
        self.environment = choice.environment or self.environment
        wrong = [
            WrongRole("environment", name, f"this file has no part '{name}'", hint)
            for name in choice.environment or ()
            if name not in known
            for hint in [did_you_mean(name, known) or f"its parts: {', '.join(known)}"]
        ]
        message = "requirements of this format cannot have other roles"
        for key in ("properties", "guards"):
            names = getattr(choice, key)
            wrong += [WrongRole(key, name, message) for name in names]
        self.wrong = tuple(wrong)


def automata_format(
    title: str,
    reader: type[AutomataReader],
    write: Callable[[Lts | Network], Iterable[str]] | None = None,
    begins: Callable[[str], bool] | None = None,
    holds: Holds = EVERYTHING,
) -> Format:
    """Return a format for files of several automata; `#NAME` selects some of them.

    Args:
        title: See `Format`.
        reader: Reads a file.
        write: See `Format`.
        begins: See `Format`.
        holds: See `Format`.
    """

    def model(source: Source) -> ModelFile:
        return _chosen(reader(source), source)

    def parts(source: Source) -> RoleParts:
        return _parts(reader(source))

    return Format(title, model, write, begins, True, parts, True, holds=holds)


def _chosen(reader: AutomataReader, source: Source) -> ModelFile:
    """The model of the automata that are asked for."""
    automata = reader.read()
    wanted = [each for each in automata if not each.copy]
    if source.part is not None:
        wanted = _named(automata, source)
    name = source.process or stem(source.path)
    unseen = reader.hidden & {a for each in wanted for a in each.lts.alphabet}
    system: Lts | Network = wanted[0].lts
    if len(wanted) > 1 or unseen:
        names = [each.name for each in wanted]
        system = Network(
            [each.lts for each in wanted], component_names=names, hidden=unseen
        )
    return ModelFile(system, name, tuple(reader.problems.warnings))


def _named(automata: Sequence[Automaton], source: Source) -> list[Automaton]:
    known = {each.name: each for each in automata}
    names = split_names(source.part or "", known)
    problems = Problems(source.path)
    for name in dict.fromkeys(names):
        if name not in known:
            message = (
                f"this file has no automaton '{name}'; it contains {_listed(known)}"
            )
            hint = did_you_mean(name, known)
            problems.error("format-process", message, hint=hint)
    problems.check()
    return [known[name] for name in dict.fromkeys(names)]


def split_names(part: Part, known: Container[str]) -> tuple[str, ...]:
    """Return the names in a part; a name in the file may contain commas."""
    if isinstance(part, tuple):
        return part
    return (part,) if part in known else tuple(n.strip() for n in part.split(","))


def _listed(names: dict[str, Automaton]) -> str:
    first = ", ".join(list(names)[:10])
    return f"{first}, … ({len(names)})" if len(names) > 10 else first


def _parts(reader: AutomataReader) -> RoleParts:
    """The roles of the automata of a file."""
    automata = reader.read()
    reader.choose(automata)
    known, given = None, reader.controllable
    if given is not None:
        known = {a.name: frozenset(given & {*a.lts.alphabet}) for a in automata}
    plants, controllers, specifications, others = (
        tuple(each.name for each in automata if each.role == role)
        for role in (PLANT, CONTROLLER, SPECIFICATION, OTHER)
    )
    warnings = tuple(reader.problems.warnings)
    return RoleParts(
        plants,
        controllers,
        specifications,
        others,
        known,
        warnings,
        reader.environment,
        reader.sentences,
        reader.guards,
        reader.wrong,
    )
