"""Random Supremica modules with variables, and what they mean by the definition.

A module is made as data, from which both its text and its meaning come: global states
are walked with dictionaries, and the values after an event are all that there are,
tried one by one.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from itertools import product

PLANT, SPEC, PROPERTY = "PLANT", "SPEC", "PROPERTY"


@dataclass
class Machine:
    """An automaton; edges (from, events, guards, actions, to)."""

    name: str
    kind: str
    states: int
    alphabet: tuple
    edges: list = field(default_factory=list)
    initial: tuple = (0,)
    forbidden: tuple = ()
    # Whether a requirement blocks what it does not offer; None for the usual.
    acts: bool | None = None


@dataclass
class Module:
    controllable: tuple
    uncontrollable: tuple
    machines: list
    # By name: all values, those that it may begin with.
    variables: dict


# Expressions: (operator, part, …); leaves ("int", n), ("name", n), ("next", n).


def xml(term):
    kind, *rest = term
    if kind == "int":
        return f'<IntConstant Value="{rest[0]}"/>'
    if kind == "name":
        return f'<SimpleIdentifier Name="{rest[0]}"/>'
    if kind == "next":
        return (
            f'<UnaryExpression Operator="\'">{xml(("name", rest[0]))}</UnaryExpression>'
        )
    sign = kind.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")
    inner = "".join(map(xml, rest))
    tag = "UnaryExpression" if len(rest) == 1 else "BinaryExpression"
    return f'<{tag} Operator="{sign}">{inner}</{tag}>'


def text(module):
    lines = ['<Module xmlns="http://waters.sourceforge.net/xsd/module" Name="m">']
    lines.append("<EventDeclList>")
    for kind in ("controllable", "uncontrollable"):
        for event in getattr(module, kind):
            lines.append(f'<EventDecl Kind="{kind.upper()}" Name="{event}"/>')
    lines += ['<EventDecl Kind="PROPOSITION" Name=":forbidden"/>', "</EventDeclList>"]
    lines.append("<ComponentList>")
    for name, (values, first) in module.variables.items():
        span = ("..", ("int", values[0]), ("int", values[-1]))
        if isinstance(values[0], str):
            atoms = "".join(xml(("name", value)) for value in values)
            inner = f"<EnumSetExpression>{atoms}</EnumSetExpression>"
        else:
            inner = xml(span)
        leaf = "name" if isinstance(values[0], str) else "int"
        begins = ("==", ("name", name), (leaf, first[0]))
        for value in first[1:]:
            begins = ("|", begins, ("==", ("name", name), (leaf, value)))
        lines += [
            f'<VariableComponent Name="{name}"><VariableRange>{inner}</VariableRange>',
            f"<VariableInitial>{xml(begins)}</VariableInitial></VariableComponent>",
        ]
    for machine in module.machines:
        lines += _automaton(machine)
    return "\n".join([*lines, "</ComponentList></Module>\n"])


def _automaton(machine):
    labels = "".join(xml(("name", event)) for event in machine.alphabet)
    yield f'<SimpleComponent Kind="{machine.kind}" Name="{machine.name}"><Graph>'
    yield f"<LabelBlock>{labels}</LabelBlock><NodeList>"
    for state in range(machine.states):
        first = ' Initial="true"' if state in machine.initial else ""
        mark = xml(("name", ":forbidden")) if state in machine.forbidden else ""
        inner = f"<EventList>{mark}</EventList>" if mark else ""
        yield f'<SimpleNode Name="L{state}"{first}>{inner}</SimpleNode>'
    yield "</NodeList><EdgeList>"
    for source, events, guards, actions, target in machine.edges:
        labels = "".join(xml(("name", event)) for event in events)
        block = f"<Guards>{''.join(map(xml, guards))}</Guards>" if guards else ""
        if actions:
            inner = "".join(
                xml((sign, ("name", name), value)) for sign, name, value in actions
            )
            block += f"<Actions>{inner}</Actions>"
        block = f"<GuardActionBlock>{block}</GuardActionBlock>" if block else ""
        yield f'<Edge Source="L{source}" Target="L{target}"><LabelBlock>{labels}'
        yield f"</LabelBlock>{block}</Edge>"
    yield "</EdgeList></Graph></SimpleComponent>"


# Meaning.


def value(term, now, after):
    """The value of an expression; places of automata are texts such as L0."""
    kind, *rest = term
    if kind == "int":
        return rest[0]
    if kind == "name":
        return now.get(rest[0], rest[0])
    if kind == "next":
        return after[rest[0]]
    given = [value(part, now, after) for part in rest]
    return {
        "==": lambda a, b: a == b,
        "!=": lambda a, b: a != b,
        "<": lambda a, b: a < b,
        ">": lambda a, b: a > b,
        "+": lambda a, b: a + b,
        "-": lambda a, b: a - b,
        "&": lambda a, b: bool(a) and bool(b),
        "|": lambda a, b: bool(a) or bool(b),
        "!": lambda a: not a,
    }[kind](*given)


def said(term):
    """The names of which an expression says the value after the event."""
    if term[0] == "next":
        return {term[1]}
    return set().union(*(said(p) for p in term[1:] if isinstance(p, tuple)))


def steps(module, machines, state, event, added=()):
    """Yield where some automata can go together with an event."""
    choices = []
    for machine in machines:
        if event in machine.alphabet:
            rows = [e for e in machine.edges if f"L{e[0]}" == state[machine.name]]
            rows = [e for e in rows if event in e[1]]
            if machine.name == "E":
                rows += [
                    (s, (a,), (), (), t)
                    for s, a, t in added
                    if (f"L{s}", a) == (state["E"], event)
                ]
            choices.append([(machine.name, *row) for row in rows])
    names = [*module.variables]
    every = [module.variables[name][0] for name in names]
    for chosen in product(*choices) if choices else ():
        guards = [g for _n, _s, _e, guards, _a, _t in chosen for g in guards]
        for _n, _s, _e, _g, actions, _t in chosen:
            for sign, name, amount in actions:
                old = ("name", name)
                new = amount if sign == "=" else (sign[0], old, amount)
                guards.append(("==", ("next", name), new))
        changed = set().union(*map(said, guards))
        there = {name: f"L{t}" for name, _s, _e, _g, _a, t in chosen}
        for values in product(*every):
            after = {**state, **there, **dict(zip(names, values, strict=True))}
            kept = all(after[n] == state[n] for n in names if n not in changed)
            if kept and all(value(g, state, after) for g in guards):
                yield after


def safe(module, added=()):
    """Whether nothing is violated where E also has some transitions."""
    plants = [m for m in module.machines if m.kind == PLANT]
    rules = [m for m in module.machines if m.kind != PLANT]
    starts = [[(m.name, f"L{i}") for i in m.initial] for m in module.machines]
    starts += [[(n, v) for v in first] for n, (_, first) in module.variables.items()]
    work = [dict(chosen) for chosen in product(*starts)]
    seen = {repr(state) for state in work}
    while work:
        state = work.pop()
        if any(state[m.name] == f"L{i}" for m in plants for i in m.forbidden):
            return False
        for event in module.controllable + module.uncontrollable:
            after = [*steps(module, plants, state, event, added)]
            if not after and any(event in m.alphabet for m in plants):
                continue
            bad = blocked = False
            for rule in rules:
                if event not in rule.alphabet:
                    continue
                moved = [*steps(module, [rule], state, event)]
                fine = [
                    s
                    for s in moved
                    if s[rule.name] not in [f"L{i}" for i in rule.forbidden]
                ]
                if len(fine) < len(moved) or not moved:
                    acts = rule.kind == SPEC and event in module.controllable
                    acts = acts if rule.acts is None else rule.acts
                    blocked |= acts
                    bad |= not acts
                mine = [{n: s[n] for n in s if s[n] != state[n]} for s in moved]
                after = [{**s, **m} for s in after for m in mine or [{}]]
            if blocked:
                continue
            if bad:
                return False
            for following in after:
                if repr(following) not in seen:
                    seen.add(repr(following))
                    work.append(following)
    return True


# Made.


def random_module(rng):
    """E is `E`; A and B share variables; R is a specification, with a variable `z`."""
    machines = [
        Machine("E", PLANT, rng.randint(2, 3), ("u1", "u2")),
        Machine("A", PLANT, rng.randint(1, 3), ("c1", "u1", "u3")),
        Machine("B", PLANT, rng.randint(1, 2), ("c2", "u2", "u1")),
    ]
    for machine in machines[:2]:
        if machine.states > 1 and rng.random() < 0.15:
            machine.initial = (0, machine.states - 1)
    most = rng.randint(1, 2)
    variables = {"x": (tuple(range(most + 1)), (0,))}
    if rng.random() < 0.2:
        variables["x"] = (variables["x"][0], (0, 1))
    if rng.random() < 0.5:
        variables["y"] = (("red", "blue"), ("red",))
    if machines[1].states > 1 and rng.random() < 0.2:
        machines[1].forbidden = (machines[1].states - 1,)
    watched = tuple(rng.sample(("c1", "c2", "u1", "u2", "u3"), 2))
    kind = rng.choice([SPEC, SPEC, PROPERTY])
    machines.append(Machine("R", kind, rng.randint(1, 2), watched))
    if rng.random() < 0.4:
        variables["z"] = ((0, 1, 2), (0,))

    def atom(primed):
        name = rng.choice([*variables, "A", "B", "E"])
        if name == "z":
            name = "x"
        sign = rng.choice(["==", "!="])
        if name in "ABE":
            states = {m.name: m.states for m in machines}[name]
            return sign, ("name", name), ("name", f"L{rng.randrange(states)}")
        left = ("next" if primed and rng.random() < 0.5 else "name", name)
        if name == "y":
            return sign, left, ("name", rng.choice(["red", "blue"]))
        right = ("int", rng.randint(0, most))
        if primed and rng.random() < 0.5:
            right = ("name", "x")
        return rng.choice(["==", "<", ">"]), left, right

    def condition(primed, depth=1):
        kind = rng.choice(["atom", "!", "&", "|"]) if depth else "atom"
        if kind == "atom":
            return atom(primed)
        if kind == "!":
            return "!", condition(primed, depth - 1)
        return kind, condition(primed, depth - 1), condition(primed, depth - 1)

    def assignment(name):
        if name == "y":
            return "=", "y", ("name", rng.choice(["red", "blue"]))
        sign = rng.choice(["=", "+=", "-="])
        if sign == "=" and name == "x" and rng.random() < 0.3:
            return "=", "x", ("-", ("int", most), ("name", "x"))
        return sign, name, ("int", rng.randint(0, 1))

    # Some change a variable with an event always in the same way.
    alike = {e: assignment("x") for e in ("c1", "c2") if rng.random() < 0.5}
    for machine in machines:
        for source, event in product(range(machine.states), machine.alphabet):
            if rng.random() < 0.25:
                continue
            guards, actions = [], []
            plant = machine.kind == PLANT
            if machine.name != "E" and rng.random() < 0.4:
                guards.append(condition(plant and rng.random() < 0.4))
            if machine.name in "AB":
                if event in alike:
                    actions.append(alike[event])
                elif rng.random() < 0.4:
                    name = rng.choice([n for n in variables if n != "z"])
                    actions.append(assignment(name))
            elif machine.name == "R" and "z" in variables and rng.random() < 0.6:
                actions.append(assignment("z"))
                guards.append(("<", ("name", "z"), ("int", 2)))
            row = source, (event,), guards, actions, rng.randrange(machine.states)
            machine.edges.append(row)
    rule = machines[3]
    if rule.states > 1 and rng.random() < 0.3:
        rule.forbidden = (rule.states - 1,)
    return Module(("c1", "c2"), ("u1", "u2", "u3"), machines, variables)
