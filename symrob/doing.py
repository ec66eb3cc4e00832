"""The progress line: what a run is doing, for a user who waits at a terminal.

In:  blocks that describe their work; counts of what they have found.
Out: a line of text.
"""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable


class Doing:
    """The activity of the process; a block of this class is one activity.

    Args:
        what: What the block does, such as `judging each candidate`; empty if it shows
            its own progress.
        things: What it finds, in the plural; empty if nothing is counted.

    Attributes:
        what: Activity of the innermost block.
        things: What the innermost block finds.
        found: Number of things found so far.
        judged: Number of sets judged, if nothing is counted.
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
    """Return the current activity, how much was found, and the elapsed time."""
    found = f"{Doing.found:,} {Doing.things}" if Doing.found else ""
    if found:
        found += ", " if Doing.things.startswith("of ") else " found, "
    elif Doing.judged is not None and (sets := Doing.judged()):
        found = f"{sets:,} sets judged, "
    return f"{Doing.what}: {found}{seconds:,.0f} s"
