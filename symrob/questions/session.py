"""Sessions: one or several cases, with their models and bounds.

In:  cases, and how to run.
Out: `Session`: the models, and the space or engine of each case, opened on demand.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import replace
from functools import cached_property
from itertools import chain
from typing import TYPE_CHECKING

from symrob.analyses.assume import Plan
from symrob.analyses.coverage import NotCovered, not_covered
from symrob.analyses.space import Space
from symrob.api.loading import Roles, load_roles, load_sides
from symrob.api.result import SafetyEnvelope
from symrob.api.stages import (
    analyse,
    open_engine,
    open_plan,
    open_sides,
    open_space,
    open_spaces,
)
from symrob.case import Case, Spec
from symrob.envelope.engine import Engine
from symrob.errors import Diagnostic
from symrob.limits import Clock, running
from symrob.memory import Closable
from symrob.options import Options
from symrob.words import PLAIN, Identity, Words

if TYPE_CHECKING:
    from symrob.case.probability import Probabilities
    from symrob.risk.events import Events

Progress = Callable[[int, float], None]


def _unseen(_things: str) -> Progress | None:
    return None


class Session(Closable):
    """One or several cases of a question, which share the bounds of one run.

    Args:
        cases: By their names in messages; the first is the subject of the question.
        options: How to run; by default the options of the first case.
        warn: Receives the warnings about the models, once.
        progress: Creates a progress display, given the name of what is counted.
        bounds: Receives bounds on the weight of the deviations sought.
        clock: The clock of an enclosing run; by default a new one.
        roles: The models of the first case, if they were read already.
        form: The output format, which decides what the answer needs.
        allow_outside: Whether paths in files may lead outside of their folders.
    """

    def __init__(
        self,
        cases: Mapping[str, Case],
        options: Options,
        *,
        warn: Callable[[tuple[Diagnostic, ...]], None] = lambda _warnings: None,
        progress: Callable[[str], Progress | None] = _unseen,
        bounds: Callable[[int, int], None] | None = None,
        clock: Clock | None = None,
        roles: Roles | None = None,
        form: str = "json",
        allow_outside: bool = False,
    ) -> None:
        self.cases = cases
        self.case = next(iter(cases.values()))
        self.options = options
        self.warn = warn
        self.progress = progress
        self.bounds = bounds
        self.clock = clock
        self.form = form
        self.allow_outside = allow_outside
        self._roles = roles
        # The sets of events, where these were asked for.
        self.of_events: Space | None = None

    @classmethod
    def of(
        cls,
        space: Space | None,
        title: str = "",
        words: Words = PLAIN,
        *,
        options: Options | None = None,
        form: str = "json",
    ) -> Session:
        """Return a session about an open space; it has no case file.

        Args:
            space: The problem; `None` if only the other sides count.
            title: Human-readable title.
            words: Words for its names.
            options: See `Session`.
            form: See `Session`.
        """
        nowhere = Spec("")
        case = Case(nowhere, nowhere, (), title=title, words=words)
        session = cls({title: case}, options or Options(), form=form)
        if space is not None:
            opened = {"space": space, "spaces": {title: space}, "engine": space.whole}
            vars(session).update(opened)
        return session

    def about(self, cases: Mapping[str, Case]) -> Session:
        """Return a part of this run, with the same first case.

        Args:
            cases: By their names in messages.
        """
        clock = self.envelope.clock
        return Session(cases, self.options, clock=clock, roles=self.roles)

    def close(self) -> None:
        """See `Closable`."""
        known = vars(self)
        several = (known.get(name, {}).values() for name in ("spaces", "engines"))
        one = map(known.get, ("envelope", "space", "engine", "plan"))
        for opened in chain(one, *several):
            if opened is not None:
                opened.close()

    @property
    def title(self) -> str:
        """Human-readable title of the first case; may be empty."""
        return self.case.title

    @property
    def words(self) -> Words:
        """Words for its names."""
        return self.case.vocabulary

    @cached_property
    def roles(self) -> Roles:
        """The models of the first case."""
        if self._roles is not None:
            return self._roles
        return load_roles(self.case, self.options.limits)

    @cached_property
    def space(self) -> Space:
        """The sets of units of the first case."""
        if self.found is not None:
            return self.found.space
        space = open_space(self.roles, self.options, self.clock)
        self.warn(space.warnings)
        return space

    @property
    def opened(self) -> Space | None:
        """The sets of units of the first case, if opened already."""
        if self.of_events is not None:
            return self.of_events
        known = vars(self)
        if "envelope" in known:
            return self.envelope.space
        return next(iter(known.get("spaces", {}).values()), known.get("space"))

    def remembering(self, other: Session) -> Session:
        """Return this session, with the end of reports of another one."""
        known = {"not_covered": other.not_covered, "identities": other.identities}
        vars(self).update(known)
        return self

    @cached_property
    def not_covered(self) -> NotCovered:
        """What no question about the first case covers, as far as is known."""
        space = self.opened
        if space is None:
            return NotCovered()
        # A session without files has no models that could be read.
        if self.of_events is None:
            return not_covered(space)
        said = () if self.case.faults is None else self.case.faults.excluding
        return not_covered(space, (*said, "no probability"))

    @cached_property
    def identities(self) -> dict[str, Identity]:
        """The identifiers of properties, constraints and modes, by name."""
        units = None if self.opened is None else self.opened.about.units
        modes = {} if units is None else units.identities
        return {**self.words.identities, **modes}

    @property
    def found(self) -> SafetyEnvelope | None:
        """`envelope`, if it was created already."""
        return vars(self).get("envelope")

    @cached_property
    def envelope(self) -> SafetyEnvelope:
        """The safety envelope of the first case, computed on demand."""
        envelope = analyse(self.roles, self.options, self.progress("deviations"))
        self.warn(envelope.warnings)
        return envelope

    @cached_property
    def engine(self) -> Engine:
        """The first case, with E as one system."""
        engine = open_engine(self.roles, self.options, self.clock)
        self.warn(engine.problem.warnings)
        return engine

    @cached_property
    def plan(self) -> Plan:
        """E's own transitions in the first case, whose plan may be unsafe."""
        plan = open_plan(self.roles, self.options, self.clock)
        self.warn(plan.space.warnings)
        return plan

    @cached_property
    def all_roles(self) -> Mapping[str, Roles]:
        """The models of each case."""
        if len(self.cases) == 1:
            return dict.fromkeys(self.cases, self.roles)
        if self._roles is None:
            return load_sides(self.cases, self.options.limits)
        first, *others = self.cases
        limits = self.options.limits
        if self.clock is not None and self.clock.remaining is not None:
            limits = replace(limits, seconds=max(self.clock.remaining, 1e-3))
        rest = load_sides({name: self.cases[name] for name in others}, limits)
        return {first: self._roles, **rest}

    def events(self, table: Probabilities) -> tuple[Events, list[Space]]:
        """Return the events of the first case, and the space of them for each case."""
        from symrob.api.chances import events_in
        from symrob.api.events import event_spaces

        sides, options = self.all_roles, self.options
        if self.clock is None:
            spent = sum(roles.seconds for roles in sides.values())
            self.clock = Clock(options.limits, spent=spent)

        def engines() -> list[Engine]:
            return [*self.engines.values()] if len(sides) > 1 else [self.engine]

        with running(self.clock):
            first = next(iter(sides.values()))
            events = events_in(table, first, lambda: engines()[0], options.limits)
            found = event_spaces(events, sides, engines, options, self.clock)
        self.of_events = found[0]
        if events.of_components:
            self._warn_once(space.warnings for space in found)
        return events, found

    @cached_property
    def spaces(self) -> Mapping[str, Space]:
        """The sets of units of each case, all of the same kind."""
        found = open_spaces(self.all_roles, self.options, self.clock)
        self._warn_once(space.warnings for space in found)
        return dict(zip(self.cases, found, strict=True))

    @cached_property
    def engines(self) -> Mapping[str, Engine]:
        """Each case, with E as one system."""
        found = open_sides(self.all_roles, self.options, self.clock)
        self._warn_once(engine.problem.warnings for engine in found)
        return dict(zip(self.cases, found, strict=True))

    def _warn_once(self, warnings: Iterable[tuple[Diagnostic, ...]]) -> None:
        self.warn(tuple(dict.fromkeys(chain.from_iterable(warnings))))
