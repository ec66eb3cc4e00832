"""The text of an answer in Python: the output of its command.

In:  an answer, and its origin.
Out: a text; registered with `symrob.shown` when symrob is imported.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from itertools import chain
from typing import Any

from symrob.analyses.cut import Cut
from symrob.analyses.cuts import Cuts
from symrob.analyses.deadlocks import SideReport
from symrob.api.large_deviations import WideDelta, is_wide
from symrob.api.result import SafetyEnvelope
from symrob.envelope.engine import Statistics
from symrob.lts import Lts
from symrob.lts.deviation import Deviation
from symrob.questions import question_named
from symrob.questions.question import View
from symrob.questions.risk import Assessed
from symrob.questions.session import Session
from symrob.report.output_formats import Piece, after, written
from symrob.report.progress import side_lines
from symrob.report.run import trace_lines
from symrob.report.text import plural, statistics_lines, transition_lines
from symrob.report.units import unit_lines
from symrob.risk.assessment import Assessment
from symrob.risk.likely import LikelySets
from symrob.shown import Origin, Shown
from symrob.verdicts import SAID


def text(answer: Shown) -> str:
    """Return the text of an answer, without the last newline.

    Cost: that of its command, except parts that were computed already.
    """
    for kind, lines in _PARTS.items():
        if isinstance(answer, kind):
            return "\n".join(lines(answer))
    if answer._origin is None:
        return repr(answer)
    chunks = _chunks(answer, answer._origin)
    return "".join(c if isinstance(c, Piece) else f"{c}\n" for c in chunks)[:-1]


def environment_of(deviation: Deviation) -> Lts:
    """Return the environment, if necessary from a deviation alone."""
    if deviation.environment is not None:
        return deviation.environment
    size = 1 + max((max(t.source, t.target) for t in deviation), default=0)
    return Lts({t.action for t in deviation}, size, deviation - deviation.new)


def _chunks(answer: Any, origin: Origin) -> Iterable[str]:
    """The text as it comes."""
    kind, view, source = question_named(origin.question), origin.view, origin.source
    source = answer if source is None else source
    if view is None:
        space = getattr(source, "space", None)
        session = Session.of(space, origin.title, origin.words, form="text")
        if isinstance(source, Assessment):
            session.of_events = source.space
        view = View(kind(), session)
    if isinstance(source, Cuts | LikelySets):
        # Those who iterate over it shall not miss what is shown.
        source = source.again()
    elif isinstance(source, Assessment):
        source = Assessed((origin.title,), [source], traces=False)
    elif isinstance(source, SafetyEnvelope) and source.largest_asked is None:
        source = WideDelta(source, source.limit) if is_wide(source) else source
    return chain(written(source, kind.forms[0], view), after(source, view))


def _deviation_lines(deviation: Deviation) -> Iterator[str]:
    new = plural(len(deviation.new), "new transition")
    yield f"Deviation: {plural(len(deviation), 'transition')}, {new}"
    lines = transition_lines(environment_of(deviation), deviation.new, frozenset())
    yield from (f"  {line}" for line in lines)


def _cut_lines(cut: Cut) -> Iterator[str]:
    about = cut.space.about
    yield f"{SAID[cut.verdict].capitalize()}: {plural(len(cut), about.noun)}"
    yield from (f"  {line}" for line in unit_lines(about, cut.units))
    yield from trace_lines(cut.trace)


# What is a part of answers, and of no question by itself.
_PARTS: dict[type, Callable[[Any], Iterable[str]]] = {
    Cut: _cut_lines,
    Deviation: _deviation_lines,
    SideReport: side_lines,
    Statistics: statistics_lines,
}
