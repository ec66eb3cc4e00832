"""Model files: reading and writing all supported formats.

In:  a path, whose suffix and first characters determine the format; for writing also a
     system.
Out: a `ModelFile`; for writing a file, and warnings about unsupported features.

`formats.registry` lists the formats and explains how to add one; docs/formats.md says
what each can express. Standard input has no suffix, so the user names its format. The
module of a format is loaded on first use.
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
from symrob.formats.registry import Format, KnownFormat, RoleParts, known, suffixes
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
    "RoleParts",
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
    """Read a model; the suffix and the first characters determine the format.

    Args:
        path: The file.
        process: The part to read: a process or composite of FSP; or automata of a
            file, separated by commas or as a tuple of names. `None` for the default.
        constants: Values of constants and bounds of ranges, by name. The result lists
            those that were used (`used_constants`).
        limits: Bounds on states, transitions, nesting and expansion.
        root: The folder that contains the file and its imports; `files.ANYWHERE` for
            any folder. `None`, for a file that the user named, restricts the imports
            to the folder of the file.
        form: The name of the format; `None` to detect it.
        roles: The user's choice of roles.

    Returns:
        The model, without the product of its components.

    Raises:
        SymrobError: The suffix is unknown, or the file cannot be read or is invalid;
            all problems at once.
        LimitExceeded: The system exceeds `limits`.

    Cost: linear in the file and in the states and transitions of the components; for
        automata with data, the reachable states times the edges.
    Source: docs/formats.md.
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
) -> RoleParts:
    """Return the roles that a file assigns to its parts.

    Args:
        path: The file.
        limits: As for `read`.
        form: As for `read`.
        roles: As for `read`.
        root: As for `read`.

    Raises:
        SymrobError: As for `read`; or the format does not support roles.

    Cost: that of `read`.
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
    """Return all problems of a file, including those in unused definitions.

    Args:
        path: The file.
        constants: As for `read`.
        limits: As for `read`.
        root: As for `read`.
        form: As for `read`.

    Returns:
        Errors and warnings in reading order; they are returned, not raised.

    Cost: that of `read`; for FSP, of building every process and topmost composite.
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
    """Bound the time and memory for reading models in the block.

    Raises:
        LimitExceeded: A bound was hit.
    """
    bounds = Limits(limits.seconds, memory=limits.memory)
    # Without bounds signals end it as well.
    ends = Endable() if bounds == Limits() else running(Clock(bounds))
    with Doing("reading the models", "states"), ends:
        yield


def require_target(path: str) -> None:
    """Check that a file can be written, before its contents are computed.

    Raises:
        SymrobError: The suffix is unknown; or a file that would be written beside
            `path` is an input of the command, or exists although `path` does not.
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
    """Write a system to a file; the suffix determines the format.

    Args:
        system: The system. Aldebaran and DESops support single systems only.
        path: The file. An existing file is replaced, as are its companion files.

    Returns:
        A warning for each feature that the format cannot express.

    Raises:
        SymrobError: The suffix is unknown, the format does not support the system, a
            name is not valid Unicode, or the file cannot be written. Only in the last
            case may some files have been written.

    Cost: linear in the transitions, apart from sorting names.
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
    """Return the lines of a file, and warnings about what it cannot express.

    Args:
        system: The system.
        path: The file, or its suffix; only the suffix is used.

    Raises:
        SymrobError: The suffix is unknown, or the format does not support the system.
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
    """The argument for the writer of a format."""
    return system if chosen.networks else system.components[0]
