"""Fault modes by definition: components are changed, composed, and walked.

Every set of modes is tried. A set's environment is composed anew from the changed
components, and run with the controller and the monitors on plain tuples.
"""

from itertools import combinations

ERROR = -1
TAU = "tau"


def steps_of(lts):
    """The transitions of a system by state and action."""
    table = {}
    for source, action, target in lts["transitions"]:
        table.setdefault((source, action), set()).add(target)
    return table


def moves(tables, alphabets, state):
    """The moves of systems side by side: (action, state afterwards)."""
    for i, table in enumerate(tables):
        for target in table.get((state[i], TAU), ()):
            yield TAU, (*state[:i], target, *state[i + 1 :])
    for action in set().union(*alphabets):
        after = [state]
        for i, table in enumerate(tables):
            if action in alphabets[i]:
                targets = table.get((state[i], action), ())
                after = [(*s[:i], t, *s[i + 1 :]) for s in after for t in targets]
        for each in after:
            yield action, each


def is_safe(components, monitors, hidden=frozenset()):
    """Whether components side by side never take a monitor to ERROR.

    Args:
        components: Systems as dictionaries.
        monitors: Deterministic; what one does not offer of its alphabet is an ERROR.
        hidden: Actions of the components that monitors do not see.
    """
    tables = [steps_of(c) for c in components]
    alphabets = [set(c["alphabet"]) for c in components]
    watching = [(steps_of(m), set(m["alphabet"])) for m in monitors]
    start = ((0,) * len(components), (0,) * len(monitors))
    seen, todo = {start}, [start]
    while todo:
        here, watched = todo.pop()
        for action, after in moves(tables, alphabets, here):
            if ERROR in after:
                return False
            following = list(watched)
            for i, (table, alphabet) in enumerate(watching):
                if action in alphabet and action not in hidden:
                    (following[i],) = table.get((watched[i], action), {ERROR})
            if ERROR in following:
                return False
            pair = (after, tuple(following))
            if pair not in seen:
                seen.add(pair)
                todo.append(pair)
    return True


def changed(components, chosen):
    """Components with what some modes bring: (component, source, action, target)."""
    more = {}
    for i, *triple in chosen:
        more.setdefault(i, []).append(triple)
    return [
        {**c, "transitions": [*c["transitions"], *more.get(i, ())]}
        for i, c in enumerate(components)
    ]


def verdict(problem, modes, chosen):
    """(keeps P_env, keeps P) of a set of modes."""
    held = {tuple(t) for name in chosen for t in modes[name]}
    components = changed(problem["components"], held)
    controller = [problem["controller"]]
    return (
        is_safe(components, problem["env_constraints"]),
        is_safe([*components, *controller], problem["properties"]),
    )


def every_maximal(problem, modes):
    """All maximal tolerated sets of names, and the verdict of every set.

    Args:
        problem: `components` of E, `controller`, `properties`, `env_constraints`.
        modes: For each name its transitions (component, source, action, target).
    """
    names, best, verdicts = sorted(modes), [], {}
    for size in range(len(names), -1, -1):
        for chosen in map(frozenset, combinations(names, size)):
            verdicts[chosen] = judged = verdict(problem, modes, chosen)
            if judged == (True, True) and not any(chosen <= other for other in best):
                best.append(chosen)
    return set(best), verdicts
