"""The relation between safety envelopes, from checked certificates.

In:  one certificate that claims what each side tolerates beyond another, or two, each
     with all maximal deviations of one environment.
Out: for each two sides the verdict, and a deviation that shows it.

Standard library only. Source: docs/sources.md [S1], Def. 6, Def. 7.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from symrob.certify.reading import Certificate, WrongError

# Whether the first tolerates all that the second does, and the other way round.
_VERDICTS = {
    (True, True): "{} and {} are equally robust",
    (True, False): "{} is strictly more robust than {}",
    (False, True): "{1} is strictly more robust than {0}",
    (False, False): "{} and {} are incomparable",
}


def relation(checked: Sequence[Certificate]) -> Iterator[str]:
    """Yield the conclusions about sides, the verdict last.

    Args:
        checked: One certificate, or two.

    Raises:
        WrongError: Two have different environments or candidates, or one does not claim
            that none is missing.
    """
    if len(checked) == 2:
        yield from _of_two(*checked)
        return
    known = {}
    for claim in checked[0].claims:
        if claim.kind == "includes":
            known[claim.keeper, claim.breaker] = True
        elif claim.kind == "exceeds":
            known[claim.breaker, claim.keeper] = False
    for one, other in sorted(known):
        if one < other and (other, one) in known:
            verdict = _VERDICTS[known[one, other], known[other, one]]
            yield verdict.format(f"side {one + 1}", f"side {other + 1}")


def _of_two(one: Certificate, other: Certificate) -> Iterator[str]:
    if [c.kind for given in (one, other) for c in given.claims] != [
        "all-deviations"
    ] * 2:
        raise WrongError(
            "relation", "one certificate does not claim that no deviation is missing"
        )
    if len(one.sides) + len(other.sides) > 2:
        raise WrongError("relation", "one certificate covers several designs")
    if _question(one) != _question(other):
        raise WrongError(
            "relation", "the certificates have different environments or candidates"
        )
    least = _not_within(other, one), _not_within(one, other)
    for names, outside in zip((("A", "B"), ("B", "A")), least, strict=True):
        what = f"{names[0]} tolerates all that {names[1]} tolerates"
        if outside is not None:
            what = f"{names[0]} does not tolerate deviation {outside} of {names[1]}"
        yield what
    yield _VERDICTS[least[0] is None, least[1] is None].format("A", "B")


def _not_within(inner: Certificate, outer: Certificate) -> int | None:
    """The first deviation, from 1, that no deviation of the other side holds."""
    larger = [*map(frozenset, outer.claims[0].deviations)]
    for number, deviation in enumerate(inner.claims[0].deviations, 1):
        if not any(d.issuperset(deviation) for d in larger):
            return number
    return None


def _question(given: Certificate) -> list[object]:
    """What both sides must have in common: all but what the whole E is called."""
    (environment,), units = given.common[0].values(), given.common[1:]
    return [environment["components"], environment["hidden"], units]
