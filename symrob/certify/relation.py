"""How two safety envelopes compare, from their certificates.

In:  two certificates that were checked, of all maximal deviations of one environment.
Out: for each direction whether all that the one tolerates the other does, with the
     deviation that shows it where not.

Standard library only. Source: docs/sources.md [S1], Def. 6, Def. 7.
"""

from __future__ import annotations

from collections.abc import Iterator

from symrob.certify.reading import Certificate, WrongError


def relation(one: Certificate, other: Certificate) -> Iterator[str]:
    """Yield what follows for the two sides, the verdict last.

    Args:
        one: The first side, checked.
        other: The second side, checked.

    Raises:
        WrongError: Nothing follows: they are of different environments or candidates,
            or one does not say that none is missing.
    """
    if {one.claim, other.claim} != {"all-deviations"}:
        raise WrongError("relation", "one does not claim that no deviation is missing")
    if _question(one) != _question(other):
        raise WrongError("relation", "they are not of one environment and K")
    least = _not_within(other, one), _not_within(one, other)
    for names, outside in zip((("A", "B"), ("B", "A")), least, strict=True):
        what = f"{names[0]} tolerates all that {names[1]} tolerates"
        if outside is not None:
            what = f"{names[0]} does not tolerate deviation {outside} of {names[1]}"
        yield what
    yield {
        (True, True): "A and B are equally robust",
        (True, False): "A is strictly more robust than B",
        (False, True): "B is strictly more robust than A",
        (False, False): "A and B are incomparable",
    }[least[0] is None, least[1] is None]


def _not_within(inner: Certificate, outer: Certificate) -> int | None:
    """The first deviation, from 1, that no deviation of the other side holds."""
    larger = [frozenset(deviation) for deviation in outer.deviations]
    for number, deviation in enumerate(inner.deviations, 1):
        if not any(d.issuperset(deviation) for d in larger):
            return number
    return None


def _question(given: Certificate) -> tuple[object, ...]:
    """What both sides must have in common."""
    rows = [{a: {*targets} for a, targets in row.items()} for row in given.rows]
    return given.alphabet, rows, given.candidates
