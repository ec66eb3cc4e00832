"""What readers of statecharts share: what they leave out, and the end of reading.

In:  a chart, and notes on what its file makes use of.
Out: the `ModelFile`, with warnings that say what was left out and what is a choice.
"""

from __future__ import annotations

from dataclasses import dataclass, field

from symrob.errors import Diagnostic, SymrobError
from symrob.formats.charts.flatten import flattened
from symrob.formats.charts.model import Chart, Node
from symrob.formats.registry import Source
from symrob.formats.text import ModelFile, stem

IGNORING = "ignoring"


@dataclass
class Notes:
    """What a chart makes use of that its transition system has not.

    Attributes:
        guards: How many conditions became choices.
        unused: What else is left out, in words.
    """

    guards: int = 0
    unused: dict[str, None] = field(default_factory=dict)

    def add(self, what: str) -> None:
        """Note something that is left out."""
        self.unused[what] = None


def chart_file(chart: Chart, source: Source, notes: Notes) -> ModelFile:
    """Return the model of a chart.

    Args:
        chart: As `flattened` takes it.
        source: As the reader got it; its part is `ignoring` or none.
        notes: What to warn of.

    Raises:
        SymrobError: Another part is asked for, or as `flattened`.
        LimitExceeded: As `flattened`.
    """
    part, path = source.process, source.path
    if part not in (None, IGNORING):
        message = f"a statechart has no part '{part}', only '{IGNORING}'"
        raise SymrobError(Diagnostic("format-process", message, file=path))
    lts = flattened(chart, file=path, limits=source.limits, ignoring=part is not None)
    found = []
    if notes.guards:
        number = "1 guard is" if notes.guards == 1 else f"{notes.guards} guards are"
        found.append(
            (
                "chart-guard",
                f"{number} not evaluated: each becomes a choice, so that the model "
                "can do all that the chart can do, and more",
            )
        )
    if notes.unused:
        found.append(("chart-unused", f"left out: {', '.join(notes.unused)}"))
    if chart.contested:
        found.append(
            (
                "chart-order",
                "which of several regions comes first depends on the past where their "
                "transitions compete: each order is a choice",
            )
        )
    if part is None and _refuses(lts.successors, lts.alphabet, lts.end):
        found.append(
            (
                "chart-ignored",
                "events that a state does not handle are not offered there; "
                f"'#{IGNORING}' behind the file lets it ignore them, as an "
                "interpreter does",
            )
        )
    warnings = tuple(Diagnostic(c, m, severity="warning", file=path) for c, m in found)
    return ModelFile(lts, stem(path), warnings)


def _refuses(rows: tuple[object, ...], alphabet: tuple[str, ...], end: object) -> bool:
    return any(
        state != end and not all(action in row for action in alphabet)  # type: ignore[operator]
        for state, row in enumerate(rows)
    )


def never_together(one: Node, other: Node) -> str:
    """What is wrong with two targets of one transition."""
    return f"'{one.name}' and '{other.name}' cannot be active together"


def matches_tokens(descriptor: str, event: str) -> bool:
    """Whether a descriptor of SCXML stands for an event: by tokens between dots."""
    if descriptor in ("*", event):
        return True
    return event.startswith(f"{descriptor}.")
