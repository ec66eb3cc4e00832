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
        guards: For each guard by place, whether it was ever true.
        reached: Names of local processes that some instance reaches.
        outside: For each reference by place, one index outside all ranges.
        relabels: For each relabel by place, whether it ever renamed an action.
        determinised: Property composites by place that were nondeterministic.
        priorities: Priorities by place, which a product was made for.
    """

    def __init__(self) -> None:
        self.guards: dict[int, bool] = {}
        self.reached: set[tuple[str, int]] = set()
        self.outside: dict[int, str] = {}
        self.relabels: dict[int, bool] = {}
        self.determinised: set[int] = set()
        self.priorities: set[int] = set()

    def note_relabels(self, pairs: Renamings, alphabet: Iterable[Action]) -> None:
        """Note which relabels have an action to rename in `alphabet`."""
        for found in pairs.places.values():
            for pos in found:
                self.relabels.setdefault(pos, False)
        for action in alphabet:
            old = pairs.match(action)
            if old is not None:
                for pos in pairs.places[old]:
                    self.relabels[pos] = True
