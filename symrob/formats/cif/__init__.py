"""CIF 3 (`.cif`), event-based: the language of Eclipse ESCET's supervisor tools.

In:  a specification of automata; `#NAME` or `#NAME,NAME` chooses some, else all are
     taken. A name in a group or automaton is written with the names around it: `g.p`.
Out: its automata as a network, with the roles that it gives them, and what must hold of
     states in sentences; in the other direction a plant for each component.

- `words` and `syntax` read the text; `names` looks names up, `scopes` instantiates;
  `formats.extended` makes systems of the automata, and gives them roles.
- Variables are unfolded over their values. A value that leaves its range disables the
  edge. An input is a plant of its own that changes it at any time.
- `tau` is the internal move. A location `ERROR` without edges is the ERROR state.
- Functions of the file that only choose what they return are inserted where they are
  called. All of the language is parsed. What has no finitely many values (time, real
  numbers, texts, lists) is refused by its name where it decides something, and left
  out where nothing reads it; a channel is one event for each pair of users.
- Marking has no meaning for symrob. Annotations and drawings are not looked at.

Sources: docs/sources.md [CIF].
"""

from __future__ import annotations

from symrob.formats.automata import automata_format
from symrob.formats.cif.scopes import read_specification
from symrob.formats.cif.writing import changed, lines
from symrob.formats.extended.reading import ProblemsOfFiles, SpecificationReader
from symrob.formats.extended.terms import Specification
from symrob.formats.text import Holds


class _CifReader(SpecificationReader):
    def specification(self) -> tuple[Specification, ProblemsOfFiles]:
        return read_specification(self.path, self.limits)


FORMAT = automata_format(
    "CIF",
    _CifReader,
    lines,
    holds=Holds(
        hidden=False, end="END states are written as ordinary states", others=changed
    ),
)
