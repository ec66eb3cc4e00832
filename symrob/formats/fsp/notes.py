"""What building a model notices, for the warnings that come afterwards.

In:  notes of the builders, by place.
Out: `Findings`, which `warnings` reads.
"""

from __future__ import annotations

from collections.abc import Iterable

from symrob.formats.fsp.relabel import Renamings
from symrob.lts import Action


class Findings:
    """What was seen while building, for warnings.

    Attributes:
        doubts: By code and place, what a warning would say; `None` if all was well
            there once.
        reached: Names and places of local processes that some instance reaches.
        priorities: Places of priorities, which a product was made for.
    """

    def __init__(self) -> None:
        self.doubts: dict[tuple[str, int], str | None] = {}
        self.reached: set[tuple[str, int]] = set()
        self.priorities: set[int] = set()

    def doubt(self, code: str, pos: int, message: str, *, unless: bool = False) -> None:
        """Note what a warning would say about a place, unless all is well there."""
        if unless:
            self.doubts[code, pos] = None
        else:
            self.doubts.setdefault((code, pos), message)

    def note_relabels(self, pairs: Renamings, alphabet: Iterable[Action]) -> None:
        """Note which relabels have an action to rename in `alphabet`."""
        found = {pairs.match(action) for action in alphabet}
        message = "this relabels nothing: no action has the old name"
        for old, places in pairs.places.items():
            for pos in places:
                self.doubt("fsp-relabel-nothing", pos, message, unless=old in found)
