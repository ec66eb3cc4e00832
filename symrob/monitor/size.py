"""How large a machine may be before it is made minimal."""

from __future__ import annotations

from symrob.errors import LimitExceeded

MOST_STATES = 10_000
"""By default. The machines of real cases have some dozens."""


def check_states(count: int, most: int, machine: str) -> None:
    """Raise if a machine has more states than it may.

    Args:
        count: Its states so far.
        most: The bound.
        machine: Which one, for the message.

    Raises:
        LimitExceeded: There are more.
    """
    if count > most:
        raise LimitExceeded(
            f"the {machine} machine has more than {most:,} states before it is made "
            "minimal; --states raises this limit, or observe other actions with "
            "--observe"
        )
