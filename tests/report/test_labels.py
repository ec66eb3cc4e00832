"""Labels keep out of the way of lines that are not theirs."""

import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from symrob.api import analyse, load_roles
from symrob.case import load_case
from symrob.options import Options
from symrob.report.curves import Box, on_piece, samples
from symrob.report.labels import Lane, settled
from symrob.report.picture import deviation_picture
from symrob.report.svg import to_svg
from tests.cli.tools import ROOT
from tests.report.svgtools import of_class
from tests.report.test_pictures import check_geometry, same_edge

NUMBERS = st.integers(-60, 60)
POINTS = st.tuples(NUMBERS, NUMBERS)
BOXES = st.builds(Box, NUMBERS, NUMBERS, st.integers(1, 50), st.integers(1, 50))


def between(start, end, t):
    return (start[0] + (end[0] - start[0]) * t, start[1] + (end[1] - start[1]) * t)


@given(BOXES, POINTS, POINTS)
def test_a_line_meets_a_box_if_one_of_its_points_is_inside(box, start, end):
    """Against many points of the line; a mere touch counts as nothing."""
    points = [
        (
            start[0] + (end[0] - start[0]) * k / 500,
            start[1] + (end[1] - start[1]) * k / 500,
        )
        for k in range(501)
    ]
    if any(box.holds(p, -0.01) for p in points):
        assert box.meets(start, end)
    if not any(box.holds(p, 0.5) for p in points):
        assert not box.meets(start, end)


@given(BOXES, BOXES)
def test_near_boxes(one, other):
    corners = [
        (other.x + dx * k / 50, other.y + dy * j / 50)
        for dx, dy in [(other.width / 2, other.height / 2)]
        for k in range(-50, 51)
        for j in (-50, -25, 0, 25, 50)
    ]
    if any(one.holds(p, -0.01) for p in corners):
        assert one.near(other)
        assert other.near(one)


def line(start, end):
    """A straight line as a curve, an arrow at its end."""
    return tuple(between(start, end, k / 3) for k in range(4))


def lane(start, end, width=20, height=10, *, loop=False):
    curve = line(start, end)
    x, y = on_piece(curve, 0.5)
    return Lane((curve,), curve[-1], Box(x, y, width, height), loop)


LANES = st.lists(st.builds(lane, POINTS, POINTS, loop=st.booleans()), max_size=6)


def crossed(box, lanes, own):
    """By many points of each line, not by what the code does."""
    return sum(
        any(box.holds(p, 3.0) for curve in other.curves for p in samples(curve, 400))
        for i, other in enumerate(lanes)
        if i != own
    )


@settings(max_examples=60)
@given(LANES, st.lists(BOXES, max_size=3))
def test_no_label_gets_worse_and_none_moves_without_need(lanes, states):
    places = settled(lanes, states)
    for i, (old, new) in enumerate(zip(lanes, places, strict=True)):
        assert (new.width, new.height) == (old.label.width, old.label.height)
        if new == old.label:
            continue
        assert not old.loop
        before, after = crossed(old.label, lanes, i), crossed(new, lanes, i)
        # A line that only grazes a box is seen by one of the two ways to look.
        assume(before > 0)
        assert after < before
        points = [p for curve in old.curves for p in samples(curve)]
        assert (new.x, new.y) in points
        boxes = [*states, *places[:i], *places[i + 1 :]]
        assert not any(new.near(box) for box in boxes)


def test_a_label_moves_off_a_line_along_its_own():
    across, down = lane((0, 0), (0, 200)), lane((-50, 100), (50, 100))
    places = settled([across, down], [])
    assert crossed(places[0], [across, down], 0) == 0
    assert abs(places[0].x) < 0.01
    assert 10 <= abs(places[0].y - 100) < 40


def test_a_label_stays_where_there_is_no_better_place():
    short = lane((0, 90), (0, 110))
    across = lane((-50, 100), (50, 100))
    assert settled([short, across], [])[0] == short.label
    blocked = [Box(0, 60, 30, 60), Box(0, 140, 30, 60)]
    long = lane((0, 0), (0, 200))
    assert settled([long, across], blocked)[0] == long.label


@pytest.mark.parametrize(
    ("case", "hide"),
    [
        ("link/link", True),
        ("token_ring/token_ring_4", True),
        ("voting/voting_cfm_unconstrained", False),
    ],
)
def test_dense_pictures_in_which_a_line_ran_behind_a_label(case, hide):
    roles = load_roles(load_case(str(ROOT / f"models/{case}.toml")))
    envelope = analyse(roles, Options(limit=3))
    deviation = max(envelope, key=len)
    picture = deviation_picture(
        envelope.environment,
        deviation,
        inert=envelope.never_firing(deviation),
        hide_inert=hide,
    )
    groups = check_geometry(to_svg(picture))
    for label in of_class(groups, "label"):
        for edge in of_class(groups, "edge"):
            through = any(label.area.holds(p, slack=-2.0) for p in edge.path)
            assert same_edge(edge, label) or not through
