"""Transitions written as text: what each means, and every way to be wrong."""

import re

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from symrob.case.transitions import parse_transitions
from symrob.errors import SymrobError
from symrob.lts import Lts, Transition

# Names with what makes trouble: brackets, commas, a number, a star, spaces.
NAMES = ("IDLE", "RUN[1]", "RUN[2]", "A,B", "0", "S*", "TWO WORDS")
NURSE = Lts(
    ("a", "b.1", "b.2", "c,d"),
    len(NAMES),
    [(0, "a", 1), (1, "b.1", 2), (1, "tau", 0)],
    names=NAMES,
)


def meaning(text, environment=NURSE, **options):
    (found,) = parse_transitions([text], environment, **options)
    return found


def codes(*texts, environment=NURSE, **options):
    with pytest.raises(SymrobError) as caught:
        parse_transitions(texts, environment, **options)
    return [d.code.removeprefix("transition-") for d in caught.value.diagnostics]


def triples(*rows):
    return frozenset(Transition(*row) for row in rows)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("IDLE,a,IDLE", (0, "a", 0)),
        (" IDLE , a , RUN[1] ", (0, "a", 1)),
        ("1,b.2,5", (1, "b.2", 5)),
        ("A,B,a,A,B", (3, "a", 3)),
        ("IDLE,c,d,A,B", (0, "c,d", 3)),
        ("TWO WORDS,a,IDLE", (6, "a", 0)),
        ("0,a,1", (4, "a", 1)),
        ("S*,a,2", (5, "a", 2)),
    ],
)
def test_one_transition(text, expected):
    """Names, numbers, names before numbers, commas and stars inside names."""
    assert meaning(text) == triples(expected)


def test_a_transition_of_the_environment_is_taken_as_it_stands():
    assert meaning("IDLE,a,RUN[1]") == triples((0, "a", 1))


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("IDLE,a,RUN[*]", [(0, "a", 2)]),
        ("RUN[*],b.*,0", [(q, b, 4) for q in (1, 2) for b in ("b.1", "b.2")]),
        ("A*,c*,*B", [(3, "c,d", 3)]),
        ("2,a,*", [(2, "a", r) for r in range(7)]),
        ("*[*],a,IDLE", [(1, "a", 0), (2, "a", 0)]),
    ],
)
def test_patterns_mean_what_the_environment_lacks(text, expected):
    assert meaning(text) == triples(*expected)


def test_the_widest_pattern_is_all_that_could_be_added():
    assert len(meaning("*,*,*")) == 7 * 4 * 7 - 2


@pytest.mark.parametrize(
    ("text", "code"),
    [
        ("", "syntax"),
        ("IDLE,a", "syntax"),
        ("," * 41, "syntax"),
        ("IDEL,a,IDLE", "state"),
        ("IDLE,a,7", "state"),
        ("IDLE,a,-1", "state"),
        ("IDLE,a,ERROR", "state"),
        ("IDLE,tau,IDLE", "action"),
        ("IDLE,e*,IDLE", "action"),
        ("IDLE,a,99999999999999999999999", "state"),
        ("IDLE,,IDLE", "action"),
    ],
)
def test_what_means_nothing(text, code):
    assert codes(text) == [code]


def test_every_problem_of_every_text_is_reported():
    assert codes("X,y,Z", "IDLE,a,IDLE", "IDLE") == [
        "state",
        "action",
        "state",
        "syntax",
    ]


def test_a_near_name_is_suggested():
    with pytest.raises(SymrobError, match=r"its states: .*RUN\[1\]") as caught:
        parse_transitions(["RUN1,a,IDLE"], NURSE, file="policy.toml")
    (problem,) = caught.value.diagnostics
    assert problem.file == "policy.toml"


def test_a_text_that_can_be_read_in_two_ways():
    both = Lts(("x", "x,y"), 3, (), names=("q", "y,r", "r"))
    assert codes("q,x,y,r", environment=both) == ["ambiguous"]
    assert meaning("0,x,1", both) == triples((0, "x", 1))


def test_a_pattern_that_only_fits_what_is_there():
    full = Lts(("a",), 1, [(0, "a", 0)])
    assert codes("*,a,0", environment=full) == ["none"]
    assert meaning("0,a,0", full) == triples((0, "a", 0))


def test_the_limit_is_exact_and_its_message_names_the_option():
    assert len(meaning("2,a,*", limit=7)) == 7
    assert codes("2,a,*", limit=6) == ["limit"]
    with pytest.raises(SymrobError, match="max_expansion="):
        parse_transitions(["2,a,*"], NURSE, limit=6)


@given(
    st.text("ab[]*", min_size=1, max_size=6),
    st.lists(st.text("ab[]", min_size=1, max_size=6), min_size=1, unique=True),
)
@example("*ab*ba*", ["aba", "abba"])
@example("ab*ba", ["aba", "abba"])
@example("*a*a", ["a", "aa"])
def test_stars_stand_for_any_text(pattern, names):
    """Against a regular expression."""
    environment = Lts(names, 1, ())
    fits = re.compile(".*".join(map(re.escape, pattern.split("*"))))
    expected = {a for a in names if fits.fullmatch(a)}
    if expected:
        assert {t.action for t in meaning(f"0,{pattern},0", environment)} == expected
    else:
        assert codes(f"0,{pattern},0", environment=environment) == ["action"]
