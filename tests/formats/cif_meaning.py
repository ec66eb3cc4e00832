"""What a CIF specification means, walked with dictionaries; only its syntax is shared.

Names are looked up again for each value, states are global, nothing is multiplied out,
and no condition becomes a sentence. Slow, and right for small specifications.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import product

from symrob.formats.cif import tree as t
from symrob.formats.cif.syntax import parsed
from symrob.formats.text import Problems
from symrob.limits import DEFAULT_LIMITS


@dataclass(eq=False)
class Frame:
    """A component: its full name, its body, where names are looked for next."""

    name: str
    body: t.CifBody
    outer: Frame | None
    given: dict


class Meaning:
    def __init__(self, path):
        problems = Problems(path)
        body = parsed(t.CifText(path, problems), DEFAULT_LIMITS)
        problems.check()
        self.frames, self.rules, self.control = {}, [], set()
        self.top = Frame("", body, None, {})
        self._add(self.top)
        self.automata = [f for f in self.frames.values() if f.body.kind != "group"]
        self.acting = all(f.body.kind != "supervisor" for f in self.automata)
        everything = {e for f in self.automata for e in self.alphabet(f, "", "!", "?")}
        self.events = sorted(everything)

    def _add(self, frame):
        self.frames[frame.name] = frame
        prefix = f"{frame.name}." if frame.name else ""
        for part in frame.body.parts:
            if isinstance(part, t.CifBody) and part.parameters is None:
                self._add(Frame(prefix + part.name.name, part, frame, {}))
            elif isinstance(part, t.CifEvents) and part.kind == "controllable":
                self.control |= {prefix + token.name for token in part.names}
            elif isinstance(part, t.Invariant):
                self.rules.append((frame, part))
        for part in frame.body.parts:
            if isinstance(part, t.CifInstance):
                body, home = self._definition(frame, part.of.name)
                names = [p.name.name for p in body.parameters]
                given = {
                    n: (tree, frame) for n, tree in zip(names, part.given, strict=True)
                }
                self._add(Frame(prefix + part.name.name, body, home, given))

    def _definition(self, frame, name):
        while True:
            for part in frame.body.parts:
                if isinstance(part, t.CifBody) and part.name.name == name:
                    return part, frame
            frame = frame.outer

    # Names: what one stands for, as ("event", full), ("value", tree, frame) and so on.

    def find(self, frame, text):
        first, _, rest = text.lstrip(".").partition(".")
        here = frame
        while here is not None:
            found = self._in(here, first)
            if found is not None:
                break
            here = here.outer
        else:
            raise KeyError(text)
        while rest:
            assert found[0] == "frame", text
            first, _, rest = rest.partition(".")
            found = self._in(found[1], first)
        return found

    def _in(self, frame, word):
        prefix = f"{frame.name}." if frame.name else ""
        if word in frame.given:
            tree, home = frame.given[word]
            if tree.kind == "name":
                return self.find(home, tree.token.name)
            return "value", tree, home
        for part in frame.body.parts:
            if isinstance(part, t.CifEvents):
                if word in {token.name for token in part.names}:
                    return "event", prefix + word
            elif isinstance(part, t.CifEnum):
                if word in {token.name for token in part.values}:
                    return "literal", word
            elif isinstance(part, t.CifValue) and part.name.name == word:
                return (
                    ("value", part.value, frame)
                    if part.value
                    else ("equal", frame, word)
                )
            elif isinstance(part, t.CifVariable) and part.name.name == word:
                return "variable", frame, part
            elif isinstance(part, t.TypeName) and part.name.name == word:
                return "type", part.type, frame
        if prefix + word in self.frames:
            return "frame", self.frames[prefix + word]
        for location in frame.body.locations:
            if location.name == word:
                return "location", frame, word
        return None

    # Values.

    def value(self, tree, frame, state):
        kind = tree.kind
        if kind == "unvalued":
            assert tree.token.text == "?"
            return self.sent
        if kind in ("true", "false"):
            return kind == "true"
        if kind == "number":
            return int(tree.token.text)
        if kind == "name":
            return self._named(self.find(frame, tree.token.name), state)
        parts = tree.parts

        def at(i):
            return self.value(parts[i], frame, state)

        if kind == "and":
            return all(self.value(p, frame, state) for p in parts)
        if kind == "or":
            return any(self.value(p, frame, state) for p in parts)
        if kind == "not":
            return not at(0)
        if kind == "=>":
            return at(1) if at(0) else True
        if kind == "if":
            for i in range(0, len(parts) - 1, 2):
                if at(i):
                    return at(i + 1)
            return at(len(parts) - 1)
        if kind == "switch":
            subject = parts[0].kind == "name" and self.find(frame, parts[0].token.name)
            if subject and subject[0] == "frame":
                here = state[subject[1].name][0]
                for i in range(1, len(parts) - 1, 2):
                    if parts[i].token.name == here:
                        return at(i + 1)
                return at(len(parts) - 1)
            for i in range(1, len(parts) - 1, 2):
                if at(0) == at(i):
                    return at(i + 1)
            return at(len(parts) - 1)
        a, b = at(0), at(1)
        return {
            "=": lambda: a == b,
            "!=": lambda: a != b,
            "<": lambda: a < b,
            "<=": lambda: a <= b,
            ">": lambda: a > b,
            ">=": lambda: a >= b,
            "+": lambda: a + b,
            "-": lambda: a - b,
        }[kind]()

    def _named(self, found, state):
        kind = found[0]
        if kind == "literal":
            return found[1]
        if kind == "value":
            return self.value(found[1], found[2], state)
        if kind == "variable":
            return state[found[1].name][1][found[2].name.name]
        if kind == "location":
            return state[found[1].name][0] == found[2]
        frame, word = found[1:]
        (location,) = [
            loc for loc in frame.body.locations if loc.name == state[frame.name][0]
        ]
        (equation,) = [e for e in location.equations if e.name.name == word]
        return self.value(equation.value, frame, state)

    def domain(self, type_, frame):
        if type_.token.text == "bool":
            return [False, True]
        if type_.bounds:
            low, high = (self.value(b, frame, {}) for b in type_.bounds)
            return list(range(low, high + 1))
        name = type_.token.name
        here = frame
        while here is not None:
            for part in here.body.parts:
                if isinstance(part, t.CifEnum) and part.name.name == name:
                    return [token.name for token in part.values]
                if isinstance(part, t.TypeName) and part.name.name == name:
                    return self.domain(part.type, here)
            here = here.outer
        raise KeyError(name)

    # Steps.

    def alphabet(self, frame, *uses):
        return {
            e
            for loc in frame.body.locations
            for edge in loc.edges
            for use in uses or [""]
            for e in self._used(frame, edge, use)
        }

    def _used(self, frame, edge, use):
        numbers = range(len(edge.events))
        same = [n for n in numbers if edge.uses.get(n, ("",))[0] == use]
        return self._events(frame, [edge.events[n] for n in same])

    def _events(self, frame, tokens):
        return [self.find(frame, token.name)[1] for token in tokens]

    def first(self):
        state = {}
        for frame in self.automata:
            (start,) = [loc.name for loc in frame.body.locations if loc.initial]
            values = {}
            for part in frame.body.parts:
                if isinstance(part, t.CifVariable):
                    usual = self.domain(part.type, frame)
                    values[part.name.name] = (
                        self.value(part.first[0], frame, {}) if part.first else usual[0]
                    )
            state[frame.name] = start, values
        return state

    def moves(self, frame, event, state, use=""):
        here, values = state[frame.name]
        (location,) = [loc for loc in frame.body.locations if loc.name == here]
        for edge in location.edges:
            if event not in self._used(frame, edge, use):
                continue
            if not all(self.value(g, frame, state) for g in edge.guards):
                continue
            after = dict(values)
            for update in edge.updates:
                after[update.name.name] = self.value(update.value, frame, state)
            if all(
                after[p.name.name] in self.domain(p.type, frame)
                for p in frame.body.parts
                if isinstance(p, t.CifVariable)
            ):
                yield (edge.target.name if edge.target else here), after

    def passed(self, event, state):
        """Yield what a sender and a receiver do together, if any has such a role."""
        users = {
            use: [f for f in self.automata if event in self.alphabet(f, use)]
            for use in "!?"
        }
        if users["!"] == users["?"] == []:
            yield {}
        for sender, receiver in product(users["!"], users["?"]):
            if sender is receiver:
                continue
            (location,) = [
                loc
                for loc in sender.body.locations
                if loc.name == state[sender.name][0]
            ]
            for edge in location.edges:
                for n, (use, tree) in edge.uses.items():
                    if use != "!" or self._events(sender, [edge.events[n]]) != [event]:
                        continue
                    self.sent = tree and self.value(tree, sender, state)
                    got = [*self.moves(receiver, event, state, "?")]
                    if not all(self.value(g, sender, state) for g in edge.guards):
                        continue
                    here, values = state[sender.name]
                    after = dict(values)
                    for update in edge.updates:
                        after[update.name.name] = self.value(
                            update.value, sender, state
                        )
                    place = edge.target.name if edge.target else here, after
                    for other in got:
                        yield {sender.name: place, receiver.name: other}

    def ruled(self, event, state, kinds=("", "requirement")):
        """Whether what is said of an event allows it."""
        for frame, rule in self.rules:
            if rule.kind in kinds and event in self._events(frame, rule.events):
                met = self.value(rule.condition, frame, state)
                if met != (rule.form == "needs"):
                    return False
        return True

    def safe(self, added=None):
        """Whether nothing is violated, where an automaton also has some transitions.

        Args:
            added: By the name of the automaton, (location, event, location).
        """
        added = added or {}
        start = self.first()
        work, seen = [start], {repr(start)}
        while work:
            state = work.pop()
            for frame, rule in self.rules:
                if rule.form == "holds" and not self.value(
                    rule.condition, frame, state
                ):
                    return False
            for event in self.events:
                if not self.ruled(event, state, ("plant",)):
                    continue
                choices, fails = [], not self.ruled(event, state)
                for frame in self.automata:
                    if event not in self.alphabet(frame):
                        continue
                    taken = [*self.moves(frame, event, state)]
                    here, values = state[frame.name]
                    taken += [
                        (target, values)
                        for source, action, target in added.get(frame.name, ())
                        if (source, action) == (here, event)
                    ]
                    if frame.body.kind == "requirement" and not taken:
                        fails = True
                        continue
                    choices.append([(frame.name, place) for place in taken])
                moved = [
                    {**dict(each), **together}
                    for each in product(*choices)
                    for together in self.passed(event, state)
                ]
                if fails and moved and not (self.acting and event in self.control):
                    return False
                for each in () if fails else moved:
                    following = {**state, **each}
                    if repr(following) not in seen:
                        seen.add(repr(following))
                        work.append(following)
        return True
