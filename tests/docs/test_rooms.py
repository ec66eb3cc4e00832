"""The rooms of docs/pipeline.md are those of the import contracts, floor by floor."""

import re
import tomllib

from tests.cli.tools import ROOT


def contracts():
    """The layers of the contracts, the lowest floor first; each its rooms."""
    data = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))
    found = data["tool"]["importlinter"]["contracts"]
    (layers,) = (c["layers"] for c in found if c["type"] == "layers")
    return [sorted(layer.split(" | ")) for layer in reversed(layers)]


def told():
    """The floors that the page tells, the lowest first."""
    text = (ROOT / "docs/pipeline.md").read_text("utf-8")
    rows = re.findall(r"^\| (\d+) \| (`[^|]*`) \|", text, re.MULTILINE)
    floors = {int(floor): sorted(re.findall("`(.*?)`", rooms)) for floor, rooms in rows}
    assert sorted(floors) == [*range(1, len(floors) + 1)]
    return [floors[floor] for floor in sorted(floors)]


def test_the_page_tells_the_rooms_of_the_contracts():
    assert told() == contracts()
