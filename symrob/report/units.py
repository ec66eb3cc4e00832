"""Units as text: transitions by their states, fault modes by name.

In:  units, and what they belong to.
Out: lines of text.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator, Sequence, Set
from itertools import groupby
from typing import cast

from symrob.analyses.space import About
from symrob.lts import Transition
from symrob.problem import LocalTransition, Unit
from symrob.report.classes import said_of
from symrob.report.text import (
    WIDEST,
    folded,
    limited,
    plural,
    printable,
    transition_lines,
)
from symrob.words import Words

_MOST_NAMES = 40
_INDENT = "  "


def unit_lines(
    about: About,
    units: Iterable[Unit],
    words: Words | None = None,
    never: Set[Unit] = frozenset(),
) -> Iterator[str]:
    """Yield units, each once.

    Args:
        about: What they belong to.
        units: Transitions of E, or names of fault modes.
        words: Words for classes, where these are to be said.
        never: Units that are marked because they can never fire.
    """
    if about.units is not None:
        yield from name_lines([printable(n) for n in mode_names(about, units)])
        return
    environment = about.environment
    assert environment is not None, "transitions are of E as one"
    said: Callable[[Transition], str] | None = None
    if words is not None and about.classes is not None:
        said = said_of(about.classes, words)
    transitions = cast("Iterable[Transition]", units)
    marked = cast("Set[Transition]", never)
    yield from transition_lines(environment, transitions, marked, said)


def mode_names(about: About, units: Iterable[Unit]) -> list[str]:
    """Return the names of fault modes, sorted, with their identifiers."""
    return [*map(about.called, sorted(map(str, units)))]


def labels(about: About, units: Iterable[Unit]) -> Iterator[str]:
    """Yield a short name for each unit, such as `IDLE –open→ BUSY`."""
    for unit in sorted(units):
        if isinstance(unit, str) or about.environment is None:
            yield about.called(str(unit))
        else:
            name = about.environment.state_name
            yield f"{name(unit.source)} –{unit.action}→ {name(unit.target)}"


def local_labels(
    added: Iterable[LocalTransition], about: About, words: Words
) -> Iterator[str]:
    """Yield transitions of components, such as `messages: EMPTY –put→ EMPTY`."""
    network = about.network
    assert network is not None, "components are changed"
    for index, source, action, target in sorted(added):
        label = network.component_names[index]
        name = network.components[index].state_name
        step = f"{name(source)} –{action}→ {name(target)}"
        yield printable(f"{words.component(label)}: {step}")


def counted(about: About, units: Collection[Unit], kind: str = "") -> str:
    """Return a number of units as text, such as `2 added transitions`."""
    return plural(len(units), f"{kind} {about.noun}".strip())


def candidates(about: About, count: int) -> str:
    """Return a number of units as candidates: `3 candidate transitions`."""
    return plural(count, about.noun if about.units else f"candidate {about.noun}")


def named_lines(
    head: str, names: Sequence[str], most: int | None = _MOST_NAMES
) -> Iterator[str]:
    """Names after a heading, or below it if they do not fit, in at most `most` lines.

    Args:
        head: The heading.
        names: Names of fault modes.
        most: Maximum number of lines with one name each; `None` for all.
    """
    shown = [printable(name) for name in names]
    one = head + ", ".join(shown)
    if len(one) <= WIDEST and (len(shown) == 1 or not any("," in n for n in shown)):
        yield one
        return
    if head.strip():
        yield head.rstrip()
    lines = (f"{_INDENT}{line}" for line in name_lines(shown))
    single = any(name.count(",") > 1 for name in shown)
    yield from limited(lines, most if single else None, where="--format json")


def name_lines(names: Sequence[str]) -> Iterator[str]:
    """Names, to be indented.

    Names of groups, such as `omission,up`, are sorted by their first part; names of
    single transitions, which contain commas too, take one line each.
    """
    if not names:
        return
    widest = WIDEST - len(_INDENT)
    commas = {name.count(",") for name in names}
    if commas == {0} or len(names) == 1:
        yield from folded("", names, widest)
    elif commas == {1}:
        for first, group in groupby(names, lambda name: name.partition(",")[0]):
            rest = (name.partition(",")[2] for name in group)
            yield from folded(f"{first}: ", rest, widest)
    else:
        yield from names
