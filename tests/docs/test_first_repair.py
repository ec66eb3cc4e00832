"""docs/first-repair.ipynb: its cells run, and give what it shows."""

import copy
import re

import pytest

from docs import notebook

SHOWN = notebook.read()


def texts(kind):
    return ["".join(c["source"]) for c in SHOWN["cells"] if c["cell_type"] == kind]


def test_the_cells_give_what_the_notebook_shows():
    assert notebook.executed(SHOWN) == SHOWN, "run `python -m docs.notebook`"


def test_an_output_that_is_wrong_is_put_right():
    wrong = copy.deepcopy(SHOWN)
    for cell in wrong["cells"]:
        for output in cell.get("outputs", ()):
            if "text" in output:
                output["text"] = ["397 maximal deviations\n"]
    assert notebook.executed(wrong) == SHOWN


def test_a_cell_that_fails_is_no_output():
    broken = {"cells": [dict(SHOWN["cells"][2], source=["1 / 0\n"])]}
    assert broken["cells"][0]["cell_type"] == "code"
    with pytest.raises(ZeroDivisionError):
        notebook.executed(broken)


def test_it_leads_from_two_models_to_a_repaired_design():
    code = "\n".join(texts("code"))
    assert code.count("symrob.load(") == 2
    for call in ("compute", "repair", "compare"):
        assert f"symrob.{call}(" in code
    links = re.findall(r"\]\(([^)#]+)", "".join(texts("markdown")))
    assert links
    assert all((notebook.PATH.parent / link).exists() for link in links)
