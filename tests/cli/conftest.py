"""What tests of the command line share."""

import pytest


@pytest.fixture
def write(tmp_path):
    """Write a file into the test's own folder and return its path."""

    def to(name, text):
        path = tmp_path / name
        path.write_text(text, encoding="utf-8")
        return str(path)

    return to
