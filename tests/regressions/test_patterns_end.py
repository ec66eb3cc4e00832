"""Patterns with many stars took for ever; there is one matcher for all of them now."""

import json
import re
import subprocess

import pytest
from hypothesis import given
from hypothesis import strategies as st

from symrob.words import fits
from tests.cli.tools import start

# The last letter is in no pattern, so that every way to cut the name has to be tried.
NAME = "a" * 90 + "c" * 89 + "b"
PATTERN = "*a" * 6 + "*c" * 6
SECONDS = 20


def meant(pattern, name, one):
    """What a pattern means by the definition: what its first character can take."""
    if not pattern:
        return not name
    if pattern[0] == "*":
        rests = (name[i:] for i in range(len(name) + 1))
        return any(meant(pattern[1:], rest, one) for rest in rests)
    return name[:1] in (pattern[0], name[:1] * (pattern[0] == one)) and (
        bool(name) and meant(pattern[1:], name[1:], one)
    )


@given(
    st.text("ab*?.[]\n", max_size=8),
    st.text("ab*?.[]\n", max_size=8),
    st.sampled_from(["", "?"]),
)
def test_the_matcher_does_what_it_says(pattern, name, one):
    assert fits(pattern, name, one) == meant(pattern, name, one)


@given(st.text("ab*", max_size=12), st.text("ab", max_size=12))
def test_it_does_what_an_expression_did(pattern, name):
    expression = ".*".join(map(re.escape, pattern.split("*")))
    assert fits(pattern, name) == bool(re.fullmatch(expression, name, re.DOTALL))


@pytest.fixture
def case(tmp_path):
    """A case whose one action is the long one, in E, in C and in P."""
    system = {"alphabet": [NAME], "states": 1, "transitions": [[0, NAME, 0]]}
    (tmp_path / "m.json").write_text(json.dumps(system))

    def written(head="", properties='"m.json"', tail=""):
        path = tmp_path / "case.toml"
        path.write_text(
            'environment = "m.json"\ncontroller = "m.json"\n'
            f"properties = [{properties}]\n{head}\n{tail}\n"
        )
        return path

    return written


def ended(*args):
    process = start(*args)
    try:
        out, err = process.communicate(timeout=SECONDS)
    except subprocess.TimeoutExpired:
        pytest.fail("a pattern takes for ever")
    finally:
        process.kill()
        process.communicate()
    return process.returncode, out + err


@pytest.mark.parametrize(
    ("words", "written", "code", "said"),
    [
        (["check"], {"head": f'one_sided = ["{PATTERN}"]'}, 0, "one_sided"),
        (["check"], {"properties": f'"never {PATTERN}"'}, 2, "no action is called"),
        (["repair"], {"head": f'controllable = ["{PATTERN}"]'}, 2, "C has no action"),
        (["repair"], {"head": f'uncontrollable = ["{PATTERN}"]'}, 2, "has no action"),
        (["repair", "--disable", PATTERN], {}, 2, "C has no action"),
        (["monitor", "--observe", PATTERN], {}, 2, "neither E nor C has an action"),
        (["explain", "--transition", f"0,{PATTERN},0"], {}, 2, "matches"),
        (["compute"], {"tail": f'[faults]\nf = ["0,{PATTERN},0"]'}, 2, "matches"),
    ],
)
def test_no_pattern_takes_for_ever(case, words, written, code, said):
    found, text = ended(words[0], case(**written), *words[1:])
    assert found == code, text
    assert said in text
