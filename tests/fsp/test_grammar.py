"""fsp.ebnf against the parser that is made of it: one language.

The recogniser in `ebnf.py` runs straight from the file. Texts are those of the
repository, and texts made by walking through the rules, half of them damaged.
"""

from pathlib import Path
from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from symrob.formats.fsp import grammar
from symrob.formats.fsp.parser import parse
from symrob.formats.text import room
from symrob.limits import DEFAULT_LIMITS
from tests.fsp import ebnf

ROOT = Path(__file__).parents[2]
TEXTS = sorted([*ROOT.glob("grammar/*/*.lts"), *ROOT.glob("models/*/*.lts")])
GRAMMAR = ebnf.load_grammar()


def parser_accepts(text):
    with room(DEFAULT_LIMITS):
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


def test_every_rule_has_a_body_and_every_table_speaks_of_rules():
    """A name that is spelled in two ways would be a rule that nothing matches."""
    rules = grammar.GrammarReader().rules
    assert not [name for name, rule in rules.items() if rule.expr is None]
    named = {*grammar.ACTIONS, *grammar.LISTS, *grammar.TOKENS, *grammar.SPOKEN}
    assert named <= rules.keys()
    assert rules.keys() - grammar.TOKENS.keys() <= GRAMMAR.rules.keys()
