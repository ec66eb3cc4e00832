"""Each dialect of statecharts by its own rules: the smallest chart for each of them."""

import json

import pytest

from symrob.errors import SymrobError
from symrob.formats import read
from symrob.formats.machines import read_machine
from tests.cli.tools import run

M = {"id": "m", "initial": "a"}
DONE = {"initial": "x", "states": {"x": {"on": {"E": "f"}}, "f": {"type": "final"}}}


def lts_of(path, data, part=None):
    path.write_text(data if isinstance(data, str) else json.dumps(data))
    return read(str(path), process=part).network


def after(lts, *events):
    """The states that some events lead to."""
    here = {0}
    for event in events:
        here = {t for s in here for t in lts.successors[s].get(event, ())}
    return {lts.state_name(state) for state in here}


def problems(read_it):
    with pytest.raises(SymrobError) as caught:
        read_it()
    return [(d.line, d.message) for d in caught.value.diagnostics]


REGIONS = {
    "p": {"on": {"E": "p"}},
    "q": {"initial": "x", "states": {"x": {"on": {"F": "y"}}, "y": {}}},
}
AFTER_A = "xstate.after.100.m.a"


@pytest.mark.parametrize(
    ("data", "events", "expected"),
    [
        pytest.param(
            {"id": "m", "type": "parallel", "states": REGIONS},
            ["F", "E"],
            {"p+q.y"},
            id="a target that is the source is internal",
        ),
        pytest.param(
            {
                "id": "m",
                "type": "parallel",
                "states": REGIONS
                | {"p": {"on": {"E": {"target": "p", "reenter": True}}}},
            },
            ["F", "E"],
            {"p+q.x"},
            id="what reenters a region leaves all regions beside it",
        ),
        pytest.param(
            {
                "id": "m",
                "initial": "w",
                "on": {"E": ".out"},
                "states": {
                    "w": {
                        "type": "parallel",
                        "states": {"a": {"on": {"E": {}}}, "b": {}},
                    },
                    "out": {},
                },
            },
            ["E"],
            {"w.a+w.b"},
            id="a parallel state is asked only if no region reacts",
        ),
        pytest.param(
            M
            | {
                "states": {
                    "a": {"on": {"*": "b"}, "after": {"100": "c"}},
                    "b": {},
                    "c": {},
                }
            },
            [AFTER_A],
            {"c"},
            id="the wildcard does not hide delayed transitions",
        ),
        pytest.param(
            M
            | {
                "states": {
                    "a": {"on": {"*": "b"}, "invoke": {"src": "job", "onDone": "c"}},
                    "b": {},
                    "c": {},
                }
            },
            ["xstate.done.actor.0.m.a"],
            {"c"},
            id="nor those of what is invoked",
        ),
        pytest.param(
            M | {"states": {"a": DONE | {"on": {"*": "b"}}, "b": {}}},
            ["E"],
            {"b"},
            id="the wildcard takes done events",
        ),
        pytest.param(
            M
            | {
                "on": {"*": ".b"},
                "states": {"a": {"on": {"E": "d"}, "after": {"100": "c"}}, "b": {}}
                | {"c": {}, "d": {}},
            },
            ["E", AFTER_A],
            set(),
            id="a timer runs out only where its state is active",
        ),
        pytest.param(
            M
            | {"states": {"a": {"on": {"mouse.*": "b"}}, "b": {"on": {"mouse": "b"}}}},
            ["mouse"],
            {"b"},
            id="mouse.* takes mouse",
        ),
        pytest.param(
            M
            | {
                "states": {
                    "a": {"on": {"E": {"target": "b", "guard": "g"}, "*": "c"}},
                    "b": {},
                    "c": {},
                }
            },
            ["E"],
            {"b", "c"},
            id="a guarded exact key falls through since 5.33",
        ),
        pytest.param(
            M
            | {
                "on": {"E": ".d"},
                "states": {
                    "a": {"on": {"E": {"target": "b", "guard": "g"}, "*": "c"}},
                    "b": {},
                    "c": {},
                    "d": {},
                },
            },
            ["E"],
            {"b", "c", "d"},
            id="and excludes the wildcard before",
        ),
        pytest.param(
            M
            | {"states": {"a": {"always": "a", "on": {"E": "b"}}, "b": {"always": {}}}},
            ["E"],
            {"b"},
            id="always to the own state, or to none, ends",
        ),
        pytest.param(
            M | {"always": ".b", "states": {"a": {"always": {}}, "b": {}}},
            [],
            {"a"},
            id="always without a target hides that of the state around",
        ),
        pytest.param(
            {
                "id": "m",
                "type": "parallel",
                "states": {"f": {"type": "final"}, "g": DONE},
                "on": {"E": ".f", "F": {}},
            },
            ["E", "F"],
            set(),
            id="a final region is finished, and the machine ends",
        ),
        pytest.param(
            M
            | {"entry": {"type": "xstate.raise", "params": {"event": {"type": "E"}}}}
            | {"states": {"a": {"on": {"E": "b"}}, "b": {}}},
            [],
            {"b"},
            id="the machine's own entry raises",
        ),
        pytest.param(
            {"id": "m", "type": "parallel", "states": {"2": {}, "1": {}}},
            [],
            {"1+2"},
            id="keys that are numbers come first, in order",
        ),
    ],
)
def test_xstate(tmp_path, data, events, expected):
    assert after(lts_of(tmp_path / "x.json", data), *events) == expected


def test_xstate_in_another_state_a_timer_is_ignored(tmp_path):
    states = {"a": {"on": {"E": "b"}, "after": {"100": "c"}}, "b": {}, "c": {}}
    data = M | {"on": {"*": ".c"}, "states": states}
    assert after(lts_of(tmp_path / "x.json", data, "ignoring"), "E", AFTER_A) == {"b"}


def test_xstate_what_is_not_read_is_named_with_its_place(tmp_path):
    text = """{"id": "m", "initial": "a", "states": {
 "a": {"states": {"x": {}, "y": {}}},
 "b": {"on": {"E": {"cond": "g", "target": "a"}}},
 "c": {"on": {"E": {"target": ["#m.a.x", "#m.b"]}}},
 "d": {"on": {"": "a"}},
 "e": {"on": {"E": null}},
 "f": {"on": {"E": {"internal": false, "target": "a"}}},
 "g": {"onEntry": "x"},
 "h": {"entry": {"type": "xstate.enqueueActions"}},
 "i": {"type": "parallel"},
 "j": {"on": {"a.*.b": "a"}},
 "k": {"invoke": {"src": "s", "onError": {"guard": "g", "target": "a"}}},
 "l": {"route": {}, "id": "l"}
}}"""
    path = tmp_path / "x.json"
    found = dict(problems(lambda: lts_of(path, text)))
    words = {
        2: "no 'initial'",
        3: "'cond' of XState 4",
        4: "cannot be active together",
        5: "no event fits",
        6: "expected a transition",
        7: "'internal' of XState 4",
        8: "'onEntry' of XState 4",
        9: "'xstate.enqueueActions'",
        10: "a parallel state",
        11: "no event fits",
        12: "every guard of 'onError' fails",
        13: "'route' is not supported",
    }
    assert set(found) == set(words)
    assert all(word in found[line] for line, word in words.items()), found


def test_scxml_two_regions_that_finish_at_once_finish_the_whole_once(tmp_path):
    """Each state is active from its own entry on: `done.state.p` comes last."""
    region = (
        '<state id="{0}"><state id="{0}1"><transition event="e" target="{0}2"/></state>'
        '<final id="{0}2"/></state>'
    )
    text = (
        '<scxml xmlns="http://www.w3.org/2005/07/scxml"><parallel id="p">'
        f"{region.format('a')}{region.format('b')}"
        '<transition event="done.state.p" target="one"/></parallel>'
        '<state id="one"><transition event="done.state.b" target="wrong"/>'
        '<transition event="done.state.p" target="wrong"/></state>'
        '<state id="wrong"/></scxml>'
    )
    assert after(lts_of(tmp_path / "x.scxml", text), "e") == {"one"}


def test_scxml_refuses_targets_that_exclude_each_other(tmp_path):
    text = (
        '<scxml xmlns="http://www.w3.org/2005/07/scxml">\n'
        '<state id="a"><transition event="e" target="a b"/></state>\n'
        '<state id="b"/></scxml>'
    )
    ((line, message),) = problems(lambda: lts_of(tmp_path / "x.scxml", text))
    assert line == 2
    assert "'a' and 'b' cannot be active together" in message


def machine(**keys):
    nesting = pytest.importorskip("transitions.extensions.nesting")
    return nesting.HierarchicalMachine(**keys)


def test_transitions_rests_in_a_state_without_initial():
    on = {"name": "on", "children": ["x", "y"]}
    rows = [["up", "off", "on"], ["n", "on", "on_x"], ["n", "on_x", "on_y"]]
    lts = read_machine(
        machine(states=["off", on], initial="off", transitions=rows)
    ).network
    assert after(lts, "up") == {"on"}
    assert after(lts, "up", "n", "n") == {"on_y"}


def test_transitions_declared_in_a_child_whose_parent_has_none():
    inner = {"name": "y", "initial": "p", "children": ["p", "q"]}
    inner |= {"transitions": [["go", "p", "q"]]}
    on = {"name": "on", "initial": "y", "children": ["x", inner]}
    lts = read_machine(machine(states=[on], initial="on")).network
    assert after(lts, "go") == {"on_y_q"}


@pytest.mark.parametrize("automatic", [False, True])
def test_transitions_of_the_user_named_like_automatic_ones(automatic):
    rows = [["to_b", "a", "b"], ["other", "b", "a"]]
    keys = {"states": ["a", "b"], "initial": "a", "auto_transitions": automatic}
    lts = read_machine(machine(transitions=rows, **keys)).network
    assert set(lts.alphabet) == {"to_b", "other"}
    assert after(lts, "to_b") == {"b"}
    assert after(lts, "to_b", "to_b") == ({"b"} if automatic else set())


def test_transitions_takes_one_after_the_other():
    """The region that comes second acts on what the first one has left."""
    p = {"name": "p", "parallel": ["r", "s"]}
    rows = [["e", "p_r", "x"], ["e", "p_s", "y"]]
    keys = {"states": [p, "x", "y"], "initial": "p", "auto_transitions": False}
    assert after(read_machine(machine(transitions=rows, **keys)).network, "e") == {"y"}


def test_an_unknown_target_is_answered_with_the_states():
    given = machine(states=["a", "b"], initial="a", transitions=[["e", "a", "zz"]])
    with pytest.raises(SymrobError, match="hint: its states: a, b"):
        read_machine(given)


@pytest.mark.parametrize(
    ("rows", "word"),
    [
        ([["e", "a", "zz"]], "unknown state 'zz'"),
        ([["e", "a", "p_t"]], "'p_t' is not an initial region"),
    ],
)
def test_transitions_what_is_not_read_is_named(rows, word):
    p = {"name": "p", "children": ["r", "s", "t"], "initial": ["r", "s"]}
    given = machine(states=["a", p], initial="a", transitions=rows)
    ((_, message),) = problems(lambda: read_machine(given))
    assert word in message


def test_python_statemachine_compound_and_parallel_states():
    package = pytest.importorskip("statemachine", minversion="3")
    state = package.State

    class Chart(package.StateChart):
        off = state(initial=True)

        class on(state.Parallel):  # noqa: N801
            class left(state.Compound):  # noqa: N801
                x = state(initial=True)
                y = state(final=True)
                e = x.to(y)

            class right(state.Compound):  # noqa: N801
                u = state(initial=True)
                v = state(final=True)
                f = u.to(v)

        end = state(final=True)
        up = off.to(on)
        done_state_on = on.to(end)

    lts = read_machine(Chart).network
    assert set(lts.alphabet) == {"up", "e", "f"}
    assert after(lts, "up") == {"x+u"}
    assert after(lts, "up", "e") == {"y+u"}
    assert after(lts, "up", "f", "e") == {"end"}


def test_python_statemachine_descriptors_of_events():
    package = pytest.importorskip("statemachine", minversion="3")

    class Chart(package.StateChart):
        a = package.State(initial=True)
        b = package.State()
        a.to(b, event="job")
        b.to(a, event="job.done")

    lts = read_machine(Chart).network
    assert after(lts, "job.done") == {"b"}
    assert after(lts, "job", "job.done") == {"a"}


def test_python_statemachine_refuses_what_its_library_breaks():
    package = pytest.importorskip("statemachine", minversion="3")
    state = package.State

    class Chart(package.StateMachine):
        class c(state.Compound):  # noqa: N801
            x = state(initial=True)
            y = state()
            e = x.to(y) | y.to(x)

        go = c.to(c.y, internal=True)

    ((_, message),) = problems(lambda: read_machine(Chart))
    assert "the internal transition from 'c' is not supported" in message


def test_python_statemachine_ends_in_a_finished_parallel_state():
    package = pytest.importorskip("statemachine", minversion="3")
    state = package.State

    class Chart(package.StateChart):
        class on(state.Parallel):  # noqa: N801
            class left(state.Compound):  # noqa: N801
                x = state(initial=True)
                y = state(final=True)
                e = x.to(y)

        off = state()
        down = on.to(off)
        up = off.to(on)

    lts = read_machine(Chart).network
    assert after(lts, "down") == {"off"}
    assert after(lts, "e") == {"y"}
    assert after(lts, "e", "down") == set()


@pytest.mark.parametrize(
    ("kind", "end"), [("StateChart", "one"), ("StateMachine", "two")]
)
def test_python_statemachine_when_states_of_a_step_are_active(kind, end):
    """In a `StateMachine` all are at once, so that the whole is done too early."""
    package = pytest.importorskip("statemachine", minversion="3")
    state = package.State

    class Chart(getattr(package, kind)):
        class p(state.Parallel):  # noqa: N801
            class a(state.Compound):  # noqa: N801
                x = state(initial=True)
                y = state(final=True)
                x.to(y, event="e")

            class b(state.Compound):  # noqa: N801
                u = state(initial=True)
                v = state(final=True)
                u.to(v, event="e")

        one = state()
        two = state()
        done_state_p = p.to(one)
        done_state_b = one.to(two)
        back = one.to(p) | two.to(p)

    lts = read_machine(Chart).network
    assert after(lts, "e") == {end}
    chart = Chart()
    chart.send("e")
    assert [s.id for s in chart.configuration] == [end]


JUNK = (
    None,
    3,
    "",
    [],
    {},
    True,
    [1],
    {"a": 1},
    "#nope",
    ".q",
    -1,
    [[]],
    {"target": 5},
)


def places(value, at=()):
    """The place of each value in a document."""
    yield at
    pairs = value.items() if isinstance(value, dict) else enumerate(value)
    for key, part in pairs if isinstance(value, dict | list) else ():
        yield from places(part, (*at, key))


def test_a_damaged_machine_is_refused_and_never_a_fault(tmp_path):
    """Each value of a machine in turn is anything else."""
    machine = {
        "initial": "s",
        "states": {
            "s": {
                "initial": "u",
                "states": {
                    "u": {"on": {"E": "v", "F": [{"target": "#t", "guard": "g"}]}},
                    "v": {"type": "final"},
                },
                "onDone": "t",
                "after": {"100": "t"},
                "entry": {"type": "raise", "params": {"event": "Z"}},
            },
            "t": {
                "id": "t",
                "type": "parallel",
                "states": {"a": {"invoke": {"src": "q", "onDone": "#s"}}, "b": {}},
            },
        },
    }
    path = tmp_path / "m.json"
    codes = set()
    for place in [place for place in places(machine) if place]:
        for junk in JUNK:
            damaged = json.loads(json.dumps(machine))
            inner = damaged
            for key in place[:-1]:
                inner = inner[key]
            inner[place[-1]] = junk
            path.write_text(json.dumps(damaged), encoding="utf-8")
            codes.add(run("show", path, "--from", "xstate").code)
    assert codes == {0, 2}
