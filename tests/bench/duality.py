"""Is a list of maximal robust deviations complete? Asked of the definition.

Brute force over all sets of candidates ends at some twenty of them. A list can
be checked on larger problems. Let D be sets of candidates, none a subset of
another, each robust. A set that no member of D contains meets the complement of
each of them, so it contains a minimal set that does. If all of these are unsafe,
then, as safety is monotone, every robust set is in a member of D: the list is
complete, and its members are maximal.
"""

from tests.oracles import definition


def unproven(problem, found):
    """What speaks against `found` being Δ: (reason, set of transitions) pairs.

    Args:
        problem: (environment, controller, properties, constraints).
        found: The deviations without R_E, as sets of triples.
    """
    candidates = frozenset(definition.candidates(problem[0]))
    found = [frozenset(map(tuple, d)) for d in found]

    def robust(added):
        environment, controller, properties, constraints = problem
        return definition.robust(
            environment, added, controller, properties, constraints
        )

    wrong = [("no candidates", d) for d in found if not d <= candidates]
    wrong += [
        ("comparable", d)
        for i, d in enumerate(found)
        if any(d <= e for e in found[:i] + found[i + 1 :])
    ]
    wrong += [("not robust", d) for d in found if not robust(d)]
    wrong += [
        ("robust, but in none", cut)
        for cut in minimal_hitting_sets([candidates - d for d in found])
        if robust(cut)
    ]
    return wrong


def minimal_hitting_sets(sets):
    """Every minimal set that meets each of the given sets, one set at a time."""
    hitting = {frozenset()}
    for edge in sorted(sets, key=len):
        met = {h for h in hitting if h & edge}
        longer = {h | {x} for h in hitting - met for x in edge}
        # A longer one is minimal unless it contains one that meets the edge
        # already: those that do not meet it are not comparable.
        hitting = met | {h for h in longer if not any(small < h for small in met)}
    return hitting
