"""What the tests of `symrob risk` share."""

import json

from tests.cli.tools import run
from tests.schemas import validate


def told(*args):
    """What `symrob risk` says as JSON, held against its schema."""
    result = run("risk", *args, "--format", "json")
    assert result.code == 0, result.err
    data = json.loads(result.out)
    validate(data, "risk")
    return data
