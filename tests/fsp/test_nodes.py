"""Nodes of syntax trees are made by position, matched, and copied as a whole."""

import copy
import pickle

import pytest

from symrob.formats.fsp.ast import Name, Range, SyntaxNode


class Pair(SyntaxNode):
    left: int
    right: int


def test_a_node_is_made_and_matched():
    match Pair(0, 1, 2):
        case Pair(_, 1, right=found):
            assert found == 2
    for values in ((), (1, 2), (1, 2, 3, 4)):
        with pytest.raises(ValueError, match="zip"):
            Pair(*values)


def test_the_children_of_a_node_come_in_the_order_of_its_fields():
    low, high = Name(1, "a"), Name(2, "b")
    assert [*Range(0, low, (high, (low,))).children()] == [low, high, low]


def test_copies():
    node = Range(0, Name(1, "a"), 5)
    for twin in (pickle.loads(pickle.dumps(node)), copy.deepcopy(node)):
        assert (twin.pos, twin.low.text, twin.high) == (0, "a", 5)
