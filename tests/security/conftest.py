"""As in `tests/cli`: commands run in the root of the project."""

import pytest

from tests.cli.tools import ROOT


@pytest.fixture(autouse=True)
def _in_the_project(monkeypatch):
    monkeypatch.chdir(ROOT)
