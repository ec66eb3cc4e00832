"""Files: models from any of the formats people have, and back.

In:  a path, whose suffix and beginning tell the format; for writing also a system.
Out: a `ModelFile`; for writing a file, and warnings about what it could not hold.

Which formats there are, and how others are added: `formats.registry`. What each of
them holds: docs/formats.md. Standard input has no suffix, so there the format is
named. The modules of the formats are loaded when they are needed.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import replace

from symrob import files
from symrob.doing import Doing
from symrob.errors import Diagnostic, SymrobError, printable
from symrob.files.kinds import recognised
from symrob.formats.registry import Format, KnownFormat, Parts, known, suffixes
from symrob.formats.text import (
    NO_CHOICE,
    Constants,
    ModelFile,
    Part,
    RoleChoice,
    Source,
    losses,
    sample,
)
from symrob.interrupts import Endable
from symrob.limits import DEFAULT_LIMITS, Clock, Limits, running
from symrob.lts import Lts, Network

__all__ = [
    "DEFAULT_LIMITS",
    "Limits",
    "ModelFile",
    "Parts",
    "lint_file",
    "parts_of",
    "read",
    "reading",
    "render",
    "require_target",
    "suffixes",
    "write",
]


def read(
    path: str,
    *,
    process: Part | None = None,
    constants: Constants | None = None,
    limits: Limits = DEFAULT_LIMITS,
    root: str | None = None,
    form: str | None = None,
    roles: RoleChoice = NO_CHOICE,
) -> ModelFile:
    """Read a model; suffix and beginning of the file tell the format.

    Args:
        path: The file.
        process: The part to take: a process or composite of FSP, automata of a file
            of several, with commas between them or as a tuple of their names.
        constants: Values for constants and bounds for ranges, by name; formats
            without constants make use of none (`used_constants` tells).
        limits: Bounds on the size of what is read.
        root: The folder that neither the file nor what it imports may leave,
            `files.ANYWHERE` for no such bound. `None` if the user named the file: what
            it imports stays in its folder then.
        form: The name of the format; `None` for the one that the file tells.
        roles: What the user says of the roles in it.

    Returns:
        The model, without the product of its components.

    Raises:
        SymrobError: The suffix is unknown, the file cannot be read, or it is not
            what its suffix says; all problems at once.
        LimitExceeded: The system is larger than `limits`.
    """
    source = Source(path, process, constants or {}, limits, roles)
    with files.confined(root, path):
        chosen = _known(path, form).load()
        with recognised(path, "model"):
            if process is not None and not chosen.has_parts:
                raise SymrobError(_no_parts(source, chosen.title))
            assert chosen.read is not None
            return chosen.read(source)


def parts_of(
    path: str,
    *,
    limits: Limits = DEFAULT_LIMITS,
    form: str | None = None,
    roles: RoleChoice = NO_CHOICE,
    root: str | None = None,
) -> Parts:
    """Return the roles that a file gives to its parts.

    Args:
        path: The file.
        limits: As for `read`.
        form: As for `read`.
        roles: As for `read`.
        root: As for `read`.

    Raises:
        SymrobError: As for `read`; or files of this format have no roles.
    """
    with files.confined(root, path):
        chosen = _known(path, form).load()
        with recognised(path, "model"):
            if chosen.parts is None:
                title = chosen.title
                message = f"the format {title} has no parts that could have roles"
                raise SymrobError(Diagnostic("format-roles", message, file=path))
            return chosen.parts(Source(path, limits=limits, roles=roles))


def _known(path: str, form: str | None) -> KnownFormat:
    if form is not None:
        return known(path, form)
    with recognised(path, "model"):
        return known(path, None)


def _no_parts(source: Source, title: str) -> Diagnostic:
    message = (
        f"'{source.process}' cannot be selected: the format {title} has no named parts"
    )
    return Diagnostic("format-process", message, file=source.path)


def lint_file(
    path: str,
    *,
    constants: Constants | None = None,
    limits: Limits = DEFAULT_LIMITS,
    root: str | None = None,
    form: str | None = None,
) -> tuple[Diagnostic, ...]:
    """Return all problems of a file, whatever of it a model would use.

    Args:
        path: The file; suffix and beginning tell the format.
        constants: As for `read`.
        limits: As for `read`.
        root: As for `read`.
        form: As for `read`.

    Returns:
        Errors and warnings in reading order; nothing is raised for them.
    """
    try:
        with files.confined(root, path):
            chosen = _known(path, form).load()
            if chosen.lint is None:
                return read(path, limits=limits, root=root, form=form).warnings
            return chosen.lint(Source(path, None, constants or {}, limits))
    except SymrobError as error:
        return error.diagnostics


@contextmanager
def reading(limits: Limits) -> Iterator[None]:
    """Bound the time and the memory that reading models in the block may take.

    Raises:
        LimitExceeded: A bound was hit.
    """
    bounds = Limits(limits.seconds, memory=limits.memory)
    # Without bounds signals end it as well.
    ends = Endable() if bounds == Limits() else running(Clock(bounds))
    with Doing("reading the models", "states"), ends:
        yield


def require_target(path: str) -> None:
    """Check that a file can be written, before the work for it is done.

    Raises:
        SymrobError: The suffix is unknown; a file that would be written beside it is
            read by the command, or is there though `path` is not.
    """
    beside = known(path, None, writing=True).load().beside
    others = [_beside(path, suffix) for suffix in beside]
    files.reserve(others)
    strange = [] if os.path.lexists(path) else filter(os.path.lexists, others)
    message = f"writing {path} would replace this file"
    hint = "remove it, or choose another name"
    found = [Diagnostic("format-beside", message, file=f, hint=hint) for f in strange]
    if found:
        raise SymrobError(found)


def _beside(path: str, suffix: str) -> str:
    return os.path.splitext(path)[0] + suffix


def write(system: Lts | Network, path: str) -> tuple[Diagnostic, ...]:
    """Write a system to a file; the suffix of the path tells the format.

    Args:
        system: What to write. Aldebaran and DESops hold single systems only.
        path: The file; it is replaced if it exists, as are those that belong to it.

    Returns:
        A warning for each thing that the format cannot hold.

    Raises:
        SymrobError: The suffix is unknown, the format cannot hold the system, a
            name is no Unicode text, or the file cannot be written. Only in the last
            case is anything written.
    """
    lines, warnings = render(system, path)
    contents = {path: _encoded(path, lines)}
    chosen = known(path, None, writing=True).load()
    for suffix, more in chosen.beside.items():
        other = _beside(path, suffix)
        contents[other] = _encoded(other, more(_given(chosen, system)))
    for file, content in contents.items():
        files.write_file(file, content)
    return tuple(replace(w, file=path) for w in warnings)


def _encoded(path: str, lines: Iterable[str]) -> bytes:
    try:
        return "".join(f"{line}\n" for line in lines).encode("utf-8")
    except UnicodeEncodeError:
        message = "a name contains a lone surrogate"
        raise SymrobError(Diagnostic("file-encoding", message, file=path)) from None


def render(
    system: Lts | Network, path: str
) -> tuple[Iterable[str], tuple[Diagnostic, ...]]:
    """Return the lines of a file that holds `system`, and what they cannot hold.

    Args:
        system: What to write.
        path: The file; only its suffix counts, which may stand alone.

    Raises:
        SymrobError: The suffix is unknown, or the format cannot hold the system.
    """
    found = known(path, None, writing=True)
    chosen = found.load()
    assert chosen.write is not None
    holds, code = chosen.holds, chosen.codes or found.name
    actions = [a for lts in system.components for a in lts.alphabet]
    if not chosen.networks and (len(system.components) > 1 or system.hidden):
        suffix = os.path.splitext(f"x{path}")[1]
        what = f"a {suffix} file contains one system"
        message = f"{what}; this is a network of {len(system.components)} components"
        hint = "compute their product with --product, or write .json or .lts"
        raise SymrobError(Diagnostic("format-network", message, hint=hint))
    beginning = any(lts.initial != (0,) for lts in system.components)
    if beginning and found.name not in ("json", "dot"):
        message = f"the format {chosen.title} supports only the first state as initial"
        hint = "write .json"
        raise SymrobError(Diagnostic("format-initial", message, hint=hint))
    if holds.actions and (wrong := [a for a in actions if not holds.actions(a)]):
        names = sample([*map(printable, dict.fromkeys(wrong))])
        message = f"the format {chosen.title} does not support the actions {names}"
        hint = "rename them, or write .json"
        raise SymrobError(Diagnostic(f"{code}-action", message, hint=hint))
    warnings = tuple(
        Diagnostic(f"{code}-loss", message, severity="warning")
        for message in losses(holds, system)
    )
    return list(chosen.write(_given(chosen, system))), warnings


def _given(chosen: Format, system: Lts | Network) -> Lts | Network:
    """What the writer of a format is given."""
    return system if chosen.networks else system.components[0]
