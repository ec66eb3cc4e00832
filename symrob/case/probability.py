"""Probabilities of deviations: `[probability]` in a case file or a separate file.

In:  a table of probabilities.
Out: `Probabilities`, and every problem of it, with its location.

    [probability]
    "ON,turn_off,*" = 1e-3
    "class:omission" = 2e-4
    loss = { rate = 1e-5, time = 24 }

A key is the name of a fault mode, or an expression as in `case.transitions`; each
candidate that it matches is a separate event. A value is a probability, or a rate with
a mission time in the same unit: 1 - exp(-rate * time).
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass, field, replace
from decimal import MIN_EMIN, Context, Decimal
from math import isfinite
from typing import Any

from symrob.case.places import TomlSource, load_table
from symrob.case.tables import (
    FreeNames,
    Key,
    KeyPath,
    KeyProblem,
    Keys,
    dotted,
    is_table,
    printable_name,
)
from symrob.case.transitions import OF_CLASS
from symrob.errors import did_you_mean
from symrob.files.decimals import exact

MAX_LENGTH = 500
MAX_ENTRIES = 10_000
TABLE = "probability"
# No chance but 0 and 1 is nearer to them; a rate with a time may round to one of them.
LEAST = Decimal("1e-400")
_WIDE = Context(prec=500, Emin=MIN_EMIN)


@dataclass(frozen=True)
class Probabilities:
    """A table of probabilities.

    Attributes:
        chances: By mode or expression, in the order of the file.
        source: The file that contains them, if any.
    """

    chances: Mapping[str, Decimal] = field(default_factory=dict)
    source: TomlSource | None = None


def is_extreme(chance: Decimal) -> bool:
    """Whether a probability is too near to 0 or 1 to compute with, and neither."""
    # Also where the exponent is too small even for a decimal number.
    small = chance.adjusted() < LEAST.adjusted()
    return small or 0 < _WIDE.subtract(Decimal(1), chance) < LEAST


def _is_figure(value: object) -> bool:
    if isinstance(value, bool) or not isinstance(value, int | float | Decimal):
        return False
    # A larger whole number is none that a float can hold.
    small = not isinstance(value, int) or abs(value) < 1 << 1000
    return small and isfinite(float(value))


def _is_rate(value: Any) -> bool:
    return _is_figure(value) and bool(value >= 0)


def _is_chance(value: Any) -> bool:
    return is_table(value) or (_is_figure(value) and 0 <= exact(value) <= 1)


def _without_part(data: Mapping[str, Any], at: KeyPath) -> Iterator[KeyProblem]:
    """What a rate lacks."""
    for part in _RATE.keys:
        if part not in data:
            yield KeyProblem(f"'{dotted(at)}' lacks the key '{part}'", at)


def _without_table(data: Mapping[str, Any], _at: KeyPath) -> Iterator[KeyProblem]:
    if TABLE not in data:
        yield KeyProblem(f"the table '{TABLE}' is missing")


_RATE = Keys(
    {
        "rate": Key(_is_rate, "a number of at least 0"),
        "time": Key(_is_rate, "a number of at least 0, in the time unit of the rate"),
    },
    together=_without_part,
)
PROBABILITIES = Keys(
    free=Key(
        _is_chance,
        "a number from 0 to 1, or { rate = …, time = … }",
        inside=_RATE,
        also=(
            lambda value: is_table(value) or not is_extreme(exact(value)),
            f"0, 1, or a number at least {LEAST} away from both",
        ),
    ),
    names=FreeNames(
        (printable_name(MAX_LENGTH),),
        MAX_ENTRIES,
        "entries",
        lambda value: not is_table(value) or not value or value.keys() & _RATE.keys,
    ),
)
_FILE = Keys(
    {TABLE: Key(is_table, "a table of probabilities", inside=PROBABILITIES)},
    together=_without_table,
)


def probability_problems(table: Mapping[str, Any]) -> Iterator[KeyProblem]:
    """Yield all problems of a table of probabilities."""
    yield from PROBABILITIES.problems(table, (TABLE,))


def unknown_problems(
    table: Mapping[str, Any], modes: Collection[str]
) -> Iterator[KeyProblem]:
    """Yield the keys of a table that are neither a known mode nor an expression."""
    for at, _value in PROBABILITIES.leaves(table):
        name = dotted(at)
        if name not in modes and name.count(",") < 2 and not name.startswith(OF_CLASS):
            message = f"'{name:.200}' is neither a fault mode of this file nor "
            message += "'source,action,target'"
            yield KeyProblem(message, (TABLE, *at), did_you_mean(name, modes))


def probabilities_of(
    table: Mapping[str, Any], source: TomlSource | None = None
) -> Probabilities:
    """Return the probabilities of a valid table.

    A probability may also be the text of a number, outside of files.
    """

    def chance(value: Any) -> Decimal:
        if isinstance(value, str):
            return Decimal(value)
        if not isinstance(value, dict):
            return exact(value)
        never = _WIDE.exp(-_WIDE.multiply(exact(value["rate"]), exact(value["time"])))
        found = _WIDE.subtract(Decimal(1), never)
        return found.to_integral_value() if is_extreme(found) else found

    leaves = {dotted(at): (at, value) for at, value in PROBABILITIES.leaves(table)}
    chances = {name: chance(value) for name, (_, value) in leaves.items()}
    keys = {name: (TABLE, *at) for name, (at, _) in leaves.items()}
    return Probabilities(chances, source and replace(source, keys=keys))


def load_probabilities(path: str) -> Probabilities:
    """Read a file that holds the table `probability` and nothing else.

    Raises:
        SymrobError: It cannot be read, or its contents are wrong; all problems.
    """
    data, source = load_table(path, "probabilities", "case-probability", _FILE)
    return probabilities_of(data[TABLE], source)
