"""Supremica modules with variables, instances and guards over others."""

import re
from itertools import product
from pathlib import Path
from random import Random

import pytest

import symrob
from symrob.errors import LimitExceeded, SymrobError
from symrob.formats import Limits, parts_of, read
from tests.formats import wmod_random
from tests.formats.wmod_random import PLANT, SPEC, Machine, Module
from tests.strength import examples


@pytest.mark.parametrize("start", range(0, examples(80, 1_600), 80))
def test_random_modules_mean_what_their_states_say(tmp_path, start):
    seen = set()
    for seed in range(start, start + 80):
        rng = Random(seed)
        module = wmod_random.random_module(rng)
        path = tmp_path / "r.wmod"
        path.write_text(wmod_random.text(module), "utf-8")
        try:
            envelope = symrob.load_case(path, environment="E").compute()
        except symrob.NominalViolation:
            assert not wmod_random.safe(module), seed
            seen.add("unsafe")
            continue
        except SymrobError as error:
            # Nothing is a property, or E is multiplied out with others.
            seen |= {d.code for d in error.diagnostics}
            continue
        assert wmod_random.safe(module), seed
        seen |= set(_compared(module, envelope, rng, seed))
    assert seen == {"unsafe", True, False, "case-role", "case-part"}


@pytest.mark.parametrize(("key", "acts"), [("properties", False), ("guards", True)])
def test_random_modules_mean_what_a_case_says_of_roles(tmp_path, key, acts):
    seen = set()
    for seed in range(examples(30, 500)):
        rng = Random(seed)
        module = wmod_random.random_module(rng)
        module.machines[3].acts = acts
        written(tmp_path, wmod_random.text(module))
        text = f'[roles]\nmodel = "m.wmod"\nenvironment = ["E"]\n{key} = ["R"]\n'
        path = written(tmp_path, text, "case.toml")
        try:
            envelope = symrob.load_case(path).compute()
        except symrob.NominalViolation:
            assert not wmod_random.safe(module), seed
            seen.add("unsafe")
            continue
        except SymrobError as error:
            # All of it is a guard of C, or one that C cannot be.
            seen |= {d.code for d in error.diagnostics}
            continue
        assert wmod_random.safe(module), seed
        seen |= set(_compared(module, envelope, rng, seed))
    assert {"unsafe", True, False} <= seen or (acts and "case-role" in seen)


def _compared(module, envelope, rng, seed):
    """Yield whether sets of new transitions are safe, which both say alike."""
    e, mine = envelope.environment, module.machines[0]
    every = product(range(mine.states), mine.alphabet, range(mine.states))
    have = {(s, a, t) for s, (a,), _guards, _actions, t in mine.edges}
    candidates = [each for each in every if each not in have]
    delta = [frozenset(d.new) for d in envelope]
    number = {i: e.names.index(f"L{i}") for i in range(mine.states)}
    several = [rng.sample(candidates, min(3, len(candidates))) for _ in range(3)]
    for some in (*([c] for c in candidates), *several):
        meant = {(number[s], a, number[t]) for s, a, t in some}
        expected = wmod_random.safe(module, some)
        assert any(meant <= d for d in delta) == expected, (seed, some)
        yield expected


def written(tmp_path, text, name="m.wmod"):
    path = tmp_path / name
    path.write_text(text, "utf-8")
    return str(path)


def problems(tmp_path, text, limits=None):
    with pytest.raises(SymrobError) as caught:
        parts_of(written(tmp_path, text), limits=limits or Limits())
    return [(d.line, d.message) for d in caught.value.diagnostics]


def same(left, right):
    return "==", ("name", left), (("int" if isinstance(right, int) else "name"), right)


PRODUCER = Machine("P", PLANT, 1, ("put",))
CONSUMER = Machine("C", PLANT, 1, ("get",))
PRODUCER.edges = [(0, ("put",), [], [("+=", "n", ("int", 1))], 0)]
CONSUMER.edges = [(0, ("get",), [], [("-=", "n", ("int", 1))], 0)]
COUNTED = {"n": ((0, 1, 2), (0,))}


def test_a_variable_that_all_change_alike_is_an_automaton(tmp_path):
    module = Module(("get",), ("put",), [PRODUCER, CONSUMER], COUNTED)
    network = read(written(tmp_path, wmod_random.text(module))).network
    assert network.component_names == ("P", "C", "n")
    assert network.components[2].names == ("0", "1", "2")
    assert network.components[2].transitions == (
        (0, "put", 1),
        (1, "get", 0),
        (1, "put", 2),
        (2, "get", 1),
    )


def test_a_variable_is_of_e_only_with_all_that_change_it(tmp_path):
    rule = Machine("R", SPEC, 1, ("put",))
    rule.edges = [(0, ("put",), [same("n", 0)], [], 0)]
    module = Module(("get",), ("put",), [PRODUCER, CONSUMER, rule], COUNTED)
    path = written(tmp_path, wmod_random.text(module))
    parts = parts_of(path)
    assert parts.environment == ("P",)
    assert parts.sentences == ("put only while n is 0",)
    # Where 'get' is not controllable, its automaton still is.
    stop = Machine("C", PLANT, 1, ("get", "stop"), CONSUMER.edges)
    half = Module(("stop",), ("get", "put"), [PRODUCER, stop, rule], COUNTED)
    path = written(tmp_path, wmod_random.text(half))
    assert parts_of(path).environment == ("P",)
    # Both are E where nothing is controllable.
    free = Module((), ("get", "put"), [PRODUCER, CONSUMER, rule], COUNTED)
    path = written(tmp_path, wmod_random.text(free))
    assert parts_of(path).environment == ("P", "C", "n")


def test_a_variable_that_a_supervisor_changes_too_is_of_c(tmp_path):
    taker = Machine("C", "SUPERVISOR", 1, ("get",), CONSUMER.edges)
    rule = Machine("R", SPEC, 2, ("put", "get"))
    rule.edges = [(0, ("put",), [], [], 1), (1, ("get",), [], [], 0)]
    module = Module(("get",), ("put",), [PRODUCER, taker, rule], COUNTED)
    path = written(tmp_path, wmod_random.text(module))
    parts = parts_of(path)
    assert (parts.plants, parts.controllers) == (("P",), ("C", "n"))
    # C takes nothing before the second 'put', which 'n' allows and R does not.
    with pytest.raises(symrob.NominalViolation):
        symrob.load_case(path).compute()
    # A plant that reads it cannot be E.
    reader = Machine("P", PLANT, 1, ("put",))
    change = [("+=", "n", ("int", 1))]
    reader.edges = [(0, ("put",), [("<", ("name", "n"), ("int", 1))], change, 0)]
    module = Module(("get",), ("put",), [reader, taker, rule], COUNTED)
    path = written(tmp_path, wmod_random.text(module))
    with pytest.raises(SymrobError, match=r"'P' depends on n.*\n.*assign 'P' to C"):
        symrob.load_case(path, environment="P")


def test_guards_over_others_are_guards_of_c(tmp_path):
    """A specification reads a plant, and a plant the variable of another."""
    sensor = Machine("S", PLANT, 2, ("up", "down"))
    sensor.edges = [(0, ("up",), [], [], 1), (1, ("down",), [], [], 0)]
    door = Machine("D", PLANT, 2, ("open", "shut"))
    door.edges = [
        (0, ("open",), [same("S", "L0")], [("=", "v", ("name", "wide"))], 1),
        (1, ("shut",), [], [("=", "v", ("name", "closed"))], 0),
    ]
    lamp = Machine("L", PLANT, 1, ("blink",))
    lamp.edges = [(0, ("blink",), [same("v", "wide")], [], 0)]
    rule = Machine("R", SPEC, 1, ("up",))
    rule.edges = [(0, ("up",), [("!", same("v", "wide"))], [], 0)]
    module = Module(
        ("open", "shut", "blink"),
        ("up", "down"),
        [sensor, door, lamp, rule],
        {"v": (("closed", "wide"), ("closed",))},
    )
    parts = parts_of(written(tmp_path, wmod_random.text(module)))
    assert parts.environment == ("S",)
    assert parts.guards == (
        "open enabled only while S is L0",
        "blink enabled only while D is L1.v=wide",
    )
    assert parts.sentences == ("up only while not D is L1.v=wide",)


def test_a_guarded_specification_keeps_its_forbidden_states(tmp_path):
    rule = Machine("R", SPEC, 2, ("put", "get"), forbidden=(1,))
    rule.edges = [(0, ("put",), [], [], 1), (0, ("get",), [same("n", 1)], [], 0)]
    module = Module(("get",), ("put",), [PRODUCER, CONSUMER, rule], COUNTED)
    path = written(tmp_path, wmod_random.text(module))
    assert parts_of(path).sentences == ("never R is violated",)
    assert not wmod_random.safe(module)
    with pytest.raises(symrob.NominalViolation):
        symrob.load_case(path).compute()


def test_what_leads_to_a_forbidden_state_is_blocked_if_it_can_be(tmp_path):
    rule = Machine("R", SPEC, 2, ("put", "get"), forbidden=(1,))
    rule.edges = [(0, ("get",), [], [], 1), (0, ("put",), [], [], 0)]
    module = Module(("get",), ("put",), [PRODUCER, CONSUMER, rule], COUNTED)
    path = written(tmp_path, wmod_random.text(module))
    assert wmod_random.safe(module)
    assert symrob.load_case(path).compute().complete


def test_a_specification_does_not_decide_for_a_plant(tmp_path):
    """Both change a variable: what leaves its range would be blocked, not violated."""
    rule = Machine("R", SPEC, 1, ("put",))
    rule.edges = [(0, ("put",), [], [("+=", "n", ("int", 1))], 0)]
    module = Module(("get",), ("put",), [CONSUMER, rule], COUNTED)
    ((_, message),) = problems(tmp_path, wmod_random.text(module))
    why = ": for 'put', an edge of R reads or changes n"
    assert message == f"R and n have different roles, but form one component{why}"


def test_either_guard_lets_two_edges_happen(tmp_path):
    machine = Machine("A", PLANT, 1, ("go",))
    rows = [(0, ("go",), [same(name, "L0")], [], 0) for name in "PC"]
    machine.edges = rows
    others = [Machine(n, PLANT, 2, (n.lower(),)) for n in "PC"]
    for other in others:
        other.edges = [(0, other.alphabet, [], [], 1)]
    module = Module(("go",), ("p", "c"), [*others, machine], {})
    parts = parts_of(written(tmp_path, wmod_random.text(module)))
    assert parts.guards == ("go enabled only while P is L0 or C is L0",)


def test_next_values_are_chosen_so_that_guards_hold(tmp_path):
    more = (">", ("next", "n"), ("name", "n"))
    machine = Machine("A", PLANT, 1, ("put",))
    machine.edges = [(0, ("put",), [more], [], 0)]
    path = written(tmp_path, wmod_random.text(Module((), ("put",), [machine], COUNTED)))
    lts = read(path).network
    assert lts.names == ("L0.n=0", "L0.n=1", "L0.n=2")
    assert lts.transitions == ((0, "put", 1), (0, "put", 2), (1, "put", 2))


def test_edges_that_assign_different_values_exclude_each_other(tmp_path):
    one, two = (Machine(n, PLANT, 1, ("put",)) for n in "AB")
    one.edges = [
        (0, ("put",), [], [("=", "n", ("int", 1))], 0),
        (0, ("put",), [], [("=", "n", ("int", 2))], 0),
    ]
    two.edges = [(0, ("put",), [("==", ("next", "n"), ("int", 2))], [], 0)]
    module = Module((), ("put",), [one, two], COUNTED)
    network = read(written(tmp_path, wmod_random.text(module))).network
    assert network.component_names == ("A+n", "B")
    assert network.components[0].names == ("L0+n=0", "L0+n=2")
    assert network.components[0].transitions == ((0, "put", 1), (1, "put", 1))


def test_a_forbidden_state_of_a_plant_must_not_be_reached(tmp_path):
    machine = Machine("A", PLANT, 2, ("put",), forbidden=(1,))
    machine.edges = [(0, ("put",), [], [], 1)]
    parts = parts_of(
        written(tmp_path, wmod_random.text(Module((), ("put",), [machine], {})))
    )
    assert parts.sentences == ("never A is L1",)


def test_internal_steps_to_forbidden_states_are_conditions_on_states(tmp_path):
    """An idiom of Supremica's users: the guard must never hold."""
    rule = Machine("R", SPEC, 2, (), forbidden=(1,))
    rule.edges = [
        (0, ("tau",), [same("n", 2)], [], 1),
        (0, ("tau",), [("!", same("n", 2))], [], 0),
    ]
    module = Module(("get",), ("put", "tau"), [PRODUCER, CONSUMER, rule], COUNTED)
    path = written(tmp_path, wmod_random.text(module))
    assert parts_of(path).sentences == ("never n is 2",)
    with pytest.raises(symrob.NominalViolation):
        symrob.load_case(path).compute()


CELL = """<Module xmlns="http://waters.sourceforge.net/xsd/module" Name="cell">
<ConstantAliasList><ConstantAlias Name="N" Scope="OPTIONAL_PARAMETER">
<ConstantAliasExpression><IntConstant Value="1"/></ConstantAliasExpression>
</ConstantAlias></ConstantAliasList>
<EventDeclList><EventDecl Kind="CONTROLLABLE" Name="go" Scope="REQUIRED_PARAMETER"/>
<EventDecl Kind="UNCONTROLLABLE" Name="done"/></EventDeclList>
<ComponentList><VariableComponent Name="n"><VariableRange>
<BinaryExpression Operator=".."><IntConstant Value="0"/><SimpleIdentifier Name="N"/>
</BinaryExpression></VariableRange></VariableComponent>
<SimpleComponent Kind="PLANT" Name="M"><Graph><NodeList>
<SimpleNode Name="I" Initial="true"/></NodeList><EdgeList>
<Edge Source="I" Target="I"><LabelBlock><SimpleIdentifier Name="go"/></LabelBlock>
<GuardActionBlock><Actions><BinaryExpression Operator="+="><SimpleIdentifier Name="n"/>
<IntConstant Value="1"/></BinaryExpression></Actions></GuardActionBlock></Edge>
<Edge Source="I" Target="I"><LabelBlock><SimpleIdentifier Name="done"/></LabelBlock>
</Edge></EdgeList></Graph></SimpleComponent></ComponentList></Module>
"""
LINE = """<Module xmlns="http://waters.sourceforge.net/xsd/module" Name="line">
<EventDeclList><EventDecl Kind="CONTROLLABLE" Name="start"><RangeList>
<BinaryExpression Operator=".."><IntConstant Value="1"/><IntConstant Value="2"/>
</BinaryExpression></RangeList></EventDecl></EventDeclList><ComponentList>
<ForeachComponent Name="i"><BinaryExpression Operator=".."><IntConstant Value="1"/>
<IntConstant Value="2"/></BinaryExpression><ComponentList>
<Instance ModuleName="cell"><IndexedIdentifier Name="cell"><SimpleIdentifier Name="i"/>
</IndexedIdentifier><BindingList><ParameterBinding Name="go">
<IndexedIdentifier Name="start"><SimpleIdentifier Name="i"/></IndexedIdentifier>
</ParameterBinding><ParameterBinding Name="N"><SimpleIdentifier Name="i"/>
</ParameterBinding></BindingList></Instance></ComponentList></ForeachComponent>
<SimpleComponent Kind="SPEC" Name="R"><Graph><NodeList>
<SimpleNode Name="I" Initial="true"/></NodeList><EdgeList>
<Edge Source="I" Target="I"><LabelBlock><IndexedIdentifier Name="start">
<IntConstant Value="1"/></IndexedIdentifier></LabelBlock><GuardActionBlock><Guards>
<BinaryExpression Operator="=="><QualifiedIdentifier><IndexedIdentifier Name="cell">
<IntConstant Value="2"/></IndexedIdentifier><SimpleIdentifier Name="n"/>
</QualifiedIdentifier><IntConstant Value="0"/></BinaryExpression></Guards>
</GuardActionBlock></Edge></EdgeList></Graph></SimpleComponent>
</ComponentList></Module>
"""


def test_instances_are_read_with_what_they_are_given(tmp_path):
    written(tmp_path, CELL, "cell.wmod")
    path = written(tmp_path, LINE, "line.wmod")
    network = read(path).network
    assert network.component_names == ("cell[1].M", "cell[2].M")
    assert network.alphabet == (
        "cell[1].done",
        "cell[2].done",
        "start[1]",
        "start[2]",
    )
    assert [lts.size for lts in network.components] == [2, 3]
    # No value is said to be the first one: each of them can be.
    assert [lts.initial for lts in network.components] == [(0, 1), (0, 1, 2)]
    assert parts_of(path).guards == (
        "'start[1]' enabled only while 'cell[2].M' is I.n=0",
    )


def test_instances_tell_what_is_wrong(tmp_path):
    path = tmp_path / "cell.wmod"
    path.write_text(CELL.replace('Name="I" Initial="true"', 'Name="I"'))
    found = problems(tmp_path, LINE)
    assert {re.sub(r"\[.\]", "", message) for _, message in found} == {
        "no state of 'cell.M' is initial"
    }
    path.write_text(CELL)
    wrong = LINE.replace('ParameterBinding Name="go"', 'ParameterBinding Name="gone"')
    words = [message for _, message in problems(tmp_path, wrong)]
    assert any("has no parameter 'gone'" in message for message in words)
    assert any("the parameter 'go' is not bound to an event" in m for m in words)
    path.write_text(LINE)
    words = [message for _, message in problems(tmp_path, LINE)]
    assert any("'cell' instantiates itself" in message for message in words)
    path.unlink()
    ((line, message), *_) = problems(tmp_path, LINE)
    assert line == 7
    assert "the module 'cell': cannot read" in message


def test_an_instance_does_not_leave_the_folder(tmp_path):
    (tmp_path / "in").mkdir()
    written(tmp_path, CELL, "cell.wmod")
    out = LINE.replace('ModuleName="cell"', 'ModuleName="../cell"')
    with pytest.raises(SymrobError) as caught:
        read(written(tmp_path, out, "in/line.wmod"))
    assert any("outside" in d.message for d in caught.value.diagnostics)


@pytest.mark.parametrize(
    ("guard", "words"),
    [
        (same("nix", 0), "no variable, constant or automaton 'nix' is declared"),
        (same("A", "L7"), "expected a state of the automaton 'A'"),
        (("name", "A"), "'A' is an automaton: compare it with a state"),
        (("+", ("name", "n"), ("name", "red")), "'red' is declared"),
        (("==", ("/", ("int", 1), ("int", 0)), ("name", "n")), "division by zero"),
        (("^", ("name", "n"), ("int", 1)), "the operator '^' is not supported"),
    ],
)
def test_guards_that_are_not_read_have_a_place(tmp_path, guard, words):
    machine = Machine("A", PLANT, 1, ("put",))
    machine.edges = [(0, ("put",), [guard], [], 0), (0, ("put",), [guard], [], 0)]
    path = wmod_random.text(Module((), ("put",), [machine], COUNTED))
    found = problems(tmp_path, path)
    assert len({line for line, _ in found}) == 2
    assert all(words in message for _, message in found), found


def test_damage_gives_few_problems_and_no_traceback(tmp_path):
    rng = Random(7)
    texts = [wmod_random.text(wmod_random.random_module(rng)) for _ in range(8)]
    texts += [LINE, Path("tests/data/formats/two_machines.wmod").read_text()]
    written(tmp_path, CELL, "cell.wmod")
    counts = []
    for seed in range(200):
        rng = Random(seed)
        words = re.findall(r'"[^"]*"|<[^<>"]*|[^<"]', rng.choice(texts))
        values = [i for i, word in enumerate(words) if word.startswith('"')]
        for _ in range(rng.randint(1, 3)):
            place = rng.choice(values)
            words[place] = words[rng.choice(values)]
        try:
            parts_of(written(tmp_path, "".join(words)))
        except SymrobError as error:
            counts.append(len(error.diagnostics))
    assert 60 < len(counts) < 200
    assert max(counts) < 30


def test_bounds_name_themselves(tmp_path):
    wide = {"n": ((0, 10**8), (0,))}
    machine = Machine("A", PLANT, 1, ("put",))
    machine.edges = [(0, ("put",), [], [("+=", "n", ("int", 1))], 0)]
    text = wmod_random.text(Module((), ("put",), [machine], wide))
    ((_, message),) = problems(tmp_path, text)
    assert "a range of 100000001 values" in message
    text = text.replace(str(10**8), "99")
    with pytest.raises(LimitExceeded, match=r"max.states"):
        read(written(tmp_path, text), limits=Limits(max_states=50))
