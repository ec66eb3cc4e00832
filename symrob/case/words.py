"""The words of a case: read, checked, and compared with the models.

In:  what a case file says under `words`: a table, or the path of a file that has it.
Out: `Words`, every problem of it, and warnings for names that no model has.

    [words.actions]
    up = "the nurse goes back with 'up'"
    [words.states]
    TO_FLATTENER = "still turning to the flattener"
    [words.components]
    TURNTABLE = "turntable"
    [words.properties]
    "xflat.lts" = "X-rays are fired only with the flattener in place"

A dot in a name may be one of TOML's: `v.enter = "the voter goes in"` needs no quotes.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from symrob.case.keys import Expected, KeyPath, KeyProblem, dotted, wrong_values
from symrob.case.places import located
from symrob.errors import Diagnostic, SymrobError, did_you_mean, printable
from symrob.files.kinds import recognised
from symrob.files.tomltext import read_toml
from symrob.lts import TAU
from symrob.problem import Problem
from symrob.words import ANY, Words, fits, property_names

# Characters of a name or of its words, and words of each kind.
MAX_LENGTH = 200
MAX_WORDS = 1000
# So many unknown names are told, and so many known ones compared with them.
_MOST = 8
_MOST_KNOWN = 10_000

_A_TABLE = (lambda value: isinstance(value, dict), "a table of texts")
_KINDS: dict[str, Expected] = dict.fromkeys(
    ("actions", "states", "components", "properties"), _A_TABLE
)


def word_problems(table: Mapping[str, Any]) -> Iterator[KeyProblem]:
    """Yield everything that is wrong with a table of words."""
    yield from wrong_values(table, _KINDS, ("words",))
    for kind in _KINDS:
        if not isinstance(table.get(kind), dict):
            continue
        seen: set[str] = set()
        for at, value in _leaves(table[kind], ("words", kind)):
            name = dotted(at[2:])
            if not isinstance(value, str) or not 0 < len(value) <= MAX_LENGTH:
                message = f"must be a text of 1 to {MAX_LENGTH} characters"
            elif not 0 < len(name) <= MAX_LENGTH:
                message = f"must have a name of 1 to {MAX_LENGTH} characters"
            elif name.count(ANY) > 1:
                message = f"must have a name with at most one {ANY}"
            elif name in seen:
                message = "is given twice"
            else:
                seen.add(name)
                continue
            yield KeyProblem(f"'{dotted(at)}' {message}", at)
        if len(seen) > MAX_WORDS:
            message = f"'words.{kind}' has more than {MAX_WORDS:,} words"
            yield KeyProblem(message, ("words", kind))


def words_of(table: Mapping[str, Any], *, shared: bool = False) -> Words:
    """Return the words of a table without problems; none of them steers a terminal.

    Args:
        table: The table.
        shared: Whether several cases have it.
    """
    kinds = {
        kind: {
            dotted(at): printable(str(value))
            for at, value in _leaves(table.get(kind, {}), ())
        }
        for kind in _KINDS
    }
    return Words(**kinds, shared=shared)


def load_words(path: str) -> Words:
    """Read a file that holds the table `words` and nothing else.

    Raises:
        SymrobError: It cannot be read, or something in it is wrong; all problems.
    """
    with recognised(path, "words"):
        text, data = read_toml(path)
        known = {"words": (_A_TABLE[0], "a table of words")}
        problems = [*wrong_values(data, known, ())]
        table = data.get("words", {})
        if isinstance(table, dict):
            problems += word_problems(table)
        if found := located(problems, "case-words", path, text):
            raise SymrobError(found)
    return words_of(table, shared=True)


def word_doubts(words: Words, problem: Problem) -> Iterator[Diagnostic]:
    """Yield a warning for each name that no model has, and for actions told alike.

    Args:
        words: The words. Of those that several cases share it is not said that no
            model has a name.
        problem: The models.

    Cost: linear in the names of the models for each word with a `*`; models with very
    many names are not looked at.
    """
    yield from _same_words(words, problem)
    if words.shared:
        return
    if words.actions:
        known = {*problem.actions, TAU}
        yield from _strangers("actions", words.actions, known)
    if words.states:
        yield from _strangers("states", words.states, _states(problem))
    if words.components:
        known = {"E", *_components(problem)}
        yield from _strangers("components", words.components, known)
    if words.properties:
        yield from _strangers("properties", words.properties, _properties(problem))


def _same_words(words: Words, problem: Problem) -> Iterator[Diagnostic]:
    """Actions that nobody could tell apart in a run."""
    if not words.actions or len(problem.actions) > _MOST_KNOWN:
        return
    by_words: dict[str, list[str]] = {}
    for name in sorted(problem.actions):
        by_words.setdefault(words.action(name), []).append(name)
    same = [(told, names) for told, names in by_words.items() if len(names) > 1]
    for told, names in same[:_MOST]:
        listed = ", ".join(f"'{name}'" for name in names[:_MOST])
        more = f" and {len(names) - _MOST:,} more" if len(names) > _MOST else ""
        message = f"words.actions: {listed}{more} are all called '{told}'"
        hint = "give each words of its own, so that a run tells them apart"
        yield Diagnostic("case-words", message, "warning", hint=hint)


def _strangers(
    kind: str, given: Iterable[str], known: set[str]
) -> Iterator[Diagnostic]:
    if len(known) > _MOST_KNOWN:
        return
    strangers = [
        name
        for name in given
        if name not in known and not (ANY in name and any(fits(name, k) for k in known))
    ]
    message = f"words.{kind}: no model has the name"
    for name in strangers[:_MOST]:
        hint = did_you_mean(name, known)
        yield Diagnostic("case-words", f"{message} '{name}'", "warning", hint=hint)
    if more := strangers[_MOST:]:
        message = f"{message}s of {len(more):,} more words"
        yield Diagnostic("case-words", message, "warning")


def _components(problem: Problem) -> list[str]:
    return [name or "C" for name in problem.controller.component_names]


def _states(problem: Problem) -> set[str]:
    parts = [problem.environment, *problem.controller.components]
    names = set()
    for title, part in zip(["E", *_components(problem)], parts, strict=True):
        for state in range(part.size):
            names |= {part.state_name(state), f"{title}.{part.state_name(state)}"}
    return names


def _properties(problem: Problem) -> set[str]:
    monitors = (*problem.properties, *problem.constraints)
    return {part for monitor in monitors for part in property_names(monitor.name)}


def _leaves(value: object, at: KeyPath) -> Iterator[tuple[KeyPath, object]]:
    """Each value of nested tables that is none, with the keys that lead to it."""
    if not isinstance(value, Mapping):
        yield at, value
        return
    for key, inner in value.items():
        yield from _leaves(inner, (*at, key))
