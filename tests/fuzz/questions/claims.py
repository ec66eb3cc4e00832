"""Whether what a certificate claims is true, by all sets; and certificates changed.

Sets of units are masks: bit i is the ith number of those that may be chosen.
"""

from dataclasses import dataclass

from symrob.certify.watching import BoundHitError
from tests.certificates.tools import groups, linked, records, verdict, write
from tests.fuzz.questions.common import require_solved, right, same


@dataclass
class Known:
    """What is true of a side.

    Attributes:
        maximal: The maximal safe sets.
        minimal: The minimal unsafe sets.
        keeps: Whether a set keeps the constraints.
    """

    maximal: set
    minimal: set
    keeps: object

    @classmethod
    def of(cls, reference):
        """Of single candidates."""
        require_solved(reference)

        def keeps(chosen):
            return reference.verdict(chosen) in ("tolerated", "hazardous")

        return cls(set(reference.maximal), set(reference.cuts), keeps)

    @classmethod
    def of_all(cls, count, judged):
        """Of so many units; `judged` gives (keeps P_env, keeps P) of a set."""
        every = {s: judged(s) for s in range(1 << count)}
        safe = {s for s, both in every.items() if all(both)}
        bad = every.keys() - safe
        return cls(
            {s for s in safe if not any(s != o and s & ~o == 0 for o in safe)},
            {s for s in bad if not any(s != o and o & ~s == 0 for o in bad)},
            lambda chosen: every[chosen][0],
        )

    def safe(self, chosen):
        return any(chosen & ~larger == 0 for larger in self.maximal)

    def includes(self, other):
        return all(map(self.safe, other.maximal))


def is_true(group, sides, place):
    """Whether a claim is true.

    Args:
        group: The claim with its records.
        sides: What is `Known` of each.
        place: The bit of each number.
    """
    head = group[0]
    keeper, breaker = (sides[i] for i in head["sides"])

    def sets(kind):
        return [sum(1 << place[n] for n in row[kind]) for row in group if kind in row]

    safe, unsafe, most = sets("deviation"), sets("unsafe"), head.get("most", 0)
    small = (s for s in keeper.minimal if s.bit_count() <= most)
    return {
        "all-deviations": lambda: set(safe) == keeper.maximal,
        "deviations": lambda: set(safe) <= keeper.maximal,
        "all-unsafe-sets": lambda: set(unsafe) == breaker.minimal,
        "unsafe-sets": lambda: set(unsafe) <= breaker.minimal,
        "includes": lambda: keeper.includes(breaker),
        "exceeds": lambda: not breaker.includes(keeper),
        "tolerates": lambda: all(map(keeper.safe, safe)),
        "excludes": lambda: not any(map(breaker.safe, unsafe)),
        "resilient": lambda: not any(map(keeper.keeps, small)),
    }[head["claim"]]()


def check_file(path, sides, numbers, rng, changes=6):
    """A certificate holds and is true; changed, it is refused or true as well.

    Returns:
        The claims with their records.

    Raises:
        Difference: It is otherwise.
    """
    place = {number: i for i, number in enumerate(numbers)}
    rows = records(path)
    same("verdict", verdict(path), "right")
    for group in groups(rows):
        right(f"a claim is false: {group[0]}", is_true(group, sides, place))
    for _ in range(changes):
        changed = linked(rows)
        what = change(changed, rng, numbers, len(sides))
        write(changed, path)
        try:
            accepted = verdict(path, most=200_000) == "right"
        except BoundHitError:
            continue
        if accepted:
            for group in groups(changed):
                right(f"{what} is false: {group[0]}", is_true(group, sides, place))
    return groups(rows)


def change(rows, rng, numbers, sides):
    """Change a certificate at random; return how."""
    heads = [row for row in rows if "claim" in row]
    places = [i for i, row in enumerate(rows) if {"deviation", "unsafe"} & row.keys()]
    steps = [i for i, row in enumerate(rows) if "add" in row]
    kinds = ["claim", "sides", "most"]
    kinds += ["drop", "change", "change"] * bool(places) + ["step", "hint"] * bool(
        steps
    )
    kind = rng.choice(kinds)
    if kind == "claim":
        rng.choice(heads)["claim"] = rng.choice(CLAIMS)
    elif kind == "sides":
        rng.choice(heads)["sides"] = [rng.randrange(sides) for _ in "ab"]
    elif kind == "most":
        head = rng.choice(heads)
        head["most"] = head.get("most", 0) + 1
    elif kind == "drop":
        del rows[rng.choice(places)]
    elif kind == "step":
        del rows[rng.choice(steps)]
    elif kind == "hint":
        hints = rows[rng.choice(steps)]["by"]
        hints.insert(rng.randrange(len(hints)), hints.pop())
    elif numbers:
        row = rows[rng.choice(places)]
        key = "deviation" if "deviation" in row else "unsafe"
        row[key] = sorted(set(row[key]) ^ {rng.choice(numbers)})
    return kind


CLAIMS = "all-deviations deviations all-unsafe-sets unsafe-sets includes exceeds"
CLAIMS = (CLAIMS + " tolerates excludes resilient").split()
