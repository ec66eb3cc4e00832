"""Budgets of deviated steps by definition: E with modes beside counters, walked.

A step of E that its components take as planned is free. Any other one counts once for
the run; and for each transition that a component lacks, one of the chosen modes that
bring it pays, but each mode only once for a step. Every way to pay is tried.
"""

from itertools import combinations, product

from tests.oracles.modes import ERROR, TAU, steps_of


def moves_of(components, hidden, held, chosen):
    """What E can do in a state: (action, state afterwards, ways to pay).

    Args:
        components: Of E, as dictionaries.
        hidden: Actions of theirs that are internal outside.
        held: For each name of a mode its transitions (component, source, action,
            target).
        chosen: The modes that are there.
    """
    planned = [steps_of(c) for c in components]
    bringing = {}
    for name in chosen:
        for t in held[name]:
            bringing.setdefault(tuple(t), set()).add(name)

    def local(i, state, action):
        own = planned[i].get((state, action), set())
        yield from ((t, None) for t in own)
        for (j, source, a, target), names in bringing.items():
            if (j, source, a) == (i, state, action) and target not in own:
                yield target, names

    def of(state):
        found = {}
        for i, table in enumerate(planned):
            for target in table.get((state[i], TAU), ()):
                after = (*state[:i], target, *state[i + 1 :])
                found.setdefault((TAU, after), []).append([])
        for action in sorted({a for c in components for a in c["alphabet"]}):
            owners = [i for i, c in enumerate(components) if action in c["alphabet"]]
            for several in product(*(list(local(i, state[i], action)) for i in owners)):
                after = list(state)
                for i, (target, _names) in zip(owners, several, strict=True):
                    after[i] = target
                seen = TAU if action in hidden else action
                needs = [names for _target, names in several if names is not None]
                found.setdefault((seen, tuple(after)), []).append(needs)
        for (action, after), ways in found.items():
            if [] in ways:
                yield action, after, None
            else:
                payers = {frozenset(way) for needs in ways for way in product(*needs)}
                yield action, after, payers

    return of


def is_safe(problem, held, chosen, run, at_most, controller, monitors):
    """Whether no run within the budgets takes a monitor or C to ERROR.

    Args:
        problem: As of `oracles.modes`.
        held: As of `moves_of`; so is `chosen`.
        chosen: Likewise.
        run: How many deviated steps a run may take; None for any number.
        at_most: For modes how many of their steps.
        controller: C as a dictionary; None where E is alone.
        monitors: Deterministic; what one does not offer of its alphabet is an ERROR.
    """
    components = problem["components"]
    step = moves_of(components, problem.get("hidden", ()), held, chosen)
    known = {a for c in components for a in c["alphabet"]} - {
        *problem.get("hidden", ())
    }
    theirs = set(controller["alphabet"]) if controller else set()
    table = steps_of(controller) if controller else {}
    watching = [(steps_of(m), set(m["alphabet"])) for m in monitors]
    bounded = sorted(name for name in chosen if at_most.get(name) is not None)
    start = (
        (0,) * len(components),
        0,
        (0,) * len(monitors),
        run,
        tuple(at_most[name] for name in bounded),
    )
    seen, todo = {start}, [start]
    while todo:
        e, c, watched, left, purse = todo.pop()
        following = []
        for action, after, payers in step(e):
            targets = [c]
            if action in theirs and action != TAU:
                targets = table.get((c, action), ())
            for target in targets:
                if payers is None:
                    following.append((action, after, target, left, purse))
                    continue
                if left == 0:
                    continue
                rest = None if left is None else left - 1
                for way in payers:
                    paid = tuple(
                        n - (name in way)
                        for name, n in zip(bounded, purse, strict=True)
                    )
                    if min(paid, default=0) >= 0:
                        following.append((action, after, target, rest, paid))
        for (state, action), targets in table.items():
            if state == c and (action == TAU or action not in known):
                following += ((action, e, t, left, purse) for t in targets)
        for action, after, target, rest, paid in following:
            views = list(watched)
            for i, (moves, alphabet) in enumerate(watching):
                if action in alphabet:
                    (views[i],) = moves.get((watched[i], action), {ERROR})
            if target == ERROR or ERROR in views:
                return False
            state = (after, target, tuple(views), rest, paid)
            if state not in seen:
                seen.add(state)
                todo.append(state)
    return True


def verdict(problem, held, chosen, run, at_most):
    """(keeps P_env, keeps P) of a set of modes."""
    asked = problem, held, chosen, run, at_most
    return (
        is_safe(*asked, None, problem["env_constraints"]),
        is_safe(*asked, problem["controller"], problem["properties"]),
    )


def every_verdict(problem, held, run, at_most):
    """The verdict of each set of modes."""
    names = sorted(held)
    return {
        frozenset(chosen): verdict(problem, held, chosen, run, at_most)
        for size in range(len(names) + 1)
        for chosen in combinations(names, size)
    }


def maximal(verdicts):
    """The maximal tolerated sets."""
    safe = {chosen for chosen, judged in verdicts.items() if judged == (True, True)}
    return {s for s in safe if not any(s < other for other in safe)}


def minimal_hazardous(verdicts):
    """The minimal sets that break P and keep P_env."""
    bad = {chosen for chosen, judged in verdicts.items() if judged == (True, False)}
    return {s for s in bad if not any(other < s for other in bad)}
