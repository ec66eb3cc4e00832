"""Requirements on states as automata over labels, so that the engine sees only labels.

In:  E, whose states have views; C, its guards, and monitors, some of which are
     requirements on states.
Out: `Watching`: a controller over E's labels in which a forbidden state or step is a
     transition to ERROR and a step that a guard blocks is absent; monitors over labels.

A label carries the view of the state that E goes to (`symrob.lts.views`). The product
of the components of C that requirements name, with the last view as one more component,
is computed, so that each of its states determines whether each condition
holds. All other results about closed loops stay valid, with E's labels in place of its
actions. Traces are translated back into states of C.

If E or C can begin in other states than the first, `START` comes first: each component
waits for it, and goes to one of its initial states.

Cost: linear in the product of the components that are named together.
Source: docs/mathematics.md, 5.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence, Set
from dataclasses import replace
from functools import cached_property
from itertools import product
from typing import NamedTuple

from symrob.errors import Trace, TraceStep
from symrob.limits import check_size, watched
from symrob.lts import ERROR, TAU, Action, Lts, Network, StateId
from symrob.lts.naming import distinct
from symrob.lts.views import START, Label, all_labels, labels_of, named, plain
from symrob.problem.counted import is_counter
from symrob.problem.counted import plain as uncounted
from symrob.problem.requirements import Local, Requirement, local_of
from symrob.problem.roles import Model, Monitor

OWN_ERROR = "the controller's own ERROR"
_KEPT = "kept"
# The name of the state of what has not begun, and of what never will.
_BEFORE, _NEVER = "before the start", "never"
# A state of a merged component: the view, and the states of its members.
_State = tuple[int, tuple[StateId, ...]]


# The view before the start.
_BEGINNING = -1


class _Fall(NamedTuple):
    """A step of a merged component into ERROR: where that leads, and what breaks."""

    members: tuple[str, ...]
    broken: str


class Watching:
    """C and monitors over labels, for the engine; see the module.

    Args:
        environment: E; its states have views if a requirement distinguishes them.
        controller: C; `None` if monitors watch E alone.
        guards: The requirements that disable steps of C.
        monitors: The monitors that count, some of them requirements.
        extra_states: How many of E's last states were added.
        max_states: Bound on the product of components that are named together.

    Attributes:
        controller: C over E's labels.
        monitors: The monitors over E's labels, in their order.
        alphabet: E's labels.

    Raises:
        LimitExceeded: Components that are named together have too many states.
    """

    def __init__(
        self,
        environment: Lts,
        controller: Model | None,
        guards: Sequence[Requirement],
        monitors: Sequence[Monitor],
        *,
        extra_states: int = 0,
        max_states: int | None = None,
    ) -> None:
        self._environment, self._plain = environment, controller
        self._most = max_states
        local = local_of(environment, extra_states)
        views = environment.views or (0,) * environment.size
        # Whether `START` comes first; before it nothing is possible.
        self._starts = environment.starts
        self._first = views[environment.initial[0]]
        self._begin = sorted({views[q] for q in environment.initial})
        # What each view is like, as one of its states is.
        self._local = {view: local(q) for q, view in reversed([*enumerate(views)])}
        self.alphabet = all_labels(environment)
        self._own = frozenset(environment.alphabet)
        asked = [m.requirement for m in monitors if m.requirement is not None]
        clusters = _clusters([*asked, *guards])
        known = {i for members, _ in clusters for i in members}
        if self._starts:
            # Each component waits for the start.
            others = (i for i in self._told_parts if i not in known)
            clusters += [((i,), []) for i in others]
        self._merged = [self._merge(c, rs) for c, rs in clusters]
        self.monitors = tuple(map(self._monitor, monitors))
        self._places: list[tuple[int, ...]] = []
        self.controller = self._network()
        self._names = [m.name for m in monitors]

    @property
    def _parts(self) -> tuple[Lts, ...]:
        return self._plain.components if self._plain is not None else ()

    @property
    def _told_parts(self) -> range:
        """The places of the components, without those that only count: the last."""
        names = self._plain.component_names if self._plain is not None else ()
        return range(sum(not is_counter(name) for name in names))

    @property
    def _hidden(self) -> frozenset[Action]:
        return self._plain.hidden if self._plain is not None else frozenset()

    def _renamed(self, action: Action) -> tuple[Label, ...]:
        """The labels of an action of C; a hidden one is not that of E."""
        if action in self._hidden:
            return (named(action, -1),) if action in self._own else (action,)
        if action in self._own:
            return labels_of(self._environment, action)
        return (action,)

    def _over_labels(
        self, lts: Lts, labels: Callable[[Action], tuple[Label, ...]]
    ) -> Lts:
        if all(labels(a) == (a,) for a in lts.alphabet):
            return lts
        alphabet = [x for a in lts.alphabet for x in labels(a)]
        moves = (
            (q, x, r)
            for q, a, r in lts.transitions
            for x in (labels(a) if a != TAU else (TAU,))
        )
        return Lts(
            alphabet, lts.size, moves, names=lts.names, end=lts.end, parts=lts.parts
        )

    def _seen(self, action: Action) -> tuple[Label, ...]:
        """The labels of an action that a monitor watches."""
        return (
            labels_of(self._environment, action) if action in self._own else (action,)
        )

    def _monitor(self, monitor: Monitor) -> Monitor:
        requirement = monitor.requirement
        if requirement is None:
            lts = self._over_labels(monitor.lts, self._seen)
            if self._starts and self._plain is None:
                lts = self._starting(lts, dict.fromkeys(self._begin, 0))
            return monitor._replace(lts=lts)
        first = self._local[self._first]
        start = tuple(0 for _ in self._parts)
        fails = not self._starts and requirement.forbids_state(first, start)
        if not requirement.named("C"):
            lts = self._alone(requirement)
        else:
            lts = Lts((), 1, (), names=[_KEPT])
        return monitor._replace(lts=lts, fails_at_start=fails)

    def _alone(self, requirement: Requirement) -> Lts:
        """A monitor of what is required of E's states alone; its states are views."""
        views = sorted(self._local)
        number = {view: i for i, view in enumerate(views)}
        number[views[0]], number[self._first] = number[self._first], 0
        actions = (
            requirement.actions | self._own
            if len(views) > 1
            else (requirement.actions or self._own)
        )
        moves = []
        for view, state in number.items():
            for action, label, after in self._steps({*actions}, view):
                bad = requirement.forbids_step(action, self._local[view], None)
                bad = bad or requirement.forbids_state(self._local[after], None)
                moves.append((state, label, ERROR if bad else number[after]))
        alphabet = {label for _, label, _ in moves}
        names = [f"{_KEPT} {i}" if i else _KEPT for i in range(len(views))]
        lts = Lts(alphabet, len(views), moves, names=names)
        if not self._starts:
            return lts
        enter = {
            view: ERROR
            if requirement.forbids_state(self._local[view], None)
            else number[view]
            for view in self._begin
        }
        return self._starting(lts, enter)

    def _starting(self, lts: Lts, enter: Mapping[int, StateId]) -> Lts:
        """A monitor that begins when E does: what seems to come before is no run.

        Args:
            lts: What watches from then on.
            enter: By the view of E's first state, where it begins.
        """
        before, never = lts.size, lts.size + 1
        place = {before: 0, ERROR: ERROR} | {q: q + 1 for q in range(lts.size)}
        begin = {named(START, view): place[q] for view, q in enter.items()}
        labels = {*self.alphabet, *lts.alphabet}
        moves = [(0, x, begin.get(x, never)) for x in labels]
        moves += [(never, x, never) for x in labels]
        for q, row in enumerate(lts.successors):
            # Nothing begins twice.
            passed = labels - {*lts.alphabet} - {*begin}
            moves += [(q + 1, x, never) for x in begin]
            moves += [(q + 1, x, q + 1) for x in passed]
            moves += [(q + 1, x, place[r]) for x, rs in row.items() for r in rs]
        own = [lts.state_name(q) for q in range(lts.size)]
        names = distinct([_BEFORE, *own, _NEVER])
        return Lts(labels, lts.size + 2, moves, names=names)

    def _steps(
        self, actions: Iterable[Action], view: int
    ) -> Iterator[tuple[Action, Label, int]]:
        """Each action, and TAU of E, with its labels and the view after it."""
        seen = self._environment.views is not None
        for action in sorted(actions):
            if action in self._own and seen:
                for after in sorted(self._local):
                    yield action, named(action, after), after
            else:
                yield action, action, view
        if seen:
            for after in sorted(self._local):
                yield TAU, named(TAU, after), after

    def _starter(self) -> Lts:
        """What keeps E from all steps before the start."""
        begin = {named(START, view) for view in self._begin}
        moves = [(0, x, 1) for x in begin]
        moves += [(1, x, 1) for x in {*self.alphabet} - begin]
        return Lts(self.alphabet, 2, moves, names=[_BEFORE, _KEPT])

    def _merge(
        self, members: tuple[int, ...], requirements: Sequence[Requirement]
    ) -> _Merged:
        return _Merged(self, members, requirements)

    def _network(self) -> Model | None:
        if self._plain is None:
            return None
        taken = {i for merged in self._merged for i in merged.members}
        parts, names = [], []
        for i in self._told_parts:
            if i not in taken:
                parts.append(self._over_labels(self._parts[i], self._renamed))
                names.append(self._plain.component_names[i])
                self._places.append((i,))
        if self._starts:
            parts.append(self._starter())
            names.append("")
            self._places.append(())
        for merged in self._merged:
            parts.append(merged.lts)
            names.append("")
            self._places.append(merged.members)
        for i in range(len(self._told_parts), len(self._parts)):
            parts.append(self._over_labels(self._parts[i], self._renamed))
            names.append(self._plain.component_names[i])
        hidden = [x for a in self._hidden for x in self._renamed(a)]
        return ToldNetwork(self, parts, component_names=names, hidden=hidden)

    def told(self, trace: Trace) -> Trace:
        """Translate a trace over labels into one of E, C and the monitors."""
        before, steps, violated = trace.start, [], trace.violated
        for step in trace.steps:
            after, broken = self._step(before, step)
            if broken and violated in ("", OWN_ERROR):
                violated = broken
            steps.append(after)
            before = step
        start, _ = self._step(None, trace.start)
        if self._starts and steps:
            start = replace(steps.pop(0), action="", who="")
        names = self._plain.component_names if self._plain is not None else ()
        names = names[: len(self._told_parts)]
        if violated in self._names and violated != trace.violated:
            place = self._names.index(violated)
            last = steps.pop() if steps else start
            shown = tuple(
                "ERROR" if i == place else state
                for i, state in enumerate(last.monitors)
            )
            last = replace(last, monitors=shown)
            if last.action:
                steps.append(last)
            else:
                start = last
        return replace(
            trace,
            start=start,
            steps=tuple(steps),
            violated=violated,
            components=names,
        )

    def states(self, components: Sequence[str]) -> tuple[str, ...]:
        """Return the states of C's components from those of the product."""
        return self._step(None, TraceStep("", "", tuple(components)))[0].components

    def _step(self, before: TraceStep | None, step: TraceStep) -> tuple[TraceStep, str]:
        """A step as it is told, and what it breaks by a requirement."""
        names, broken = [""] * len(self._told_parts), ""
        count = len(self._places) - len(self._merged)
        for i, (members, name) in enumerate(
            zip(self._places, step.components, strict=bool(self._plain))
        ):
            if i < count:
                for member in members:
                    names[member] = name
                continue
            merged = self._merged[i - count]
            if name == "ERROR" and before is not None:
                fall = merged.fall(before.components[i], step.action)
                own, broken = fall.members, fall.broken if fall.broken else broken
            else:
                own = merged.states_of[name]
            for member, state in zip(members, own, strict=True):
                names[member] = state
        monitors = tuple(
            _KEPT if m.requirement is not None and state != "ERROR" else state
            for m, state in zip(self.monitors, step.monitors, strict=False)
        )
        action, who = plain(step.action), step.who
        theirs = (self._parts[i].alphabet for i in self._told_parts)
        shared = action not in self._hidden and any(action in own for own in theirs)
        if who == "both" and not shared:
            who = "E"
        told = replace(
            step, action=action, components=tuple(names), monitors=monitors, who=who
        )
        return told, broken


class _Merged:
    """Components of C that requirements name together, and the view of E, as one.

    Attributes:
        members: The components.
        lts: The product, with what the requirements say of it.
    """

    def __init__(
        self,
        watching: Watching,
        members: tuple[int, ...],
        requirements: Sequence[Requirement],
    ) -> None:
        self.members = members
        self._watching, self._requirements = watching, requirements
        self._own = [watching._parts[i] for i in members]
        self._sees = any(r.named("E") for r in requirements)
        having = {a for part in self._own for a in part.alphabet}
        self._hidden = having & watching._hidden
        own = watching._plain.alphabet if watching._plain is not None else ()
        happening = watching._own.union(own)
        named_ = {a for r in requirements for a in r.actions} & happening
        self._actions = (having - self._hidden) | named_
        if self._sees and watching._environment.views is not None:
            self._actions |= watching._own
        else:
            self._sees = False
        self._falls: dict[tuple[StateId, Label], _Fall] = {}
        self._states: list[_State] = []
        self.lts = self._built()

    def _at(self, locals_: tuple[StateId, ...]) -> Local:
        """The states of C's components, as far as they are known."""
        found = [ERROR] * len(self._watching._parts)
        for member, state in zip(self.members, locals_, strict=True):
            found[member] = state
        return tuple(found)

    def _built(self) -> Lts:
        watching = self._watching
        first: _State = (watching._first, tuple(0 for _ in self._own))
        if watching._starts:
            first = (_BEGINNING, tuple(p.initial[0] for p in self._own))
        numbers: dict[_State, StateId] = {first: 0}
        self._states = states = [first]
        moves: list[tuple[StateId, Label, StateId]] = []
        for source, state in enumerate(watched(states, 64)):
            for label, shown, after, broken in self._moves(state):
                if broken is not None:
                    key = (source, uncounted(shown))
                    self._falls.setdefault(key, _Fall(self._shown(after[1]), broken))
                    moves.append((source, label, ERROR))
                    continue
                if after not in numbers:
                    numbers[after] = len(states)
                    check_size(
                        len(states) + 1,
                        watching._most,
                        "product of the components of C that requirements name",
                    )
                    states.append(after)
                moves.append((source, label, numbers[after]))
        names = distinct([f"{v}:{', '.join(self._shown(s))}" for v, s in states])
        self.states_of: Mapping[str, tuple[str, ...]] = {
            name: self._shown(s) for name, (_, s) in zip(names, states, strict=True)
        }
        return Lts(self._alphabet(), len(states), moves, names=names)

    @cached_property
    def _number(self) -> Mapping[str, StateId]:
        return {name: i for i, name in enumerate(self.states_of)}

    def fall(self, name: str, action: Label) -> _Fall:
        """Return what a step from a state, by its name, into ERROR breaks."""
        return self._falls[self._number[name], action]

    def _alphabet(self) -> set[Label]:
        watching = self._watching
        labels = {x for a in self._hidden for x in watching._renamed(a)}
        views = watching._local if self._sees else {watching._first: None}
        for view in views:
            labels |= {label for _, label, _ in self._labels(view)}
        if watching._starts:
            labels |= {named(START, view) for view in watching._begin}
        return labels

    def _labels(self, view: int) -> Iterator[tuple[Action, Label, int]]:
        if self._sees:
            yield from self._watching._steps(self._actions, view)
            return
        for action in self._actions:
            for label in self._watching._seen(action):
                yield action, label, view

    def _shown(self, locals_: tuple[StateId, ...]) -> tuple[str, ...]:
        return tuple(p.state_name(s) for p, s in zip(self._own, locals_, strict=True))

    def _moves(
        self, state: _State
    ) -> Iterator[tuple[Label, Label, _State, str | None]]:
        """Each move: its label, what a trace shows, where to, and what it breaks."""
        view, locals_ = state
        if view == _BEGINNING:
            for after in self._watching._begin:
                label = named(START, after)
                there = after if self._sees else self._watching._first
                for begin in product(*(part.initial for part in self._own)):
                    yield self._move(label, label, (there, begin), None)
            return
        here = self._watching._local[view], self._at(locals_)
        for action, label, after in self._labels(view):
            if any(r.blocks(action, *here) for r in self._requirements):
                continue
            broken = _first(
                r for r in self._requirements if r.forbids_step(action, *here)
            )
            for targets in self._together(locals_, action, self._hidden):
                yield self._move(label, label, (after, targets), broken)
        for action in self._hidden:
            (label,) = self._watching._renamed(action)
            for targets in self._together(locals_, action):
                yield self._move(label, TAU, (view, targets), None)
        for i, part in enumerate(self._own):
            for target in part.successors[locals_[i]].get(TAU, ()):
                targets = (*locals_[:i], target, *locals_[i + 1 :])
                yield self._move(TAU, TAU, (view, targets), None)

    def _move(
        self, label: Label, shown: Label, after: _State, broken: str | None
    ) -> tuple[Label, Label, _State, str | None]:
        view, locals_ = after
        if ERROR in locals_:
            broken = broken or OWN_ERROR
        if broken is None:
            there = self._watching._local[view], self._at(locals_)
            broken = _first(r for r in self._requirements if r.forbids_state(*there))
        return label, shown, after, broken

    def _together(
        self,
        locals_: tuple[StateId, ...],
        action: Action,
        strange: Set[Action] = frozenset(),
    ) -> Iterator[tuple[StateId, ...]]:
        """Where an action leads that all members that have it take.

        One that is `strange` to them is another action of that name.
        """
        return product(
            *(
                part.successors[s].get(action, ())
                if action in part.alphabet and action not in strange
                else (s,)
                for part, s in zip(self._own, locals_, strict=True)
            )
        )


class ToldNetwork(Network):
    """A controller over labels; `watching` translates its traces back.

    Args:
        watching: The translation.
    """

    def __init__(
        self,
        watching: Watching,
        components: Sequence[Lts],
        *,
        component_names: Sequence[str],
        hidden: Iterable[Action],
    ) -> None:
        super().__init__(components, component_names=component_names, hidden=hidden)
        self.watching = watching


def _first(broken: Iterator[Requirement]) -> str | None:
    requirement = next(broken, None)
    return None if requirement is None else requirement.text


def _clusters(
    requirements: Sequence[Requirement],
) -> list[tuple[tuple[int, ...], list[Requirement]]]:
    """The components of C that are named together, each with what names them.

    What E's states alone decide is a monitor, unless it takes steps from C.
    """
    clusters: list[tuple[frozenset[int], list[Requirement]]] = []
    for requirement in requirements:
        members = requirement.named("C")
        if not members and requirement.kind != "guard":
            continue
        apart = [c for c in clusters if not c[0] & members]
        joint = [c for c in clusters if c[0] & members]
        all_ = members.union(*(c[0] for c in joint))
        said = [r for c in joint for r in c[1]]
        clusters = [*apart, (all_, [*said, requirement])]
    return [(tuple(sorted(members)), rs) for members, rs in clusters]
