"""Tables of a risk: one row for each candidate, one for each hazardous set.

In:  an `Assessment`.
Out: rows; as CSV or Markdown.

The rows of candidates are in the style of an FMEA: what may go wrong, its individual
verdict, the smallest hazardous set and its trace, its importance.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from symrob.files.csvtext import csv_line
from symrob.problem import Unit
from symrob.report.chances import bounds_text, conditional_text, figure
from symrob.report.faulttree import trees
from symrob.report.markdown import escaped, markdown_table
from symrob.report.run import run_line
from symrob.risk.answer import MEANING
from symrob.risk.assessment import Assessment
from symrob.risk.bounds import Importance
from symrob.risk.comparison import RiskDifference
from symrob.risk.decision import Set
from symrob.risk.events import Event
from symrob.risk.figures import nearest
from symrob.verdicts import SAID
from symrob.words import PLAIN, Identity, Words

Row = Sequence[str | float | int]

CANDIDATES = (
    "event",
    "class",
    "from",
    "action",
    "to",
    "individual effect",
    "properties",
    "shortest trace",
    "smallest set",
    "probability",
    "criticality",
    "Fussell-Vesely",
    "Birnbaum",
    "RAW",
    "RRW",
    "tolerated by",
)
SETS = ("probability", "share", "size", "events", "properties", "shortest trace")
CHANGE = ("design", "at least", "at most", "hazardous only in this design")


class RiskTables:
    """The rows; the trace of each set is computed once.

    Args:
        risk: The risk to report.
        title: Human-readable title.
        words: Words for names.
    """

    def __init__(self, risk: Assessment, title: str, words: Words = PLAIN) -> None:
        self.risk, self._title, self._words = risk, title or "the case", words
        self._told: dict[Set, tuple[str, str]] = {}

    @property
    def heads(self) -> Sequence[str]:
        """The columns of `candidates`."""
        first = ("component",) if self.risk.of_components else ()
        return (*first, *CANDIDATES, *(Identity._fields if self._identified else ()))

    @property
    def _identified(self) -> bool:
        """Whether events have identifiers."""
        return any(event.identity is not None for event in self.risk.events.events)

    def candidates(self) -> Iterator[Row]:
        """Yield a row for each transition of each event, those of modes one by one.

        If events change components, the effect is that of the event alone.
        """
        risk = self.risk
        smallest: dict[int, Set] = {}
        for one, _, _ in sorted(risk.contributions, key=lambda row: len(row[0])):
            for number in one:
                smallest.setdefault(number, one)
        for number in risk.told:
            event = risk.event(number)
            worth: Row = ("", "", "", "", "")
            broken = run = inside = ""
            identity: Row = (event.identity or ("", "")) if self._identified else ()
            if number in smallest:
                broken, run = self._run(smallest[number])
                inside = self._names(smallest[number])
                worth = _worth(risk.importance([number]))
            for unit, place in self._added(event):
                verdict = risk.alone.get(unit)
                yield (
                    *place,
                    "unknown" if verdict is None else SAID[verdict],
                    broken,
                    run,
                    inside,
                    nearest(event.chance),
                    *worth,
                    self._title if verdict == "tolerated" else "",
                    *identity,
                )

    def _added(self, event: Event) -> Iterator[tuple[Unit, Row]]:
        """Each transition of an event: as what it is judged, and its first cells."""
        about, words = self.risk.space.about, self._words
        for index, source, action, target in sorted(event.local):
            assert about.network is not None, "components are changed"
            label = about.network.component_names[index]
            state = about.network.components[index].state_name
            yield (
                event.name,
                (
                    words.component(label),
                    event.name,
                    "",
                    words.state(label, state(source)),
                    words.action(action),
                    words.state(label, state(target)),
                ),
            )
        for transition in sorted(event.transitions):
            assert about.environment is not None
            assert about.classes is not None
            state = about.environment.state_name
            source, action, target = transition
            yield (
                transition,
                (
                    event.name,
                    words.kind(about.classes.of(transition).kind),
                    words.state("E", state(source)),
                    words.action(action),
                    words.state("E", state(target)),
                ),
            )

    def sets(self) -> Iterator[Row]:
        """Yield a row for each hazardous set, the most probable first."""
        for one, chance, share in self.risk.contributions:
            names = self._names(one)
            yield (chance, share, len(one), names, *self._run(one))

    def _names(self, one: Set) -> str:
        return "; ".join(self.risk.event(number).called for number in sorted(one))

    def _run(self, one: Set) -> tuple[str, str]:
        """The properties that a set breaks, and a shortest trace of one in words.

        That one comes first.
        """
        if one not in self._told:
            broken, run = self.risk.broken(one), ""
            if self.risk.in_time():
                trace = self.risk.cut(one).trace
                broken.sort(key=lambda name: name != trace.violated)
                run = run_line(trace, self._words)
            self._told[one] = "; ".join(map(self._words.property, broken)), run
        return self._told[one]


def _worth(found: Importance | None) -> Row:
    if found is None:
        return ("", "", "", "", "")
    vesely = found.fussell_vesely
    return (
        found.criticality,
        "" if vesely is None else vesely,
        found.birnbaum,
        found.raw,
        figure(found.rrw) if found.rrw == float("inf") else found.rrw,
    )


def csv_text(heads: Sequence[str], rows: Iterable[Row]) -> str:
    """Return a table as CSV by RFC 4180, safe to open in a spreadsheet."""
    return "".join(f"{csv_line(row)}\r\n" for row in (heads, *rows))


def written(risk: Assessment, form: str, title: str, words: Words = PLAIN) -> str:
    """Return tables as text: `csv`, `csv-sets` or `markdown`."""
    if form == "markdown":
        return markdown(risk, title, words)
    tables = RiskTables(risk, title, words)
    if form == "csv":
        return csv_text(tables.heads, tables.candidates())
    return csv_text(SETS, tables.sets())


def markdown(risk: Assessment, title: str, words: Words = PLAIN) -> str:
    """Return the risk as a section of Markdown."""
    return "\n".join(_markdown_lines(risk, title, words)) + "\n"


def _markdown_lines(risk: Assessment, title: str, words: Words) -> Iterator[str]:
    tables = RiskTables(risk, title, words)
    yield f"## Risk: {escaped(title or 'the case')}"
    yield ""
    yield from _table(
        ("property", "probability", "minimal hazardous sets"),
        (
            (
                words.property(part.name) if part.name else "together",
                bounds_text(part.bounds),
                f"{len(part.family):,}" + ("" if part.is_complete else " so far"),
            )
            for _, part in trees(risk)
        ),
    )
    if risk.space.constrained:
        yield ""
        told = conditional_text(risk)
        yield f"Probability of a violation, given that E keeps the assumptions: {told}."
    yield ""
    yield from (f"- {sentence}" for sentence in MEANING)
    yield ""
    yield from _table(SETS, tables.sets())
    yield ""
    yield from _table(tables.heads, tables.candidates())


def _table(heads: Sequence[str], rows: Iterable[Row]) -> Iterator[str]:
    told = ([figure(c) if isinstance(c, float) else c for c in row] for row in rows)
    return markdown_table(heads, told)


def change_table(change: RiskDifference, names: Sequence[str], form: str) -> str:
    """Return the differences between two designs: `csv` or `markdown`."""
    alone = ("" if p is None else p for p in (change.gone, change.come))
    rows = [
        (name, bounds.lower, bounds.upper, only)
        for name, bounds, only in zip(
            names, (change.before, change.after), alone, strict=True
        )
    ]
    if form == "csv":
        return csv_text(CHANGE, rows)
    return "".join(f"{line}\n" for line in _table(CHANGE, rows))
