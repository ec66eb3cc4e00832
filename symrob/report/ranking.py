"""The order of several designs: the Hasse diagram as text or picture.

In:  a `Ranking`, and the names of its designs.
Out: lines of text, or a `Picture`.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence

from symrob.analyses.compare import ModeTable
from symrob.analyses.ranking import Cover, Ranking
from symrob.formats.dot import Picture, PictureEdge, PictureState
from symrob.report.text import aligned, limited, plural, printable, wrapped
from symrob.report.units import labels, named_lines, unit_lines
from symrob.verdicts import Verdict


def ranking_lines(
    ranking: Ranking, names: Sequence[str], most: int | None = None
) -> Iterator[str]:
    """Yield a partial order as its Hasse diagram, the most robust on top.

    Args:
        ranking: The ranking to report.
        names: Display names, in their order.
        most: Maximum number of fault modes; `None` for all.
    """
    if ranking.status != "complete":
        yield f"The order is incomplete ({ranking.reason})."
    yield (
        f"{plural(len(names), 'design')}, the most robust first; designs with the same "
        "number are equally robust"
    )
    for number, members in enumerate(ranking.classes, 1):
        yield ""
        for place, member in enumerate(members):
            mark = f"{number:>3}" if not place else "  ="
            yield f"{mark}  {printable(names[member])}"
        below = [step for step in ranking.steps if step.upper == number - 1]
        for step in below:
            yield f"     more robust than {step.lower + 1}: it also tolerates"
            yield from (f"       {line}" for line in _added_lines(ranking, step))
    yield from _incomparable_lines(ranking)
    if ranking.modes:
        heads = lettered(len(names))
        yield ""
        for head, name in zip(heads, names, strict=True):
            yield printable(f"{head}  {name}")
        yield from mode_lines(ranking.modes, heads, most)


def mode_lines(
    modes: ModeTable, heads: Sequence[str], most: int | None = None
) -> Iterator[str]:
    """Yield the verdict of each fault mode alone in each design.

    Modes on which designs differ come first; then what a single design tolerates.

    Args:
        modes: The verdicts.
        heads: The column headings.
        most: Maximum number of rows; `None` for all.
    """
    if not modes:
        return
    yield ""
    yield "Each fault mode alone:"
    names = sorted(modes, key=lambda name: len({*modes[name]}) == 1)
    rows = [(name, *map(_IN_A_CELL.__getitem__, modes[name])) for name in names]
    head, *lines = aligned([("", *heads), *rows])
    yield f"  {head}"
    yield from limited((f"  {line}" for line in lines), most, indent="  ")
    if len(heads) < 3:
        return
    only: dict[int, list[str]] = {}
    for name, verdicts in modes.items():
        if verdicts.count("tolerated") == 1:
            only.setdefault(verdicts.index("tolerated"), []).append(name)
    for place, found in sorted(only.items()):
        yield from named_lines(f"Tolerated only by {heads[place]}: ", found, most)


_IN_A_CELL: Mapping[Verdict, str] = {
    "tolerated": "tolerated",
    "hazardous": "hazardous",
    "excluded-unsafe": "excluded, unsafe",
    "excluded-safe": "excluded, safe",
}


def lettered(count: int) -> list[str]:
    """Return short names for designs: A to Z, then numbers."""
    return [chr(ord("A") + n) if n < 26 else str(n + 1) for n in range(count)]


def _added_lines(ranking: Ranking, step: Cover) -> Iterable[str]:
    """What only the upper class of a step tolerates."""
    assert ranking.about is not None, "steps are of a whole order"
    return unit_lines(ranking.about, step.added)


def _incomparable_lines(ranking: Ranking) -> Iterator[str]:
    """Yield what the diagram leaves to be seen: pairs without an order."""
    first = [members[0] for members in ranking.classes]
    found: dict[str, list[str]] = {"incomparable": [], "unknown": []}
    for b, lower in enumerate(first):
        for a, upper in enumerate(first[:b]):
            known = {ranking.at_least[upper][lower], ranking.at_least[lower][upper]}
            if None in known:
                found["unknown"].append(f"{a + 1} and {b + 1}")
            elif True not in known:
                found["incomparable"].append(f"{a + 1} and {b + 1}")
    for word, pairs in found.items():
        if pairs:
            yield ""
            yield f"{word}: {', '.join(pairs)}"


def unassumed_lines(ranking: Ranking) -> Iterator[str]:
    """Yield whether the assumptions decide the order."""
    unassumed, names = ranking.without_constraints, ranking.sides
    if unassumed is None:
        return
    yield ""
    if unassumed.status != "complete":
        yield from wrapped(f"Without the assumptions: {unassumed.reason}.")
        return
    if ranking.status == "complete" and unassumed.at_least == ranking.at_least:
        yield "Without the assumptions: the same order."
        return
    yield "Without the assumptions, the most robust first:"
    for number, members in enumerate(unassumed.classes, 1):
        named = " = ".join(printable(names[member]) for member in members)
        yield from wrapped(f"{number:>3}  {named}")
    yield from _incomparable_lines(unassumed)
    if ranking.status == "complete":
        yield "The order depends on the assumptions."


def ranking_picture(ranking: Ranking, names: Sequence[str]) -> Picture:
    """Return the Hasse diagram as a picture, the most robust on top.

    Each edge is labelled with what only the upper design tolerates.

    Args:
        ranking: The order.
        names: Display names, in their order.
    """
    states = [
        PictureState(number, " = ".join(names[member] for member in members))
        for number, members in enumerate(ranking.classes)
    ]
    edges = [
        PictureEdge(
            step.upper,
            step.lower,
            "nominal",
            _edge_labels(ranking, step),
        )
        for step in sorted(ranking.steps, key=lambda step: (step.upper, step.lower))
    ]
    return Picture("The most robust on top", tuple(states), tuple(edges))


def _edge_labels(ranking: Ranking, step: Cover) -> tuple[str, ...]:
    assert ranking.about is not None, "steps are of a whole order"
    return tuple(labels(ranking.about, step.added))
