"""What the fuzzer found and shrunk, one file for each kind of fault, asked again.

The name of a file says what was wrong. A file holds a problem, the values of tuning
constants, and one question; see `tests/fuzz/cases.py`.
"""

import json
from pathlib import Path

import pytest

from tests.fuzz.cases import failure

CASES = sorted(Path(__file__).with_name("fuzz").glob("*.json"))


def test_there_are_cases():
    assert CASES


@pytest.mark.parametrize("path", CASES, ids=lambda path: path.stem)
def test_case(path):
    found = failure(json.loads(path.read_text(encoding="utf-8")))
    assert found is None, found[1]
