"""Nodes of syntax trees are as frozen data classes are, made without generated code."""

import copy
import pickle
from dataclasses import FrozenInstanceError

import pytest

from symrob.formats.fsp.node import Node


class Pair(Node):
    left: int
    right: int


def test_a_node_is_made_shown_and_matched():
    pair = Pair(0, 1, 2)
    assert repr(pair) == "Pair(pos=0, left=1, right=2)"
    match pair:
        case Pair(_, 1, right=found):
            assert found == 2
    for values in ((), (1, 2), (1, 2, 3, 4)):
        with pytest.raises(ValueError, match="zip"):
            Pair(*values)


def test_nothing_can_be_changed():
    pair = Pair(0, 1, 2)
    for name in ("left", "other"):
        with pytest.raises(FrozenInstanceError):
            setattr(pair, name, 5)
    with pytest.raises(FrozenInstanceError):
        del pair.left


def test_equality_and_hash_and_copies():
    pair = Pair(0, 1, 2)
    assert pair == Pair(0, 1, 2)
    assert pair != Pair(0, 2, 1)
    assert pair != (1, 2)
    assert len({pair, Pair(0, 1, 2), Pair(0, 2, 1)}) == 2
    assert pickle.loads(pickle.dumps(pair)) == pair
    assert copy.copy(pair) == copy.deepcopy(pair) == pair
