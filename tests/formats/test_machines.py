"""Objects of Python's state machine packages, where those are installed."""

import pytest

import symrob


def rows(lts):
    return {(lts.state_name(s), a, lts.state_name(t)) for s, a, t in lts.transitions}


def test_what_is_no_machine_is_refused():
    with pytest.raises(symrob.SymrobError, match="expected a machine"):
        symrob.from_machine(3)


def test_transitions():
    package = pytest.importorskip("transitions")
    machine = package.Machine(states=["a", "b"], initial="a")
    machine.add_transition("go", "a", "b", conditions=lambda: 1 / 0)
    machine.add_transition("back", "*", "a")
    machine.add_transition("stay", "b", "=")
    lts = symrob.from_machine(machine)
    plain = {
        ("a", "go", "b"),
        ("a", "back", "a"),
        ("b", "back", "a"),
        ("b", "stay", "b"),
    }
    assert rows(lts) == plain
    ignoring = symrob.from_machine(machine, ignoring=True)
    more = {("a", "go", "a"), ("a", "stay", "a"), ("b", "go", "b")}
    assert rows(ignoring) == plain | more


def test_hierarchical_transitions():
    nesting = pytest.importorskip("transitions.extensions.nesting")
    inner = ["x", "y", {"name": "p", "parallel": ["q", "r"]}]
    machine = nesting.HierarchicalMachine(
        states=["off", {"name": "on", "initial": "x", "children": inner}],
        initial="off",
        transitions=[["up", "off", "on"], ["down", "on", "off"], ["n", "on_x", "on_p"]],
    )
    both = "on_p_q+on_p_r"
    assert rows(symrob.from_machine(machine)) == {
        ("off", "up", "on_x"),
        ("on_x", "n", both),
        ("on_x", "down", "off"),
        (both, "down", "off"),
    }


def test_python_statemachine():
    package = pytest.importorskip("statemachine")

    class Light(package.StateMachine):
        green = package.State(initial=True)
        red = package.State(final=True)
        stop = green.to(red, cond="never_called")
        wait = green.to.itself(internal=True)

        def never_called(self):
            return True

    for machine in (Light, Light()):
        lts = symrob.from_machine(machine)
        assert rows(lts) == {("green", "stop", "red"), ("green", "wait", "green")}
        assert lts.end == 1
