"""Which events of CIF happen, whom they concern, and what its requirements say."""

import pytest

import symrob
from symrob.errors import SymrobError
from symrob.formats import read
from symrob.report.run import violated

U = "uncontrollable u; controllable c;\n"
E0 = "plant E0: location A: initial; edge u goto B; location B: edge u goto A; end\n"
C0 = "plant C0: location A: initial; edge u; edge c; end\n"
S0 = "supervisor C0: location A: initial; edge u; end\n"


def hazardous(tmp_path, text, environment=None):
    """The hazardous candidates; None where the nominal system violates P."""
    path = tmp_path / "m.cif"
    path.write_text(text, "utf-8")
    try:
        found = symrob.load_case(path, environment=environment).compute()
    except symrob.NominalViolation:
        return None
    names = found.environment.names
    return {(names[s], a, names[t]) for s, a, t in found.judged.hazardous}


@pytest.mark.parametrize(
    ("requirements", "expected"),
    [
        ("requirement R0: location P: initial; edge c when P; end", set()),
        (
            "requirement R0: location P: initial; edge c when E0.A or E0.B; end "
            "requirement R1: location P: initial; edge c when R0.P; "
            "edge u when E0.A; end",
            None,
        ),
    ],
)
def test_a_requirement_of_one_location_that_is_read(tmp_path, requirements, expected):
    assert hazardous(tmp_path, U + E0 + C0 + requirements, "E0") == expected


@pytest.mark.parametrize("watched", ["monitor u;", "monitor;", ""])
@pytest.mark.parametrize(("kind", "named"), [("supervisor", None), ("plant", "E0")])
def test_a_monitor_blocks_nothing(tmp_path, watched, kind, named):
    """Its guard reads another automaton; whoever is no monitor does block."""
    text = f"{U}{E0}{kind} C0: {watched} location A: initial; edge u when E0.B; end "
    text += "requirement invariant not E0.B;"
    expected = None if watched else set()
    assert hazardous(tmp_path, text, named) == expected


def test_where_a_monitor_goes_must_not_depend_on_other_roles(tmp_path):
    text = f"{U}{E0}{S0}requirement invariant E0.A;"
    text += "requirement R: monitor u; location A: initial; "
    with pytest.raises(SymrobError, match="the target of 'u' depends on E0"):
        hazardous(tmp_path, f"{text}edge u when E0.B goto B; location B: end")
    # In one component of E, it moves where its guard holds, and else stays.
    text = f"{U}{E0}plant M: monitor u; location A: initial; edge u when E0.B goto B; "
    text += f"location B: end {S0}requirement invariant not M.B or E0.A;"
    assert hazardous(tmp_path, text) is None


@pytest.mark.parametrize(("last", "why"), [(1, ""), (2, "for 'h', an edge of U reads")])
def test_a_channel_that_passes_one_constant_reads_no_data(tmp_path, last, why):
    text = (
        "uncontrollable int h; plant T: location A: initial; edge h!1 goto B; "
        f"location B: edge h!{last} goto A; end "
        "supervisor U: disc int[0..3] x = 0; location A: initial; "
        "edge h? do x := ?; end requirement invariant U.x = 0;"
    )
    if not why:
        assert hazardous(tmp_path, text) is None
        return
    with pytest.raises(SymrobError, match=why):
        hazardous(tmp_path, text)


H = "uncontrollable u, v; uncontrollable void h;\n"
E1 = "plant E0: location A: initial; edge u goto B; location B: {}end\n"


def test_a_channel_without_a_receiver_never_happens(tmp_path):
    text = f"{H}{E1.format('edge h! goto A; ')}{S0.replace('edge c; ', '')}"
    both = "requirement R: location P: initial; edge h; edge u; end requirement "
    assert hazardous(tmp_path, f"{text}{both}h needs E0.B;") == set()
    # A requirement for such an event is kept, although nothing violates it.
    assert hazardous(tmp_path, f"{text}requirement h needs E0.B;") == set()
    assert hazardous(tmp_path, f"{text}requirement u needs E0.B;") is None


def test_a_channel_of_requirements_alone_never_happens(tmp_path):
    text = (
        f"{H}{E1.format('')}{S0}requirement R0: disc int[0..2] n = 0; location P: "
        "initial; edge u when n != 1 or E0.B; edge h; end"
    )
    assert hazardous(tmp_path, text) == set()


@pytest.mark.parametrize("also", ["", "edge c; "])
def test_an_event_of_requirements_alone_never_happens(tmp_path, also):
    text = (
        f"uncontrollable x; {U}{E0}{C0}requirement R: location P: initial; {also}"
        f"edge x goto Q; location Q: {also}end"
    )
    assert hazardous(tmp_path, text, "E0") == set()
    # Where E is another file, it happens.
    (tmp_path / "e.aut").write_text('des (0, 1, 1)\n(0, "x", 0)\n', "utf-8")
    text = text.replace("edge x", "edge x when C0.A")
    assert hazardous(tmp_path, text, str(tmp_path / "e.aut")) is None


@pytest.mark.parametrize(
    "requirement",
    [
        "requirement invariant C0.n <= 2;",
        "requirement R0: location P: initial; edge u when E0.A or E0.B; end",
        "requirement R0: location P: initial; edge u when E0.A or E0.B goto Q; "
        "location Q: edge u goto P; end",
        "requirement R0: monitor; location P: initial; edge u when E0.A; end",
        "requirement c needs E0.A;",
    ],
)
def test_a_requirement_that_always_holds_is_a_property(tmp_path, requirement):
    text = f"{U}{E0}supervisor C0: disc int[0..9] n = 0; location A: initial; "
    text += f"edge u when n < 2 do n := n + 1; end {requirement}"
    assert hazardous(tmp_path, text) == set()
    # Beside another, it stays one.
    text += " requirement invariant not E0.B or C0.n = 1;"
    assert hazardous(tmp_path, text) is not None
    assert len(symrob.load_case(tmp_path / "m.cif").roles.properties) == 2


@pytest.mark.parametrize("guard", ["true", "(E0.A or E0.B)"])
@pytest.mark.parametrize(
    ("requirement", "expected"),
    [
        ("edge u when {}; location Q: initial; end", None),
        ("edge u when {} and n = 0; end", None),
        ("edge u when {}; end", set()),
        ("edge u goto P; edge u goto Q; edge c when {}; location Q: end", None),
        ("edge u; edge tau goto Q; edge c when {}; location Q: end", None),
    ],
)
def test_a_requirement_with_a_choice_allows_all_of_it(
    tmp_path, guard, requirement, expected
):
    """Whatever it chooses, at the start or later, with and without guards."""
    text = f"{U}{E0}{S0}requirement R0: disc int[0..1] n in {{0, 1}}; location P: "
    text += f"initial; {requirement.format(guard)}"
    assert hazardous(tmp_path, text) == expected


def test_a_requirement_with_a_choice_remains_a_part_of_the_model(tmp_path):
    two = "requirement R0: location P: initial; edge u; location Q: initial; end"
    hazardous(tmp_path, f"{U}{E0}{S0}{two}")
    path = str(tmp_path / "m.cif")
    assert read(path).network.component_names == ("E0", "C0", "R0")
    assert read(path, process="R0").network.components[0].initial == (0, 1)


def test_a_sentence_with_a_quoted_name_has_other_quotes_around_it(tmp_path):
    text = f"{H}plant E0: location A: initial; edge u; edge h! goto B; location B: end "
    text += "supervisor C0: location A: initial; edge h?; end supervisor C1: location "
    text += "A: initial; edge h?; end requirement h needs E0.B;"
    assert hazardous(tmp_path, text) is None
    with pytest.raises(symrob.NominalViolation) as told:
        symrob.load_case(tmp_path / "m.cif").compute()
    assert violated(told.value.trace) == "\"'h!E0?C0' only while E0 is B\""
