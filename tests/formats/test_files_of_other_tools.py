"""Files of Supremica, CIF, mCRL2, SCXML and XState: what is read, what is refused."""

import pytest

from symrob.errors import LimitExceeded, SymrobError
from symrob.formats import Limits, parts_of, read
from symrob.lts import ERROR


def lts_of(tmp_path, name, text, part=None, **options):
    path = tmp_path / name
    path.write_text(text, "utf-8")
    return read(str(path), process=part, **options).network


def problems(tmp_path, name, text):
    """The line and the message of each problem of a file."""
    with pytest.raises(SymrobError) as caught:
        lts_of(tmp_path, name, text)
    found = caught.value.diagnostics
    assert isinstance(caught.value, LimitExceeded) == all(d.is_limit for d in found)
    return [(d.line, d.message) for d in caught.value.diagnostics]


# --- Supremica -------------------------------------------------------------

HEAD = '<Module xmlns="http://waters.sourceforge.net/xsd/module" Name="m">\n'
EVENTS = (
    "<EventDeclList>"
    '<EventDecl Kind="CONTROLLABLE" Name="get"/>'
    '<EventDecl Kind="UNCONTROLLABLE" Name="put"/>'
    '<EventDecl Kind="PROPOSITION" Name=":forbidden"/>'
    "</EventDeclList>\n"
)


def module(*components, events=EVENTS):
    body = "".join(f"{c}\n" for c in components)
    return f"{HEAD}{events}<ComponentList>\n{body}</ComponentList></Module>"


def node(name, *, initial=False, mark=None):
    first = ' Initial="true"' if initial else ""
    inner = f'<EventList><SimpleIdentifier Name="{mark}"/></EventList>' if mark else ""
    return f'<SimpleNode Name="{name}"{first}>{inner}</SimpleNode>'


def edge(source, event, target, guard=""):
    return (
        f'<Edge Source="{source}" Target="{target}"><LabelBlock>'
        f'<SimpleIdentifier Name="{event}"/></LabelBlock>{guard}</Edge>'
    )


def automaton(name, kind, nodes, edges, block=""):
    return (
        f'<SimpleComponent Kind="{kind}" Name="{name}"><Graph>{block}'
        f"<NodeList>{''.join(nodes)}</NodeList><EdgeList>{''.join(edges)}</EdgeList>"
        "</Graph></SimpleComponent>"
    )


PLANT = automaton(
    "P:1",
    "PLANT",
    [node("A"), node("B", initial=True)],
    [edge("B", "get", "A"), edge("A", "put", "B")],
)
SPEC = automaton(
    "S",
    "SPEC",
    [node("I", initial=True), node("X", mark=":forbidden")],
    [edge("I", "put", "X")],
    '<LabelBlock><SimpleIdentifier Name="get"/></LabelBlock>',
)


def test_wmod_reads_plants_and_specifications(tmp_path):
    network = lts_of(tmp_path, "m.wmod", module(PLANT, SPEC))
    plant, spec = network.components
    assert network.component_names == ("P:1", "S")
    assert plant.names == ("B", "A")
    assert plant.transitions == ((0, "get", 1), (1, "put", 0))
    assert spec.alphabet == ("get", "put")
    assert spec.transitions == ((0, "put", ERROR),)
    assert lts_of(tmp_path, "m.wmod", module(PLANT, SPEC), part="P:1") == plant
    parts = parts_of(str(tmp_path / "m.wmod"))
    assert (parts.plants, parts.specifications) == (("P:1",), ("S",))
    with pytest.raises(SymrobError, match="has no automaton 'Q'"):
        lts_of(tmp_path, "m.wmod", module(PLANT, SPEC), part="S,Q")


def test_wmod_unfolds_loops_arrays_and_groups(tmp_path):
    spans = (
        '<BinaryExpression Operator=".."><IntConstant Value="1"/>'
        '<SimpleIdentifier Name="N"/></BinaryExpression>'
    )
    text = (
        f"{HEAD}<ConstantAliasList><ConstantAlias Name='N'><ConstantAliasExpression>"
        '<IntConstant Value="2"/></ConstantAliasExpression></ConstantAlias>'
        '</ConstantAliasList><EventDeclList><EventDecl Kind="CONTROLLABLE" Name="e">'
        f"<RangeList>{spans}</RangeList></EventDecl></EventDeclList><ComponentList>"
        f'<ForeachComponent Name="i">{spans}<ComponentList>'
        '<SimpleComponent Kind="PLANT"><IndexedIdentifier Name="M">'
        '<SimpleIdentifier Name="i"/></IndexedIdentifier><Graph><NodeList>'
        f"{node('A', initial=True)}{node('B')}"
        '<GroupNode Name="G"><NodeRef Name="A"/><NodeRef Name="B"/></GroupNode>'
        '</NodeList><EdgeList><Edge Source="G" Target="B"><LabelBlock>'
        '<IndexedIdentifier Name="e"><SimpleIdentifier Name="i"/></IndexedIdentifier>'
        "</LabelBlock></Edge></EdgeList></Graph></SimpleComponent></ComponentList>"
        "</ForeachComponent></ComponentList></Module>"
    )
    network = lts_of(tmp_path, "m.wmod", text)
    assert network.component_names == ("M[1]", "M[2]")
    assert network.components[1].transitions == ((0, "e[2]", 1), (1, "e[2]", 1))


VARIABLE = (
    '<VariableComponent Name="n"><VariableRange><BinaryExpression Operator="..">'
    '<IntConstant Value="0"/><IntConstant Value="2"/></BinaryExpression>'
    '</VariableRange><VariableInitial><BinaryExpression Operator="==">'
    '<SimpleIdentifier Name="n"/><IntConstant Value="1"/></BinaryExpression>'
    "</VariableInitial></VariableComponent>"
)


def change(sign, amount, guard=""):
    guards = f"<Guards>{guard}</Guards>" if guard else ""
    return (
        f'<GuardActionBlock>{guards}<Actions><BinaryExpression Operator="{sign}">'
        f'<SimpleIdentifier Name="n"/><IntConstant Value="{amount}"/>'
        "</BinaryExpression></Actions></GuardActionBlock>"
    )


def test_wmod_unfolds_variables_of_one_automaton(tmp_path):
    """A counter from 0 to 2 that begins with 1; beyond its range nothing is done."""
    counter = automaton(
        "C",
        "PLANT",
        [node("S", initial=True)],
        [
            edge("S", "put", "S", change("+=", 1)),
            edge("S", "get", "S", change("-=", 1)),
        ],
    )
    lts = lts_of(tmp_path, "m.wmod", module(VARIABLE, counter))
    assert lts.names == ("S.n=1", "S.n=0", "S.n=2")
    assert lts.transitions == (
        (0, "get", 1),
        (0, "put", 2),
        (1, "put", 0),
        (2, "get", 0),
    )


def test_wmod_tells_all_problems_at_once(tmp_path):
    bad = automaton(
        "Q",
        "PLANT",
        [node("A"), node("A")],
        [edge("A", "nix", "A"), edge("A", "get", "Z")],
    )
    odd = automaton("R", "ROBOT", [node("A", initial=True)], [])
    instance = '<Instance ModuleName="other" Name="I"/>'
    found = problems(tmp_path, "m.wmod", module(bad, odd, instance))
    assert [line for line, _ in found] == [4, 4, 4, 4, 5, 6]
    text = " ".join(message for _, message in found)
    for words in (
        "two states have the name 'A'",
        "no event 'nix' is declared",
        "'Q' has no state 'Z'; its states: A",
        "no state of 'Q' is initial",
        "the kind of 'R' is not one of",
        "the module 'other': cannot read",
    ):
        assert words in text


# --- CIF -------------------------------------------------------------------


def test_cif_reads_groups_alphabets_and_monitors(tmp_path):
    text = """controllable c_on, c_off; uncontrollable u; // events
group g:
  @doc("text (in brackets)")
  plant p:
    uncontrollable x;
    location $off: initial; marked; edge c_on goto on;
    location on: edge c_off goto $off; edge x, tau;
  end
end
requirement automaton r:
  alphabet c_on, g.p.x, u;
  location: initial true; marked; edge c_on; edge .g.p.x goto ERROR;
  location ERROR;
end
/* a supervisor */ supervisor s:
  monitor u;
  location a: initial; edge c_off goto b;
  location b;
end
"""
    network = lts_of(tmp_path, "m.cif", text)
    plant, rule, control = network.components
    assert network.component_names == ("g.p", "r", "s")
    assert plant.transitions == (
        (0, "c_on", 1),
        (1, "c_off", 0),
        (1, "g.p.x", 1),
        (1, "tau", 1),
    )
    assert rule.alphabet == ("c_on", "g.p.x", "u")
    assert rule.transitions == ((0, "c_on", 0), (0, "g.p.x", ERROR))
    assert set(control.transitions) == {(0, "c_off", 1), (0, "u", 0), (1, "u", 1)}
    parts = parts_of(str(tmp_path / "m.cif"))
    assert (parts.plants, parts.controllers) == (("g.p",), ("s",))


def test_cif_leaves_out_drawings_markings_and_guards_that_are_constant(tmp_path):
    text = """controllable c, d;
svgout id "lamp" attr "fill" value if p.a: "red" else "blue" end;
plant p:
  location a: initial; marked if p.b: false else true end; edge c when true goto b;
  location b: initial false; edge d when false; edge c;
end
"""
    lts = lts_of(tmp_path, "m.cif", text)
    assert lts.alphabet == ("c", "d")
    assert lts.transitions == ((0, "c", 1), (1, "c", 1))


@pytest.mark.parametrize("word", ["$", "^", ".", "$^"])
def test_cif_wants_a_whole_name_for_an_event(tmp_path, word):
    text = f"controllable c; plant p: location a: initial; edge {word} goto a; end"
    ((_, message),) = problems(tmp_path, "m.cif", text)
    assert "expected an event" in message


# --- statecharts -----------------------------------------------------------

SCXML = '<scxml xmlns="http://www.w3.org/2005/07/scxml">\n{}\n</scxml>'


def test_scxml_refuses_history_and_what_it_does_not_know(tmp_path):
    body = (
        '<state id="a"><transition event="e" target="nowhere"/></state>\n'
        '<state id="b"><history id="h"><transition target="c"/></history>\n'
        '<state id="c"/></state>\n<state id="a"/>\n<blob/>'
    )
    found = problems(tmp_path, "x.scxml", SCXML.format(body))
    assert [line for line, _ in found] == [2, 3, 5, 6]
    assert "no state has the name 'nowhere'" in found[0][1]
    with pytest.raises(SymrobError, match="the states: a, b, h, c"):
        lts_of(tmp_path, "x.scxml", SCXML.format(body))
    assert "history states are not supported" in found[1][1]


def test_xstate_refuses_history_and_targets_that_are_none(tmp_path):
    text = """{"id": "m", "initial": "c", "states": {
 "a": {"type": "history"},
 "b": {"on": {"GO": "x"}},
 "d": {"type": "odd"}}}"""
    found = problems(tmp_path, "x.json", text)
    assert [line for line, _ in found] == [1, 2, 3, 4]
    assert any("must be one of" in told and 'not "odd"' in told for _, told in found)


def test_an_unknown_role_is_named(tmp_path):
    text = """{"schema": "symrob/model/1", "systems": [
 {"name": "m", "role": "judge", "initial": "A", "transitions": [["A", "a", "A"]]}]}"""
    told = [message for _, message in problems(tmp_path, "x.json", text)]
    assert any("must be one of" in t and 'not "judge"' in t for t in told), told


@pytest.mark.parametrize("ignoring", [False, True])
def test_what_a_state_does_not_handle(tmp_path, ignoring):
    body = (
        '<state id="a"><transition event="e" target="b" cond="x"/></state>'
        '<state id="b"><transition event="f" target="a"/></state>'
    )
    part = "ignoring" if ignoring else None
    lts = lts_of(tmp_path, "x.scxml", SCXML.format(body), part)
    rows = {(0, "e", 1), (1, "f", 0)}
    # Where the guard fails, the event is ignored as well.
    more = {(0, "e", 0), (0, "f", 0), (1, "e", 1)}
    assert set(lts.transitions) == (rows | more if ignoring else rows)
    file = read(str(tmp_path / "x.scxml"), process=part)
    codes = [w.code for w in file.warnings]
    assert codes == ["chart-guard", *([] if ignoring else ["chart-ignored"])]
    assert "1 guard is not evaluated: it becomes a choice" in str(file.warnings[0])


def test_steps_that_never_end_are_told(tmp_path):
    circle = (
        '<state id="a"><transition target="b"/></state>'
        '<state id="b"><transition target="a"/></state>'
    )
    ((_, message),) = problems(tmp_path, "x.scxml", SCXML.format(circle))
    assert "eventless transitions form a cycle" in message
    raising = (
        '<state id="a"><onentry><raise event="e"/><raise event="e"/></onentry>'
        '<transition event="e" target="a"/></state>'
    )
    ((_, message),) = problems(tmp_path, "x.scxml", SCXML.format(raising))
    assert "without end" in message


# --- hostile files ---------------------------------------------------------

BOMB = '<!DOCTYPE x [<!ENTITY a "b"><!ENTITY c "&a;&a;">]>'
OUTSIDE = '<!DOCTYPE x [<!ENTITY a SYSTEM "file:///etc/passwd">]>'
PARAMETER = '<!DOCTYPE x [<!ENTITY % a SYSTEM "file:///etc/passwd"> %a;]>'


@pytest.mark.parametrize("name", ["x.scxml", "x.wmod"])
@pytest.mark.parametrize("head", [BOMB, OUTSIDE, PARAMETER])
def test_no_entity_is_read(tmp_path, name, head):
    ((line, message),) = problems(tmp_path, name, f"{head}<scxml>&a;</scxml>")
    assert line == 1
    assert message.startswith("entities are not supported")


@pytest.mark.parametrize("name", ["x.scxml", "x.wmod"])
def test_a_document_type_is_not_fetched(tmp_path, name):
    text = '<!DOCTYPE scxml SYSTEM "http://127.0.0.1:9/x.dtd"><scxml>&a;</scxml>'
    ((_, message),) = problems(tmp_path, name, text)
    assert "unknown entity 'a'" in message


@pytest.mark.parametrize("name", ["x.scxml", "x.wmod"])
def test_no_xml_is_told_with_its_place(tmp_path, name):
    found = problems(tmp_path, name, "<a>\n<b></a>")
    assert found == [(2, "not valid XML: mismatched tag")]
    found = problems(tmp_path, name, "<a>" * 500)
    assert "nested more than 100 deep" in found[0][1]
    ((_, message),) = problems(tmp_path, name, '<?xml version="1.0" encoding="x"?><a/>')
    assert "encoding" in message


def test_deep_files_end_in_messages(tmp_path):
    deep = '{"states": {"a": ' * 3000 + "{}" + "}}" * 3000
    assert problems(tmp_path, "x.json", deep)
    assert problems(tmp_path, "x.cif", "group g:\n" * 3000)
    assert problems(tmp_path, "y.cif", "plant p: location " * 60)


def test_too_many_configurations_are_a_limit(tmp_path):
    region = (
        '<state id="r{0}"><state id="a{0}"><transition event="e{0}" target="b{0}"/>'
        '</state><state id="b{0}"/></state>'
    )
    regions = "".join(region.format(i) for i in range(12))
    text = SCXML.format(f'<parallel id="p">{regions}</parallel>')
    path = tmp_path / "x.scxml"
    path.write_text(text)
    with pytest.raises(LimitExceeded, match="max_states"):
        read(str(path), limits=Limits(max_states=100))
    assert read(str(path)).network.size == 4096


def test_many_guards_are_a_limit(tmp_path):
    rows = "".join(f'<transition event="e" cond="x" target="s{i}"/>' for i in range(9))
    states = "".join(f'<state id="s{i}"/>' for i in range(9))
    region = f"<state>{rows.replace('target', 'x')}</state>"
    text = SCXML.format(f"<parallel>{region * 8}</parallel>{states}")
    path = tmp_path / "x.scxml"
    path.write_text(text)
    with pytest.raises(LimitExceeded, match="max_expansion"):
        read(str(path), limits=Limits(max_expansion=1000))
