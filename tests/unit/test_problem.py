"""What is checked before anything runs, and what starting in ERROR means."""

import pytest

import symrob
from symrob import ERROR, TAU, Lts, Network
from symrob.errors import NominalViolation, SymrobError

ENVIRONMENT = Lts(["a", "b"], 2, [(0, "a", 1)])
MACHINE = Lts(["a", "b"], 1, [(0, "a", 0), (0, "b", 0)])
ALLOWS_ALL = Lts(["a"], 1, [(0, "a", 0)])
FAILS_AT_START = Lts(["a"], 2, [(0, TAU, 1), (1, TAU, ERROR), (0, "a", 0)])
NEVER_B = Lts(["b"], 1, [])


def test_a_constraint_that_fails_at_start_has_an_empty_trace():
    idle = Lts(["a"], 1, [])
    with pytest.raises(NominalViolation) as caught:
        symrob.compute(idle, MACHINE, Lts(["a"], 1, [(0, "a", 0)]), [FAILS_AT_START])
    assert caught.value.trace.steps == ()
    assert caught.value.trace.violated == "constraint 1"
    assert caught.value.diagnostics[0].code == "nominal-constraint"


def test_a_property_that_fails_at_start_has_an_empty_trace():
    still = Lts(["a"], 1, [])
    with pytest.raises(NominalViolation) as caught:
        symrob.compute(ENVIRONMENT, still, [ALLOWS_ALL, FAILS_AT_START])
    assert caught.value.trace.steps == ()
    assert caught.value.trace.violated == "property 2"
    assert caught.value.diagnostics[0].code == "nominal-property"


def test_a_machine_that_starts_in_error_violates_after_one_step():
    broken = Lts(["a"], 1, [(0, TAU, ERROR)])
    with pytest.raises(NominalViolation) as caught:
        symrob.compute(ENVIRONMENT, broken, ALLOWS_ALL)
    assert caught.value.trace.actions == (TAU,)
    assert "own ERROR" in caught.value.trace.violated


def test_the_trace_names_the_property_and_every_state():
    machine = Lts(["a", "b"], 2, [(0, "a", 1), (1, "b", 0)], names=["IDLE", "BUSY"])
    environment = Lts(["a", "b"], 2, [(0, "a", 1), (1, "b", 0)], names=["HOME", "AWAY"])
    with pytest.raises(NominalViolation) as caught:
        symrob.compute(environment, machine, [ALLOWS_ALL, NEVER_B])
    trace = caught.value.trace
    assert trace.actions == ("a", "b")
    assert trace.violated == "property 2"
    assert [s.environment for s in (trace.start, *trace.steps)] == [
        "HOME",
        "AWAY",
        "HOME",
    ]
    assert trace.steps[0].components == ("BUSY",)
    assert trace.steps[1].monitors == ("0", "ERROR")


def test_all_problems_at_once():
    with pytest.raises(SymrobError) as caught:
        symrob.compute(
            Lts(["a"], 1, [(0, "a", ERROR)]),
            MACHINE,
            [],
            [Lts(["z"], 1, [(0, "z", 0)])],
            extra_states=0,
        )
    codes = {d.code for d in caught.value.diagnostics}
    assert codes == {
        "problem-environment-error",
        "problem-no-property",
        "problem-constraint-alphabet",
    }


def test_actions_that_nobody_has_are_named():
    strange = Lts(["a", "nobody"], 1, [(0, "a", 0)])
    found = symrob.compute(ENVIRONMENT, MACHINE, strange)
    warning, vacuous = found.warnings
    assert warning.message.endswith("they never happen: nobody")
    assert vacuous.message.endswith("these actions cannot happen: nobody")
    (deviation,) = found
    assert len(deviation) == 8


def test_a_hidden_action_only_shares_its_name_with_the_environment():
    """The machine hides a `b` that it never takes; the environment's is free."""
    machine = Network([Lts(["a", "b"], 1, [(0, "a", 0)])], hidden=["b"])
    (deviation,) = symrob.compute(ENVIRONMENT, machine, NEVER_B)
    assert len(deviation) == 4
    assert {t.action for t in deviation} == {"a"}
    with pytest.raises(SymrobError, match="no component has"):
        Network([MACHINE], hidden=["c"])


def test_components_of_a_property_may_share_a_hidden_action():
    """`b` only after `a`, told from one component to the other by `h`."""
    first = Lts(["a", "h"], 2, [(0, "a", 1), (1, "h", 0)])
    second = Lts(["b", "h"], 2, [(0, "h", 1), (1, "b", 0)])
    property_ = Network([first, second], hidden=["h"])
    environment = Lts(["a", "b"], 2, [(0, "a", 1), (1, "b", 0)])
    found = symrob.compute(environment, MACHINE, property_)
    new = {tuple(t) for d in found for t in d.new}
    assert (0, "b", 0) not in new
    assert found.complete


def test_extra_states_get_names_that_are_free():
    environment = Lts(["a"], 2, [(0, "a", 1)], names=["new1", "old"])
    found = symrob.compute(environment, MACHINE, ALLOWS_ALL, extra_states=2)
    assert found.environment.names == ("new1", "old", "_new1", "_new2")


@pytest.mark.parametrize(
    "options",
    [
        {"algorithm": "magic"},
        {"backend": "none"},
        {"limit": 0},
        {"timeout": 0},
        {"extra_states": -1},
        {"max_nodes": 0},
    ],
)
def test_options_out_of_range(options):
    with pytest.raises(SymrobError):
        symrob.compute(ENVIRONMENT, MACHINE, ALLOWS_ALL, **options)


def test_a_bound_on_nodes_is_kept():
    machine = Network(
        [
            Lts(["a", f"u{i}"], 9, [(s, f"u{i}", (s * 5 + 1) % 9) for s in range(9)])
            for i in range(6)
        ]
    )
    with pytest.raises(symrob.LimitExceeded, match="max_nodes="):
        symrob.compute(
            ENVIRONMENT, machine, ALLOWS_ALL, max_nodes=10, backend="autoref"
        )


def test_deviations_can_be_pickled():
    import pickle

    (deviation,) = symrob.compute(ENVIRONMENT, MACHINE, ALLOWS_ALL)
    copy = pickle.loads(pickle.dumps(deviation))
    assert copy == deviation
    assert copy.new == deviation.new
