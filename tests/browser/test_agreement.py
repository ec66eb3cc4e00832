"""10,000 random sets, asked in the browser itself."""

import random
from itertools import islice

from tests.explorer.javascript import script
from tests.explorer.problems import question, random_engines, random_sets, said

PROBLEMS, SETS = 1_000, 10


def test_the_search_agrees_with_the_engine(browser):
    page = browser.new_page()
    page.add_script_tag(content=script())
    rng = random.Random(6)
    for engine in islice(random_engines(7), PROBLEMS):
        sets = list(random_sets(rng, engine, SETS))
        asked = question(engine, sets)
        answers = page.evaluate("question => asked(question)", asked)
        assert answers == [said(engine, s) for s in sets], asked
    page.close()
