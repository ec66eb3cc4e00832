"""Which events of CIF happen, whom they concern, and what its requirements say."""

import pytest

import symrob

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
