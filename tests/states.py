"""Random problems with requirements on states, each from one generator of numbers."""

import json
from random import Random

import symrob
from symrob.formats import write
from symrob.lts import Lts, Network
from tests.generate import random_lts, random_monitor
from tests.oracles import states

KINDS = ("never", "only-while", "never-while", "enabled-only-while")


class Asked:
    """A problem: its models, as dictionaries, and what is required.

    Args:
        rng: The numbers.
        composed: Whether E has two components, and is asked about by these.
        odd: Whether C may have tau, hidden actions and ERROR.
        several: Whether E and C may have several initial states.
    """

    def __init__(self, rng: Random, *, composed=False, odd=False, several=False):
        self.composed = composed
        actions = ("a", "b") if composed or rng.random() < 0.5 else ("a",)
        sizes = (2, 2) if composed else (rng.choice((2, 2, 3)),)
        alphabets = [("a",), ("a", "b")] if composed else [actions]
        if composed and rng.random() < 0.5:
            alphabets = [("a",), ("b",)]
        self.e = [
            _system(rng, alphabet, size, 0.4, tau=0.2 * (rng.random() < 0.2))
            for alphabet, size in zip(alphabets, sizes, strict=True)
        ]
        self.c = [
            _system(
                rng,
                [x for x in (*actions, "u", "v") if rng.random() < 0.8],
                rng.randint(1, 3),
                rng.choice((0.8, 1.4)),
                tau=0.3 * (odd and rng.random() < 0.4),
                error=0.1 * (odd and rng.random() < 0.3),
            )
            for _ in range(rng.choice((1, 1, 2)))
        ]
        own = sorted({x for part in self.c for x in part["alphabet"]})
        self.hidden = [x for x in own if odd and rng.random() < 0.2]
        if several:
            for part in (*self.e, *self.c):
                if rng.random() < 0.4:
                    some = range(part["states"])
                    part["initial"] = sorted(
                        rng.sample(some, rng.randint(1, len(some)))
                    )
        self.known = {*actions, *({*own} - {*self.hidden})}
        seen = sorted(self.known)
        self.properties = [
            random_monitor(rng, seen, rng.randint(1, 3), 0.15).to_dict()
            for _ in range(rng.choice((0, 1, 1)))
        ]
        self.assumed = [
            random_monitor(rng, actions, rng.randint(1, 2), 0.15).to_dict()
            for _ in range(rng.choice((0, 0, 1)))
        ]
        visible = sorted({*own} - {*self.hidden})
        self.required = [
            self._requirement(rng, sorted(self.known), visible, "EC")
            for _ in range(rng.randint(1, 3))
        ]
        self.required_of_e = [
            self._requirement(rng, actions, (), "E")
            for _ in range(rng.choice((0, 0, 1)))
        ]
        if not self.properties and all(r[0] == KINDS[3] for r in self.required):
            self.properties = [{"alphabet": [], "states": 1, "transitions": []}]

    def _requirement(self, rng, actions, own, sides):
        kind = rng.choice(KINDS if own else KINDS[:3])
        known = own if kind == KINDS[3] else actions
        some = frozenset(rng.sample([*known], rng.randint(1, min(2, len(known)))))
        if kind == "never":
            some = frozenset()
        return kind, some, self._condition(rng, sides, 2)

    def _condition(self, rng, sides, depth):
        if depth and rng.random() < 0.6:
            operator = rng.choice(("not", "and", "or"))
            count = 1 if operator == "not" else 2
            parts = (self._condition(rng, sides, depth - 1) for _ in range(count))
            return operator, *parts
        side = rng.choice(sides)
        parts = self.e if side == "E" else self.c
        component = rng.randrange(len(parts))
        some = range(parts[component]["states"])
        return (
            "is",
            side,
            component,
            frozenset(rng.sample(some, rng.randint(1, len(some)))),
        )

    @property
    def names(self):
        """The names of components, for sentences."""
        e = ["e0", "e1"] if len(self.e) > 1 else ["E"]
        c = ["c0", "c1"] if len(self.c) > 1 or self.hidden else ["C"]
        return {"E": e, "C": c}

    @property
    def environment(self):
        """E as a model."""
        parts = [Lts.from_dict(part) for part in self.e]
        if len(parts) == 1:
            return parts[0]
        return Network(parts, component_names=["e0", "e1"])

    @property
    def controller(self):
        """C as a model."""
        parts = [Lts.from_dict(part) for part in self.c]
        if len(parts) == 1 and not self.hidden:
            return parts[0]
        names = [f"c{i}" for i in range(len(parts))]
        return Network(parts, component_names=names, hidden=self.hidden)

    @property
    def said(self):
        """The sentences of the properties, and those of the constraints."""
        return (
            [states.sentence(r, self.names) for r in self.required],
            [states.sentence(r, self.names) for r in self.required_of_e],
        )

    def models(self):
        """E, C, properties and constraints, for `symrob.compute`."""
        of_c, of_e = self.said
        properties = [*map(Lts.from_dict, self.properties), *of_c]
        constraints = [*map(Lts.from_dict, self.assumed), *of_e]
        return self.environment, self.controller, properties, constraints

    def write(self, folder):
        """Write the models and a case; return the path of the case."""
        environment, controller, properties, constraints = self.models()
        keys = {"environment": "e.json", "controller": "c.json"}
        write(environment, str(folder / "e.json"))
        write(controller, str(folder / "c.json"))
        for role, rules in (("properties", properties), ("constraints", constraints)):
            keys[role] = []
            for i, rule in enumerate(rules):
                if not isinstance(rule, str):
                    name = f"{role[0]}{i}.json"
                    write(rule, str(folder / name))
                    rule = name
                keys[role].append(rule)
        lines = [f"{key} = {json.dumps(value)}" for key, value in keys.items()]
        path = folder / "case.toml"
        path.write_text("\n".join(lines) + "\n")
        return path

    def loops(self):
        """E alone, and E with C, for the oracle."""
        known = None if self.composed else self.e[0]["states"]
        return (
            states.Loop(self.e, None, self.assumed, self.required_of_e, known),
            states.Loop(
                self.e, self.c, self.properties, self.required, known, self.hidden
            ),
        )

    def units(self):
        """The units, and what each brings: (component, source, action, target)."""
        brought = {}
        for i, part in enumerate(self.e):
            planned = {tuple(t) for t in part["transitions"]}
            for q in range(part["states"]):
                for a in part["alphabet"]:
                    for r in range(part["states"]):
                        if (q, a, r) not in planned:
                            unit = f"e{i}:{q},{a},{r}" if self.composed else (q, a, r)
                            brought[unit] = [(i, q, a, r)]
        return brought

    def compute(self, **asked):
        """The safety envelope; `NominalViolation` where the plan is unsafe."""
        by = {"by": "component"} if self.composed else {}
        return symrob.compute(*self.models(), **by, **asked)


def _system(rng, alphabet, size, density, *, tau=0.0, error=0.0):
    lts = random_lts(rng, tuple(alphabet), size, density, tau=tau, error=error)
    return lts.to_dict()
