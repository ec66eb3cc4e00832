"""grammar/fsp.ebnf against the parser: one language, the same names.

The recogniser in `ebnf.py` runs straight from the file. Texts are those of the
repository, and texts made by walking through the rules, half of them damaged.
"""

import re
from pathlib import Path
from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from symrob.formats.fsp import shortcuts
from symrob.formats.fsp.grammar import Grammar
from symrob.formats.fsp.parser import parse
from symrob.limits import DEFAULT_LIMITS
from tests.fsp import ebnf

ROOT = Path(__file__).parents[2]
TEXTS = sorted([*ROOT.glob("grammar/*/*.lts"), *ROOT.glob("models/*/*.lts")])
GRAMMAR = ebnf.load_grammar()


def parser_accepts(text):
    problems = parse(text, "text", DEFAULT_LIMITS).problems
    return not [p for p in problems if p.severity == "error"]


@pytest.mark.parametrize("path", TEXTS, ids=lambda p: p.stem)
def test_verdicts_agree_on_files(path):
    text = path.read_text(encoding="utf-8")
    assert parser_accepts(text) == GRAMMAR.accepts(text)


def made_text(seed, damage):
    """A text made from the rules, with some words lost, doubled or swapped."""
    random = Random(seed)
    words = [*ebnf.PRELUDE]
    for _ in range(random.randint(1, 3)):
        words += GRAMMAR.generate(random, "declaration", random.randint(3, 14))
    for _ in range(damage):
        at, other = random.randrange(len(words)), random.randrange(len(words))
        match random.randrange(4):
            case 0:
                del words[at]
            case 1:
                words.insert(at, words[other])
            case 2:
                words[at] = words[other]
            case 3:
                words[at], words[other] = words[other], words[at]
    return " ".join(words[:400])


@given(st.integers(0, 10**9), st.integers(0, 2))
def test_verdicts_agree_on_made_texts(seed, damage):
    text = made_text(seed, damage)
    assert parser_accepts(text) == GRAMMAR.accepts(text)


def test_made_texts_are_accepted_and_refused():
    verdicts = [GRAMMAR.accepts(made_text(seed, seed % 3)) for seed in range(60)]
    assert 15 < sum(verdicts) < 50


# --- shortcuts -------------------------------------------------------------


class _LongWay(Grammar):
    """The grammar without its shortcuts."""

    @staticmethod
    def _or_shorter(name, full, action, shortcut):
        return full.set_name(name).set_parse_action(action)


@pytest.fixture(scope="module")
def long_way():
    return _LongWay().declaration


def trees(text, monkeypatch=None, declaration=None):
    if declaration is not None:
        monkeypatch.setattr("symrob.formats.fsp.grammar.declaration", declaration)
    return parse(text, "text", DEFAULT_LIMITS).description


def test_shortcuts_build_what_the_rules_build(long_way, monkeypatch):
    texts = [p.read_text(encoding="utf-8") for p in TEXTS]
    texts += [made_text(seed, 0) for seed in range(150)]
    short = [trees(text) for text in texts]
    assert [trees(text, monkeypatch, long_way) for text in texts] == short
    assert sum(len(tree.declarations) for tree in short) > 400


def test_shortcuts_are_taken():
    """A pattern that never matched would pass the test above unseen."""
    cases = {
        "expression": "9+a",
        "index": "[a:9…a]",
        "label": "a.a[9]",
        "reference": "U[9]",
        "head": "U[a:R][9]=",
        "steps": "w(a÷9)a[a]→{a,a.a}→U[a+9]",
        "simple_expression": "9+U",
    }
    for name, kinds in cases.items():
        assert re.fullmatch(getattr(shortcuts, name.upper()), kinds), name
