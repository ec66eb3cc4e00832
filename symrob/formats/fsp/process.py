"""Compiling a primitive process into a transition system.

In:  an `ast.Process`, the values of its parameters, and the processes before `;`.
Out: an `Lts` with all suffixes and modifiers applied.

Every local process with each of its indices is a state, reachable or not, because the
labels of unreachable states belong to the alphabet. Between the labels of an
alternative are anonymous states, one for each action name. States are created from a
work list, so long chains do not recurse.

The body is followed by relabelling, hiding, `property`, reachability, `minimal` and
`deterministic`, in this order. Composites apply the same operations to products.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from typing import NamedTuple

from symrob.formats.fsp import ast
from symrob.formats.fsp.renaming import hiding_set, note_relabels, relabel_pairs, rename
from symrob.formats.fsp.tokens import Findings, FspFault, keep_limit
from symrob.formats.fsp.values import Scope, Value, meaning
from symrob.limits import tick, watched
from symrob.lts import ERROR, TAU, Action, Lts, Transition
from symrob.lts.bisimulation import minimise
from symrob.lts.determinise import determinise
from symrob.lts.naming import distinct
from symrob.lts.product import hide
from symrob.lts.reachability import breadth_first, reachable

# What a state is before it has a number: a local process with its indices.
Key = tuple[str, tuple[Value, ...]]
STOP: Key = ("STOP", ())
END: Key = ("END", ())
FAIL: Key = ("ERROR", ())
SPECIAL = {key[0]: key for key in (STOP, END, FAIL)}

Target = int | Key
Part = Callable[[ast.Call, Scope], Lts]

_LONG_NAME = 120
_NUMBER = re.compile(r"0|-?[1-9][0-9]*", re.ASCII)
_OUTSIDE = "'{}' is outside the index range of its definition and becomes ERROR"


class _State(NamedTuple):
    name: str
    moves: list[tuple[Action, Target]]


class ProcessBuilder:
    """Builds an instance of a process.

    Args:
        process: The definition.
        scope: The constants, including the parameters of this instance.
        part: Returns the transition system of a component of `A; B`.
        findings: Receives findings for warnings.
    """

    def __init__(
        self, process: ast.Process, scope: Scope, part: Part, findings: Findings
    ) -> None:
        self.process = process
        self.scope = scope
        self.part = part
        self.findings = findings
        self.alphabet: set[Action] = set()
        self.states: list[_State] = []
        self.defined: dict[Key, tuple[ast.Local, Scope]] = {}
        self.arity: dict[str, set[int]] = {}
        # Local processes some of whose indices stand for several each.
        self.uneven: set[str] = set()
        self.resolved: dict[Key, Target] = {FAIL: FAIL, STOP: STOP, END: END}
        # For STOP and END the local processes that are defined as it, such as P = STOP.
        self.called: dict[Key, dict[Key, None]] = {}
        # What is to be built from a state: a choice, or an alternative from some label.
        self.todo: list[tuple[int, ast.Alternatives | ast.Alternative, Scope, int]] = []
        self.transitions = 0
        # Of a property, where each move stands; a choice that offers an action twice
        # is shown.
        self.places: dict[tuple[int, Action, Target], int] | None = None
        if "property" in process.modifiers:
            self.places = {}

    def build(self) -> Lts:
        """Return the transition system of the instance.

        Raises:
            FspFault: A part of it cannot be evaluated.

        Cost: linear in the states and transitions, reached or not.
        """
        self._define()
        for key in list(self.defined):
            self._resolve(key)
        while self.todo:
            tick()
            state, body, scope, at = self.todo.pop()
            if isinstance(body, ast.Alternatives):
                self._choice(state, body, scope)
            else:
                self._step(state, body, scope, at)
        return self._finish()

    # --- states -----------------------------------------------------------

    def _define(self) -> None:
        for local in self.process.locals:
            name = local.name.text
            self.arity.setdefault(name, set()).add(len(local.indices))
            for values, bound in watched(self.scope.bind(local.indices)):
                key = local_key(name, values)
                if len(key[1]) != len(values):
                    self.uneven.add(name)
                if key in self.defined:
                    message = f"'{key_name(key)}' is defined twice"
                    raise FspFault("fsp-duplicate-local", message, local.pos)
                self.defined[key] = (local, bound)
                self._check_states(len(self.defined), local.pos)

    def _check_states(self, count: int, pos: int) -> None:
        message = f"process '{self.process.name.text}' has more than {{}} states"
        keep_limit(self.scope.limits, "max_states", count, pos, message)

    def _new_state(self, name: str) -> int:
        self.states.append(_State(name, []))
        self._check_states(len(self.states), self.process.pos)
        return len(self.states) - 1

    def _resolve(self, key: Key) -> Target:
        """Follow aliases from a local process to a state.

        `P = P` is STOP; any other cycle is a fault, also one through processes
        before a `;` that are nothing but END.
        """
        chain: dict[Key, None] = {}
        last = key
        target: Target = key
        while isinstance(target, tuple) and target not in self.resolved:
            if target in chain:
                local, scope = self.defined[target]
                body = self._chosen(local.body, scope)
                assert isinstance(body, ast.Sequence)
                if target == last and len(body.calls) == 1:
                    target = STOP
                    break
                message = f"'{key_name(target)}' is defined only in terms of itself"
                raise FspFault("fsp-alias-cycle", message, local.pos)
            chain[target] = None
            last = target
            target = self._meaning(target)
        if chain and isinstance(target, tuple) and target in SPECIAL.values():
            self.called.setdefault(target, {})[last] = None
        if isinstance(target, tuple):
            target = self.resolved.get(target, target)
        for link in chain:
            self.resolved[link] = target
        return target

    def _meaning(self, key: Key) -> Target:
        local, scope = self.defined[key]
        body = self._chosen(local.body, scope)
        if isinstance(body, ast.Sequence):
            target: Target = self._sequence(body, scope)
        else:
            target = self._new_state(key_name(key))
            self.todo.append((target, body, scope, 0))
        if local.accepting and isinstance(target, int):
            mark = "@" + key_name(key)
            self._move(target, mark, target, local.pos)
        return target

    def _chosen(self, body: ast.Body, scope: Scope) -> ast.Alternatives | ast.Sequence:
        """Decide the conditions in front of a body."""
        while isinstance(body, ast.If):
            pos = body.pos
            body = scope.chosen_case(body)
            if body is None:
                stop = ast.Call(pos, ast.Name(pos, "STOP"), (), ())
                return ast.Sequence(pos, (stop,))
        return body

    # --- references -------------------------------------------------------

    def _sequence(self, body: ast.Sequence, scope: Scope) -> Target:
        """Return where `A; B; Q` begins: Q, with copies of B and A before it."""
        *before, last = body.calls
        target: Target = self._local(last, scope)
        for call in reversed(before):
            target = self._insert(call, scope, target)
        return target

    def _local(self, call: ast.Call, scope: Scope) -> Target:
        name = call.name.text
        values = tuple(evaluate_index(index, scope) for index in call.indices)
        if name in SPECIAL and not values:
            return SPECIAL[name]
        meaning("local process", name, call.pos, self.arity)
        return self._defined(call, local_key(name, values))

    def _defined(self, call: ast.Call, key: Key) -> Target:
        if key in self.defined:
            return key
        counts, given = self.arity[key[0]], len(call.indices)
        # With values that stand for several indices the number tells nothing.
        uneven = key[0] in self.uneven or len(key[1]) != given
        if given not in counts and not uneven:
            wanted = " or ".join(str(n) for n in sorted(counts))
            indices = "index" if counts == {1} else "indices"
            message = f"'{key[0]}' has {wanted} {indices}, not {given}"
            raise FspFault("fsp-index-count", message, call.pos)
        self.findings.doubt(
            "fsp-index-outside", call.pos, _OUTSIDE.format(key_name(key))
        )
        return FAIL

    def _insert(self, call: ast.Call, scope: Scope, after: Target) -> Target:
        """Insert a copy of a sequential process whose END is `after`.

        A process that is nothing but END leaves no trace.
        """
        part = self.part(call, scope)
        self.alphabet.update(part.alphabet)
        title = call.name.text
        place: dict[int, Target] = {ERROR: FAIL}
        for state in range(part.size):
            if state == part.end:
                place[state] = after
            else:
                place[state] = self._new_state(f"{title}:{part.state_name(state)}")
        for source, action, target in part.transitions:
            self._move(place[source], action, place[target], call.pos)
        return place[0]

    # --- transitions ------------------------------------------------------

    def _move(self, source: Target, action: Action, target: Target, pos: int) -> None:
        if action != TAU:
            self.alphabet.add(action)
        # END of a part has no moves, so the source is always a new state.
        assert isinstance(source, int)
        self.states[source].moves.append((action, target))
        if self.places is not None:
            self.places.setdefault((source, action, target), pos)
        self.transitions += 1
        message = "this process has more than {} transitions"
        keep_limit(self.scope.limits, "max_transitions", self.transitions, pos, message)

    def _choice(self, state: int, choice: ast.Alternatives, scope: Scope) -> None:
        for alternative in choice.alternatives:
            guard = alternative.guard
            if guard is not None:
                holds = scope.integer(guard) != 0
                message = "this guard is never true"
                self.findings.doubt("fsp-guard-false", guard.pos, message, unless=holds)
                if not holds:
                    continue
            self._step(state, alternative, scope)

    def _step(
        self, state: int, rest: ast.Alternative, scope: Scope, at: int = 0
    ) -> None:
        """Add the moves of a label of `rest`, by its place, to `state`."""
        label, others = rest.labels[at], at + 1 < len(rest.labels)
        always = None if others else self._constant_target(rest.body)
        for action, bound in scope.expand(label):
            if always is not None:
                target: Target = always
            elif others:
                target = self._anonymous(state, action, rest, bound, at + 1)
            else:
                body = self._chosen(rest.body, bound)
                if isinstance(body, ast.Sequence):
                    target = self._sequence(body, bound)
                else:
                    target = self._anonymous(state, action, body, bound)
            self._move(state, action, target, label.pos)

    def _constant_target(self, body: ast.Body) -> Target | None:
        """Return the target of a plain reference, which no variable can change."""
        if isinstance(body, ast.Sequence) and len(body.calls) == 1:
            (call,) = body.calls
            if not call.indices:
                return self._local(call, self.scope)
        return None

    def _anonymous(
        self,
        before: int,
        action: Action,
        body: ast.Alternatives | ast.Alternative,
        scope: Scope,
        at: int = 0,
    ) -> int:
        name = f"{self.states[before].name}/{action}"
        if len(name) > _LONG_NAME:
            name = f"{name.split('/', 1)[0]}/…/{action}"
        state = self._new_state(name)
        self.todo.append((state, body, scope, at))
        return state

    # --- the whole --------------------------------------------------------

    def _finish(self) -> Lts:
        start = self._resolve((self.process.name.text, ()))
        if self.process.extension is not None:
            self.alphabet.update(self.scope.set_names(self.process.extension))
        lts, places = self._assemble(start)
        return finished(self.process, lts, self.scope, self.findings, places)

    def _assemble(self, start: Target) -> tuple[Lts, Places]:
        """Number the states, the initial one first, and make the system."""
        if start == FAIL:
            name = self.process.name.text
            return Lts(self.alphabet, 1, [(0, TAU, ERROR)], names=[name]), {}
        ends = {t: self._final(t) for s in self.states for _a, t in s.moves}
        used = {*ends.values(), start}
        specials: list[Target] = [key for key in (STOP, END) if key in used]
        order: list[Target] = [start]
        order += [s for s in [*range(len(self.states)), *specials] if s != start]
        place: dict[Target, int] = {s: i for i, s in enumerate(order)}
        place[FAIL] = ERROR
        moves = [
            (place[i], action, place[ends[target]])
            for i, state in enumerate(self.states)
            for action, target in state.moves
        ]
        names = [
            self._special_name(s) if isinstance(s, tuple) else self.states[s].name
            for s in order
        ]
        end = place.get(END)
        lts = Lts(self.alphabet, len(order), moves, names=distinct(names), end=end)
        reached = {order[i] for i in breadth_first(lts)} | {FAIL}
        for key, (local, _scope) in self.defined.items():
            if self.resolved[key] in reached:
                self.findings.reached.add((local.name.text, local.pos))
        places = {
            Transition(place[i], action, place[ends[target]]): pos
            for (i, action, target), pos in (self.places or {}).items()
        }
        return lts, places

    def _special_name(self, special: Key) -> str:
        """Name STOP or END after the local process that is defined as it, if it is one.

        Others may be defined by that process; where a step leads to STOP itself, the
        name is STOP.
        """
        aliases = [*self.called.get(special, ())]
        direct = any(t == special for s in self.states for _a, t in s.moves)
        return key_name(aliases[0]) if len(aliases) == 1 and not direct else special[0]

    def _final(self, target: Target) -> Target:
        return target if isinstance(target, int) else self._resolve(target)


def evaluate_index(index: ast.Index, scope: Scope) -> Value:
    """Return the value of an index in a reference.

    Raises:
        FspFault: It is a range or a set, which a reference cannot have.
    """
    if index.variable is not None or not isinstance(index.domain, ast.Expr):
        message = "expected one value in a reference, not a range or a set"
        raise FspFault("fsp-index", message, index.pos)
    return scope.evaluate(index.domain)


def local_key(name: str, values: tuple[Value, ...]) -> Key:
    """Return the key of a local process, one value for each index.

    A label from a set can be several indices: `Q[v]` with v = `1.a` is `Q[1][a]`, with
    the number 1.
    """
    if all(isinstance(value, int) for value in values):
        return name, values
    words = [word for value in values for word in str(value).split(".")]
    return name, tuple(int(w) if _NUMBER.fullmatch(w) else w for w in words)


def key_name(key: Key) -> str:
    """Return the name of a local process with its indices: `RUN[1]`."""
    return key[0] + "".join(f"[{value}]" for value in key[1])


Places = Mapping[Transition, int]


def finished(
    process: ast.Process, lts: Lts, scope: Scope, findings: Findings, places: Places
) -> Lts:
    """Apply the relabels, hiding and modifiers of a process, in this order.

    Args:
        process: The definition.
        lts: Its transition system, with unreachable states.
        scope: The constants, including the parameters of this instance.
        findings: Receives the relabels that have an effect.
        places: The place of each transition of a property.

    Returns:
        The reachable part of the resulting system.

    Raises:
        FspFault: A property is nondeterministic, or a suffix cannot be evaluated.
    """
    if process.relabels:
        pairs = relabel_pairs(process.relabels, scope)
        note_relabels(pairs, lts.alphabet, findings)
        lts = rename(lts, pairs)
        places = {
            Transition(s, new, t): pos
            for (s, action, t), pos in places.items()
            for new in pairs(action)
        }
    hidden = hiding_set(process.hiding, lts.alphabet, scope)
    lts = hide(lts, hidden)
    if "property" in process.modifiers:
        places = {
            Transition(s, TAU if action in hidden else action, t): pos
            for (s, action, t), pos in places.items()
        }
        _check_property(process, lts, places)
        lts = complete(lts)
    lts = reachable(lts)
    if "minimal" in process.modifiers:
        lts = minimise(lts)
    if "deterministic" in process.modifiers:
        lts = make_deterministic(lts, scope.limits.max_states)
    return lts


def _check_property(process: ast.Process, lts: Lts, places: Places) -> None:
    """Reject a nondeterministic property, reachable or not."""
    for state, row in enumerate(lts.successors):
        for action, targets in row.items():
            if action == TAU or len(targets) > 1:
                message = (
                    f"property '{process.name.text}' must be deterministic: "
                    f"state {lts.state_name(state)} "
                    + ("has a 'tau'" if action == TAU else f"offers '{action}' twice")
                )
                hint = "begin each alternative with a different action"
                if action == TAU:
                    hint = "a property watches all its actions: do not hide them"
                found = (places.get(Transition(state, action, t)) for t in targets)
                pos = max((at for at in found if at is not None), default=process.pos)
                raise FspFault("fsp-property", message, pos, hint)


def complete(lts: Lts) -> Lts:
    """Return the monitor of a property: actions that a state lacks lead to ERROR."""
    missing = [
        (state, action, ERROR)
        for state, row in enumerate(lts.successors)
        for action in lts.alphabet
        if action not in row
    ]
    return Lts(lts.alphabet, lts.size, [*lts.transitions, *missing], names=lts.names)


def make_deterministic(lts: Lts, max_states: int) -> Lts:
    """Apply `deterministic`; a deterministic system remains unchanged."""
    if lts.deterministic:
        return lts
    return minimise(determinise(lts, max_states=max_states))
