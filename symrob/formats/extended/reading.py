"""Readers of files that are a specification: automata with data.

In:  what reads the specification of a file.
Out: its automata in their roles.
"""

from __future__ import annotations

from collections.abc import Iterable

from symrob.errors import SymrobError
from symrob.formats.automata import AutomataReader, Automaton
from symrob.formats.extended.roles import cast
from symrob.formats.extended.terms import Specification
from symrob.formats.text import Problems


class ProblemsOfFiles(list[Problems]):
    """What is wrong with a file and with those that it names."""

    def check(self) -> None:
        """Raise all of them, if there are any."""
        wrong = [
            error
            for each in self
            for error in sorted(each.errors, key=lambda e: (e.line or 0, e.column or 0))
        ]
        if wrong:
            raise SymrobError(list(dict.fromkeys(wrong)))


class SpecificationReader(AutomataReader):
    """Reads a file that is a specification."""

    def specification(self) -> tuple[Specification, ProblemsOfFiles]:
        """Return what the file specifies, and where further problems are noted."""
        raise NotImplementedError

    def read(self) -> list[Automaton]:
        """Return its automata.

        Raises:
            SymrobError: Something is wrong; all problems of all files.
            LimitExceeded: It is larger than the limits.
        """
        spec, problems = self.specification()
        found = cast(spec, self.path, self.limits, self.source.roles)
        problems.check()
        self.controllable = spec.controllable
        self.environment = found.environment
        self.wrong = tuple(found.wrong)
        self.sentences, self.guards = tuple(found.sentences), tuple(found.guards)
        return found.automata

    def choose(self, automata: Iterable[Automaton]) -> None:
        """Do nothing: reading heeds what the user says of the roles."""
