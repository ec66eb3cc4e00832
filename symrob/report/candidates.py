"""The table of candidates, to be filled in: one row for each, as CSV.

In:  candidates, with their verdicts, and words for their names.
Out: lines, one at a time; `case.table` reads them back.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from symrob.analyses.hazards import SAID, Alone
from symrob.case.table import WRITTEN, labels
from symrob.envelope.transitions import Candidates
from symrob.files.csvtext import csv_line
from symrob.lts.masks import bits
from symrob.problem.classes import Classes
from symrob.words import PLAIN, Words

BROKEN = "breaks an assumption"


def table_lines(
    classes: Classes, asked: Candidates, judged: Alone, words: Words = PLAIN
) -> Iterator[str]:
    """Yield the heads, then a row for each candidate; the last three cells are empty.

    Args:
        classes: The classes of the candidates.
        asked: Those to write.
        judged: The verdicts of these.
        words: What names are called.

    Cost: linear in what is written.
    """
    environment = classes.environment
    state = labels(environment)
    names = (environment.state_name(q) for q in range(environment.size))
    told = [words.state("E", name) for name in names]
    verdicts: Mapping[str, Candidates] = {
        SAID["tolerated"]: judged.tolerated,
        SAID["hazardous"]: judged.hazardous,
        SAID["assumed-away"]: judged.assumed_away,
        SAID["outside-assumptions"]: judged.outside,
        BROKEN: judged.undecided,
    }
    column = {action: i for i, action in enumerate(asked.actions)}
    yield csv_line(WRITTEN)
    for source, action, parts in classes.rows():
        said = words.action(action)
        for part in parts:
            kind = words.kind(part.kind)
            kind += f" of {part.left_out}" if part.left_out is not None else ""
            mask = part.targets & asked.masks[source][column[action]]
            for target in bits(mask):
                verdict = next(
                    name
                    for name, of in verdicts.items()
                    if of.masks[source][column[action]] >> target & 1
                )
                line = f"{said}: {told[source]} → {told[target]}"
                plain = f"{action}: {state[source]} → {state[target]}"
                in_words = "" if line == plain else line
                ends = (state[source], action, state[target])
                yield csv_line((kind, *ends, in_words, verdict, "", "", ""))
