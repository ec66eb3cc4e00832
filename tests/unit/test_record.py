"""Records: as frozen data classes are, made without generated code."""

import copy
import pickle
from dataclasses import (
    FrozenInstanceError,
    asdict,
    dataclass,
    field,
    fields,
    replace,
)
from functools import cached_property

import pytest

from symrob.errors import Diagnostic, Trace, TraceStep
from symrob.options import Options
from symrob.record import Node, Record


class Point(Record):
    """Made here."""

    x: int
    y: int = 2
    names: list[str] = field(default_factory=list)

    @cached_property
    def total(self):
        return self.x + self.y


@dataclass(frozen=True)
class Usual:
    """The same, made by `dataclasses`."""

    x: int
    y: int = 2
    names: list[str] = field(default_factory=list)


class Pair(Node):
    left: int
    right: int


@pytest.mark.parametrize(
    ("values", "named"),
    [
        ((1,), {}),
        ((1, 5), {}),
        ((1, 5, ["a"]), {}),
        ((), {"x": 3}),
        ((1,), {"names": ["b"]}),
        ((), {"y": 7, "names": [], "x": 0}),
    ],
)
def test_it_is_made_and_shown_as_a_data_class(values, named):
    ours, usual = Point(*values, **named), Usual(*values, **named)
    assert asdict(ours) == asdict(usual)
    assert repr(ours) == repr(usual).replace("Usual", "Point")
    assert [f.name for f in fields(ours)] == [f.name for f in fields(usual)]
    assert Point.__match_args__ == Usual.__match_args__


@pytest.mark.parametrize(
    ("values", "named"),
    [
        ((), {}),
        ((), {"y": 1}),
        ((1, 2, [], 4), {}),
        ((1,), {"x": 1}),
        ((1, 2, []), {"x": 1}),
        ((1,), {"z": 1}),
    ],
)
def test_wrong_arguments(values, named):
    with pytest.raises(TypeError):
        Usual(*values, **named)
    with pytest.raises(TypeError, match="x, y, names"):
        Point(*values, **named)


def test_defaults_are_not_shared():
    first, second = Point(1), Point(1)
    first.names.append("a")
    assert second.names == []


def test_nothing_can_be_changed():
    for thing, name in ((Point(1), "x"), (Pair(1, 2), "left")):
        with pytest.raises(FrozenInstanceError):
            setattr(thing, name, 5)
        with pytest.raises(FrozenInstanceError):
            delattr(thing, name)
        with pytest.raises(FrozenInstanceError):
            thing.other = 5


def test_equality_looks_at_class_and_fields_alone():
    assert Point(1) == Point(1, 2, [])
    assert Point(1) != Point(2)
    assert Pair(1, 2) == Pair(1, 2)
    assert Pair(1, 2) != Pair(2, 1)
    assert Point(1) != Usual(1)
    assert Pair(1, 2) != (1, 2)
    asked = Point(1)
    assert asked.total == 3
    assert asked == Point(1)
    assert repr(asked) == repr(Point(1))


def test_hash():
    step = TraceStep("a", "q0", ("m",))
    assert hash(step) == hash(TraceStep("a", "q0", components=("m",)))
    assert len({step, TraceStep("a", "q0", ("m",)), TraceStep("b", "q0")}) == 2
    with pytest.raises(TypeError):
        hash(Point(1))


def test_replace_checks_anew():
    assert replace(Point(1), y=9) == Point(1, 9)
    with pytest.raises(TypeError):
        replace(Point(1), z=1)
    with pytest.raises(Exception, match="limit"):
        replace(Options(), limit=-1)


def test_asdict_goes_into_records():
    trace = Trace(TraceStep("", "q0"), (TraceStep("a", "q1", added=True),), "P")
    assert asdict(trace)["steps"][0]["added"] is True


@pytest.mark.parametrize(
    "thing", [Point(1, names=["a"]), Pair(1, 2), Diagnostic("c", "m", line=4)]
)
def test_copies(thing):
    assert pickle.loads(pickle.dumps(thing)) == thing
    assert copy.copy(thing) == thing
    assert copy.deepcopy(thing) == thing


def test_matching():
    match Point(4, 5):
        case Point(x, y=5):
            assert x == 4
        case _:
            pytest.fail("no match")
