"""Reading back printed results.

In:  the output of `symrob compute --format json`, and the environment.
Out: its deviations.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from itertools import product
from typing import Any

from symrob import files
from symrob.errors import Diagnostic, SymrobError, did_you_mean, plural
from symrob.files.jsontext import parsed
from symrob.files.kinds import recognised
from symrob.lts import Lts, Transition
from symrob.lts.difference import differences
from symrob.lts.masks import bits
from symrob.problem import Model, Units

# The first is what 0.2 wrote.
WHOLE, COMPACT = ("symrob/result/1", "symrob/result/3"), "symrob/result/2"
SCHEMAS = (*WHOLE, COMPACT)
# Transitions that a result in blocks may stand for in all: they are checked one by one.
MOST_LISTED = 5_000_000
NO_RESULT = f"this is not a result of schema {', '.join(sorted(SCHEMAS))}"


def read_mode_sets(data: Mapping[str, Any], file: str) -> list[tuple[str, ...]]:
    """Read the sets of fault modes of a result, one for each deviation.

    Raises:
        SymrobError: It has none, or not one for each.
    """
    sets, delta = data.get("delta_modes"), data.get("delta")
    if (
        not isinstance(sets, list)
        or (delta is not None and (type(delta), len(delta)) != (list, len(sets)))
        or not all(isinstance(s, list) for s in sets)
        or not all(isinstance(name, str) for s in sets for name in s)
    ):
        raise _wrong(file, "the case uses fault modes, but the result has none")
    return [tuple(names) for names in sets]


def require_modes(
    data: Mapping[str, Any], units: Units, environment: Model, file: str
) -> None:
    """Reject a result of another environment, or with other modes.

    Args:
        data: The result.
        units: The modes of the problem.
        environment: E; its components, if the result has no states of E.
        file: For messages.

    Raises:
        SymrobError: They differ; all differing modes are reported.
    """
    theirs, ours = data.get("modes"), units.held()
    if not _is_of(data.get("environment"), environment):
        raise _other(file, data, environment)
    problems = []
    for name in sorted(
        {name for names in read_mode_sets(data, file) for name in names}
    ):
        if name not in ours:
            message = f"there is no fault mode '{name:.200}'"
            hint = did_you_mean(name, ours)
        elif not isinstance(theirs, Mapping) or theirs.get(name) != ours[name]:
            message = f"fault mode '{name:.200}' differs from that of the case"
            hint = None
        else:
            continue
        problems.append(Diagnostic("modes-unknown", message, file=file, hint=hint))
    if problems:
        raise SymrobError(problems)


def _wrong(file: str, message: str) -> SymrobError:
    return SymrobError(Diagnostic("verify-result", message, file=file))


def _other(file: str, data: Mapping[str, Any], environment: Model) -> SymrobError:
    more = otherwise("result", data.get("environment"), environment)
    return _wrong(file, f"the result belongs to a different environment{more}")


def same(theirs: object, ours: object) -> bool:
    """Whether parsed JSON equals what symrob would write; `False` is not 0."""
    return theirs == ours and json.dumps(theirs) == json.dumps(ours)


def _is_of(theirs: object, environment: Model) -> bool:
    """Whether a result is of this environment, as one system or in components."""
    if not isinstance(theirs, Mapping):
        return False
    if isinstance(environment, Lts):
        names = [environment.state_name(q) for q in range(environment.size)]
        return (
            same(theirs.get("alphabet"), list(environment.alphabet))
            and same(theirs.get("states"), environment.size)
            and same(theirs.get("names", names), names)
            and same(theirs.get("initial", [0]), list(environment.initial))
            and same(theirs.get("transitions"), [*map(list, environment.transitions)])
        )
    parts = theirs.get("components")
    components = environment.components
    return (
        isinstance(parts, list)
        and len(parts) == len(components)
        and [p.get("name") for p in parts if isinstance(p, dict)]
        == [*environment.component_names]
        and all(map(_is_of, parts, components))
    )


def load_json(path: str) -> Any:
    """Read a file of JSON.

    Raises:
        SymrobError: The file cannot be read, or has other contents.
    """

    def each_once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
        # Readers differ in which of two they take.
        found = dict(pairs)
        if len(found) < len(pairs):
            message = "duplicate key in an object"
            raise SymrobError(Diagnostic("result-file", message, file=path))
        return found

    text = files.read_text(path)
    return parsed(text, path, "result-file", object_pairs_hook=each_once)


def load_result(path: str) -> dict[str, Any]:
    """Read back a printed result.

    Raises:
        SymrobError: The file cannot be read, or is not a JSON object.
    """
    with recognised(path, "result"):
        data = load_json(path)
        if not isinstance(data, dict) or data.get("schema") not in SCHEMAS:
            raise SymrobError(Diagnostic("result-file", NO_RESULT, file=path))
    return data


def read_deviations(
    data: Mapping[str, Any], environment: Lts, file: str
) -> list[frozenset[Transition]]:
    """Read the deviations of a result, compact or not.

    Args:
        data: The result.
        environment: The environment of the problem, which must be that of the result.
        file: For messages.

    Raises:
        SymrobError: This is not such a result, or is about another environment.
    """
    if data.get("schema") not in SCHEMAS:
        raise _wrong(file, NO_RESULT)
    if not _is_of(data.get("environment"), environment):
        raise _other(file, data, environment)
    delta, tolerated = data.get("delta"), data.get("tolerated")
    in_blocks = tolerated if isinstance(tolerated, dict) else None
    kind = list if in_blocks is None or data["schema"] in WHOLE else dict
    if not isinstance(delta, list) or not all(isinstance(d, kind) for d in delta):
        raise _wrong(file, "'delta' must be a list of deviations")
    try:
        if data["schema"] in WHOLE:
            return [_once([*map(_transition, row)]) for row in delta]
        if in_blocks is not None:
            alone = _listed(in_blocks, environment, MOST_LISTED // (1 + len(delta)))
            everything = environment.visible_transitions | alone
            return [
                everything - _listed(blocks, environment, len(everything))
                for blocks in delta
            ]
        return _left_out(tolerated, delta, environment)
    except ValueError as error:
        raise _wrong(file, str(error)) from None


def read_tolerated(
    data: Mapping[str, Any], environment: Lts
) -> frozenset[Transition] | None:
    """Read the individually tolerated units of a result.

    `read_deviations` must have accepted the result.

    Returns:
        The units, possibly with R_E; `None` if the result does not list them.
    """
    tolerated = data.get("tolerated") if data["schema"] == COMPACT else None
    if not data["delta"] or tolerated is None:
        return None
    if isinstance(tolerated, dict):
        return _listed(tolerated, environment, MOST_LISTED)
    return frozenset(map(_transition, tolerated))


def otherwise(what: str, theirs: object, environment: Model) -> str:
    """Return how the environment of a file differs, as the end of a sentence.

    Args:
        what: The kind of file.
        theirs: The environment in it.
        environment: The environment of the problem.

    Returns:
        The end of a sentence; empty if one of them consists of components, or `theirs`
        is not an environment.
    """
    if not isinstance(environment, Lts):
        return ""
    try:
        found = Lts.from_dict(theirs)  # type: ignore[arg-type]
    except SymrobError:
        return ""
    if found.size != environment.size:
        return f": it has {plural(found.size, 'state')}, not {environment.size}"
    both = list(differences(found, environment, (what, "model")))
    return f": they have {both[0]}" if both else ""


def _left_out(
    tolerated: object, delta: list[list[Any]], environment: Lts
) -> list[frozenset[Transition]]:
    """The deviations of a compact result.

    Raises:
        ValueError: A number is none of a tolerated transition, or there are none.
    """
    if not isinstance(tolerated, list):
        raise ValueError("'tolerated' must be a list of transitions")
    alone = list(map(_transition, tolerated))
    everything = environment.visible_transitions | _once(alone)
    found = []
    for numbers in delta:
        for number in numbers:
            if type(number) is not int or not 0 <= number < len(alone):
                raise ValueError(
                    "a deviation must be a list of numbers below "
                    f"{len(alone)}, not {numbers!r:.60}"
                )
        found.append(everything - _once([alone[n] for n in numbers]))
    return found


def _listed(
    blocks: Mapping[str, Any], environment: Lts, most: int
) -> frozenset[Transition]:
    """The transitions in blocks: by action, with sets of states as bits.

    Raises:
        ValueError: They are none of E, or more than anybody could look at.
    """
    full = (1 << environment.size) - 1
    masks: dict[str, tuple[int, list[tuple[int, int]]]] = {}
    size = 0
    for action, block in blocks.items():
        try:
            loops = int(block["loops"], 16)
            pairs = [(int(s, 16), int(t, 16)) for s, t in block["pairs"]]
        except (KeyError, TypeError, ValueError):
            raise ValueError(f"{action!r:.60} must have 'loops' and 'pairs'") from None
        known = [loops, *(mask for pair in pairs for mask in pair)]
        if action not in environment.alphabet or not all(0 <= m <= full for m in known):
            raise ValueError(f"E lacks the action {action!r:.60} or some of the states")
        masks[action] = loops, pairs
        size += loops.bit_count() + sum(
            s.bit_count() * t.bit_count() - (s & t).bit_count() for s, t in pairs
        )
    if size > most:
        read = MOST_LISTED // size - 1
        go_on = f"compute --compact --limit {read} writes fewer deviations"
        if read < 1:
            go_on = "--among EXPR selects fewer transitions"
        raise ValueError(
            f"too many transitions: a set has {size:,}, and symrob reads at most "
            f"{MOST_LISTED:,} transitions in all deviations together; {go_on}"
        )
    found: set[Transition] = set()
    for action, (loops, pairs) in masks.items():
        found.update(Transition(q, action, q) for q in bits(loops))
        for sources, targets in pairs:
            found.update(
                Transition(q, action, r)
                for q, r in product(bits(sources), bits(targets))
                if q != r
            )
    return frozenset(found)


def _once(transitions: list[Transition]) -> frozenset[Transition]:
    """Return a set of what is listed.

    Raises:
        ValueError: Something comes twice.
    """
    found = frozenset(transitions)
    if len(found) < len(transitions):
        raise ValueError("a list of transitions contains one of them twice")
    return found


def _transition(row: object) -> Transition:
    """What a result has for a transition.

    Raises:
        ValueError: It is none.
    """
    if not isinstance(row, list) or [*map(type, row)] != [int, str, int]:
        raise ValueError(
            f"a deviation must be a list of [source, action, target], not {row!r:.60}"
        )
    return Transition(*row)
