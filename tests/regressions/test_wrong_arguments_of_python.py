"""Whatever is given to whatever is public: an answer, or a `SymrobError` about it."""

import inspect
from itertools import islice

import pytest

import symrob
from symrob.errors import SymrobError
from tests.cli.tools import ROOT

WRONG = (
    *(None, True, 0, 1, -1, 1.5, float("nan"), float("inf"), 1j, "x", "", "\ud800"),
    *("a,b,c", "x\0y", b"x", object(), object, len, {}, {1: 2}, {"x": None}, {None: 1}),
    *({"x": {}}, {"x": float("nan")}, {"x": {"rate": "a", "time": 1}}, [], [object()]),
    *([None], [1], ["x"], ["x", 1], [[]], [()], [(1, 2)], [(1, "a", None)], (), (1,)),
    *(set(), {1}, range(3), 10**400, -(10**400), [[[]]], [b"x"], {"x": [1]}, [{}]),
    *([("S", "a", 10**400)], [(0, 1, 2)], [("x", ["y"], {})], {"x": ["a"]}, iter(())),
)
E = symrob.Lts(["a", "b"], 2, [(0, "a", 1), (1, "a", 0)], names=["S", "T"])
C = symrob.Lts(["a", "b"], 1, [(0, "a", 0), (0, "b", 0)])
P = symrob.Lts(["b"], 1, [])
NETWORK = symrob.network([E, E])
CASE = str(ROOT / "models" / "therac25" / "therac25.toml")


@pytest.fixture(scope="module")
def calls():
    """What is public: a callable, with arguments that are right."""
    envelope = symrob.compute(E, C, P)
    assert envelope.complete
    case = symrob.load_case(CASE)
    modes = symrob.compute(E, C, P, faults={"m": ["S,b,T"]})
    some = next(iter(envelope))
    found = {
        "Lts": (symrob.Lts, {"alphabet": ["a"], "size": 1, "transitions": []}),
        "Lts.from_dict": (symrob.Lts.from_dict, {"data": E.to_dict()}),
        "Lts.state_name": (E.state_name, {"state": 0}),
        "Lts.named": (E.named, {"transitions": E.transitions}),
        "Network": (symrob.Network, {"components": [E]}),
        "network": (symrob.network, {"components": [E]}),
        "product": (symrob.product, {"model": NETWORK}),
        "load": (symrob.load, {"path": str(ROOT / "models/therac25/nurse.lts")}),
        "load_case": (symrob.load_case, {"path": CASE}),
        "from_machine": (symrob.from_machine, {"machine": None}),
        "compare": (symrob.compare, {"one": envelope, "other": envelope}),
        "parse_transitions": (
            symrob.parse_transitions,
            {"texts": ["S,b,T"], "environment": E},
        ),
        "compute": (
            symrob.compute,
            {"environment": E, "controller": C, "properties": P},
        ),
        "FaultMode": (symrob.FaultMode, {"name": "m"}),
        "LoadedCase.compute": (case.compute, {}),
        "LoadedCase.compute, options": (
            lambda algorithm="maximal", limit=None, timeout=None, **more: case.compute(
                algorithm=algorithm, limit=limit, timeout=timeout, **more
            ),
            {},
        ),
    }
    risk = envelope.risk({"S,b,T": 0.5})
    found["Assessment.importance"] = (risk.importance, {"numbers": [0]})
    for kind, one in (("SafetyEnvelope", envelope), ("in modes", modes)):
        right = {
            "never_firing": {"deviation": some},
            "risk": {"probability": {"S,b,T": 0.5}},
            "explain": {"added": [(0, "b", 1)]},
        }
        for name, method in inspect.getmembers(one, inspect.ismethod):
            if not name.startswith("_"):
                found[f"{kind}.{name}"] = (method, right.get(name, {}))
    return found


def ways(method, right):
    """Each way to give a wrong argument, beside the right ones."""
    for name, parameter in inspect.signature(method).parameters.items():
        if parameter.kind in (parameter.VAR_KEYWORD, parameter.VAR_POSITIONAL):
            continue
        for value in WRONG:
            if name == "on_progress" and callable(value):
                # What a function of the user's raises is the user's.
                continue
            yield name, value, {**right, name: value}


def looked_at(found):
    """Use what came back, since much is computed while it is iterated over."""
    if hasattr(found, "__next__") or hasattr(found, "status"):
        list(islice(found, 3)) if hasattr(found, "__iter__") else None
    repr(found)


def test_each_argument_of_each_call(calls):
    faults, refused = [], 0
    for title, (method, right) in calls.items():
        for name, value, given in ways(method, right):
            try:
                looked_at(method(**given))
            except SymrobError as error:
                refused += 1
                if not all(d.message for d in error.diagnostics):
                    faults.append(f"{title}({name}={value!r:.40}): no message")
            except Exception as error:
                told = f"{type(error).__name__}: {error!s:.80}"
                faults.append(f"{title}({name}={value!r:.40}) raises {told}")
    assert not faults, f"{len(faults)} faults:\n" + "\n".join(faults)
    assert refused > 500
