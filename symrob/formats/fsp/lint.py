"""Everything that can be said about an FSP text, for `symrob lint`.

In:  a text.
Out: all diagnostics, errors and warnings, in reading order.

Loading a model looks at what the model needs; here every process is built, and
composites that use all others, so mistakes in definitions that no model uses are
found too.
"""

from __future__ import annotations

from symrob.errors import Diagnostic, SymrobError
from symrob.formats.fsp.composite import Composer, Importer, check_parts
from symrob.formats.fsp.model import room, top_composites
from symrob.formats.fsp.names import Constants
from symrob.formats.fsp.net import Net
from symrob.formats.fsp.source import Fault
from symrob.formats.fsp.text import Text, merged, read_text
from symrob.formats.fsp.warnings import warnings_of
from symrob.limits import DEFAULT_LIMITS, Limits


def lint_text(
    text: str,
    *,
    file: str = "<text>",
    constants: Constants | None = None,
    limits: Limits = DEFAULT_LIMITS,
    importer: Importer | None = None,
) -> tuple[Diagnostic, ...]:
    """Return all problems of a text; an empty tuple means that it is clean.

    Args:
        text: The text.
        file: Its name, for diagnostics.
        constants: As for `load_text`.
        limits: As for `load_text`.
        importer: As for `load_text`.

    Returns:
        Errors and warnings in reading order; nothing is raised for them.

    Cost: that of building every process and every topmost composite.
    """
    with room(limits):
        read = read_text(text, file, constants or {}, limits)
        composer = Composer(read.names, limits, importer=importer)
        nets, faults = _build_all(read, composer)
        found = [*read.diagnostics, *faults]
        if not any(d.severity == "error" for d in found):
            found += warnings_of(read, composer, nets, _roots(read))
    if not read.description.declarations and not found:
        found.append(Diagnostic("fsp-empty", "the text defines nothing", file=file))
    return tuple(merged(found))


def _roots(read: Text) -> list[str]:
    """Return composites that use all others: those on top, and one of each circle."""
    roots = top_composites(read)
    reached = read.checker.reached_from(("Composite", name) for name in roots)
    for name in read.names.composites:
        if name not in roots and ("Composite", name) not in reached:
            roots.append(name)
            reached |= read.checker.reached_from([("Composite", name)])
    return roots


def _build_all(read: Text, composer: Composer) -> tuple[list[Net], list[Diagnostic]]:
    """Build all that can be built; what uses a broken definition is left out."""
    nets: list[Net] = []
    faults: list[Diagnostic] = []
    names = read.names
    wanted = [("Process", name) for name in names.processes]
    wanted += [("Composite", name) for name in _roots(read)]
    for kind, name in wanted:
        uses = {used for _kind, used in read.checker.reached_from([(kind, name)])}
        if uses & read.checker.broken or (read.errors and kind == "Composite"):
            continue
        composer.forget_running()
        try:
            if kind == "Process":
                composer.process(name, None, names.processes[name].pos)
            else:
                pos = names.composites[name].pos
                nets.append(check_parts(composer.composite(name, None, pos), name, pos))
        except Fault as fault:
            faults.append(read.source.of_fault(fault))
        except SymrobError as error:
            faults += error.diagnostics
    return nets, faults
