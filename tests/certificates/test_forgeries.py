"""Forgeries whose trailer fits: refused for the right reason; what is a proof is not.

The case is the Therac-25: four deviations, a constraint, a proof of several steps.
"""

import pytest

from symrob.certify.watching import BoundHitError
from tests.certificates.tools import (
    certify_case,
    linked,
    numbered,
    records,
    verdict,
    write,
)


@pytest.fixture(scope="module")
def genuine(tmp_path_factory):
    path = tmp_path_factory.mktemp("genuine") / "certificate"
    certify_case("therac25/therac25", path)
    return records(path)


@pytest.fixture(scope="module")
def other(tmp_path_factory):
    path = tmp_path_factory.mktemp("other") / "certificate"
    certify_case("therac25/therac25_fix", path)
    return records(path)


class Forge:
    """The records of a certificate, by kind, to be changed.

    Steps of the proof name records, so a forgery does not fail by its numbers alone.
    """

    def __init__(self, rows):
        self.rows = linked(rows)

    def of(self, *kinds):
        return [row for row in self.rows if next(iter(row)) in kinds]

    def one(self, kind):
        return self.of(kind)[0]

    def drop(self, *rows):
        self.rows = [r for r in self.rows if not any(r is row for row in rows)]

    def after(self, kind, row):
        place = max(i for i, r in enumerate(self.rows) if next(iter(r)) == kind)
        self.rows.insert(place + 1, row)

    def before(self, kind, row):
        place = min(i for i, r in enumerate(self.rows) if next(iter(r)) == kind)
        self.rows.insert(place, row)

    @property
    def e(self):
        return self.one("environment")["environment"]["components"][0]

    @property
    def nominal(self):
        place, size = self.e["alphabet"].index, self.e["states"]
        return {
            (q * len(self.e["alphabet"]) + place(a)) * size + r
            for q, a, r in self.e["transitions"]
        }

    @property
    def every(self):
        size = self.e["states"] ** 2 * len(self.e["alphabet"])
        return sorted(set(range(size)) - self.nominal)

    @property
    def loose(self):
        """Candidates of some deviation, and not of all."""
        sets = [set(d["deviation"]) for d in self.of("deviation")]
        return sorted(set.union(*sets) - set.intersection(*sets))

    @property
    def refused(self):
        """An action that E cannot take first, with that unsafe set either."""
        names, size = self.e["alphabet"], self.e["states"]
        source, place = divmod(self.single["unsafe"][0] // size, len(names))
        taken = {a for q, a, _ in self.e["transitions"] if q == 0}
        taken |= {names[place]} if source == 0 else set()
        return next(i for i, a in enumerate(names) if a not in taken)

    @property
    def large(self):
        """An unsafe set of several members."""
        return next(u for u in self.of("unsafe") if len(u["unsafe"]) > 1)

    @property
    def single(self):
        return next(u for u in self.of("unsafe") if len(u["unsafe"]) == 1)


FORGERIES = {}


def forgery(*reasons):
    def noted(function):
        FORGERIES[function.__name__] = (function, reasons)
        return function

    return noted


def forgeries(reasons, cases):
    """Several short ones; `cases` are functions by their names."""
    for name, function in cases.items():
        FORGERIES[name] = (function, reasons)


def put(row, key, value):
    row[key] = value


INCOMPLETE = ("missing", "proof")
forgeries(
    INCOMPLETE,
    {
        "the first deviation left out": lambda f: f.drop(f.of("deviation")[0]),
        "the second deviation left out": lambda f: f.drop(f.of("deviation")[1]),
        "the third deviation left out": lambda f: f.drop(f.of("deviation")[2]),
        "the last deviation left out": lambda f: f.drop(f.of("deviation")[-1]),
        "all deviations left out": lambda f: f.drop(*f.of("deviation")),
        "all but one left out": lambda f: f.drop(*f.of("deviation")[1:]),
        "no proof": lambda f: f.drop(*f.of("add")),
        "an incomplete claim made complete": lambda f: f.drop(
            *f.of("deviation")[:1], *f.of("add")
        ),
    },
)
forgeries(
    ("twice",),
    {
        "a deviation doubled": lambda f: f.after("deviation", f.one("deviation")),
        "an unsafe set doubled": lambda f: f.after("unsafe", f.one("unsafe")),
    },
)
forgeries(
    ("maximal",),
    {
        "a deviation that lacks one": lambda f: f.one("deviation")["deviation"].pop(),
        "a deviation that lacks its first": lambda f: f.one("deviation")[
            "deviation"
        ].pop(0),
        "an empty deviation beside": lambda f: f.after("deviation", {"deviation": []}),
        "a part of a deviation beside": lambda f: f.after(
            "deviation", {"deviation": f.one("deviation")["deviation"][:3]}
        ),
        "an unsafe set of one left out": lambda f: f.drop(f.single),
        "a larger unsafe set left out": lambda f: f.drop(f.large),
        "no unsafe sets": lambda f: f.drop(*f.of("unsafe", "add")),
        "an unsafe set made larger": lambda f: put(
            f.single, "unsafe", sorted({*f.single["unsafe"], f.loose[0]})
        ),
    },
)
forgeries(
    ("unsafe",),
    {
        "a deviation with one too many": lambda f: put(
            f.one("deviation"),
            "deviation",
            sorted({*f.one("deviation")["deviation"], *f.single["unsafe"]}),
        ),
        "a deviation of all candidates": lambda f: put(
            f.one("deviation"), "deviation", f.every
        ),
        "the union of two deviations": lambda f: put(
            f.one("deviation"),
            "deviation",
            sorted({t for d in f.of("deviation") for t in d["deviation"]}),
        ),
        "an unsafe set as a deviation": lambda f: f.after(
            "deviation", {"deviation": f.large["unsafe"]}
        ),
    },
)
forgeries(
    ("foreign",),
    {
        "a deviation with R_E in it": lambda f: put(
            f.one("deviation"),
            "deviation",
            sorted({*f.one("deviation")["deviation"], *f.nominal}),
        ),
        "R_E as an unsafe set": lambda f: f.after(
            "unsafe", {"unsafe": [min(f.nominal)], "breaks": 0, "run": []}
        ),
        "another K": lambda f: put(f.one("candidates"), "candidates", f.every[:20]),
        "an empty K": lambda f: put(f.one("candidates"), "candidates", []),
    },
)
forgeries(
    ("trace",),
    {
        "an empty run": lambda f: put(f.single, "run", []),
        "a run without its end": lambda f: f.single["run"].pop(),
        "a run without its beginning": lambda f: f.large["run"].pop(0),
        "a run backwards": lambda f: f.large["run"].reverse(),
        "a run by what is not in the set": lambda f: put(
            f.large, "unsafe", f.large["unsafe"][:1]
        ),
        "the run of another set": lambda f: put(f.single, "run", f.large["run"]),
        "a run that breaks something else": lambda f: put(
            f.large, "breaks", 1 - f.large["breaks"]
        ),
        "a run with an action that E cannot take": lambda f: f.single["run"].insert(
            0, f.refused
        ),
        "the empty set as unsafe": lambda f: f.after(
            "unsafe", {"unsafe": [], "breaks": 1, "run": []}
        ),
        "the empty set with a nominal run": lambda f: f.after(
            "unsafe", {"unsafe": [], "breaks": 1, "run": [1]}
        ),
        "a safe set as unsafe": lambda f: f.after(
            "unsafe",
            {"unsafe": [f.loose[0]], "breaks": 1, "run": [1, 2, 0]},
        ),
    },
)
forgeries(
    ("proof",),
    {
        "the empty clause at once": lambda f: f.before("add", {"add": [], "by": []}),
        "the empty clause from all": lambda f: f.before(
            "add", {"add": [], "by": f.of("unsafe", "deviation")}
        ),
        "a unit that does not follow": lambda f: f.before(
            "add", {"add": [f.loose[0] + 1], "by": f.of("unsafe", "deviation")}
        ),
        "its negation does not follow": lambda f: f.before(
            "add", {"add": [-f.loose[0] - 1], "by": f.of("deviation", "unsafe")}
        ),
        "another unit that does not follow": lambda f: f.before(
            "add", {"add": [f.loose[-1] + 1], "by": [f.large]}
        ),
        "the steps backwards": lambda f: f.rows.__setitem__(
            slice(-len(f.of("add")), None), f.of("add")[::-1]
        ),
        "a clause without a literal": lambda f: f.one("add")["add"].pop(),
        "a step without its last hint": lambda f: f.one("add")["by"].pop(),
        "a step without its first hint": lambda f: f.of("add")[-1]["by"].pop(0),
        "the hints backwards": lambda f: f.of("add")[-1]["by"].reverse(),
        "a step by itself": lambda f: put(f.one("add"), "by", [f.one("add")]),
        "a step by the next": lambda f: f.one("add")["by"].insert(0, f.of("add")[1]),
        "a step by nothing": lambda f: put(f.one("add"), "by", []),
        "a hint behind all": lambda f: f.one("add")["by"].append(10**6),
        "steps behind the empty clause": lambda f: f.rows.append(
            {"add": [1], "by": []}
        ),
    },
)


@forgery("maximal")
def a_deviation_that_lacks_what_is_in_an_unsafe_set_with_another(f):
    """That set has a member more outside of the deviation, which is unsafe alone."""
    f.one("claim")["claim"] = "deviations"
    f.drop(*f.of("add"))
    lost = f.one("deviation")["deviation"].pop(0)
    larger = sorted({lost, *f.single["unsafe"]})
    f.after("unsafe", {**f.single, "unsafe": larger})


@forgery("nominal")
def an_unsafe_nominal_system_with_nothing_else(f):
    """It would have no deviations, and the empty set is unsafe."""
    f.drop(*f.of("deviation", "unsafe", "add"))
    for part in f.one("property")["property"]["components"]:
        part["transitions"] = []
    f.rows.append({"unsafe": [], "breaks": 1, "run": [0]})
    f.rows.append({"add": [], "by": [0]})


@forgery("nominal")
def a_property_that_always_fails(f):
    for part in f.one("property")["property"]["components"]:
        part["transitions"] = [[0, "tau", -1]]


@forgery("nominal")
def a_property_that_is_nothing(f):
    for part in f.one("property")["property"]["components"]:
        part["transitions"] = []


@forgery("nominal")
def a_controller_that_fails(f):
    part = f.one("controller")["controller"]["components"][0]
    part["transitions"] = sorted([*part["transitions"], [0, "tau", -1]])


@forgery("nominal")
def a_constraint_that_forbids_the_plan(f):
    for part in f.one("constraint")["constraint"]["components"]:
        part["transitions"] = []


@forgery("trace", "maximal", "missing", "proof")
def a_property_that_never_fails(f):
    part = f.one("property")["property"]["components"][0]
    part["states"], part["names"] = 1, None
    part["transitions"] = [[0, a, 0] for a in part["alphabet"]]


@forgery("trace", "maximal", "missing", "proof")
def a_constraint_that_never_fails(f):
    part = f.one("constraint")["constraint"]["components"][0]
    part["states"], part["names"] = 1, None
    part["transitions"] = [[0, a, 0] for a in part["alphabet"]]


@forgery("unsafe", "trace", "maximal", "nominal")
def a_controller_without_a_component(f):
    f.one("controller")["controller"]["components"].pop()


@forgery("nominal")
def a_controller_that_hides_an_action(f):
    controller = f.one("controller")["controller"]
    parts = controller["components"]
    shared = set(f.e["alphabet"]) & {a for p in parts for a in p["alphabet"]}
    controller["hidden"] = sorted(shared)


@forgery("maximal", "unsafe", "trace", "foreign", "missing", "proof")
def an_environment_that_plans_less(f):
    f.e["transitions"].pop()


@forgery("nominal", "foreign")
def an_environment_that_plans_what_is_unsafe(f):
    rest, target = divmod(f.single["unsafe"][0], f.e["states"])
    source, action = divmod(rest, len(f.e["alphabet"]))
    more = [source, f.e["alphabet"][action], target]
    f.e["transitions"] = sorted([*f.e["transitions"], more])


@forgery("malformed")
def an_environment_whose_actions_are_swapped(f):
    """Numbers mean what they mean by the order of names, which is one."""
    f.e["alphabet"].reverse()


@forgery("foreign")
def an_environment_with_one_state_more(f):
    """Every number means something else then."""
    f.e["states"] += 1
    f.e["names"] = None


MALFORMED = {
    "a number behind A": lambda f: f.one("deviation")["deviation"].append(10**6),
    "a negative number": lambda f: f.one("deviation")["deviation"].insert(0, -1),
    "a number as text": lambda f: f.one("deviation")["deviation"].append("99"),
    "a broken number": lambda f: f.one("deviation")["deviation"].append(99.5),
    "a list in a list": lambda f: f.one("deviation")["deviation"].append([1]),
    "numbers that fall": lambda f: f.one("deviation")["deviation"].reverse(),
    "a deviation that is a number": lambda f: put(f.one("deviation"), "deviation", 1),
    "a deviation that is nothing": lambda f: put(f.one("deviation"), "deviation", None),
    "breaks what is not there": lambda f: put(f.single, "breaks", 2),
    "breaks less than nothing": lambda f: put(f.single, "breaks", -1),
    "breaks a text": lambda f: put(f.single, "breaks", "P"),
    "a run that is a number": lambda f: put(f.single, "run", 3),
    "a run with an odd step": lambda f: put(f.single, "run", [[1, 2]]),
    "a run with an empty step": lambda f: put(f.single, "run", [[]]),
    "a run with a text": lambda f: put(f.single, "run", ["fire"]),
    "no run": lambda f: f.single.pop("run"),
    "the literal 0": lambda f: f.one("add")["add"].append(0),
    "a variable behind A": lambda f: f.one("add")["add"].append(10**6),
    "a negative hint": lambda f: f.one("add")["by"].append(-1),
    "a hint that is a text": lambda f: f.one("add")["by"].append("1"),
    "hints that are none": lambda f: put(f.one("add"), "by", None),
    "no hints": lambda f: f.one("add").pop("by"),
    "a deletion": lambda f: f.rows.append({"delete": [1]}),
    "a clause that is a text": lambda f: put(f.one("add"), "add", "1 2 0"),
    "R_E in K": lambda f: put(f.one("candidates"), "candidates", sorted(f.nominal)),
    "K that is a text": lambda f: put(f.one("candidates"), "candidates", "most"),
    "another claim": lambda f: put(f.one("claim"), "claim", "all"),
    "no claim": lambda f: f.drop(f.one("claim")),
    "a claim of no side": lambda f: put(f.one("claim"), "sides", []),
    "a claim of a side that is not there": lambda f: put(
        f.one("claim"), "sides", [0, 1]
    ),
    "a claim of one side": lambda f: put(f.one("claim"), "sides", [0]),
    "a claim of sets of more than all": lambda f: put(f.one("claim"), "most", 99),
    "a claim of sets of less than none": lambda f: put(f.one("claim"), "most", -1),
    "a run with an action behind the last": lambda f: f.single["run"].append(99),
    "a run with a negative action": lambda f: f.single["run"].append(-1),
    "E of two components": lambda f: f.one("environment")["environment"][
        "components"
    ].append({"alphabet": ["z"], "states": 1, "transitions": []}),
    "E that hides": lambda f: put(f.one("environment")["environment"], "hidden", ["b"]),
    "another schema": lambda f: put(f.rows[0], "schema", "symrob/certificate/3"),
    "the schema before": lambda f: put(f.rows[0], "schema", "symrob/certificate/1"),
    "no names": lambda f: f.e.pop("names"),
    "a name less": lambda f: f.e["names"].pop(),
    "a name twice": lambda f: put(f.e["names"], 0, f.e["names"][1]),
    "transitions in another order": lambda f: f.e["transitions"].reverse(),
    "a transition twice": lambda f: f.e["transitions"].append(f.e["transitions"][-1]),
    "all candidates one by one": lambda f: put(
        f.one("candidates"), "candidates", f.every
    ),
    "hidden that nobody has": lambda f: put(
        f.one("controller")["controller"], "hidden", ["nobody"]
    ),
    "a mode beside the candidates": lambda f: put(f.one("candidates"), "mode", "m"),
    "changes beside the candidates": lambda f: put(f.one("candidates"), "changes", []),
    "sets of at most so many, of no resilience": lambda f: put(
        f.one("claim"), "most", 1
    ),
    "a number that is true": lambda f: put(f.single, "breaks", True),
    "steps of no proof": lambda f: put(f.one("claim"), "claim", "deviations"),
    "sets that show nothing": lambda f: put(f.one("claim"), "claim", "tolerates"),
    "keys in another order": lambda f: put(
        f.rows, f.rows.index(f.single), dict(reversed([*f.single.items()]))
    ),
    "no header": lambda f: f.drop(f.rows[0]),
    "no environment": lambda f: f.drop(f.one("environment")),
    "two environments": lambda f: f.after("environment", f.one("environment")),
    "no controller": lambda f: f.drop(f.one("controller")),
    "no property": lambda f: f.drop(f.one("property")),
    "no candidates": lambda f: f.drop(f.one("candidates")),
    "a late constraint": lambda f: f.rows.append(f.one("constraint")),
    "a late deviation": lambda f: f.rows.append({"deviation": []}),
    "a deviation before K": lambda f: f.before("candidates", {"deviation": []}),
    "a record of another kind": lambda f: f.rows.append({"trust": "me"}),
    "a record that is a list": lambda f: f.rows.append([["add"]][0]),
    "no alphabet": lambda f: f.e.pop("alphabet"),
    "an action twice": lambda f: f.e["alphabet"].append(f.e["alphabet"][0]),
    "tau in an alphabet": lambda f: f.e["alphabet"].append("tau"),
    "an action that is a number": lambda f: f.e["alphabet"].append(7),
    "no states": lambda f: put(f.e, "states", 0),
    "less than no states": lambda f: put(f.e, "states", -4),
    "states as text": lambda f: put(f.e, "states", "4"),
    "an environment with ERROR": lambda f: f.e["transitions"].append(
        [0, f.e["alphabet"][0], -1]
    ),
    "a target that is no state": lambda f: f.e["transitions"].append(
        [0, f.e["alphabet"][0], f.e["states"]]
    ),
    "a source that is no state": lambda f: f.e["transitions"].append(
        [f.e["states"], f.e["alphabet"][0], 0]
    ),
    "an action of nobody": lambda f: f.e["transitions"].append([0, "nobody", 0]),
    "a short transition": lambda f: f.e["transitions"].append([0, 0]),
    "no components": lambda f: put(f.one("controller")["controller"], "components", []),
    "a source ERROR": lambda f: f.one("controller")["controller"]["components"][0][
        "transitions"
    ].append([-1, "tau", 0]),
    "hidden as text": lambda f: put(
        f.one("controller")["controller"], "hidden", "fire"
    ),
}
forgeries(("malformed",), MALFORMED)


def test_there_are_many():
    assert len(FORGERIES) >= 100


@pytest.mark.parametrize("name", FORGERIES)
def test_is_refused(name, genuine, tmp_path):
    change, reasons = FORGERIES[name]
    forged = Forge(genuine)
    change(forged)
    assert repr(numbered(forged.rows)) != repr(genuine)
    path = tmp_path / "forged"
    write(forged.rows, path)
    assert verdict(path) in reasons


def test_the_proof_of_another_certificate(genuine, tmp_path):
    path = tmp_path / "forged"
    certify_case("token_ring/token_ring", path)
    forged = Forge(records(path))
    forged.drop(*forged.of("add"))
    forged.rows += Forge(genuine).of("add")
    write(forged.rows, path)
    assert verdict(path) in INCOMPLETE


def test_the_models_of_another_certificate(genuine, other, tmp_path):
    forged = Forge(genuine)
    theirs = Forge(other).one("controller")
    forged.one("controller")["controller"] = theirs["controller"]
    write(forged.rows, tmp_path / "forged")
    assert verdict(tmp_path / "forged") in ("unsafe", "trace", "maximal", *INCOMPLETE)


def test_each_step_that_is_needed(genuine, tmp_path):
    """The proof has no others."""
    path, found = tmp_path / "forged", []
    for place in range(len(Forge(genuine).of("add"))):
        forged = Forge(genuine)
        forged.drop(forged.of("add")[place])
        write(forged.rows, path)
        found.append(verdict(path))
    assert set(found) <= set(INCOMPLETE)


STILL = {
    "as it was": lambda f: None,
    "another title": lambda f: put(f.rows[0], "title", "x"),
    "states without names": lambda f: put(f.e, "names", None),
    "deviations in another order": lambda f: f.rows.__setitem__(
        slice(*span(f, "deviation")), f.of("deviation")[::-1]
    ),
    "unsafe sets in another order": lambda f: f.rows.__setitem__(
        slice(*span(f, "unsafe")), f.of("unsafe")[::-1]
    ),
    "a step twice": lambda f: f.before("add", f.one("add")),
    "a step more that follows": lambda f: f.before(
        "add",
        {"add": [-f.single["unsafe"][0] - 1, f.loose[0] + 1], "by": [f.single]},
    ),
    "a hint that is not needed": lambda f: f.one("add")["by"].insert(0, f.single),
    "a hint twice": lambda f: f.one("add")["by"].insert(0, f.one("add")["by"][0]),
    "one more unsafe set": lambda f: f.after(
        "unsafe", {**f.single, "unsafe": sorted({*f.single["unsafe"], f.loose[0]})}
    ),
    "a run that goes on": lambda f: f.single["run"].append(f.single["run"][-1]),
    "a claim of less": lambda f: less(f, "deviations", "add"),
    "a claim that they are tolerated": lambda f: less(f, "tolerates", "add", "unsafe"),
    "a claim that a side includes itself": lambda f: put(
        f.one("claim"), "claim", "includes"
    ),
}


def less(f, claim, *kinds):
    """Claim something else, without what does not show it."""
    f.one("claim")["claim"] = claim
    f.drop(*f.of(*kinds))


def span(f, kind):
    places = [i for i, r in enumerate(f.rows) if next(iter(r)) == kind]
    return places[0], places[-1] + 1


@pytest.mark.parametrize("name", STILL)
def test_is_still_a_proof(name, genuine, tmp_path):
    changed = Forge(genuine)
    STILL[name](changed)
    path = tmp_path / "changed"
    write(changed.rows, path)
    if name == "a run that goes on":
        # It need not fit behind ERROR, but each step from its state.
        assert verdict(path) in ("right", "trace")
    else:
        assert verdict(path) == "right"


def test_restricted_candidates(genuine, tmp_path):
    """Over K, one deviation of the same models, all that K allows."""
    changed = Forge(genuine)
    chosen = changed.one("deviation")["deviation"]
    changed.one("candidates")["candidates"] = chosen
    changed.drop(*changed.of("deviation", "unsafe", "add"))
    changed.rows.append({"deviation": chosen})
    path = tmp_path / "changed"
    write(changed.rows, path)
    assert verdict(path) == "right"


HUGE = {
    "A": lambda f: put(f.e, "states", 10**5),
    "states": lambda f: put(f.e, "states", 10**9),
    "a controller": lambda f: put(
        f.one("controller")["controller"]["components"][0], "states", 10**8
    ),
    "states of a controller": lambda f: put(
        f.one("controller")["controller"],
        "components",
        [
            {
                "alphabet": ["x"],
                "states": 2,
                "transitions": [[s, "x", t] for s in (0, 1) for t in (0, 1)],
            }
        ]
        * 60,
    ),
    "views of a property": lambda f: put(
        f.one("property")["property"],
        "components",
        [
            {
                "alphabet": [f.e["alphabet"][0]],
                "states": 2,
                "transitions": [
                    [s, a, t]
                    for s in (0, 1)
                    for a in ("tau", f.e["alphabet"][0])
                    for t in (0, 1)
                ],
            }
        ]
        * 60,
    ),
}


@pytest.mark.parametrize("name", HUGE)
def test_what_asks_for_too_much_ends(name, genuine, tmp_path):
    forged = Forge(genuine)
    HUGE[name](forged)
    write(forged.rows, tmp_path / "forged")
    try:
        found = verdict(tmp_path / "forged", most=20_000)
    except BoundHitError:
        return
    assert found == "malformed"
