"""All texts of grammar/: what LTSA made of them, and where mistakes show.

The expected systems in grammar/accept are answers of LTSA 3.0 itself (own cases
were worked out by hand), so this is an oracle that shares no code with symrob.
"""

import json
from pathlib import Path

import pytest

from symrob.errors import SymrobError
from symrob.formats.fsp import lint_text, load_text
from symrob.lts import Lts
from symrob.lts.product import product
from tests.oracles.equivalence import isomorphism, strongly_bisimilar

GRAMMAR = Path(__file__).parents[2] / "grammar"
ACCEPT = sorted((GRAMMAR / "accept").glob("*.lts"))
REJECT = sorted((GRAMMAR / "reject").glob("*.lts"))

# Where symrob differs on purpose; grammar/README.md gives the reasons.
STRICTER = {
    "default_picks_hash_order": ("fsp-ambiguous", 3),
    "error_by_undefined_local": ("fsp-undefined-local", 2),
    "seq_after_prefix": ("fsp-undefined-local", 4),
}


def read(path):
    text = path.read_text(encoding="utf-8")
    answer = json.loads(path.with_suffix(".json").read_text(encoding="utf-8"))
    target = answer.get("target") if "// target:" in text else None
    return text, answer, target


def test_the_kit_is_here():
    assert len(ACCEPT) >= 126
    assert len(REJECT) >= 47


@pytest.mark.parametrize("path", ACCEPT, ids=lambda p: p.stem)
def test_accepted(path):
    """Isomorphic to LTSA's system, or strongly bisimilar if nondeterministic."""
    text, answer, target = read(path)
    if path.stem in STRICTER:
        with pytest.raises(SymrobError) as caught:
            load_text(text, process=target)
        (problem,) = caught.value.diagnostics
        assert (problem.code, problem.line) == STRICTER[path.stem]
        return
    lts = product(load_text(text, process=target).network)
    expected = Lts(
        answer["alphabet"],
        answer["states"],
        answer["transitions"],
        end=answer["end"],
    )
    assert list(lts.alphabet) == answer["alphabet"]
    assert lts.size == answer["states"]
    if expected.deterministic:
        assert isomorphism(lts, expected) is not None
    else:
        assert strongly_bisimilar(lts, expected)


@pytest.mark.parametrize("path", REJECT, ids=lambda p: p.stem)
def test_rejected(path):
    """Refused, and nothing but the right lines are blamed."""
    text, answer, target = read(path)
    with pytest.raises(SymrobError) as caught:
        load_text(text, file=path.name, process=target)
    problems = caught.value.diagnostics
    if "problems" in answer:
        assert [[p.line, p.column, p.code] for p in problems] == answer["problems"]
    elif answer["line"] is not None:
        assert {p.line for p in problems} == {answer["line"]}
    for problem in problems:
        assert problem.file == path.name
        assert problem.source in text.split("\n")
        assert 1 <= problem.column <= len(problem.source) + 1
    # Which composite is meant is a question of loading, not of the text.
    codes = {p.code for p in problems} - {"fsp-ambiguous"}
    assert codes <= {p.code for p in lint_text(text, file=path.name)}


def test_the_oracle_can_say_no():
    text, answer, _target = read(GRAMMAR / "accept" / "guard_counter.lts")
    lts = product(load_text(text).network)
    wrong = [t for t in answer["transitions"] if t != [1, "dec", 0]]
    assert isomorphism(lts, Lts(answer["alphabet"], 4, wrong)) is None


def test_an_index_outside_becomes_error_with_a_warning():
    text, answer, _target = read(GRAMMAR / "accept" / "error_by_index.lts")
    model = load_text(text)
    assert len(model.warnings) == len(answer["warnings"]) == 2
    assert {w.code for w in model.warnings} == {"fsp-index-outside"}
