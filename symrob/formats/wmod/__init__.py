"""Supremica modules (`.wmod`): reading and writing.

In:  a `Module` with its events, constants, variables and automata; `#NAME` or
     `#NAME,NAME` selects automata, by default all.
Out: its automata as a network, their roles in the module, and property sentences about
     states; in the other direction a module with a plant for each component.

- `module` reads the declarations; it unfolds loops (`Foreach…`), arrays of events,
  aliases, and instances of modules in the same folder. `edges` reads guards and actions
  (EFSM); `formats.extended` turns the automata into transition systems.
- Variables are unfolded over their values. A value outside the range disables the
  transition, and a variable that no automaton changes keeps its value, as in Supremica.
- A forbidden state of a specification or property is the ERROR state; that of another
  automaton becomes a property. symrob ignores marking and observability.
- A blocked event belongs to the alphabet. `tau` is the internal move.

Sources: docs/sources.md [Supremica].
"""

from __future__ import annotations

from symrob.formats.automata import automata_format
from symrob.formats.extended.reading import ProblemsOfFiles, SpecificationReader
from symrob.formats.extended.terms import Specification
from symrob.formats.wmod.edges import specification
from symrob.formats.wmod.module import Gathered, ModuleReader
from symrob.formats.wmod.writing import HOLDS, module_lines


class _WmodReader(SpecificationReader):
    def specification(self) -> tuple[Specification, ProblemsOfFiles]:
        gathered = Gathered(self.limits)
        ModuleReader(self.source, gathered).read()
        found = specification(gathered)
        problems = gathered.problems
        if not gathered.units and not any(each.errors for each in problems):
            problems[0].error("wmod-model", "the module has no automaton")
        problems.check()
        return found, problems


FORMAT = automata_format("Supremica", _WmodReader, module_lines, holds=HOLDS)
