"""What all results in JSON share: how text is written, environments, traces, versions.

In:  parts of results.
Out: dictionaries and lists for `dumps`, and the text.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict
from typing import TYPE_CHECKING, Any

from symrob.errors import LONGEST_LINE, Diagnostic, Trace
from symrob.lts import Lts, Transition
from symrob.problem import Model, Problem
from symrob.version import VERSION

if TYPE_CHECKING:
    from symrob.analyses.space import About

# What a terminal obeys, of what JSON lets stand as it is: control characters, and
# those that turn text around or end a line. All of them stand in strings only.
_UNSEEN = (
    "[\x7f-\x9f\xad\u061c\u200b-\u200f\u2028-\u202e\u2060-\u206f\ufeff\ufff9-\ufffb"
    "\ud800-\udfff\U0001d173-\U0001d17a\U000e0000-\U000e0fff]"
)


def dumps(data: Mapping[str, Any] | Sequence[Any]) -> str:
    """Format as JSON on one line with sorted keys, fit to be shown on a terminal."""
    text = json.dumps(data, sort_keys=True, ensure_ascii=False)
    return re.sub(_UNSEEN, lambda found: json.dumps(found[0])[1:-1], text)


def triples(transitions: Iterable[Transition]) -> list[list[Any]]:
    """Return transitions as lists, sorted."""
    return sorted(map(list, transitions))


def versions() -> dict[str, str]:
    """Return the versions of symrob and of the packages that compute."""
    # It brings the library for electronic mail along: a tenth of a start.
    from importlib.metadata import PackageNotFoundError, version

    found = {"symrob": VERSION}
    for package in ("dd", "python-sat"):
        try:
            found[package] = version(package)
        except PackageNotFoundError:
            continue
    return found


def environment_dict(environment: Lts) -> dict[str, Any]:
    """Return an environment with the names of its states."""
    return {
        "alphabet": list(environment.alphabet),
        "states": environment.size,
        "names": [environment.state_name(q) for q in range(environment.size)],
        "transitions": [list(t) for t in environment.transitions],
    }


def network_dict(network: Model) -> dict[str, Any]:
    """Return an environment that is not multiplied out: its components."""
    return {
        "alphabet": list(network.alphabet),
        "components": [
            {"name": name, **environment_dict(part)}
            for name, part in zip(
                network.component_names, network.components, strict=True
            )
        ],
    }


def asked_dict(problem: Problem) -> dict[str, Any]:
    """Return what is asked about, where it is not every candidate by itself.

    A mode is the list of its transitions of E, `[source, action, target]`, or of
    components of E, `[component, source, action, target]`.
    """
    data: dict[str, Any] = {}
    if problem.among is not None:
        data["among"] = triples(problem.among)
    if (units := problem.units) is not None:
        data["modes"] = units.held()
    return data


def about_dict(about: About) -> dict[str, Any]:
    """Return E and the units for programs: E's components, where it is in parts."""
    data: dict[str, Any] = {}
    if about.environment is not None:
        data["environment"] = environment_dict(about.environment)
    else:
        assert about.network is not None, "E is composed"
        data["environment"] = network_dict(about.network)
    if about.among is not None:
        data["among"] = triples(about.among)
    if about.units is not None:
        data["modes"] = about.units.held()
    return data


def diagnostic_dict(diagnostic: Diagnostic) -> dict[str, Any]:
    """Return a diagnostic without empty fields, and without a line that is long."""
    data = {k: v for k, v in asdict(diagnostic).items() if v is not None}
    if len(data.get("source", "")) > LONGEST_LINE:
        del data["source"]
    return data


def trace_dict(trace: Trace) -> dict[str, Any]:
    """Return a trace: its start, its steps, what it violates."""
    data = asdict(trace)
    del data["components"]
    return data
