"""FSP text written for a system means that system, read by symrob's front end."""

import re

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from symrob.formats import read, render, write
from symrob.formats.fsp import load_text
from symrob.lts import ERROR, TAU, Lts, Network
from symrob.lts.product import product
from tests.formats.strategies import FSP_ACTIONS, NASTY_ACTIONS, networks, systems


def fsp(system):
    lines, warnings = render(system, ".lts")
    return "\n".join(lines) + "\n", [w.message for w in warnings]


def reached(lts):
    seen, todo = {0}, [0]
    while todo:
        state = todo.pop()
        for source, _action, target in lts.transitions:
            if source == state and target not in seen | {ERROR}:
                seen.add(target)
                todo.append(target)
    return seen


def meaning(lts, name):
    """Transitions of the reached part with states by name, alphabet and END."""
    kept = reached(lts)
    names = {s: name(s) for s in kept} | {ERROR: "ERROR"}
    assert len(set(names.values())) == len(names)
    moves = {(names[s], a, names[t]) for s, a, t in lts.transitions if s in kept}
    end = names[lts.end] if lts.end in kept else None
    return names[0], set(names.values()), moves, lts.alphabet, end


def held_end(lts):
    """The END state, if FSP can hold it."""
    return lts.end if lts.end and not lts.successors[lts.end] else None


def expected_name(lts):
    """The names that reading gives the states of an unnamed system."""
    end = held_end(lts)
    return lambda state: "END" if state == end else f"S{state}"


def read_name(lts, original):
    """The names of `lts` as read; `STOP` is the first state without transitions."""
    end = held_end(original)
    rows = original.successors
    stuck = [s for s in range(original.size) if not rows[s] and s != end]

    def name(state):
        own = lts.names[state]
        return f"S{stuck[0]}" if own == "STOP" else own

    return name


@given(systems(FSP_ACTIONS, names=False))
@example(Lts([], 1, []))
@example(Lts(["a"], 1, []))
@example(Lts(["a"], 1, [(0, TAU, ERROR)]))
@example(Lts(["a", "b"], 3, [(0, "a", 1), (0, "a", 2)]))
@example(Lts(["a", "b"], 3, [(0, "a", 1), (0, "b", 2)], end=1))
@example(Lts(["a"], 2, [(0, TAU, 1), (1, TAU, 0), (0, TAU, 0)]))
def test_reading_gives_the_system_back(lts):
    text, warnings = fsp(lts)
    again = load_text(text).network
    assert isinstance(again, Lts)
    ours = meaning(lts, expected_name(lts))
    if lts.end != held_end(lts):
        ours = (*ours[:-1], None)
        assert any("END is written as an ordinary state" in w for w in warnings)
    assert meaning(again, read_name(again, lts)) == ours
    unreachable = len(reached(lts)) < lts.size
    assert unreachable == any("unreachable" in w for w in warnings)


@given(systems(FSP_ACTIONS + NASTY_ACTIONS, names=False), st.booleans())
def test_nasty_names_are_renamed_one_to_one(lts, as_network):
    text, warnings = fsp(Network([lts]) if as_network else lts)
    again = load_text(text).network
    assert len(again.alphabet) == len(lts.alphabet)
    kept = set(lts.alphabet) & set(again.alphabet)
    assert kept >= set(lts.alphabet) & set(FSP_ACTIONS)
    renamed = [w for w in warnings if "actions are written under other names" in w]
    assert bool(renamed) == (kept != set(lts.alphabet))


@given(networks())
def test_a_network_keeps_components_and_hides_the_same(network):
    text, _warnings = fsp(network)
    again = load_text(text).network
    assert len(again.components) == len(network.components)
    assert set(again.alphabet) == set(network.alphabet)
    assert bisimilar(product(again), product(network))


def bisimilar(left, right):
    """Whether two systems are strongly bisimilar, by refining blocks of states."""
    moves = {
        (side, s): set()
        for side, lts in enumerate((left, right))
        for s in range(lts.size)
    }
    for side, lts in enumerate((left, right)):
        for source, action, target in lts.transitions:
            moves[side, source].add((action, (side, target)))
    block = dict.fromkeys(moves, 0)
    count = 0
    while len(set(block.values())) > count:
        count = len(set(block.values()))
        signs = {
            s: (
                block[s],
                frozenset((a, block.get(t, ERROR)) for a, t in row),
            )
            for s, row in moves.items()
        }
        ranks = {sign: i for i, sign in enumerate(dict.fromkeys(signs.values()))}
        block = {s: ranks[signs[s]] for s in moves}
    return block[0, 0] == block[1, 0]


def test_the_judge_of_networks_tells_systems_apart():
    """Equal traces but another branching: the check above is not too lenient."""
    early = Lts(
        ["a", "b", "c"], 3, [(0, "a", 1), (0, "a", 2), (1, "b", 0), (2, "c", 0)]
    )
    late = Lts(["a", "b", "c"], 2, [(0, "a", 1), (1, "b", 0), (1, "c", 0)])
    assert bisimilar(early, early)
    assert not bisimilar(early, late)


def test_names_of_states_are_kept(tmp_path):
    lts = Lts(
        ["a", "b"],
        3,
        [(0, "a", 1), (1, "b", 2), (2, "a", 0)],
        names=["RUN[0]", "RUN[1]", "IDLE"],
    )
    path = tmp_path / "x.lts"
    assert write(lts, str(path)) == ()
    assert read(str(path)).network == lts
    assert "RUN[1] = (b -> IDLE)" in path.read_text("utf-8")


@pytest.mark.parametrize("names", [["SYSTEM", "RUN"], ["RUN", "SYSTEM"]])
def test_a_state_may_be_called_like_the_process(names):
    lts = Lts(["a"], 2, [(0, "a", 1), (1, "a", 0)], names=names)
    text, warnings = fsp(lts)
    read = load_text(text).network
    assert read.transitions == lts.transitions
    # FSP knows the first state by the name of the process.
    kept = names[0] == "SYSTEM"
    assert ([*read.names] == names) is kept
    assert ["'SYSTEM' as 'S1'" in w for w in warnings] == [True] * (not kept)


def test_components_with_names_of_their_own():
    parts = [Lts(["a"], 1, [(0, "a", 0)])] * 3
    _, warnings = fsp(Network(parts, component_names=["P", "one.1:P", ""]))
    said = "components are written under other names: 'one.1:P' as 'ONE_1_P'"
    assert [*warnings] == [said]


def test_names_with_and_without_index_live_together():
    lts = Lts(["a"], 2, [(0, "a", 1), (1, "a", 0)], names=["RUN", "RUN[1]"])
    text, warnings = fsp(lts)
    assert load_text(text).network == lts
    assert warnings == []


def test_changed_names_are_told():
    lts = Lts(["PUT !1"], 2, [(0, "PUT !1", 1)], names=["idle", "busy"])
    text, warnings = fsp(lts)
    assert warnings == [
        "actions are written under other names: 'PUT !1' as '_PUT__1'",
        "SYSTEM: states are written under other names: 'idle' as 'S0', 'busy' as 'S1'",
    ]
    assert "_PUT__1 -> S1" in text


def test_unreachable_states_are_written_and_told():
    lts = Lts(["a", "b"], 2, [(0, "a", 0), (1, "b", 0)])
    text, warnings = fsp(lts)
    assert "S1 = (b -> S0)" in text
    assert len(warnings) == 1
    assert "1 unreachable state will be dropped" in warnings[0]
    assert load_text(text).network.alphabet == ("a", "b")


def test_long_choices_are_folded():
    actions = [f"action_number_{i}" for i in range(12)]
    lts = Lts(actions, 12, [(0, a, i) for i, a in enumerate(actions)])
    text, _warnings = fsp(lts)
    assert max(map(len, text.splitlines())) <= 80
    assert re.search(r"^    \| action_number_5 -> S5", text, re.MULTILINE)
