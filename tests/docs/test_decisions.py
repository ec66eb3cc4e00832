"""docs/decisions.md: each decision has a date and is in the index."""

import re

from docs.decisions import PAGE, indexed

TEXT = PAGE.read_text("utf-8")


def test_each_decision_has_a_date():
    found = re.findall(r"^### (.*)\n\n(?!\*\d{4}-\d\d-\d\d\.\* )", TEXT, re.MULTILINE)
    assert found == []
    assert not re.findall(r"^\*\*[^*]+\*\*", TEXT, re.MULTILINE), "make it a heading"


def test_the_index_is_what_its_script_writes():
    assert indexed(TEXT) == TEXT, "run `python -m docs.decisions`"
    assert indexed(TEXT.replace("### ", "### New: ", 1)) != TEXT
