"""Files: models from any of the formats people have, and back.

In:  a path, whose suffix tells the format; for writing also a system.
Out: a `ModelFile`; for writing a file, and warnings about what it could not hold.

| suffix         | format                       | read | write |
|----------------|------------------------------|------|-------|
| `.lts`, `.fsp` | FSP                          | yes  | yes   |
| `.aut`         | Aldebaran                    | yes  | yes   |
| `.fsm`         | DESops, UMDES                | yes  | yes   |
| `.json`        | `Lts.to_dict`, networks      | yes  | yes   |
| `.dot`         | Graphviz                     | no   | yes   |

Standard input has no suffix, so there the format is named. The modules of the
formats are loaded when they are needed.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import replace

from symrob import files
from symrob.errors import Diagnostic, SymrobError
from symrob.files.kinds import recognised
from symrob.files.paths import beside
from symrob.formats.text import ModelFile
from symrob.limits import DEFAULT_LIMITS, Clock, Limits, running
from symrob.lts import Lts, Network

READABLE = (".lts", ".fsp", ".aut", ".fsm", ".json")
WRITABLE = (*READABLE, ".dot")

Constants = Mapping[str, int | tuple[int, int]]

__all__ = [
    "DEFAULT_LIMITS",
    "READABLE",
    "WRITABLE",
    "Limits",
    "ModelFile",
    "lint_file",
    "read",
    "reading",
    "render",
    "require_target",
    "write",
]


def read(
    path: str,
    *,
    process: str | None = None,
    constants: Constants | None = None,
    limits: Limits = DEFAULT_LIMITS,
    root: str | None = None,
    form: str | None = None,
) -> ModelFile:
    """Read a model; the suffix of the path tells the format.

    Args:
        path: The file.
        process: The process or composite to take; FSP only.
        constants: Values for constants and bounds for ranges, by name; formats
            without constants make use of none (`used_constants` tells).
        limits: Bounds on the size of what is read.
        root: The folder that files which this one imports must not leave;
            `None` for no such bound.
        form: The format, as its suffix without the dot; `None` for the one that
            the suffix of the path tells.

    Returns:
        The model, its components not multiplied out.

    Raises:
        SymrobError: The suffix is unknown, the file cannot be read, or it is not
            what its suffix says; all problems at once.
        LimitExceeded: The system is larger than `limits`.
    """
    suffix = _form(path, form)
    with recognised(path, "model"):
        return _read(path, suffix, process, constants or {}, limits, root)


def _read(
    path: str,
    suffix: str,
    process: str | None,
    constants: Constants,
    limits: Limits,
    root: str | None,
) -> ModelFile:
    if suffix in {".lts", ".fsp"}:
        from symrob.formats.fsp import load_text

        return load_text(
            files.read_text(path),
            file=path,
            process=process,
            constants=constants,
            limits=limits,
            importer=_importer(path, limits, root),
        )
    if process is not None:
        raise SymrobError(
            Diagnostic(
                "format-process",
                f"'{process}' cannot be chosen: only FSP files have processes",
                file=path,
            )
        )
    if suffix == ".aut":
        from symrob.formats.aut import read_aut

        return read_aut(path, limits=limits)
    if suffix == ".fsm":
        from symrob.formats.fsm import read_fsm

        return read_fsm(path, limits=limits)
    from symrob.formats.jsonfile import read_json

    return read_json(path, limits=limits)


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
        path: The file; its suffix tells the format.
        constants: As for `read`.
        limits: As for `read`.
        root: As for `read`.
        form: As for `read`.

    Returns:
        Errors and warnings in reading order; nothing is raised for them.
    """
    try:
        if _form(path, form) not in {".lts", ".fsp"}:
            return read(path, limits=limits, form=form).warnings
        text = files.read_text(path)
    except SymrobError as error:
        return error.diagnostics
    from symrob.formats.fsp.lint import lint_text

    return lint_text(
        text,
        file=path,
        constants=constants,
        limits=limits,
        importer=_importer(path, limits, root),
    )


@contextmanager
def reading(limits: Limits) -> Iterator[None]:
    """Bound the time and the memory that reading models in the block may take.

    Raises:
        LimitExceeded: A bound was hit.
    """
    bounds = Limits(limits.seconds, memory=limits.memory)
    if bounds == Limits():
        yield
        return
    with running(Clock(bounds)):
        yield


def _importer(path: str, limits: Limits, root: str | None) -> Callable[[str], Lts]:
    """Return what reads the files of FSP `import` declarations: Aldebaran."""

    def imported(name: str) -> Lts:
        file = beside(path, name)
        files.require_inside(file, root)
        from symrob.formats.aut import read_aut

        return _alone(read_aut(file, limits=limits).network, ".aut")

    return imported


def require_target(path: str, *, source: str) -> None:
    """Check that a file can be written, before the work for it is done.

    Args:
        path: The file to write.
        source: The file that is read, which it must not replace.

    Raises:
        SymrobError: The suffix is unknown, or both are the same file.
    """
    _suffix(path, WRITABLE, "written")
    if (
        os.path.exists(path)
        and os.path.exists(source)
        and os.path.samefile(path, source)
    ):
        raise SymrobError(
            Diagnostic("format-same", "this would replace what is read", file=path)
        )


def write(system: Lts | Network, path: str) -> tuple[Diagnostic, ...]:
    """Write a system to a file; the suffix of the path tells the format.

    Args:
        system: What to write. Aldebaran and DESops hold single systems only.
        path: The file; it is replaced if it exists.

    Returns:
        A warning for each thing that the format cannot hold.

    Raises:
        SymrobError: The suffix is unknown, the format cannot hold the system, a
            name is no Unicode text, or the file cannot be written. Only in the last
            case is anything written.
    """
    lines, warnings = render(system, _suffix(path, WRITABLE, "written"))
    try:
        content = "".join(f"{line}\n" for line in lines).encode("utf-8")
    except UnicodeEncodeError:
        raise SymrobError(
            Diagnostic("file-encoding", "a name holds half a character", file=path)
        ) from None
    files.write_file(path, content)
    return tuple(replace(w, file=path) for w in warnings)


def render(
    system: Lts | Network, suffix: str
) -> tuple[Iterable[str], tuple[Diagnostic, ...]]:
    """Return the lines of a file that holds `system`, and what they cannot hold.

    Args:
        system: What to write.
        suffix: One of `WRITABLE`.

    Raises:
        SymrobError: The format cannot hold the system.
    """
    if suffix in {".lts", ".fsp"}:
        from symrob.formats.fspfile import fsp_text

        return fsp_text(system)
    if suffix == ".json":
        from symrob.formats.jsonfile import json_losses, json_text

        lines = json_text(system).removesuffix("\n").split("\n")
        return lines, tuple(json_losses(system))
    if suffix == ".dot":
        from symrob.formats.dot import dot_lines

        return list(dot_lines(system)), ()
    lts = _alone(system, suffix)
    if suffix == ".aut":
        from symrob.formats.aut import aut_lines, aut_losses

        return list(aut_lines(lts)), tuple(aut_losses(lts))
    from symrob.formats.fsm import fsm_lines, fsm_losses

    return list(fsm_lines(lts)), tuple(fsm_losses(lts))


def _alone(system: Lts | Network, suffix: str) -> Lts:
    if isinstance(system, Lts):
        return system
    if len(system.components) == 1 and not system.hidden:
        return system.components[0]
    raise SymrobError(
        Diagnostic(
            "format-network",
            f"a {suffix} file holds one system, and this is a network of "
            f"{len(system.components)}",
            hint="multiply it out with --product, or write .json or .lts",
        )
    )


def _form(path: str, form: str | None) -> str:
    """The suffix that stands for the format of a file to read."""
    if form is None and not files.is_stdin(path):
        with recognised(path, "model"):
            return _suffix(path, READABLE, "read")
    if form is None or f".{form.lower()}" not in READABLE:
        what = "this is no format" if form else "standard input has no suffix"
        known = ", ".join(suffix[1:] for suffix in READABLE)
        raise SymrobError(
            Diagnostic(
                "format-from",
                f"{what}: say which one it is",
                file=path if form is None else f"--from {form}",
                hint=f"--from FORMAT, one of {known}",
            )
        )
    return f".{form.lower()}"


def _suffix(path: str, known: tuple[str, ...], done: str) -> str:
    suffix = os.path.splitext(path)[1].lower()
    if suffix not in known:
        what = f"files with the suffix '{suffix}'" if suffix else "files without suffix"
        raise SymrobError(
            Diagnostic(
                "format-suffix",
                f"{what} are not {done}; known are {', '.join(known)}",
                file=path,
            )
        )
    return suffix
