"""What a run does at the moment, for who waits for it at a terminal.

In:  blocks that say what they do; counts of what they have found.
Out: a line of text.
"""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable


class Doing:
    """The state of the process; a block of this class is one thing that it does.

    Args:
        what: What the block does: `judging each candidate`; empty where it shows that
            itself.
        things: What it finds, in the plural; empty where nothing is counted.

    Attributes:
        what: The innermost block's.
        things: Likewise.
        found: How many things were found so far.
        judged: How many sets were judged, where nothing is counted.
    """

    what = "working"
    things = ""
    found = 0
    judged: Callable[[], int] | None = None

    def __init__(self, what: str, things: str = "") -> None:
        self._own = what, things, 0

    def __enter__(self) -> None:
        self._before = Doing.what, Doing.things, Doing.found
        Doing.what, Doing.things, Doing.found = self._own

    def __exit__(self, *_error: object) -> None:
        Doing.what, Doing.things, Doing.found = self._before


def counted(found: int, things: str) -> None:
    """Note how many things the innermost block has found so far."""
    Doing.found, Doing.things = found, things


def told(seconds: float) -> str:
    """Return what is done, how much was found, and for how long it goes on."""
    found = f"{Doing.found:,} {Doing.things}" if Doing.found else ""
    if found:
        found += ", " if Doing.things.startswith("of ") else " found, "
    elif Doing.judged is not None and (sets := Doing.judged()):
        found = f"{sets:,} sets judged, "
    return f"{Doing.what}: {found}{seconds:,.0f} s"
