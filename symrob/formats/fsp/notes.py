"""What building a model notices, for the warnings that come afterwards.

In:  notes of the builders, by place.
Out: `Findings`, which `warnings` reads.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field

from symrob.formats.fsp.relabel import Renamings
from symrob.lts import Action


@dataclass
class Findings:
    """What was seen while building, for warnings.

    Attributes:
        guards: For each guard by place, whether it was ever true.
        reached: Names of local processes that some instance reaches.
        outside: For each reference by place, one index outside all ranges.
        relabels: For each relabel by place, whether it ever renamed an action.
        determinised: Property composites by place that were nondeterministic.
    """

    guards: dict[int, bool] = field(default_factory=dict)
    reached: set[tuple[str, int]] = field(default_factory=set)
    outside: dict[int, str] = field(default_factory=dict)
    relabels: dict[int, bool] = field(default_factory=dict)
    determinised: set[int] = field(default_factory=set)

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
