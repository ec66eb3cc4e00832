"""Supremica modules (`.wmod`): the reader is `formats.waters.module`.

In:  a module; `#NAME` or `#NAME,NAME` chooses automata, else all are taken.
Out: its automata as a network, with the roles that the module gives them; in the other
     direction a module with a plant for each component.
"""

from __future__ import annotations

from symrob.formats.automata import chosen, parts
from symrob.formats.registry import Format, Parts, Source
from symrob.formats.text import ModelFile
from symrob.formats.waters.module import ModuleReader
from symrob.formats.waters.writing import HOLDS, module_text


def _read(source: Source) -> ModelFile:
    reader = ModuleReader(source)
    return chosen(reader.read(), source, reader.warnings)


def _parts(source: Source) -> Parts:
    reader = ModuleReader(source)
    return parts(reader.read(), reader.warnings, reader.controllable)


FORMAT = Format(
    "Supremica",
    _read,
    module_text,
    networks=True,
    parts=_parts,
    has_parts=True,
    holds=HOLDS,
)
