"""The table of candidates as CSV, one row each, for the user to complete.

In:  candidates, with their verdicts, and words for their names.
Out: lines, one at a time; `case.table` reads them back.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from symrob.analyses.candidates import Candidacy
from symrob.analyses.hazards import Alone
from symrob.analyses.space import About
from symrob.case.table import COMPONENT, WRITTEN, labels
from symrob.envelope.transitions import Candidates
from symrob.files.csvtext import csv_line
from symrob.lts import Action, Transition
from symrob.lts.masks import bits
from symrob.problem import Many
from symrob.problem.classes import Class, Classes
from symrob.questions.question import View
from symrob.report.output_formats import Form
from symrob.report.text import plural
from symrob.verdicts import SAID
from symrob.words import PLAIN, Words

BROKEN = "excluded by an assumption"


def component_lines(
    about: About, judged: Alone[Many], words: Words = PLAIN
) -> Iterator[str]:
    """Yield the header, then a row for each candidate of a component of E.

    Its class is relative to the plan of the component.

    Args:
        about: The problem; each such transition is a mode.
        judged: The modes by their verdict.
        words: Words for names.
    """
    network, units = about.network, about.units
    assert network is not None, "E is composed"
    assert units is not None, "units are fault modes"
    yield csv_line((COMPONENT, *WRITTEN))
    said = {m: SAID[v] for v, many in judged.by_verdict().items() for m in many}
    states = [labels(part) for part in network.components]
    classes = [Classes(part) for part in network.components]
    for mode in units.modes:
        ((i, q, a, r),) = mode.local
        name = network.component_names[i]
        told = [words.state(name, states[i][s]) for s in (q, r)]
        line = f"{words.action(a)}: {told[0]} → {told[1]}"
        plain = f"{a}: {states[i][q]} → {states[i][r]}"
        in_words = "" if line == plain else line
        ends = (states[i][q], a, states[i][r])
        kind = _class(*classes[i].of(Transition(q, a, r)), words)
        yield csv_line((name, kind, *ends, in_words, said[mode.name], "", "", ""))


def table_lines(
    classes: Classes, asked: Candidates, judged: Alone[Candidates], words: Words = PLAIN
) -> Iterator[str]:
    """Yield the header, then a row for each candidate with three empty last cells.

    Args:
        classes: The classes of the candidates.
        asked: The candidates to write.
        judged: The verdicts of these.
        words: Words for names.

    Cost: linear in the output.
    """
    environment = classes.environment
    state = labels(environment)
    names = (environment.state_name(q) for q in range(environment.size))
    told = [words.state("E", name) for name in names]
    verdicts: Mapping[str, Candidates] = {
        SAID["tolerated"]: judged.tolerated,
        SAID["hazardous"]: judged.hazardous,
        SAID["excluded-unsafe"]: judged.excluded_unsafe,
        SAID["excluded-safe"]: judged.excluded_safe,
        BROKEN: judged.undecided,
    }
    yield csv_line(WRITTEN)
    for source, action, parts in classes.rows():
        said = words.action(action)
        for part in parts:
            kind = _class(part.kind, part.left_out, words)
            mask = part.targets & asked.targets(source, action)
            for target in bits(mask):
                verdict = next(
                    name
                    for name, of in verdicts.items()
                    if of.targets(source, action) >> target & 1
                )
                line = f"{said}: {told[source]} → {told[target]}"
                plain = f"{action}: {state[source]} → {state[target]}"
                in_words = "" if line == plain else line
                ends = (state[source], action, state[target])
                yield csv_line((kind, *ends, in_words, verdict, "", "", ""))


def _class(kind: Class, left_out: Action | None, words: Words) -> str:
    """What a class is called, with the action that an omission leaves out."""
    called = words.kind(kind)
    return called if left_out is None else f"{called} of {left_out}"


def _csv(answer: Candidacy, view: View) -> Iterator[str]:
    space, words = answer.space, view.session.words
    if answer.rows is None:
        lines = component_lines(space.about, answer.judged, words)
    else:
        classes = space.about.classes
        assert classes is not None, "E is one system"
        lines = table_lines(classes, answer.rows, answer.judged, words)
    for line in lines:
        space.clock.check()
        yield line


def what(answer: Candidacy, _view: View) -> str:
    """What the file contains, for messages."""
    return f"table of {plural(answer.count, 'candidate')}"


FORMS: Mapping[str, Form] = {"csv": _csv}
