"""Every file of the project that its pages name is there."""

import re

import pytest

from tests.cli.tools import ROOT

PAGES = sorted(
    path.relative_to(ROOT).as_posix()
    for pattern in ("*.md", "docs/**/*.md", "*/README.md", "models/**/*.md")
    for path in ROOT.glob(pattern)
    # It also says what was there once.
    if path.name != "CHANGELOG.md"
)
_FOLDERS = "bench|docs|grammar|models|symrob|tests"
_PATH = re.compile(rf"(?<![\w./-])(?:{_FOLDERS})/[\w./*-]*[\w*]")
_LINK = re.compile(r"\]\((?!https?:|mailto:|#)([^)#\s]+)")
_CODE = re.compile(r"^```.*?^```|`[^`\n]*`|^ {4}[^\n]*$", re.DOTALL | re.MULTILINE)
# Schemas are named like this, too; and a bench writes its results where none are yet.
_NO_FILE = re.compile(r"symrob/[a-z-]+/\d|bench/results/\S*")


def missing(page, text):
    """What a page names and is not there: paths of the project, and links."""
    named = {n for n in _PATH.findall(text) if not _NO_FILE.fullmatch(n)}
    # A pattern of a tool, such as `^models/therac25/.*\.lts$`, names its folder.
    folder = (ROOT / page).parent
    yield from (n for n in named if not any(ROOT.glob(n.removesuffix("/.*"))))
    prose = _CODE.sub("", text)
    yield from (n for n in _LINK.findall(prose) if not (folder / n).exists())


@pytest.mark.parametrize("page", dict.fromkeys(PAGES))
def test_what_a_page_names_exists(page):
    assert sorted(missing(page, (ROOT / page).read_text("utf-8"))) == []


def test_what_is_not_there_is_noticed():
    page = (
        "See models/none/x.toml, models/*/none.lts and [this](none.md); models/press."
    )
    wrong = ["models/*/none.lts", "models/none/x.toml", "none.md"]
    assert sorted(missing("docs/gate.md", page)) == wrong
    assert len(PAGES) > 20
