"""CIF 3 (`.cif`), event-based: the language of the supervisor tools of Eclipse ESCET.

In:  a specification of automata; `#NAME` or `#NAME,NAME` selects some, by default all.
     A name in a group or automaton is qualified: `g.p`.
Out: its automata as a network, their roles, and property sentences about states; in the
     other direction a plant for each component.

- `words` and `syntax` read the text; `names` resolves names, `scopes` instantiates
  definitions; `formats.extended` computes transition systems and assigns roles.
- Variables are unfolded over their values. A value outside the range disables the edge.
  An input is a separate plant that changes it at any time.
- `tau` is the internal move. A location `ERROR` without edges is the ERROR state.
- Functions that consist of `if` and `return` are inlined. The parser supports the whole
  language. Values of infinite types (time, real numbers, strings, lists) are refused
  where behaviour depends on them, and ignored otherwise. A channel is one event for
  each pair of sender and receiver.
- symrob ignores marking, annotations and drawings.

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
