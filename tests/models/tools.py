"""Reading the case studies, and comparing them with the reference by walking.

Products, completion and minimisation are done here on tuples and dictionaries,
without symrob's own `explicit`: what the models mean is judged by other code
than the code that runs them.
"""

import json
import tomllib
from collections import deque
from functools import cache
from pathlib import Path

from symrob.formats import read

ROOT = Path(__file__).parents[2]
MODELS = ROOT / "models"
DATA = ROOT / "tests" / "data"
ERROR = -1

# The case file of each row of Table 1, and the row's key in table1.json.
ROWS = {
    "running_example/running_example.toml": "running",
    "therac25/therac25.toml": "therac25",
    "therac25/therac25_fix.toml": "therac25fix",
    "therac25/therac20.toml": "therac20",
    "voting/voting_cfm.toml": "voting_cfm",
    "voting/voting_all.toml": "voting_all",
    "oyster/oyster.toml": "oyster",
    "pca_pump/pca_pump.toml": "pump",
}
CASES = sorted(
    str(p.relative_to(MODELS))
    for p in MODELS.glob("*/*.toml")
    if p.name not in ("gate.toml", "words.toml")
)


@cache
def reference():
    return json.loads((DATA / "table1.json").read_text(encoding="utf-8"))


@cache
def case_file(name):
    return tomllib.loads((MODELS / name).read_text(encoding="utf-8"))


@cache
def load(case, part, **constants):
    """The systems of one part of a case, as `ModelFile`s."""
    data = case_file(case)
    value = data.get(part, [])
    constants = {**data.get("constants", {}), **constants}
    models = []
    for item in [value] if isinstance(value, str) else value:
        text = item["model"] if isinstance(item, dict) else item
        path, _, process = text.partition("#")
        file = str((MODELS / case).parent / path)
        models.append(read(file, process=process or None, constants=constants or None))
    return models


def components(models):
    """All components of several models; none of them hides anything."""
    assert not any(m.network.hidden for m in models)
    return [c for m in models for c in m.network.components]


def alphabet_of(systems):
    return sorted({a for lts in systems for a in lts["alphabet"]})


def plain(lts):
    """An `Lts` as the dictionaries of the reference data."""
    return {
        "alphabet": list(lts.alphabet),
        "states": lts.size,
        "transitions": [list(t) for t in lts.transitions],
    }


def step_table(lts):
    """Map each (state, action) to its only target; fails on nondeterminism."""
    table = {}
    for source, action, target in lts["transitions"]:
        assert action != "tau"
        assert table.setdefault((source, action), target) == target
    return table


def walk(systems, *, missing_is_error):
    """Number the reachable product of deterministic systems breadth first.

    Returns:
        The states as tuples in the order met, and the steps as a dictionary
        from (number, action) to number, ERROR as -1. Two deterministic products
        are isomorphic exactly if their steps and numbers of states are equal.
    """
    tables = [step_table(lts) for lts in systems]
    alphabets = [set(lts["alphabet"]) for lts in systems]
    number = {(0,) * len(systems): 0}
    steps, todo = {}, deque(number)
    while todo:
        state = todo.popleft()
        for action in alphabet_of(systems):
            after = [
                table.get((s, action), ERROR if missing_is_error else None)
                if action in own
                else s
                for s, table, own in zip(state, tables, alphabets, strict=True)
            ]
            if None in after:
                continue
            target = tuple(after)
            if ERROR not in target and target not in number:
                number[target] = len(number)
                todo.append(target)
            steps[number[state], action] = number.get(target, ERROR)
    return list(number), steps


def language(monitors):
    """The least deterministic monitor of a conjunction, numbered breadth first."""
    alphabet = alphabet_of(monitors)
    states, steps = walk(monitors, missing_is_error=True)
    block = dict.fromkeys(range(len(states)), 0) | {ERROR: ERROR}
    while True:
        signature = {
            s: tuple(block[steps[s, a]] for a in alphabet) for s in range(len(states))
        }
        ranks = {sig: i for i, sig in enumerate(dict.fromkeys(signature.values()))}
        finer = {s: ranks[signature[s]] for s in signature} | {ERROR: ERROR}
        if len(set(finer.values())) == len(set(block.values())):
            break
        block = finer
    merged = {(block[s], a): block[t] for (s, a), t in steps.items()}
    quotient = {
        "alphabet": alphabet,
        "transitions": [[s, a, t] for (s, a), t in merged.items()],
    }
    # The blocks are ranked in the order of first members, so 0 holds state 0.
    return alphabet, walk([quotient], missing_is_error=True)[1]


def state_map(ours, theirs):
    """The isomorphism of two deterministic environments, theirs -> ours."""
    our_order, our_steps = walk([ours], missing_is_error=False)
    their_order, their_steps = walk([theirs], missing_is_error=False)
    assert our_steps == their_steps
    assert len(our_order) == ours["states"] == theirs["states"]
    return {t: o for (o,), (t,) in zip(our_order, their_order, strict=True)}


def named_delta(environment, theirs, delta):
    """The reference's deviations in the state names of our environment."""
    to_ours = state_map(plain(environment), theirs)
    return sorted(
        sorted(
            [
                environment.state_name(to_ours[source]),
                action,
                environment.state_name(to_ours[target]),
            ]
            for source, action, target in deviation
        )
        for deviation in delta
    )
