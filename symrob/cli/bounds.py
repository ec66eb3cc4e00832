"""The rare bounds of a run, `--bound NAME=VALUE`; `symrob --help` lists them."""

from __future__ import annotations

import re
import sys
from collections.abc import Iterable

from symrob.errors import Diagnostic, SymrobError, did_you_mean
from symrob.limits import (
    MAX_CASES,
    MAX_EXPANSION,
    MAX_FILE,
    MAX_NESTING,
    MAX_STATES,
    MAX_TRANSITIONS,
)

# What each of them bounds.
BOUNDS = {
    "max-nodes": "BDD nodes (none)",
    "max-states": f"states of a process or product ({MAX_STATES:,})",
    "max-transitions": f"transitions of a system ({MAX_TRANSITIONS:,})",
    "max-expansion": f"values of a label, set, range or pattern ({MAX_EXPANSION:,})",
    "max-nesting": f"nested brackets, elements and composites ({MAX_NESTING})",
    "max-file": f"file size in MiB ({MAX_FILE}; lower for TOML, higher for rows)",
    "max-cases": f"cases of one file ({MAX_CASES:,})",
    "max-edges": "edges of a picture drawn as a graph (3 per state, 18 to 150)",
    "max-pictures": "pictures in an SVG document (100)",
}


def parse_bounds(options: Iterable[str]) -> dict[str, int]:
    """Read `NAME=VALUE`, the values of `--bound`.

    Args:
        options: Each with one of `BOUNDS`.

    Returns:
        The values by name, with underscores.

    Raises:
        SymrobError: Names are unknown or given twice, or values are not integers; all
            are reported.
    """
    bounds: dict[str, int] = {}
    problems = []
    for option in options:
        name, _, text = option.partition("=")
        field = name.replace("-", "_")
        hint = None
        if name not in BOUNDS:
            message = f"--bound takes one of {', '.join(BOUNDS)}, not '{name:.60}'"
            hint = did_you_mean(name, BOUNDS)
        elif not re.fullmatch("[0-9]{1,19}", text) or not 0 < int(text) <= sys.maxsize:
            message = f"--bound {name} must be a whole number of at least 1, below 2^63"
        elif field in bounds:
            message = f"--bound {name} is given twice"
        else:
            bounds[field] = int(text)
            continue
        problems.append(Diagnostic("usage-option", message, hint=hint))
    if problems:
        raise SymrobError(problems)
    return bounds
