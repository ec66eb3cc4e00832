"""Machines of the package `transitions` do what the package does."""

import logging
import random
from copy import deepcopy
from itertools import chain

import pytest

from symrob.errors import LimitExceeded
from symrob.formats.machines import read_machine
from tests.charts.beside import SMALL, differences, leaves, outcomes, read_both, tally

nesting = pytest.importorskip("transitions.extensions.nesting")
logging.getLogger("transitions").setLevel(logging.CRITICAL)

EVENTS = ["E", "F", "G", "to_a"]


def random_spec(chance):
    """States, transitions and more that a machine takes, without its conditions."""
    paths, holders = [], []

    def state(name, prefix, depth):
        path = f"{prefix}_{name}" if prefix else name
        paths.append(path)
        few = chance.random()
        if depth > 2 or few < (0.35, 0.55, 0.8)[depth]:
            return name
        names = [f"{name[0]}{i}" for i in range(chance.choice([2, 2, 3]))]
        names[0] = chance.choice([names[0]] * 9 + ["a"])
        children = [state(child, path, depth + 1) for child in names]
        data = {"name": name, "children": children}
        if chance.random() < 0.4:
            if chance.random() < 0.15:
                data["initial"] = names[:-1] if len(names) > 2 else names[::-1]
            else:
                data["parallel"] = data.pop("children")
        elif chance.random() < 0.7:
            data["initial"] = chance.choice(names)
        holders.append((data, path))
        return data

    top = [state(name, "", 0) for name in ["a", "b", "c"][: chance.choice([2, 3])]]

    def rows(inside, number):
        found = []
        for _ in range(number):
            source, target = chance.choice(inside), chance.choice(inside)
            target = chance.choice([target, target, target, target, "=", None])
            event = chance.choice(EVENTS if chance.random() < 0.97 else ["E"])
            found.append([event, source, target, chance.random() < 0.3])
        return found

    for data, path in holders:
        inside = [p.removeprefix(f"{path}_") for p in paths if p.startswith(f"{path}_")]
        if chance.random() < 0.25:
            data["transitions"] = rows(inside, chance.choice([1, 2, 3]))
    return {
        "states": top,
        "initial": chance.choice(paths),
        "transitions": rows(paths, chance.choice([3, 5, 8])),
        "auto_transitions": chance.random() < 0.3,
    }


def built(spec, guards):
    """A machine, each of whose conditions is a call of `guards["holds"]`."""

    def take():
        guards["taken"] += 1

    def row(event, source, target, guarded):
        data = {"trigger": event, "source": source, "dest": target}
        return data | ({"conditions": [lambda: guards["holds"]()]} if guarded else {})

    def state(data):
        if isinstance(data, str):
            return data
        data = dict(data)
        for key in ("children", "parallel"):
            if key in data:
                data[key] = [state(child) for child in data[key]]
        if "transitions" in data:
            data["transitions"] = [row(*each) for each in data["transitions"]]
        return data

    return nesting.HierarchicalMachine(
        states=[state(data) for data in spec["states"]],
        initial=spec["initial"],
        transitions=[row(*each) for each in spec["transitions"]],
        auto_transitions=spec["auto_transitions"],
        ignore_invalid_triggers=True,
        after_state_change=take,
    )


def name(state):
    def flat(part):
        return (
            chain.from_iterable(map(flat, part)) if isinstance(part, list) else [part]
        )

    return leaves("+".join(flat(state)))


def explored(machine, events, guards):
    """The rows of a machine, as the package runs it."""
    rows, seen, work = {}, set(), [deepcopy(machine.state)]
    start = [name(machine.state)]
    while work:
        here = work.pop()
        if str(here) in seen:
            continue
        seen.add(str(here))
        if len(seen) > 60:
            raise LimitExceeded("too many states")
        for event in events:

            def run(holds, here=here, event=event):
                guards["holds"] = holds
                machine.state, guards["taken"] = deepcopy(here), 0
                try:
                    machine.trigger_event(machine, event)
                except (TypeError, ValueError):
                    # The package fails where nothing in nested regions reacts.
                    assert not guards["taken"]
                return guards["taken"], deepcopy(machine.state)

            every, taken = rows.setdefault((name(here), event), (set(), set()))
            for handled, there in outcomes(run):
                every.add(name(there))
                if handled:
                    taken.add(name(there))
                work.append(there)
    return start, rows


def compared(spec):
    """How a machine compares: a kind, its description, and details."""
    guards = {}
    machine = built(spec, guards)
    files = read_both(
        lambda ignoring: read_machine(machine, ignoring=ignoring, limits=SMALL)
    )
    if isinstance(files[0], str):
        return ("large" if files == "large" else "refused"), spec, files
    events = sorted(files[0].network.alphabet)
    try:
        start, rows = explored(machine, events, guards)
    except LimitExceeded:
        return "large", spec, []
    except (AttributeError, KeyError, TypeError, ValueError) as error:
        return "differs", spec, [f"the package fails: {error!r}"]
    details = differences(files, start, rows)
    declared = {row[0] for row in _declared(spec)}
    if declared != set(events):
        details.append(("alphabet", sorted(declared), events))
    return ("differs" if details else "same"), spec, details


def _declared(data):
    if isinstance(data, dict):
        yield from data.get("transitions", ())
        for key in ("states", "children", "parallel"):
            for child in data.get(key, ()):
                yield from _declared(child)


def run(number, seed):
    chance = random.Random(f"transitions {seed}")
    return tally(compared(random_spec(chance)) for _ in range(number))


def test_random_machines():
    count, differing = run(150, 0)
    assert differing == []
    assert count["same"] > 60
