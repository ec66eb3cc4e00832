"""The bound on the size of an automaton before minimisation."""

from __future__ import annotations

from symrob.errors import LimitExceeded

MOST_STATES = 10_000
"""The default. Automata of real cases have some dozens of states."""


def check_states(count: int, most: int, machine: str) -> None:
    """Raise if an automaton has too many states.

    Args:
        count: Number of its states so far.
        most: The bound.
        machine: Its name, for the message.

    Raises:
        LimitExceeded: The bound is exceeded.
    """
    if count > most:
        raise LimitExceeded(
            f"the {machine} machine has more than {most:,} states before "
            "minimisation; --states raises this limit, or choose other observed "
            "actions with --observe"
        )
