"""Random machines of XState: JSON with all that the reader takes."""

from itertools import combinations

EVENTS = ["E", "F", "a", "a.b", "a.c", "R"]
OPEN = ["*", "a.*", "a.b.*", "xstate.*", "xstate.done.*"]


class _Draw:
    def __init__(self, chance):
        self.chance = chance
        self.guards = 0
        self.actors = 0
        self.paths = []
        self.wholes = []

    def once(self, probability):
        return self.chance.random() < probability

    def machine(self):
        top = {"id": self.chance.choice(["m", "m", "my"])}
        self.states(top, (), 0)
        self.id = top["id"]
        self.reach(top, ())
        return top

    def states(self, data, path, depth):
        self.paths.append(path)
        few = (0.9, 0.55, 0.3, 0)[depth]
        if depth == 0 or self.once(few):
            whole = self.once(0.45 if depth else 0.3)
            keys = self.chance.sample(["p", "q", "r", "s", "2", "1"], 3)
            keys = keys[: self.chance.choice([2, 2, 3] if depth else [2, 3, 3])]
            if whole:
                self.wholes.append(path)
                data["type"] = "parallel"
            data["states"] = {}
            for key in keys:
                data["states"][key] = {}
                self.states(data["states"][key], (*path, key), depth + 1)
            if not whole:
                word = self.chance.choice(keys)
                data["initial"] = word if self.once(0.8) else {"target": word}
        elif self.once(0.25):
            data["type"] = "final"

    def target(self, path):
        """A word for a random state, as seen from another one."""
        goal = self.chance.choice(self.paths)
        if len(path) and goal[: len(path) - 1] == path[:-1] and len(goal) >= len(path):
            if self.once(0.6):
                return ".".join(goal[len(path) - 1 :])
            if goal[: len(path)] == path and len(goal) > len(path):
                return f".{'.'.join(goal[len(path) :])}"
        if not path and goal and self.once(0.5):
            return f".{'.'.join(goal)}"
        return ".".join((f"#{self.id}", *goal))

    def pair(self):
        """Two targets in regions beside each other, or that exclude each other."""
        pairs = [
            (one, other)
            for one, other in combinations(self.paths, 2)
            if one[: len(other)] != other and other[: len(one)] != one
        ]
        beside = [pair for pair in pairs if self.around(*pair) in self.wholes]
        beside = beside if self.once(0.97) else []
        chosen = self.chance.choice(beside or pairs or [()])
        return [".".join((f"#{self.id}", *path)) for path in chosen]

    @staticmethod
    def around(one, other):
        return one[: next(i for i, x in enumerate(one) if other[i] != x)]

    def raises(self, probability):
        if not self.once(probability):
            return []
        params = {"event": {"type": self.chance.choice("RRRF")}}
        if self.once(0.1):
            params["delay"] = 5
        return [{"type": "xstate.raise", "params": params}]

    def transition(self, path, guard, targetless=0.12):
        data = {}
        if not self.once(targetless):
            data["target"] = self.target(path)
            if self.wholes and self.once(0.15):
                data["target"] = self.pair() or data["target"]
        if self.guards < 4 and self.once(guard):
            data["guard"] = f"g{self.guards}"
            self.guards += 1
        if self.once(0.25):
            data["reenter"] = True
        actions = self.raises(0.07)
        if actions:
            data["actions"] = actions
        if list(data) == ["target"] and isinstance(data["target"], str):
            return data["target"] if self.once(0.5) else data
        return data

    def several(self, path, guard=0.3, last=False):
        first = self.transition(path, guard)
        if isinstance(first, dict) and "guard" in first and (last or self.once(0.5)):
            return [first, self.transition(path, 0.0 if last else 0.4)]
        return first

    def reach(self, data, path):
        on = {}
        for _ in range(self.chance.choice([0, 1, 1, 2])):
            words = EVENTS if self.once(0.75) else OPEN
            on[self.chance.choice(words)] = self.several(path)
        if on:
            data["on"] = on
        if self.once(0.08):
            guard = 0.85 if self.guards < 4 else 1
            always = self.transition(path, guard, 0.1)
            own = not isinstance(always, dict) or "guard" not in always
            if own and path and self.once(0.7):
                always = {"target": path[-1]} if self.once(0.6) else {}
                always |= {"actions": acts} if (acts := self.raises(0.2)) else {}
            data["always"] = always
        if self.once(0.12):
            delay = self.chance.choice(["100", "1e2", "LONG", "7"])
            data["after"] = {delay: self.several(path)}
            if isinstance(data["after"][delay], list):
                rows = data["after"][delay]
                data["after"][delay] = [
                    {"target": row} if isinstance(row, str) else row for row in rows
                ]
        if self.once(0.1):
            actor = {"src": "job"}
            if self.once(0.5):
                self.actors += 1
                actor["id"] = f"job{self.actors}"
            if self.once(0.7):
                actor["onDone"] = self.several(path)
            actor["onError"] = self.several(path, last=True)
            if isinstance(actor["onError"], dict):
                actor["onError"].pop("guard", None)
            data["invoke"] = [actor] if self.once(0.5) else actor
        if "states" in data and self.once(0.5):
            data["onDone"] = self.several(path)
        for key in ("entry", "exit"):
            actions = self.raises(0.04)
            if actions:
                data[key] = actions
        for key, child in data.get("states", {}).items():
            self.reach(child, (*path, key))


def random_machine(chance):
    """A random machine, whose guards are all different, of those of the driver."""
    return _Draw(chance).machine()
