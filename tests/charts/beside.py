"""What is read of a chart, beside what its own library does."""

from collections import Counter

from symrob.errors import LimitExceeded, SymrobError
from symrob.formats import Limits
from symrob.lts import TAU

SMALL = Limits(max_states=80, max_transitions=4000, max_expansion=20000)


def outcomes(run, most=40):
    """What a run returns for each sequence of values of its guards.

    Args:
        run: Takes a function that says whether the next guard holds.
    """
    found, work = [], [()]
    while work:
        guards = _Guards(work.pop())
        found.append(run(guards.holds))
        if len(found) > most:
            raise LimitExceeded("too many outcomes of guards")
        known = len(guards.prefix)
        work += [
            (*guards.asked[:i], not guards.asked[i])
            for i in range(known, len(guards.asked))
        ]
    return found


class _Guards:
    def __init__(self, prefix):
        self.prefix, self.asked = prefix, []

    def holds(self):
        number = len(self.asked)
        self.asked.append(self.prefix[number] if number < len(self.prefix) else True)
        return self.asked[-1]


def leaves(name):
    """A configuration by the names of its innermost states, in some order."""
    return "+".join(sorted(name.split("+")))


def table(lts):
    """Where each event leads from each configuration, by names, and the first ones."""
    rows = {}
    for source, action, target in lts.transitions:
        key = (leaves(lts.state_name(source)), action)
        rows.setdefault(key, set()).add(leaves(lts.state_name(target)))
    first = {leaves(lts.state_name(0))}
    if first == {"(start)"}:
        first = rows.pop(("(start)", TAU))
    return first, rows


def differences(files, start, rows):
    """Compare a chart, read in both ways, with the rows of its library.

    Args:
        files: What is read of it, and the same, ignoring what is not handled.
        start: The configurations in which the library may start.
        rows: For each configuration and event, where it may lead in the library, and
            where that is not because it is ignored.
    """
    found = []
    # Where the order of regions depends on the past, ours may be more.
    wider = any(w.code == "chart-order" for file in files for w in file.warnings)
    same = set.issuperset if wider else set.__eq__
    for file, which in zip(files, (1, 0), strict=True):
        lts = file.network
        first, ours = table(lts)
        if not same(first, set(start)):
            found.append(("start", sorted(first), sorted(start)))
        for key, outcomes in rows.items():
            theirs = set(outcomes[which])
            if not same(ours.get(key, set()), theirs):
                found.append((which, key, sorted(ours.get(key, ())), sorted(theirs)))
        known = {name for name, _ in rows}
        reached = {leaves(lts.state_name(s)) for s in range(lts.size)} - {"(start)"}
        # Where guards hold by and by, time alone may lead to more.
        if not any(action == TAU for _, action in ours) and known - reached:
            found.append(("never reached", sorted(known - reached)))
    return found


def read_both(read):
    """A chart as read in both ways, or the codes of what is wrong with it."""
    try:
        return [read(ignoring) for ignoring in (False, True)]
    except LimitExceeded:
        return "large"
    except SymrobError as error:
        return sorted({f"{d.code}: {d.message}" for d in error.diagnostics})


def tally(results):
    """Count how comparisons ended, and keep those with a difference."""
    results = list(results)
    count = Counter(kind for kind, *_ in results)
    return count, [r for r in results if r[0] == "differs"]
