"""Machines of the package `python-statemachine` do what the package does."""

import random
from unittest import mock

import pytest

from symrob.errors import LimitExceeded
from symrob.formats.machines import read_machine
from tests.charts.beside import SMALL, differences, leaves, outcomes, read_both, tally

package = pytest.importorskip("statemachine")
states = pytest.importorskip("statemachine.state")
engines = pytest.importorskip("statemachine.engines.sync")

EVENTS = ["E", "F", "G", "a.b", "a.c", "a", "*", "a.*"]


class Endless(Exception):
    """A step of a machine that does not end."""


def random_spec(chance):
    """States by name, with their children, and transitions between them."""
    names, inner, leaf = [], [], []

    def state(depth, final):
        name = f"s{len(names)}"
        names.append(name)
        if depth < 3 and chance.random() < (0.7, 0.5, 0.3)[depth]:
            data = {"parallel": chance.random() < 0.45}
            inner.append(name)
            number = chance.choice([2, 2, 3])
            data["states"] = [
                state(depth + 1, not data["parallel"]) for _ in range(number)
            ]
            data["initial"] = chance.randrange(number)
            if not data["parallel"] and chance.random() < 0.1:
                data["declared"] = chance.randrange(number)
        else:
            leaf.append(name)
            data = {"final": final and chance.random() < 0.35, "states": []}
        return {"name": name, **data}

    top = [state(0, False) for _ in range(chance.choice([2, 3]))]
    if chance.random() < 0.3:
        names.append("end")
        top.append({"name": "end", "final": True, "states": []})
    finals = {s["name"] for s in top if s.get("final")}
    rows = []
    for _ in range(chance.choice([4, 7, 10])):
        source = chance.choice([name for name in names if name not in finals])
        target = chance.choice(
            [*names, source, *([None] if chance.random() < 0.3 else [])]
        )
        event = chance.choice(EVENTS)
        kind = chance.random()
        if kind < 0.2 and inner:
            event = f"done.state.{chance.choice(inner)}"
        elif kind < 0.24:
            event = None
        guarded = chance.random() < (0.3 if event else 0.9)
        rows.append([source, target, event, guarded, chance.random() < 0.3])
    return {
        "states": top,
        "rows": rows,
        "classic": chance.random() < 0.3,
        "first": chance.randrange(len(top)),
    }


def built(spec, guards):
    """The class of a machine, each of whose conditions is a call of `guards`."""
    known = {}

    def state(data, initial):
        if not data["states"]:
            made = package.State(initial=initial, final=data["final"])
        else:
            kind = (
                package.State.Parallel if data["parallel"] else package.State.Compound
            )
            parts = {
                child["name"]: state(
                    child, i == data["initial"] and not data["parallel"]
                )
                for i, child in enumerate(data["states"])
            }
            made = states.NestedStateFactory(
                data["name"], (kind,), parts, initial=initial
            )
            if "declared" in data:
                made.to(known[data["states"][data["declared"]]["name"]], initial=True)
        known[data["name"]] = made
        return made

    top = {
        data["name"]: state(data, i == spec["first"])
        for i, data in enumerate(spec["states"])
    }
    for number, (source, target, event, guarded, internal) in enumerate(spec["rows"]):
        one, other = known[source], known[target] if target else None
        # The package refuses what is internal to another state.
        inside = other is one or (other is not None and other.is_descendant(one))
        more = {"internal": True} if internal and inside else {}
        if guarded:
            more["cond"] = lambda number=number: guards["holds"](number)
        one.to(other, event=event, **more)
    kind = package.StateMachine if spec["classic"] else package.StateChart
    checks = ("disconnected_states", "trap_states", "final_reachability")
    body = top | {f"validate_{check}": False for check in checks}
    return type(kind)("Machine", (kind,), body)


def name(machine):
    return leaves("+".join(s.id for s in machine.configuration if s.is_atomic))


def explored(kind, events, guards):
    """The rows of a machine, as the package runs it."""
    select = engines.SyncEngine._select_transitions

    def watched(engine, trigger, predicate):
        guards["steps"] += 1
        if guards["steps"] > 100:
            raise Endless
        # A guard has one value at one moment, however often it is evaluated.
        guards["known"] = {}
        outside = guards["event"] is None or guards["reacts"] is not None
        if not outside and trigger.event is None:
            return engines.OrderedSet()
        found = select(engine, trigger, predicate)
        if not outside:
            guards["reacts"] = bool(found)
        return found

    def prepared(holds, event):
        def once(number):
            known = guards["known"]
            if number not in known:
                known[number] = holds()
            return known[number]

        guards.update(holds=once, steps=0, event=event, reacts=None, known={})

    def begin(holds):
        prepared(holds, None)
        return _state(kind())

    rows, seen = {}, set()
    with mock.patch.object(engines.SyncEngine, "_select_transitions", watched):
        work = [s for s in outcomes(_ended(begin)) if s]
        start = {leaves_ for leaves_, *_ in work}
        while work:
            here, values, running = work.pop()
            if tuple(values) in seen or not running:
                continue
            seen.add(tuple(values))
            if len(seen) > 30:
                raise LimitExceeded("too many states")
            for event in events:

                def run(holds, values=values, event=event):
                    prepared(lambda: True, None)
                    machine = guards["machine"]
                    machine._engine.clear()
                    machine._engine.running = True
                    machine._engine._root_parallel_final_pending = None
                    machine.current_state_value = type(values)(values)
                    prepared(holds, event)
                    try:
                        machine.send(event.replace("*", "other"))
                    except package.exceptions.TransitionNotAllowed:
                        # Eventless transitions are looked at before the next event.
                        assert not guards["reacts"]
                        machine._engine.processing_loop()
                    return guards["reacts"], _state(machine)

                if "machine" not in guards:
                    guards["machine"] = _any(kind, prepared)
                every, taken = rows.setdefault((here, event), (set(), set()))
                for outcome in outcomes(_ended(run)):
                    if outcome:
                        reacts, there = outcome
                        every.add(there[0])
                        if reacts:
                            taken.add(there[0])
                        work.append(there)
    return start, rows


def _any(kind, prepared):
    """Some instance of a machine, whichever way its guards turn out."""
    for value in (False, True):
        try:
            prepared(lambda value=value: value, None)
            return kind()
        except Endless:
            pass
    raise LimitExceeded("its start never ends")


def _state(machine):
    return name(machine), machine.configuration_values, not machine.is_terminated


def _ended(run):
    def ended(holds):
        try:
            return run(holds)
        except Endless:
            return None

    return ended


def compared(spec):
    """How a machine compares: a kind, its description, and details."""
    guards = {}
    try:
        kind = built(spec, guards)
    except package.exceptions.InvalidDefinition:
        return "invalid", spec, []
    files = read_both(
        lambda ignoring: read_machine(kind, ignoring=ignoring, limits=SMALL)
    )
    if isinstance(files[0], str):
        return ("large" if files == "large" else "refused"), spec, files
    try:
        start, rows = explored(kind, sorted(files[0].network.alphabet), guards)
    except LimitExceeded:
        return "large", spec, []
    details = differences(files, start, rows)
    return ("differs" if details else "same"), spec, details


def run(number, seed):
    chance = random.Random(f"statemachine {seed}")
    return tally(compared(random_spec(chance)) for _ in range(number))


def test_random_machines():
    count, differing = run(40, 0)
    assert differing == []
    assert count["same"] > 20
