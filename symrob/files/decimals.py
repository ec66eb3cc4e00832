"""Exact decimal values of numbers, which a float would round.

In:  a number of a file or of Python.
Out: its decimal value, with all digits as written.
"""

from __future__ import annotations

from decimal import MAX_EMAX, MIN_EMIN, Context, Decimal

# More digits than this are rounded; text of a million digits is a number, too.
_DIGITS = 500


class WrittenDecimal(float):
    """A float that remembers how it was written.

    Attributes:
        text: The text.
    """

    text: str

    def __new__(cls, text: str) -> WrittenDecimal:
        """Read a text as `float` does; raises `ValueError` as it does."""
        number = super().__new__(cls, text)
        number.text = text
        return number


def exact(number: float | Decimal) -> Decimal:
    """Return the value of a number.

    Args:
        number: A finite number. A float that was not read from a text has the value of
            its shortest representation: 0.1 is a tenth.
    """
    if isinstance(number, Decimal):
        return number
    text = number.text if isinstance(number, WrittenDecimal) else repr(number)
    return Context(prec=_DIGITS, Emin=MIN_EMIN, Emax=MAX_EMAX).create_decimal(text)
