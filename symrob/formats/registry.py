"""The formats that there are: one module each, found by suffix and by the beginning.

In:  a path or the name of a format.
Out: the `Format` that reads or writes it.

A format is a module with a `Format` in it, named by an entry point of the group
`symrob.formats`; an installed package adds one by the same line in its own metadata:

    [project.entry-points."symrob.formats"]
    mine = "my_package.my_module:FORMAT"

The built-in ones are entry points too, written down here and not in the metadata,
since looking those up takes longer than computing a small case. So the metadata are
asked only where no built-in format fits.

Several formats may share a suffix: of those, the first whose `begins` recognises the
beginning of the file reads it, else the last.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from functools import cache
from importlib import import_module
from typing import TYPE_CHECKING, Any, NamedTuple

from symrob import files
from symrob.errors import Diagnostic, SymrobError
from symrob.formats.text import EVERYTHING, Holds, ModelFile
from symrob.formats.text import Source as Source
from symrob.lts import Action

if TYPE_CHECKING:
    from importlib.metadata import EntryPoint

GROUP = "symrob.formats"

# Characters of a file that are looked at to tell its format.
BEGINNING = 1 << 16


class WrongRole(NamedTuple):
    """What is wrong with a choice of roles.

    Attributes:
        key: The field of `RoleChoice`.
        name: The name in it.
        message: What is wrong.
        hint: What to do about it.
    """

    key: str
    name: str
    message: str
    hint: str | None = None


@dataclass(frozen=True)
class Parts:
    """The roles that a file itself gives to its parts, by their names.

    Attributes:
        plants: What is there without control.
        controllers: What controls it: supervisors.
        specifications: What must hold.
        others: Parts without a role.
        controllable: Of each part the actions that may be disabled; `None` if the file
            does not say.
        warnings: What reading the file gave.
        environment: The plants that are E where the user says nothing; `None` for all.
        sentences: What must hold of their states, in words.
        guards: When what C does is possible, in words.
        wrong: What is wrong with the choice of roles.
    """

    plants: tuple[str, ...] = ()
    controllers: tuple[str, ...] = ()
    specifications: tuple[str, ...] = ()
    others: tuple[str, ...] = ()
    controllable: Mapping[str, frozenset[Action]] | None = None
    warnings: tuple[Diagnostic, ...] = ()
    environment: tuple[str, ...] | None = None
    sentences: tuple[str, ...] = ()
    guards: tuple[str, ...] = ()
    wrong: tuple[WrongRole, ...] = ()

    @property
    def names(self) -> tuple[str, ...]:
        """All parts."""
        return self.plants + self.controllers + self.specifications + self.others

    def part(self, name: str) -> str:
        """Return the part that a name means: itself, or one that it is joined in."""
        joined = (part for part in self.names if name in part.split("+"))
        return name if name in self.names else next(joined, name)


@dataclass(frozen=True)
class Format:
    """One format of model files.

    Attributes:
        title: Human-readable title.
        read: Returns the model of a file; `None` if it is not read.
        write: Returns the lines of a file that holds a system, which is an `Lts` unless
            `networks`; `None` if it is not written.
        begins: Whether a file that begins like this is of the format; asked where
            several formats share a suffix.
        networks: Whether a file can hold several components.
        parts: Returns the roles that a file gives to its parts, where `#NAME` chooses
            among several and they have roles.
        has_parts: Whether `#NAME` chooses a part of a file.
        beside: What returns the lines of each further file, by the suffix that it has
            in place of that of the written one; they get what `write` gets.
        lint: Returns all problems of a file, if that is more than reading it tells.
        holds: What a file can hold, from which all warnings of writing come.
        suffixes: Of its files, where it is a plug-in.
        codes: What the codes of its problems begin with; by default its name.
    """

    title: str
    read: Callable[[Source], ModelFile] | None = None
    write: Callable[[Any], Iterable[str]] | None = None
    begins: Callable[[str], bool] | None = None
    networks: bool = False
    parts: Callable[[Source], Parts] | None = None
    has_parts: bool = False
    beside: Mapping[str, Callable[[Any], Iterable[str]]] = field(default_factory=dict)
    lint: Callable[[Source], tuple[Diagnostic, ...]] | None = None
    holds: Holds = EVERYTHING
    suffixes: tuple[str, ...] = ()
    codes: str = ""


@dataclass(frozen=True)
class KnownFormat:
    """A format that is known by name, its module not yet loaded.

    Attributes:
        name: As `--from` takes it.
        where: Its module and the name in it, as an entry point has them.
        suffixes: Of its files.
        reads: Whether it is read.
        writes: Whether it is written.
        roles: Whether its files give roles to their parts.
    """

    name: str
    where: str
    suffixes: tuple[str, ...]
    reads: bool = True
    writes: bool = True
    roles: bool = False

    def load(self) -> Format:
        """Import the module of the format."""
        return _loaded(self.where)


@cache
def _loaded(where: str) -> Format:
    module, _, name = where.partition(":")
    found = getattr(import_module(module), name or "FORMAT")
    assert isinstance(found, Format)
    return found


def _built_in(name: str, module: str, *suffixes: str, **others: bool) -> KnownFormat:
    return KnownFormat(name, f"symrob.formats.{module}", suffixes, **others)


# In the order in which those of one suffix are tried; the last one needs no beginning.
BUILT_IN = (
    _built_in("lts", "fspfile", ".lts", ".fsp"),
    _built_in("aut", "aut", ".aut"),
    _built_in("mcrl2", "mcrl2", ".fsm", writes=False),
    _built_in("fsm", "fsm", ".fsm"),
    _built_in("named", "jsonfile:NAMED", ".json", writes=False, roles=True),
    _built_in("xstate", "xstate", ".json", writes=False),
    _built_in("json", "jsonfile", ".json"),
    _built_in("wmod", "wmod", ".wmod", roles=True),
    _built_in("cif", "cif", ".cif", roles=True),
    _built_in("scxml", "scxml", ".scxml", writes=False),
    _built_in("dot", "mealy", ".dot"),
    _built_in("mermaid", "diagrams:MERMAID", ".mmd", reads=False),
    _built_in("plantuml", "diagrams:PLANTUML", ".puml", reads=False),
    _built_in("prism", "prism", ".tra", reads=False),
)

_NAMES = {each.name for each in BUILT_IN}


def known(path: str, name: str | None, *, writing: bool = False) -> KnownFormat:
    """Return the format of a file to read or to write.

    Args:
        path: The file.
        name: The name of the format; `None` for the one that suffix and beginning tell.
        writing: Whether it shall be written.

    Raises:
        SymrobError: There is none of this name or suffix, or it is standard input and
            no name is given.
    """
    if name is not None or (files.is_stdin(path) and not writing):
        return _named(path, name)
    fitting = [f for f in BUILT_IN if _fits(f, path, writing)]
    if len(fitting) > 1 and not writing:
        return _beginning(path, fitting)
    if not fitting:
        fitting = [f for f in plug_ins() if _fits(f, path, writing)]
    if not fitting:
        raise SymrobError(_no_suffix(path, "written" if writing else "read", writing))
    return fitting[0]


def _fits(known: KnownFormat, path: str, writing: bool) -> bool:
    usable = known.writes if writing else known.reads
    return usable and path.lower().endswith(known.suffixes)


def _named(path: str, name: str | None) -> KnownFormat:
    word = (name or "").lower()
    for each in _all():
        # The other suffixes of a format name it too: `fsp` is `lts`.
        alias = word not in _NAMES and f".{word}" in each.suffixes
        if each.reads and (word == each.name or alias):
            return each
    message = "unknown format" if name else "standard input has no suffix"
    names = ", ".join(dict.fromkeys(f.name for f in _all() if f.reads))
    file, hint = f"--from {name}" if name else path, f"specify --from with {names}"
    raise SymrobError(Diagnostic("format-from", message, file=file, hint=hint))


def _all() -> Iterator[KnownFormat]:
    """The built-in formats, and only then those of other packages."""
    yield from BUILT_IN
    yield from plug_ins()


def _beginning(path: str, fitting: list[KnownFormat]) -> KnownFormat:
    begin = beginning(path)
    for each in fitting:
        begins = each.load().begins
        if begins is not None and begins(begin):
            return each
    for each in plug_ins():
        begins = each.load().begins
        if _fits(each, path, False) and begins is not None and begins(begin):
            return each
    return fitting[-1]


def beginning(path: str) -> str:
    """Return how a file begins; empty if it cannot be read, which its reader says."""
    try:
        with files.open_file(path) as file:
            begin = file.read(BEGINNING).decode("utf-8-sig", "replace")
            return files.one_line_end(begin)
    except (SymrobError, OSError):
        return ""


@cache
def plug_ins() -> tuple[KnownFormat, ...]:
    """The formats of other packages, imported, in the order of their names.

    Raises:
        SymrobError: A package that is installed is at fault: its entry point cannot
            be imported, or is no `Format`.
    """
    from importlib.metadata import entry_points

    found = sorted(entry_points(group=GROUP), key=lambda entry: entry.name)
    return tuple(map(_plug_in, found))


def _plug_in(entry: EntryPoint) -> KnownFormat:
    try:
        format_ = _loaded(entry.value)
    except Exception as error:
        message = (
            f"the format '{entry.name}' of an installed package cannot be loaded: "
            f"{type(error).__name__}"
        )
        raise SymrobError(
            Diagnostic("format-plug-in", message, hint=f"see {entry.value}")
        ) from error
    return KnownFormat(
        entry.name,
        entry.value,
        format_.suffixes,
        format_.read is not None,
        format_.write is not None,
        format_.parts is not None,
    )


def suffixes(*, writing: bool = False) -> tuple[str, ...]:
    """The suffixes that are known, built-in ones first."""
    return tuple(
        dict.fromkeys(
            suffix
            for each in _all()
            if (each.writes if writing else each.reads)
            for suffix in each.suffixes
        )
    )


def _no_suffix(path: str, done: str, writing: bool) -> Diagnostic:
    suffix = os.path.splitext(path)[1].lower()
    what = f"files with the suffix '{suffix}'" if suffix else "files without a suffix"
    known = ", ".join(suffixes(writing=writing))
    return Diagnostic(
        "format-suffix",
        f"{what} are not {done}; known suffixes: {known}",
        file=path,
    )
