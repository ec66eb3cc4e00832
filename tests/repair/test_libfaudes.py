"""The most permissive restriction is libFAUDES' supremal one, where that is installed.

`pip install faudes`; no part of the project needs it. Both get the traces of E_D and C:
all of them as the plant, those that break nothing as what is wanted.
"""

from random import Random

import pytest

from symrob.lts import TAU
from symrob.repair.repair import repair
from tests.oracles import restriction
from tests.repair.test_restriction import engine_of, random_question, taken_by

faudes = pytest.importorskip("faudes")


class Seen(restriction.Knowledge):
    """All that E and C do is seen, but for internal moves."""

    def __init__(self, problem, deviations):
        super().__init__(problem, deviations)
        self.seen = self.seen | self.alphabet
        self.start = self.closed(self.first)


def generators(problem, deviations):
    """The plant, and the part of it that is wanted; names of events by action."""
    table = Seen(problem, deviations)
    numbers = {points: f"s{i}" for i, points in enumerate(table.everything())}
    actions = sorted({*problem[0].alphabet, *problem[1].alphabet} - {TAU})
    plant, wanted = faudes.Generator(), faudes.Generator()
    for generator in (plant, wanted):
        for action in actions:
            generator.InsEvent(action)
    for points in table.everything():
        for generator in (plant, wanted):
            if generator is plant or restriction.BAD not in points:
                generator.InsState(numbers[points])
    plant.SetInitState(numbers[table.start])
    if restriction.BAD not in table.start:
        wanted.SetInitState(numbers[table.start])
    for points, row in table.everything().items():
        for action, after in row.items():
            plant.SetTransition(numbers[points], action, numbers[after])
            if restriction.BAD not in after and restriction.BAD not in points:
                wanted.SetTransition(numbers[points], action, numbers[after])
    return plant, wanted


def event_set(actions):
    found = faudes.EventSet()
    for action in sorted(actions):
        found.Insert(action)
    return found


@pytest.mark.parametrize("seed", range(60))
def test_the_supremal_restriction_is_that_of_libfaudes(seed):
    problem, deviations, controllable = random_question(Random(seed))
    engine = engine_of(problem)
    if engine is None:
        return
    plant, wanted = generators(problem, deviations)
    supremal = faudes.Generator()
    seen = set(problem[1].alphabet)
    faudes.SupConNormClosed(
        plant, event_set(controllable), event_set(seen), wanted, supremal
    )
    found = repair(engine, deviations, controllable)
    assert (found.guards is None) == supremal.InitStatesEmpty()
    if found.guards is None:
        return
    # Step for step: what the guards let E and C do, and what libFAUDES does.
    table = Seen(problem, deviations)
    everything, guards = table.everything(), found.guards.components
    start = (table.start, (0,) * len(guards), supremal.InitState())
    known, todo = {start}, [start]
    while todo:
        points, states, theirs = todo.pop()
        for action, after in everything[points].items():
            ours = taken_by(guards, states, action)
            event = supremal.EventIndex(action)
            exists = supremal.ExistsTransition(theirs, event)
            assert (ours is not None) == exists, (seed, action)
            if ours is not None:
                new = (after, ours, supremal.SuccessorState(theirs, event))
                if new not in known:
                    known.add(new)
                    todo.append(new)
