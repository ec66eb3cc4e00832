"""Reading a deviation from a file.

In:  `FILE` or `FILE#N`: a result of `symrob compute --format json`, from which
     the largest deviation or the one with number N is taken; or a list
     `[[source, action, target], …]`, alone or as `{"deviation": […]}`, as a line
     of `--format jsonl` has it. States are numbers or names there, and a text
     'source,action,target' may stand for a triple.
Out: a set of transitions of A, R_E among them.

Robustness is not checked here.
"""

from __future__ import annotations

from typing import Any

from symrob.case.results import (
    NO_RESULT,
    SCHEMAS,
    load_json,
    read_deviations,
    read_mode_sets,
)
from symrob.case.transitions import parse_transitions
from symrob.errors import Diagnostic, SymrobError
from symrob.files.kinds import recognised
from symrob.lts import Lts, Transition
from symrob.lts.deviation import Deviation
from symrob.lts.views import with_transitions


def read_deviation(spec: str, environment: Lts) -> Deviation:
    """Read a deviation from a file.

    Args:
        spec: `FILE` or `FILE#N`, N counted from 1 in the order of the file.
        environment: Its environment.

    Raises:
        SymrobError: The file cannot be read, has other contents, or names states and
            actions that the environment lacks; all such problems.
    """
    path, number = _split(spec)
    found = _found(path, environment)
    if number is not None and not 1 <= number <= len(found):
        raise _wrong(path, f"no deviation {number}: the result has {len(found)}")
    if not found:
        raise _wrong(path, "this result has no deviations")
    chosen = max(found, key=len) if number is None else found[number - 1]
    nominal = environment.visible_transitions
    foreign = [t for t in sorted(chosen, key=repr) if not _belongs(t, environment)]
    if foreign:
        what = "is not a transition over the states and actions of E"
        raise SymrobError([_problem(path, f"{list(t)} {what}") for t in foreign])
    return Deviation(nominal, chosen - nominal, environment)


def read_mode_set(spec: str) -> tuple[str, ...]:
    """Read the fault modes of a deviation from a result.

    Args:
        spec: See `read_deviation`; without a number the largest set.

    Raises:
        SymrobError: The file cannot be read, or has no sets of fault modes.
    """
    path, number = _split(spec)
    with recognised(path, "deviation"):
        data = load_json(path)
        sets = read_mode_sets(data if isinstance(data, dict) else {}, path)
    if number is not None and not 1 <= number <= len(sets):
        raise _wrong(path, f"no set {number}: the result has {len(sets)}")
    if not sets:
        raise _wrong(path, "this result has no sets of fault modes")
    return max(sets, key=len) if number is None else sets[number - 1]


def _found(path: str, environment: Lts) -> list[frozenset[Transition]]:
    """The deviations of a file, in its order."""
    with recognised(path, "deviation"):
        data = load_json(path)
        if isinstance(data, dict) and "deviation" in data:
            data = data["deviation"]
        if isinstance(data, list):
            return [_listed(data, environment, path)]
        if not isinstance(data, dict) or data.get("schema") not in SCHEMAS:
            form = "a deviation is a list of [source, action, target]"
            raise _wrong(path, NO_RESULT if isinstance(data, dict) else form)
    return read_deviations(data, environment, path)


def with_deviation(environment: Lts, deviation: Deviation) -> Lts:
    """Return E_d: the environment with the transitions of a deviation.

    Args:
        environment: E.
        deviation: A set of transitions of A.
    """
    return with_transitions(environment, (*environment.transitions, *deviation))


def is_number(text: str) -> bool:
    """Whether a text is the number of a deviation within reach."""
    return text.isascii() and text.isdigit() and len(text) < 10


def _split(spec: str) -> tuple[str, int | None]:
    path, mark, number = spec.rpartition("#")
    if mark and is_number(number):
        return path, int(number)
    return spec, None


def _listed(rows: list[Any], environment: Lts, path: str) -> frozenset[Transition]:
    """Take the transitions of a list, in whichever form each is written."""
    found: set[Transition] = set()
    texts, problems = [], []
    for row in rows:
        if isinstance(row, str):
            texts.append(row)
        elif not _is_triple(row):
            message = f"a transition is [source, action, target], not {row!r:.60}"
            problems.append(_problem(path, message))
        elif isinstance(row[0], int) and isinstance(row[2], int):
            found.add(Transition(*row))
        else:
            texts.append(",".join(map(str, row)))
    if problems:
        raise SymrobError(problems)
    for meant in parse_transitions(texts, environment, file=path):
        found |= meant
    return frozenset(found)


def _is_triple(row: Any) -> bool:
    return (
        isinstance(row, list)
        and len(row) == 3
        and isinstance(row[1], str)
        and all(isinstance(q, int | str) and not isinstance(q, bool) for q in row)
    )


def _belongs(transition: Transition, environment: Lts) -> bool:
    source, action, target = transition
    states = range(environment.size)
    return source in states and target in states and action in environment.alphabet


def _problem(path: str, message: str) -> Diagnostic:
    return Diagnostic("deviation-file", message, file=path)


def _wrong(path: str, message: str) -> SymrobError:
    return SymrobError(_problem(path, message))
