"""The common base of readers of automata with data.

In:  a reader of the specification in a file.
Out: its automata with roles.
"""

from __future__ import annotations

from collections.abc import Iterable

from symrob.errors import SymrobError
from symrob.formats.automata import AutomataReader, Automaton
from symrob.formats.extended.roles import cast
from symrob.formats.extended.terms import Specification
from symrob.formats.text import Problems


class ProblemsOfFiles(list[Problems]):
    """The problems of a file and of the files that it names."""

    def check(self) -> None:
        """Raise a `SymrobError` with all problems, if any."""
        wrong = [
            error
            for each in self
            for error in sorted(each.errors, key=lambda e: (e.line or 0, e.column or 0))
        ]
        if wrong:
            raise SymrobError(list(dict.fromkeys(wrong)))


class SpecificationReader(AutomataReader):
    """Reads a file with a specification."""

    def specification(self) -> tuple[Specification, ProblemsOfFiles]:
        """Return the specification, and the collector of further problems."""
        raise NotImplementedError

    def read(self) -> list[Automaton]:
        """Return its automata.

        Raises:
            SymrobError: The specification is invalid; all problems of all files.
            LimitExceeded: It exceeds the limits.
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
        """Do nothing: `read` applies the user's choice of roles."""
