"""Strongly connected components of a graph.

In:  for each node, given by number, its successors.
Out: the strongly connected components.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from symrob.limits import Clock


def strong_parts(steps: Mapping[int, Iterable[int]], clock: Clock) -> list[list[int]]:
    """Return the strongly connected components in reverse topological order.

    Args:
        steps: For each node its successors; all of them are keys.
        clock: Checked at intervals.

    Raises:
        LimitExceeded: A bound was hit.

    Cost: linear in the number of edges.
    Source: Tarjan's algorithm, with an explicit stack.
    """
    order: dict[int, int] = {}
    low: dict[int, int] = {}
    open_nodes: list[int] = []
    closed: set[int] = set()
    parts: list[list[int]] = []
    for root in steps:
        if root in order:
            continue
        order[root] = low[root] = len(order)
        open_nodes.append(root)
        walk = [(root, iter(steps[root]))]
        while walk:
            node, rest = walk[-1]
            for after in rest:
                if after not in order:
                    if len(order) % 256 == 0:
                        clock.check()
                    order[after] = low[after] = len(order)
                    open_nodes.append(after)
                    walk.append((after, iter(steps[after])))
                    break
                if after not in closed:
                    low[node] = min(low[node], order[after])
            else:
                walk.pop()
                if walk:
                    before = walk[-1][0]
                    low[before] = min(low[before], low[node])
                if low[node] == order[node]:
                    place = len(open_nodes) - 1
                    while open_nodes[place] != node:
                        place -= 1
                    part = open_nodes[place:]
                    del open_nodes[place:]
                    closed.update(part)
                    parts.append(part)
    return parts
