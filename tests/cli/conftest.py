"""Commands run in the root of the project, as a reader of the README would."""

import pytest

from tests.cli.tools import ROOT


@pytest.fixture(autouse=True)
def _in_the_project(monkeypatch):
    monkeypatch.chdir(ROOT)


@pytest.fixture
def write(tmp_path):
    """Write a file into the test's own folder and return its path."""

    def to(name, text):
        path = tmp_path / name
        path.write_text(text, encoding="utf-8")
        return str(path)

    return to
