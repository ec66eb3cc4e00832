"""How likely what can happen is: `[probability]` of a case file or a file of its own.

In:  a table of probabilities.
Out: `Probabilities`, and every problem of it, with its place.

    [probability]
    "ON,turn_off,*" = 1e-3
    "class:omission" = 2e-4
    loss = { rate = 1e-5, time = 24 }

A key is the name of a fault mode, or an expression as of `case.transitions`; each
candidate that it means is an event of its own. A value is a probability, or a rate with
a mission time in the same unit: 1 - exp(-rate * time).
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass, field
from decimal import MIN_EMIN, Context, Decimal
from math import isfinite
from typing import Any

from symrob.case.keys import Expected, KeyPath, KeyProblem, dotted, wrong_values
from symrob.case.places import Source, located
from symrob.case.transitions import OF_CLASS
from symrob.errors import SymrobError, did_you_mean
from symrob.files.decimals import exact
from symrob.files.kinds import recognised
from symrob.files.tomltext import read_toml

MAX_LENGTH = 500
MAX_ENTRIES = 10_000
TABLE = "probability"
# No chance but 0 and 1 is nearer to them; a rate with a time may round to one of them.
LEAST = Decimal("1e-400")
_WIDE = Context(prec=500, Emin=MIN_EMIN)


@dataclass(frozen=True)
class Probabilities:
    """What was said of the chances of events.

    Attributes:
        chances: By mode or expression, in the order of the file.
        source: Where they were said, if it was a file.
    """

    chances: Mapping[str, Decimal] = field(default_factory=dict)
    source: Source | None = None


def probability_problems(table: Mapping[str, Any]) -> Iterator[KeyProblem]:
    """Yield everything that is wrong with a table of probabilities."""
    seen: set[str] = set()
    for at, value in _leaves(table, ()):
        name, key = dotted(at), (TABLE, *at)
        if not 0 < len(name) <= MAX_LENGTH or not name.isprintable():
            message = f"must have a name of 1 to {MAX_LENGTH} printable characters"
            yield KeyProblem(f"'{TABLE}.{name:.60}' {message}", key)
        elif name in seen:
            yield KeyProblem(f"'{TABLE}.{name}' is given twice", key)
        else:
            seen.add(name)
            yield from _value_problems(name, key, value)
    if len(seen) > MAX_ENTRIES:
        message = f"'{TABLE}' has more than {MAX_ENTRIES:,} entries"
        yield KeyProblem(message, (TABLE,))


def unknown_problems(
    table: Mapping[str, Any], modes: Collection[str]
) -> Iterator[KeyProblem]:
    """Yield the keys of a table that are no mode of some and no expression."""
    for at, _value in _leaves(table, ()):
        name = dotted(at)
        if name not in modes and name.count(",") < 2 and not name.startswith(OF_CLASS):
            message = f"'{name:.200}' is no fault mode of this file and no "
            message += "'source,action,target'"
            yield KeyProblem(message, (TABLE, *at), did_you_mean(name, modes))


def _value_problems(name: str, key: KeyPath, value: object) -> Iterator[KeyProblem]:
    if isinstance(value, dict):
        yield from wrong_values(value, _RATE, key)
        for part in _RATE:
            if part not in value:
                yield KeyProblem(f"'{TABLE}.{name}' lacks the key '{part}'", key)
    elif not _is_figure(value) or not 0 <= exact(value) <= 1:  # type: ignore[arg-type]
        expected = "must be a number from 0 to 1, or { rate = …, time = … }"
        yield KeyProblem(f"'{TABLE}.{name}' {expected}", key)
    elif is_extreme(exact(value)):  # type: ignore[arg-type]
        expected = f"must be 0, 1, or at least {LEAST} away from both"
        yield KeyProblem(f"'{TABLE}.{name}' {expected}", key)


def is_extreme(chance: Decimal) -> bool:
    """Whether a chance is nearer to 0 or 1 than is computed with, and neither."""
    # Also where the exponent is too small even for a decimal number.
    small = chance.adjusted() < LEAST.adjusted()
    return small or 0 < _WIDE.subtract(Decimal(1), chance) < LEAST


def _is_figure(value: object) -> bool:
    number = isinstance(value, int | float | Decimal) and not isinstance(value, bool)
    return number and isfinite(float(value)) if _small(value) else False  # type: ignore[arg-type]


def _small(value: object) -> bool:
    """Whether a whole number is one that a float can hold."""
    return not isinstance(value, int) or abs(value) < 1 << 1000


def _is_rate(value: object) -> bool:
    return _is_figure(value) and value >= 0  # type: ignore[operator]


_RATE: dict[str, Expected] = {
    "rate": (_is_rate, "a number of at least 0"),
    "time": (_is_rate, "a number of at least 0, in the unit of the rate"),
}


def probabilities_of(
    table: Mapping[str, Any], file: str | None = None, text: str = ""
) -> Probabilities:
    """Return what a table without problems says, in a file or not."""

    def chance(value: Any) -> Decimal:
        if not isinstance(value, dict):
            return exact(value)
        never = _WIDE.exp(-_WIDE.multiply(exact(value["rate"]), exact(value["time"])))
        found = _WIDE.subtract(Decimal(1), never)
        return found.to_integral_value() if is_extreme(found) else found

    leaves = {dotted(at): (at, value) for at, value in _leaves(table, ())}
    chances = {name: chance(value) for name, (_, value) in leaves.items()}
    keys = {name: (TABLE, *at) for name, (at, _) in leaves.items()}
    return Probabilities(chances, None if file is None else Source(file, text, keys))


def load_probabilities(path: str) -> Probabilities:
    """Read a file that holds the table `probability` and nothing else.

    Raises:
        SymrobError: It cannot be read, or something in it is wrong; all problems.
    """
    with recognised(path, "probabilities"):
        text, data = read_toml(path)
        a_table = (lambda value: isinstance(value, dict), "a table of probabilities")
        problems = [*wrong_values(data, {TABLE: a_table}, ())]
        table = data.get(TABLE)
        if table is None:
            problems.append(KeyProblem(f"the table '{TABLE}' is missing"))
        elif isinstance(table, dict):
            problems += probability_problems(table)
        if found := located(problems, "case-probability", path, text):
            raise SymrobError(found)
    return probabilities_of(data[TABLE], path, text)


def _leaves(value: Mapping[str, Any], at: KeyPath) -> Iterator[tuple[KeyPath, Any]]:
    """Each value with the keys that lead to it; a table of a rate is a value."""
    for key, inner in value.items():
        if isinstance(inner, dict) and not inner.keys() & _RATE.keys() and inner:
            yield from _leaves(inner, (*at, key))
        else:
            yield (*at, key), inner
