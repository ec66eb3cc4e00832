"""The registry of formats, found by the suffix and the first characters of a file.

In:  a path or the name of a format.
Out: the `Format` for reading or writing it.

A format is a module that contains a `Format`. An installed package adds one with an
entry point of the group `symrob.formats`:

    [project.entry-points."symrob.formats"]
    mine = "my_package.my_module:FORMAT"

The built-in formats are listed here, since reading the metadata of packages takes
longer than computing a small case. So plug-ins are searched only if no built-in format
matches.

If several formats share a suffix, the first whose `begins` recognises the file reads
it, otherwise the last.
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
    """A problem of the user's choice of roles.

    Attributes:
        key: The field of `RoleChoice`.
        name: The wrong name in this field.
        message: The problem.
        hint: How to solve it.
    """

    key: str
    name: str
    message: str
    hint: str | None = None


@dataclass(frozen=True)
class RoleParts:
    """The roles that a file itself gives to its parts, by their names.

    Attributes:
        plants: The uncontrolled parts.
        controllers: The supervisors.
        specifications: The properties.
        others: Parts without a role.
        controllable: The actions of each part that C may disable; `None` if
            unspecified.
        warnings: Warnings from reading the file.
        environment: The plants of E by default; `None` for all.
        sentences: Property sentences about states.
        guards: Sentences that restrict the actions of C.
        wrong: Problems of the user's choice of roles.
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
        """The names of all parts."""
        return self.plants + self.controllers + self.specifications + self.others

    def part(self, name: str) -> str:
        """Return the part with a name, or the part that contains it."""
        joined = (part for part in self.names if name in part.split("+"))
        return name if name in self.names else next(joined, name)


@dataclass(frozen=True)
class Format:
    """A format of model files.

    Attributes:
        title: Human-readable title.
        read: Reads a file; `None` if reading is not supported.
        write: Returns the lines of a file for a system, an `Lts` unless `networks`;
            `None` if writing is not supported.
        begins: Whether a file with these first characters has this format; used if
            several formats share a suffix.
        networks: Whether a file can contain several components.
        parts: Returns the roles that a file assigns to its parts; `None` if the format
            has no roles.
        has_parts: Whether `#NAME` selects a part of a file.
        beside: Writers of the companion files, by suffix; their argument is that of
            `write`.
        lint: Returns all problems of a file; `None` if `read` reports them all.
        holds: The features that the format supports, for warnings when writing.
        suffixes: The suffixes of its files, for a plug-in.
        codes: The prefix of its diagnostic codes; by default its name.
    """

    title: str
    read: Callable[[Source], ModelFile] | None = None
    write: Callable[[Any], Iterable[str]] | None = None
    begins: Callable[[str], bool] | None = None
    networks: bool = False
    parts: Callable[[Source], RoleParts] | None = None
    has_parts: bool = False
    beside: Mapping[str, Callable[[Any], Iterable[str]]] = field(default_factory=dict)
    lint: Callable[[Source], tuple[Diagnostic, ...]] | None = None
    holds: Holds = EVERYTHING
    suffixes: tuple[str, ...] = ()
    codes: str = ""


@dataclass(frozen=True)
class KnownFormat:
    """A format whose module is loaded on demand.

    Attributes:
        name: Its name for `--from`.
        where: Its module and the name in it, as for an entry point.
        suffixes: The suffixes of its files.
        reads: Whether it supports reading.
        writes: Whether it supports writing.
        roles: Whether its files assign roles to their parts.
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
    """Return the format for reading or writing a file.

    Args:
        path: The file.
        name: The name of the format; `None` to detect it.
        writing: Whether the file is to be written.

    Raises:
        SymrobError: The name or suffix is unknown, or standard input has no `name`.
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
    """Return the first characters of a file; empty if it cannot be read."""
    try:
        with files.open_file(path) as file:
            begin = file.read(BEGINNING).decode("utf-8-sig", "replace")
            return files.one_line_end(begin)
    except (SymrobError, OSError):
        return ""


@cache
def plug_ins() -> tuple[KnownFormat, ...]:
    """The formats of other packages, imported, ordered by name.

    Raises:
        SymrobError: The entry point of an installed package cannot be imported, or is
            not a `Format`.
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
    """Return the supported suffixes, the built-in ones first."""
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
