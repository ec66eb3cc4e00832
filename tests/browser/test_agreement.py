"""2,000 random sets, asked in the browser itself, and more where more is asked for."""

import random
from itertools import islice

from tests.explorer.javascript import script
from tests.explorer.problems import question, random_engines, random_sets, said
from tests.strength import examples

PROBLEMS, SETS, AT_ONCE = examples(200, 10_000), 10, 50


def test_the_search_agrees_with_the_engine(browser):
    page = browser.new_page()
    page.add_script_tag(content=script())
    rng, engines = random.Random(6), islice(random_engines(7), PROBLEMS)
    while some := list(islice(engines, AT_ONCE)):
        sets = [list(random_sets(rng, engine, SETS)) for engine in some]
        questions = [question(*each) for each in zip(some, sets, strict=True)]
        answers = page.evaluate("questions => questions.map(asked)", questions)
        for engine, own, asked, answer in zip(
            some, sets, questions, answers, strict=True
        ):
            assert answer == [said(engine, s) for s in own], asked
    page.close()
