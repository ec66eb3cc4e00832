"""Δ for other libraries of Python: a table for pandas, a graph for networkx.

In:  E, and the deviations of Δ in the order found.
Out: a `DataFrame`, a `MultiDiGraph`; states by name.

Both libraries are imported on use; pandas is not a dependency.
"""

from __future__ import annotations

from collections.abc import Iterable
from importlib import import_module
from typing import Any

from symrob.errors import Diagnostic, SymrobError
from symrob.lts import Lts, Transition
from symrob.lts.deviation import Deviation


def frame_of(environment: Lts, deviations: Iterable[Deviation]) -> Any:
    """Return a table with a row for each transition of each deviation.

    Args:
        environment: E.
        deviations: Those of Δ.

    Returns:
        A `pandas.DataFrame` with the columns `deviation` (from 1, in the order found),
        `source`, `action`, `target` (states by name) and `new` (whether E lacks it). If
        the units are fault modes, also `modes`: those of the deviation.

    Raises:
        SymrobError: pandas is not installed.
    """
    pandas = _library("pandas")
    columns = ["deviation", "source", "action", "target", "new"]
    rows: list[tuple[Any, ...]] = []
    in_modes = False
    for number, deviation in enumerate(deviations, 1):
        modes = deviation.modes
        in_modes |= modes is not None
        order = sorted(deviation)
        named_in_order = environment.named(order)
        for transition, named in zip(order, named_in_order, strict=True):
            rows.append((number, *named, transition in deviation.new, modes))
    frame = pandas.DataFrame(rows, columns=[*columns, "modes"])
    return frame if in_modes else frame[columns]


def graph_of(environment: Lts, deviations: Iterable[Deviation]) -> Any:
    """Return E with all transitions that some deviation adds, as a multigraph.

    Args:
        environment: E.
        deviations: The deviations of Δ.

    Returns:
        A `networkx.MultiDiGraph`. Nodes are the names of states, with the attributes
        `state` and `initial`. An edge is a transition with the action as its key; its
        attributes are `action`, `new`, and `deviations`: the numbers, from 1, of the
        deviations that contain it.

    Raises:
        SymrobError: networkx is not installed.
    """
    networkx = _library("networkx")
    names = [environment.state_name(q) for q in range(environment.size)]
    graph = networkx.MultiDiGraph()
    for state, name in enumerate(names):
        graph.add_node(name, state=state, initial=state in environment.initial)
    having: dict[Transition, list[int]] = {
        t: [] for t in sorted(environment.visible_transitions)
    }
    nominal = frozenset(having)
    for number, deviation in enumerate(deviations, 1):
        for transition in sorted(deviation):
            having.setdefault(transition, []).append(number)
    for transition, numbers in having.items():
        source, action, target = transition
        graph.add_edge(
            names[source],
            names[target],
            key=action,
            action=action,
            new=transition not in nominal,
            deviations=numbers,
        )
    return graph


def _library(name: str) -> Any:
    try:
        return import_module(name)
    except ImportError:
        raise SymrobError(
            Diagnostic(
                "api-library",
                f"{name} is not installed",
                hint=f"pip install {name}",
            )
        ) from None
