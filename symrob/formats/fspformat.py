"""FSP (`.lts`, `.fsp`), as LTSA reads it: the reader is `formats.fsp`.

In:  a file, with `#NAME` for a process or composite, and values for its constants.
Out: its processes, not multiplied out; in the other direction FSP text.
"""

from __future__ import annotations

from collections.abc import Callable

from symrob import files
from symrob.errors import Diagnostic
from symrob.files.paths import beside
from symrob.formats.registry import Format, Source, Text
from symrob.formats.text import ModelFile
from symrob.lts import Lts, Network


def _read(source: Source) -> ModelFile:
    from symrob.formats.fsp import load_text

    return load_text(
        files.read_text(source.path),
        file=source.path,
        process=source.process,
        constants=source.constants,
        limits=source.limits,
        importer=_importer(source),
    )


def _lint(source: Source) -> tuple[Diagnostic, ...]:
    from symrob.formats.fsp import lint_text

    return lint_text(
        files.read_text(source.path),
        file=source.path,
        constants=source.constants,
        limits=source.limits,
        importer=_importer(source),
    )


def _importer(source: Source) -> Callable[[str], Lts]:
    """Return what reads the files of FSP `import` declarations: Aldebaran."""

    def imported(name: str) -> Lts:
        from symrob.formats.aut import AutReader

        file = beside(source.path, name)
        return AutReader(file, source.limits).read()

    return imported


def _write(system: Lts | Network) -> Text:
    from symrob.formats.fspfile import fsp_text

    return fsp_text(system)


FORMAT = Format("FSP", _read, _write, networks=True, has_parts=True, lint=_lint)
