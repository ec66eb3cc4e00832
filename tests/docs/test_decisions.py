"""docs/decisions.md: each decision has a date and is in the index."""

import re
from datetime import date

from docs.decisions import PAGE, dated, indexed

TEXT = PAGE.read_text("utf-8")


def test_each_decision_has_a_date():
    found = re.findall(r"^### (.*)\n\n(?!\*\d{4}-\d\d-\d\d\.\* )", TEXT, re.MULTILINE)
    assert found == []
    assert dated(TEXT, date.today()) == TEXT, "run `python -m docs.decisions`"
    new = dated("## Part\n\n**A choice\nof two.** One.\n", date(2026, 11, 30))
    assert new == "## Part\n\n### A choice of two\n\n*2026-11-30.* One.\n"


def test_the_index_is_what_its_script_writes():
    assert indexed(TEXT) == TEXT, "run `python -m docs.decisions`"
    assert indexed(TEXT.replace("### ", "### New: ", 1)) != TEXT
