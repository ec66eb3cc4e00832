"""Damaged and made-up texts: an answer or a `SymrobError`, and soon.

The profile `ci` takes less than 30 seconds; HYPOTHESIS_PROFILE=thorough looks
longer. A finding becomes a case of test_limits.py or test_messages.py.
"""

import time
from pathlib import Path

from hypothesis import given, settings
from hypothesis import strategies as st

from symrob.errors import SymrobError
from symrob.formats.fsp import Limits, lint_text, load_text
from tests.fsp.test_grammar import made_text

ROOT = Path(__file__).parents[2]
FILES = sorted([*ROOT.glob("grammar/*/*.lts"), *ROOT.glob("models/*/*.lts")])
TEXTS = [path.read_text(encoding="utf-8") for path in FILES]
LIMITS = Limits(
    max_states=2_000, max_transitions=5_000, max_expansion=500, max_nesting=20
)
SECONDS = 10

# What hurts more often than a random character does.
PIECES = [
    *"(){}[].,;:|&<>+-/*\\@#'\"=!%^~ \n\t\0é",
    *("->", "..", "::", "||", "<<", ">>", "/*", "*/", "//", "[]", "<>"),
    *("if ", "then ", "else ", "when ", "forall ", "set ", "const ", "property "),
    *("STOP", "END", "ERROR", "tau", "9999999999", "0..1000000000", "(1 - 5)", "[i]"),
]


def try_out(text):
    """Load and lint; anything but an answer or a `SymrobError` fails the test."""
    start = time.process_time()
    errors = [d for d in lint_text(text, limits=LIMITS) if d.severity == "error"]
    problems = ()
    try:
        model = load_text(text, limits=LIMITS)
    except SymrobError as error:
        problems = error.diagnostics
    else:
        problems = model.warnings
        assert len(model.network.components) >= 1
    for problem in [*problems, *errors]:
        assert problem.code in str(problem)
    assert time.process_time() - start < SECONDS, "too slow"


@st.composite
def damaged(draw):
    """A text of the repository with some places cut, doubled or written over."""
    text = draw(st.sampled_from(TEXTS))
    for _ in range(draw(st.integers(1, 6))):
        at = draw(st.integers(0, len(text)))
        end = min(len(text), at + draw(st.integers(0, 12)))
        match draw(st.integers(0, 4)):
            case 0:
                text = text[:at] + text[end:]
            case 1:
                text = text[:end] + text[at:end] * draw(st.integers(1, 40)) + text[end:]
            case 2:
                text = text[:at] + draw(st.sampled_from(PIECES)) + text[at:]
            case 3:
                text = text[:at] + draw(st.text(max_size=4)) + text[end:]
            case 4:
                other = draw(st.sampled_from(TEXTS))
                cut = draw(st.integers(0, len(other)))
                text = text[:at] + other[cut:]
    return text


@settings(max_examples=4 * settings.default.max_examples)
@given(damaged())
def test_damaged_texts(text):
    try_out(text)


@settings(max_examples=3 * settings.default.max_examples)
@given(st.integers(0, 10**9), st.integers(0, 3))
def test_made_texts(seed, damage):
    try_out(made_text(seed, damage))


@settings(max_examples=3 * settings.default.max_examples)
@given(st.lists(st.sampled_from(PIECES), max_size=60))
def test_rubble(pieces):
    try_out(" ".join(pieces))


@given(st.binary(max_size=200))
def test_bytes(tmp_path_factory, data):
    from symrob.formats import lint_file

    path = tmp_path_factory.getbasetemp() / "bytes.lts"
    path.write_bytes(data)
    lint_file(str(path), limits=LIMITS)
