"""Numbers as they are written: a float forgets what is smaller than its last digit.

In:  a number of a file or of Python.
Out: its decimal value, to the last digit that was written.
"""

from __future__ import annotations

from decimal import MAX_EMAX, MIN_EMIN, Context, Decimal

# More digits than this are rounded; text of a million digits is a number, too.
_DIGITS = 500


class WrittenDecimal(float):
    """A float that remembers how it was written.

    Attributes:
        text: That.
    """

    text: str

    def __new__(cls, text: str) -> WrittenDecimal:
        """Read a text as `float` does; raises `ValueError` as that."""
        number = super().__new__(cls, text)
        number.text = text
        return number


def exact(number: float | Decimal) -> Decimal:
    """Return the value of a number.

    Args:
        number: One that is finite. Of a float that was not read from a text, the
            shortest one that gives it counts: 0.1 is a tenth.
    """
    if isinstance(number, Decimal):
        return number
    text = number.text if isinstance(number, WrittenDecimal) else repr(number)
    return Context(prec=_DIGITS, Emin=MIN_EMIN, Emax=MAX_EMAX).create_decimal(text)
