"""Random CIF specifications, and what they mean by the definition.

A specification is made as data, from which both its text and its meaning come: global
states are walked with dictionaries, no automaton is multiplied out, and no condition
becomes a sentence.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from itertools import product

PLANT, REQUIREMENT = "plant", "requirement"


@dataclass
class Machine:
    """An automaton: locations by number; edges (from, events, guard, update, to)."""

    name: str
    role: str
    locations: int
    edges: list = field(default_factory=list)
    # The bound of a variable x from 0 on, or None.
    most: int | None = None
    alphabet: tuple = ()
    initial: tuple = (0,)


@dataclass
class Spec:
    controllable: tuple
    uncontrollable: tuple
    machines: list
    # (kind, event or None, condition)
    rules: list


def shown(condition):
    """A condition as CIF writes it."""
    kind, *rest = condition
    if kind == "at":
        return f"{rest[0]}.L{rest[1]}"
    if kind == "x":
        return f"{rest[0]}.x {rest[1]} {rest[2]}"
    if kind == "not":
        return f"not ({shown(rest[0])})"
    if kind == "true":
        return "true"
    return f"({shown(rest[0])} {kind} {shown(rest[1])})"


def holds(condition, state):
    kind, *rest = condition
    if kind == "at":
        return state[rest[0]][0] == rest[1]
    if kind == "x":
        value = state[rest[0]][1]
        return {"=": value == rest[2], "<": value < rest[2], ">": value > rest[2]}[
            rest[1]
        ]
    if kind == "not":
        return not holds(rest[0], state)
    if kind == "true":
        return True
    both = (holds(part, state) for part in rest)
    return all(both) if kind == "and" else any(both)


def text(spec):
    lines = [f"controllable {', '.join(spec.controllable)};"]
    lines.append(f"uncontrollable {', '.join(spec.uncontrollable)};")
    for machine in spec.machines:
        lines.append(f"{machine.role} {machine.name}:")
        if machine.alphabet:
            lines.append(f"  alphabet {', '.join(machine.alphabet)};")
        if machine.most is not None:
            lines.append(f"  disc int[0..{machine.most}] x;")
        for location in range(machine.locations):
            lines.append(f"  location L{location}:")
            first = "initial; " if location in machine.initial else ""
            lines.append(f"    {first}marked;")
            for source, events, guard, update, target in machine.edges:
                if source == location:
                    when = "" if guard == ("true",) else f" when {shown(guard)}"
                    do = "" if update is None else f" do x := x + {update}"
                    lines.append(
                        f"    edge {', '.join(events)}{when}{do} goto L{target};"
                    )
        lines.append("end")
    for kind, event, condition in spec.rules:
        said = shown(condition)
        if kind == "holds":
            lines.append(f"requirement invariant {said};")
        elif kind == "needs":
            lines.append(f"requirement {event} needs {said};")
        else:
            lines.append(f"requirement {said} disables {event};")
    return "\n".join(lines) + "\n"


def random_spec(rng):
    """E is `E`, and `F` where there is one; the others are C, or requirements."""
    controllable, uncontrollable = ("c1", "c2"), ("u1", "u2", "u3", "u4")
    machines = [
        Machine("E", PLANT, rng.randint(2, 3), alphabet=("u1", "u2")),
        Machine("A", PLANT, rng.randint(1, 3), alphabet=("c1", "u1", "u3")),
        Machine("B", PLANT, rng.randint(1, 2), alphabet=("c2", "u2")),
    ]
    if rng.random() < 0.3:
        machines.append(Machine("F", PLANT, 2, alphabet=("u4", "u1")))
    for machine in machines[:3]:
        if machine.locations > 1 and rng.random() < 0.15:
            machine.initial = (0, machine.locations - 1)
    for machine in machines[1:3]:
        if rng.random() < 0.5:
            machine.most = rng.randint(1, 2)
    if rng.random() < 0.6:
        watched = tuple(rng.sample(("c1", "c2", "u1", "u2", "u3"), 2))
        machines.append(Machine("R", REQUIREMENT, rng.randint(1, 2), alphabet=watched))

    def atom():
        machine = rng.choice(machines[:3])
        if machine.most is not None and rng.random() < 0.5:
            return "x", machine.name, rng.choice("=<>"), rng.randint(0, machine.most)
        return "at", machine.name, rng.randrange(machine.locations)

    def condition(depth=2):
        kind = rng.choice(["atom", "not", "and", "or"]) if depth else "atom"
        if kind == "atom":
            return atom()
        if kind == "not":
            return "not", condition(depth - 1)
        return kind, condition(depth - 1), condition(depth - 1)

    for machine in machines:
        for source, event in product(range(machine.locations), machine.alphabet):
            if rng.random() < 0.7:
                guard = ("true",)
                if machine.name == "F" and rng.random() < 0.6:
                    # Plants that are E read one another only.
                    guard = "at", "E", rng.randrange(machines[0].locations)
                elif machine.name not in "EF" and rng.random() < 0.4:
                    guard = condition()
                update = None
                if machine.most is not None and rng.random() < 0.5:
                    update = rng.choice([-1, 1])
                machine.edges.append(
                    (source, (event,), guard, update, rng.randrange(machine.locations))
                )
    rules = []
    for _ in range(rng.randint(1, 3)):
        kind = rng.choice(["holds", "needs", "disables"])
        event = None
        if kind != "holds":
            # What nobody can prevent is violated by most plans.
            event = rng.choice(controllable * 2 + uncontrollable)
        rules.append((kind, event, condition()))
    return Spec(controllable, uncontrollable, machines, rules)


def first(spec):
    """All states in which it can begin."""
    choices = [
        [(m.name, (i, 0 if m.most is not None else None)) for i in m.initial]
        for m in spec.machines
    ]
    return [dict(chosen) for chosen in product(*choices)]


def steps(spec, state, event, added=()):
    """Yield ("state", next) and ("bad",), where an event violates something."""
    choices = []
    blocked_by_rules = False
    for machine in spec.machines:
        if event not in machine.alphabet:
            continue
        here, value = state[machine.name]
        taken = []
        for source, events, guard, update, target in machine.edges:
            if source == here and event in events and holds(guard, state):
                after = value if update is None else value + update
                if machine.most is None or 0 <= after <= machine.most:
                    taken.append((machine.name, (target, after)))
        if machine.name == "E":
            taken += [
                ("E", (target, None))
                for source, action, target in added
                if (source, action) == (here, event)
            ]
        if not taken and machine.role == REQUIREMENT:
            blocked_by_rules = True
            continue
        choices.append(taken)
    for kind, named, condition in spec.rules:
        if named == event and kind != "holds":
            blocked_by_rules |= holds(condition, state) != (kind == "needs")
    moves = [dict(chosen) for chosen in product(*choices)] if choices else []
    if blocked_by_rules:
        if event in spec.uncontrollable and moves:
            yield ("bad",)
        return
    for move in moves:
        yield "state", {**state, **move}


def safe(spec, added=()):
    """Whether nothing is violated where E also has some transitions."""
    work = first(spec)
    seen = {tuple(start.items()) for start in work}
    while work:
        state = work.pop()
        for kind, _event, condition in spec.rules:
            if kind == "holds" and not holds(condition, state):
                return False
        for event in spec.controllable + spec.uncontrollable:
            for step in steps(spec, state, event, added):
                if step == ("bad",):
                    return False
                key = tuple(step[1].items())
                if key not in seen:
                    seen.add(key)
                    work.append(step[1])
    return True
