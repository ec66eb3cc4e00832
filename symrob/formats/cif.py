"""CIF 3 (`.cif`), event-based: the language of Eclipse ESCET's supervisor tools.

In:  a specification of automata; `#NAME` or `#NAME,NAME` chooses some, else all are
     taken. A name in a group or automaton is written with the names around it: `g.p`.
Out: its automata as a network, with the roles that it gives them: plant, requirement,
     supervisor; in the other direction a specification with a plant for each component.

- Locations, edges, alphabets and monitors are read. `tau` is the internal move. A
  location `ERROR` without edges is the ERROR state.
- Data (variables, guards, updates, invariants, functions, channels), definitions that
  are instantiated, and imports are refused, each by its name.
- Marking has no meaning for symrob. Annotations and drawings are not looked at.

Sources: docs/sources.md [CIF].
"""

from __future__ import annotations

from symrob.formats.automata import Automaton, chosen, parts
from symrob.formats.cifparser import ParsedAutomaton, Parser, Token
from symrob.formats.cifwriting import ERROR_NAME, specification_text
from symrob.formats.registry import Format, Parts, Source
from symrob.formats.text import ModelFile
from symrob.lts import ERROR, TAU, Lts
from symrob.lts.naming import distinct


class _Reader(Parser):
    def read(self) -> list[Automaton]:
        self.parse()
        found = [self._built(each) for each in self.automata.values()]
        self.problems.check(sort=True)
        return [each for each in found if each is not None]

    def _built(self, automaton: ParsedAutomaton) -> Automaton | None:
        before = len(self.problems.errors)
        names = [*automaton.locations]
        if not names:
            self.note(automaton.token, f"'{automaton.name}' has no location")
        elif len(automaton.initial) != 1:
            number = "no" if not automaton.initial else "more than one"
            self.note(
                automaton.token, f"'{automaton.name}' has {number} initial location"
            )
        left = {edge.source for edge in automaton.edges}
        error = ERROR_NAME in names and ERROR_NAME not in {*left, *automaton.initial}
        if error:
            names.remove(ERROR_NAME)
        names.sort(key=lambda name: name not in automaton.initial)
        states = {name: i for i, name in enumerate(names)}
        if error:
            states[ERROR_NAME] = ERROR
        rows, used = [], set()
        for edge in automaton.edges:
            target = (
                edge.source if edge.target is None else edge.target.text.lstrip("$")
            )
            if target not in states:
                assert edge.target is not None
                message = f"'{automaton.name}' has no location '{target}'"
                self.note(edge.target, message)
                continue
            events = [self._resolved(e, automaton.name) for e in edge.events] or [TAU]
            used.update(events)
            if edge.taken:
                rows += [(states[edge.source], e, states[target]) for e in events]
        used.discard(TAU)
        alphabet = used
        if automaton.alphabet is not None:
            listed = {self._resolved(e, automaton.name) for e in automaton.alphabet}
            missing = used - listed
            alphabet = used | listed
            if missing:
                self.note(
                    automaton.token,
                    f"'{min(missing)}' is on an edge of '{automaton.name}', but not "
                    "in its alphabet",
                )
        if automaton.monitored is not None:
            watched_for = [
                self._resolved(e, automaton.name) for e in automaton.monitored
            ] or sorted(alphabet)
            offered = {(source, event) for source, event, _ in rows}
            rows += [
                (state, event, state)
                for state in range(len(names))
                for event in watched_for
                if (state, event) not in offered
            ]
            alphabet |= set(watched_for)
        if len(self.problems.errors) > before:
            return None
        shown = distinct([name or "location" for name in names])
        lts = Lts(alphabet - {TAU, ""}, len(names), rows, names=shown)
        return Automaton(automaton.name, automaton.role, lts)

    def _resolved(self, token: Token, scope: str) -> str:
        """The full name of an event, looked for from the inside to the outside."""
        name = token.text.replace("$", "")
        if name == TAU:
            return TAU
        if name[0] in ".^":
            scope, name = "", name[1:]
        around = scope.split(".") if scope else []
        while True:
            found = ".".join([*around, name])
            if found in self.events:
                return found
            if not around:
                self.note(token, f"no event '{token.text:.60}' is declared")
                return TAU
            around.pop()


def _read(source: Source) -> ModelFile:
    return chosen(_Reader(source).read(), source)


def _parts(source: Source) -> Parts:
    reader = _Reader(source)
    found = reader.read()
    said = reader.controllable if reader.controllability else None
    return parts(found, controllable=said)


FORMAT = Format(
    "CIF", _read, specification_text, networks=True, parts=_parts, has_parts=True
)
