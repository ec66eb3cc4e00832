"""From a case that fails to a smallest one that fails in the same way."""

from time import monotonic

from tests.fuzz import problems
from tests.fuzz.cases import SHRINKING, failure
from tests.fuzz.questions import Skip


def shrunk(case, kind, seconds=120):
    """Make a case smaller as long as it fails in this way.

    Args:
        case: With its problem as a dictionary.
        kind: The first part of what `failure` returned.
        seconds: What the search may take.

    Ends, since each step makes the case smaller.
    """
    end = monotonic() + seconds
    progress = True
    while progress and monotonic() < end:
        progress = False
        for other in _smaller(case):
            if monotonic() > end:
                break
            if _size(other) < _size(case) and _fails(other, kind):
                case, progress = other, True
                break
    return case


def _fails(case, kind):
    try:
        found = failure(case, seconds=SHRINKING)
    except Skip:
        return False
    except Exception:
        # Not a problem any more.
        return False
    return found is not None and found[0] == kind


def _size(case):
    asked = case["asked"]
    others = asked.get("others", ())
    return (
        problems.size_of(case["problem"]) + sum(map(problems.size_of, others)),
        len(case["settings"]),
        sum(_weight(v) for k, v in asked.items() if k != "others"),
    )


def _weight(value):
    if isinstance(value, list):
        return sum(map(_weight, value)) + 10 * len(value)
    if isinstance(value, dict):
        return sum(map(_weight, value.values()))
    return abs(value) if isinstance(value, int | float) else 0


def _smaller(case):
    asked, settings = case["asked"], case["settings"]
    for name in settings:
        kept = {k: v for k, v in settings.items() if k != name}
        yield {**case, "settings": kept}
    for problem in problems.smaller(case["problem"]):
        yield _fitting({**case, "problem": problem})
    for i, other in enumerate(asked.get("others", ())):
        for less in problems.smaller(other):
            others = [*asked["others"][:i], less, *asked["others"][i + 1 :]]
            yield {**case, "asked": {**asked, "others": others}}
    for key in ("transitions", "rules"):
        value = asked.get(key, [])
        for i in range(len(value)):
            yield {**case, "asked": {**asked, key: value[:i] + value[i + 1 :]}}
    for key, value in asked.items():
        if isinstance(value, int) and not isinstance(value, bool):
            for less in dict.fromkeys((None, 0, 1, value // 2, value - 1)):
                if less is None or less < value:
                    yield {**case, "asked": {**asked, key: less}}


def _fitting(case):
    """The case with only such transitions asked about as its problem has."""
    environment = case["problem"]["environment"]
    states, actions = range(environment["states"]), environment["alphabet"]

    def fits(t):
        return t[0] in states and t[1] in actions and t[2] in states

    asked = dict(case["asked"])
    if "transitions" in asked:
        asked["transitions"] = [t for t in asked["transitions"] if fits(t)]
    if "rules" in asked:
        asked["rules"] = [
            {**r, "transitions": [t for t in r["transitions"] if fits(t)]}
            if "transitions" in r
            else r
            for r in asked["rules"]
        ]
    return {**case, "asked": asked}
