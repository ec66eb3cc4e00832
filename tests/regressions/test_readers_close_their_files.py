"""A problem that ended the reading left the file open until the next collection."""

import builtins

import pytest

from symrob.errors import SymrobError
from symrob.formats import read

BROKEN = {
    "x.aut": "dse (0, 1, 1)\n(0, a, 0)\n",
    "y.aut": "des (0, 2, 1)\n(0, a, 0)\n(0, b\n",
    "x.fsm": "many\n\nS\t0\t0\n",
    "y.fsm": "0\n\nS\t0\t0\n",
}


@pytest.mark.parametrize("name", BROKEN)
def test_the_file_is_closed(name, tmp_path, monkeypatch):
    path = tmp_path / name
    path.write_text(BROKEN[name])
    opened = []
    real_open = builtins.open

    def watched(*args, **kwargs):
        opened.append(real_open(*args, **kwargs))
        return opened[-1]

    monkeypatch.setattr(builtins, "open", watched)
    # The frames that the error holds keep the reader alive meanwhile.
    with pytest.raises(SymrobError) as caught:
        read(str(path))
    assert caught.tb is not None
    assert opened
    assert all(file.closed for file in opened)
