"""What a statechart does, by the algorithm of the standard, on its elements.

Nothing here is shared with `symrob.formats`: configurations are sets of elements, the
guards of one moment are decided for all transitions at once, before any is looked at.
"""

from itertools import product
from xml.etree.ElementTree import Element, fromstring


class Interpreter:
    """Runs a document of `state`, `parallel`, `final`, `transition`, `raise`."""

    def __init__(self, text):
        self.top = fromstring(text)
        self.up = {child: parent for parent in self.top.iter() for child in parent}
        self.position = {e: i for i, e in enumerate(self.top.iter())}
        self.named = {e.get("id"): e for e in self.top.iter() if self.is_state(e)}

    @staticmethod
    def is_state(e):
        return e.tag in ("state", "parallel", "final")

    def children(self, e):
        return [c for c in e if self.is_state(c)]

    def above(self, e):
        """Proper ancestors, the innermost first."""
        found = []
        while e in self.up:
            e = self.up[e]
            found.append(e)
        return found

    def default(self, e):
        word = e.get("initial")
        return self.named[word] if word else self.children(e)[0]

    def compound(self, e):
        return e.tag == "scxml" or (e.tag == "state" and bool(self.children(e)))

    # One moment is (configuration, waiting events); results are sets of stable ones.

    def start(self):
        entered = self.enter([self.default(self.top)], self.top, set())
        return self.rest([(frozenset(entered), self.raised([], [], entered, entered))])

    def react(self, configuration, event):
        """Where an event from outside can lead; `configuration` itself if ignored."""
        after, ignored = [], False
        for enabled in self.selections(configuration, event):
            if enabled:
                after.append(self.micro(configuration, enabled, ()))
            else:
                ignored = True
        return self.rest(after), ignored

    def rest(self, moments):
        seen, work, stable = set(moments), list(moments), set()
        while work:
            here, queue = work.pop()
            following = []
            if any(e.tag == "final" and self.up[e] is self.top for e in here):
                stable.add(here)
                continue
            for enabled in self.selections(here, None):
                if enabled:
                    following.append(self.micro(here, enabled, queue))
                elif not queue:
                    stable.add(here)
                else:
                    for reaction in self.selections(here, queue[0]):
                        following.append(
                            self.micro(here, reaction, queue[1:])
                            if reaction
                            else (here, queue[1:])
                        )
            for moment in following:
                if moment not in seen and len(moment[1]) < 20:
                    seen.add(moment)
                    work.append(moment)
        return stable

    def selections(self, here, event):
        """The sets of transitions that are taken, for every outcome of the guards."""
        guards = [
            t
            for e in here
            for t in e.findall("transition")
            if t.get("cond") and self.names(t, event)
        ]
        found = []
        for outcome in product((False, True), repeat=len(guards)):
            holds = dict(zip(guards, outcome, strict=True))
            chosen = []
            for leaf in sorted(here, key=self.position.get):
                if self.children(leaf):
                    continue
                for e in (leaf, *self.above(leaf)):
                    fit = [
                        t
                        for t in e.findall("transition")
                        if self.names(t, event) and holds.get(t, True)
                    ]
                    if fit:
                        if fit[0] not in chosen:
                            chosen.append(fit[0])
                        break
            kept = self.without_conflicts(chosen, here)
            if kept not in found:
                found.append(kept)
        return found

    @staticmethod
    def names(transition, event):
        words = (transition.get("event") or "").split()
        if event is None:
            return not words
        return any(w == "*" or event == w or event.startswith(f"{w}.") for w in words)

    def without_conflicts(self, chosen, here):
        kept = []
        for t in chosen:
            preempted, beaten = False, []
            for other in kept:
                if self.exits(t, here) & self.exits(other, here):
                    if self.up[other] in self.above(self.up[t]):
                        beaten.append(other)
                    else:
                        preempted = True
                        break
            if not preempted:
                kept = [k for k in kept if k not in beaten] + [t]
        return kept

    def targets(self, t):
        return [self.named[w] for w in (t.get("target") or "").split()]

    def domain(self, t):
        source, targets = self.up[t], self.targets(t)
        if not targets:
            return None
        inside = all(source in self.above(x) for x in targets)
        if t.get("type") == "internal" and self.compound(source) and inside:
            return source
        return next(
            a
            for a in self.above(source)
            if self.compound(a) and all(a in self.above(x) for x in targets)
        )

    def exits(self, t, here):
        domain = self.domain(t)
        if domain is None:
            return set()
        return {e for e in here if domain in self.above(e)}

    def micro(self, here, enabled, queue):
        gone = set().union(*(self.exits(t, here) for t in enabled))
        there, entered = set(here) - gone, set()
        for t in enabled:
            if self.domain(t) is not None:
                new = self.enter(self.targets(t), self.domain(t), there | entered)
                entered |= new
        there |= entered
        left = sorted(gone, key=self.position.get, reverse=True)
        return frozenset(there), queue + self.raised(left, enabled, entered, there)

    def enter(self, targets, domain, active):
        new = set()

        def add(e):
            if e not in active:
                new.add(e)

        def down(e):
            add(e)
            if self.compound(e):
                inner = self.default(e)
                if not any(e in self.above(x) for x in new | set(active)):
                    for a in self.above(inner):
                        if a is e:
                            break
                        add(a)
                    down(inner)
                    self.sides(inner, e, new, active, down)
            elif e.tag == "parallel":
                for child in self.children(e):
                    if not any(child in (x, *self.above(x)) for x in new | set(active)):
                        down(child)

        for target in targets:
            for e in (target, *self.above(target)):
                if e is domain:
                    break
                add(e)
        for target in targets:
            down(target)
            self.sides(target, domain, new, active, down)
        return new

    def sides(self, e, top, new, active, down):
        """The other regions of the parallel states between a state and the top."""
        for a in self.above(e):
            if a is top:
                break
            if a.tag == "parallel":
                for child in self.children(a):
                    known = new | set(active)
                    if not any(child in (x, *self.above(x)) for x in known):
                        down(child)

    def raised(self, left, enabled, entered, there):
        events = []

        def block(e, tag):
            for b in e.findall(tag):
                events.extend(r.get("event") for r in b.findall("raise"))

        for e in left:
            block(e, "onexit")
        for t in enabled:
            events.extend(r.get("event") for r in t.findall("raise"))
        # A state is active from its own entry on, not from that of those before it.
        there = set(there) - set(entered)
        for e in sorted(entered, key=self.position.get):
            there.add(e)
            block(e, "onentry")
            if e.tag == "final" and self.up[e] is not self.top:
                parent = self.up[e]
                events.append(f"done.state.{parent.get('id')}")
                around = self.up[parent]
                if around.tag == "parallel" and all(
                    self.finished(c, there) for c in self.children(around)
                ):
                    events.append(f"done.state.{around.get('id')}")
        return tuple(events)

    def finished(self, e, there):
        if e.tag == "parallel":
            return all(self.finished(c, there) for c in self.children(e))
        return any(c.tag == "final" and c in there for c in self.children(e))

    def name(self, configuration):
        leaves = [e for e in configuration if not self.children(e)]
        return "+".join(e.get("id") for e in sorted(leaves, key=self.position.get))


def random_chart(random, states=10, transitions=16, guards=0.25):
    """A random document, its states nested at random or in regions side by side."""
    top = Element("scxml")
    if random.random() < 0.5:
        nested(random, top, states)
    else:
        regions(random, top)
    named = [e for e in top.iter() if e.get("id")]
    for state in named:
        if state.tag == "parallel" and len(state) == 0:
            state.tag = "state"
    for state in [top, *named]:
        below = [e for e in state.iter() if e is not state and e.get("id")]
        if below and state.tag != "parallel" and random.random() < 0.4:
            state.set("initial", random.choice(below).get("id"))
    sources = [e for e in named if e.tag != "final"]
    for _ in range(random.randint(4, transitions)):
        edge = Element("transition")
        kind = random.random()
        if kind < 0.85:
            edge.set("event", random.choice(["a", "b", "b.c", "r", "q", "*", "b"]))
        elif kind < 0.97:
            edge.set("event", f"done.state.{random.choice(named).get('id')}")
        if random.random() < 0.9 or not edge.get("event"):
            edge.set("target", random.choice(named).get("id"))
        if random.random() < guards or not edge.get("event"):
            edge.set("cond", "x")
        if random.random() < 0.3:
            edge.set("type", "internal")
        if random.random() < 0.15:
            edge.append(Element("raise", event=random.choice("rq")))
        random.choice(sources).append(edge)
    for state in named:
        if random.random() < 0.2:
            block = Element(random.choice(["onentry", "onexit"]))
            block.append(Element("raise", event=random.choice("rq")))
            state.append(block)
    return top


def nested(random, top, states):
    inner = [top]
    for i in range(random.randint(3, states)):
        parent = random.choice(inner)
        tag = random.choice(["state"] * 6 + ["parallel"] * 3 + ["final"])
        if parent.tag == "parallel" and tag == "final":
            tag = "state"
        state = Element(tag, id=f"s{i}")
        parent.append(state)
        if tag != "final":
            inner.append(state)


def regions(random, top):
    side = Element("parallel", id="p")
    top.append(side)
    top.append(Element("state", id="z"))
    for i in range(random.randint(2, 3)):
        region = Element("state", id=f"r{i}")
        side.append(region)
        for j in range(random.randint(2, 3)):
            tag = "final" if j and random.random() < 0.4 else "state"
            region.append(Element(tag, id=f"r{i}{j}"))
            if j and random.random() < 0.9:
                event = random.choice(["a", "b", f"e{i}"])
                edge = Element("transition", event=event, target=f"r{i}{j}")
                region[j - 1].append(edge)
    side.append(Element("transition", event="done.state.p", target="z"))
