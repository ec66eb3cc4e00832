"""Everything that can be said about an FSP text, for `symrob lint`.

In:  a text.
Out: all diagnostics, errors and warnings, in reading order.

Loading a model looks at what the model needs; here every process is built, and
composites that use all others, so mistakes in definitions that no model uses are
found too.
"""

from __future__ import annotations

from symrob.errors import Diagnostic
from symrob.formats.fsp import ast
from symrob.formats.fsp.composite import Composer, Importer
from symrob.formats.fsp.model import room, sweep, topmost
from symrob.formats.fsp.names import Constants
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
        composer = Composer(read.names, limits, importer)
        roots = _roots(read)
        nets, faults = sweep(read, composer, roots)
        found = [*read.diagnostics, *faults]
        if not any(d.severity == "error" for d in found):
            found += warnings_of(
                read, composer, nets, [node.name.text for node in roots]
            )
    wrong = any(d.severity == "error" for d in found)
    if not read.parsed.declarations and not wrong:
        found.append(Diagnostic("fsp-empty", "the text defines nothing", file=file))
    return tuple(merged(found))


def _roots(read: Text) -> list[ast.Declaration]:
    """Return composites that use all others: those on top, and one of each circle."""
    composites = read.names.composites.values()
    roots = topmost(read, composites)
    reached = read.checker.reached_from(node.key for node in roots)
    for node in composites:
        if node not in roots and node.key not in reached:
            roots.append(node)
            reached |= read.checker.reached_from([node.key])
    return roots
