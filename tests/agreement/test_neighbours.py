"""Sets that grow side by side: as maximal as one by one, and the same Δ."""

from itertools import islice
from pathlib import Path
from random import Random

import pytest

from symrob.api import load_roles, open_engine
from symrob.case import load_case
from symrob.envelope import tuning
from symrob.envelope.columns import Columns, Steps, transposed
from symrob.envelope.neighbours import Neighbours
from symrob.limits import Clock, Limits
from symrob.lts import Lts
from symrob.lts.masks import bits
from symrob.options import Options
from tests.engines import engine_if_safe, engine_of
from tests.fuzz.problems import many, small, wild
from tests.oracles.reference import Reference
from tests.strength import examples

MODELS = Path(__file__).parent.parent.parent / "models"
CLOCK = Clock()


def problems(seeds):
    for seed in seeds:
        rng = Random(seed)
        yield rng, rng.choice((many, many, small, wild))(rng)


@pytest.fixture(name="given")
def counted(monkeypatch):
    """How many sets were given by growing neighbours."""
    count = [0]
    new = Neighbours.new

    def watched(self, *args):
        for mask in new(self, *args):
            count[0] += 1
            yield mask

    monkeypatch.setattr(Neighbours, "new", watched)
    return count


def test_neighbours_are_in_delta_as_the_definition_says(monkeypatch, given):
    everything = 0
    for rng, problem in problems(range(examples(200, 4_000))):
        monkeypatch.setattr(tuning, "FIRST_SETS", rng.choice((0, 1, 2, 5)))
        monkeypatch.setattr(tuning, "GROWN_AT_FIRST", rng.choice((1, 3, 50, 2048)))
        monkeypatch.setattr(tuning, "NEIGHBOURS", rng.choice((1, 2, 8)))
        monkeypatch.setattr(tuning, "FEW_NEW", rng.choice((0, 1, 16, 10**6)))
        engine, reference = engine_if_safe(problem), Reference(problem)
        if engine is None or not reference.solved:
            continue
        found = [reference.mask(deviation) for deviation in engine.deviations()]
        assert len(found) == len(set(found))
        assert set(found) == reference.maximal
        everything += len(found)
    # Most of what could come so did.
    assert everything > 500
    assert given[0] > everything / 4


@pytest.mark.parametrize(
    ("path", "count"),
    [
        ("therac25/therac25_unconstrained.toml", 398),
        ("token_ring/token_ring_unconstrained.toml", 293),
        ("voting/voting_cfm_unconstrained.toml", None),
    ],
)
def test_sets_grow_as_far_as_one_by_one(path, count, monkeypatch, given):
    monkeypatch.setattr(tuning, "FIRST_SETS", 5)
    engine = open_engine(load_roles(load_case(str(MODELS / path))), Options())
    extension = engine.safe_sets.extension
    found = [d.new for d in islice(engine.deviations(), 600)]
    assert len(found) == len({*found}) == (count or 600)
    assert given[0] > 150
    for new in found[-200:]:
        rows = engine.safe_sets._rows(new)
        assert extension.grow(rows, extension.met(rows)[0])[0] == rows


def test_each_set_keeps_its_candidate_and_what_goes_with_it_first():
    tried = 0
    for rng, problem in problems(range(examples(75, 1_500))):
        engine = engine_if_safe(problem)
        if engine is None or engine.safe_sets.unbroken:
            continue
        extension = engine.safe_sets.extension
        steps = Steps.of(engine.safe_sets.determinised, extension, 10**4, CLOCK)
        if steps is None:
            continue
        order = [*bits(steps.candidates)]
        rng.shuffle(order)
        kept = [rng.getrandbits(steps.places) & steps.candidates for _ in range(5)]
        added = [[rng.choice(order) for _ in kept] for _ in range(3)]
        grown = Columns(steps, 15, CLOCK).grown(kept, added, order)
        pairs = [pair for row in added for pair in zip(kept, row, strict=True)]
        for (keep, place), mask in zip(pairs, grown, strict=True):
            assert mask == greedily(extension, keep, place, order)
            tried += 1
    assert tried > 250


def greedily(extension, keep, place, order):
    """What one set grows to, one candidate after the other."""
    mask = 1 << place
    for wanted in (keep, -1):
        for other in order:
            larger = mask | 1 << other
            if wanted >> other & 1 and extension.met(extension.rows_of(larger))[1]:
                mask = larger
    return mask


def test_too_many_steps_are_not_written_down(monkeypatch, given):
    monkeypatch.setattr(tuning, "FIRST_SETS", 1)
    monkeypatch.setattr(tuning, "STEPS_EACH", 1)
    case = load_case(str(MODELS / "therac25" / "therac25_unconstrained.toml"))
    engine = open_engine(load_roles(case), Options())
    assert len([*engine.deviations()]) == 398
    assert given[0] == 0


def test_nor_where_memory_is_short():
    case = load_case(str(MODELS / "therac25" / "therac25_unconstrained.toml"))
    sets = open_engine(load_roles(case), Options()).safe_sets
    asked = sets.determinised, sets.extension, 10**4
    assert Steps.of(*asked, Clock(Limits(memory=10**5))) is not None
    assert Steps.of(*asked, Clock(Limits(memory=1))) is None


@pytest.mark.parametrize("states", [1, 3, 40, 130])
def test_rows_are_one_number_and_come_back(states):
    environment = Lts("ab", states, [(q, "a", 0) for q in range(states)])
    offers = Lts("ab", 1, [(0, "a", 0), (0, "b", 0)])
    engine = engine_of((environment, offers, [offers], []))
    extension = engine.safe_sets.extension
    rng = Random(states)
    for _ in range(5):
        rows = [rng.getrandbits(states) for _ in extension.rows]
        mask = extension.mask_of(rows)
        assert mask == sum(row << n * states for n, row in enumerate(rows))
        assert extension.rows_of(mask) == rows
    assert extension.rows_of(0) == [0] * len(extension.rows)
    assert extension.mask_of(()) == 0


@pytest.mark.parametrize(("rows", "width"), [(1, 0), (3, 1), (7, 130), (130, 7)])
def test_transposed(rows, width):
    rng = Random(width)
    numbers = [rng.getrandbits(width) for _ in range(rows)]
    columns = transposed(numbers, width)
    assert len(columns) == width
    for n, column in enumerate(columns):
        assert [column >> k & 1 for k in range(rows)] == [m >> n & 1 for m in numbers]
