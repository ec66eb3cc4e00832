"""The words of a case: plain language for names, names of classes.

In:  the table `words` of a case file, or the path of a file with it, and the table
     `classes`.
Out: `Words`, every problem of it, and warnings for names that no model has.

    [words.actions]
    up = "the nurse goes back with 'up'"
    [words.states]
    TO_FLATTENER = "still turning to the flattener"
    [words.components]
    TURNTABLE = "turntable"
    [words.properties]
    "xflat.lts" = "X-rays are fired only with the flattener in place"
    [classes]
    omission = "skipped step"

A dot in a name may be one of TOML's: `v.enter = "the voter goes in"` needs no quotes.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from symrob.case.places import load_table
from symrob.case.tables import (
    FreeNames,
    Key,
    KeyPath,
    KeyProblem,
    Keys,
    dotted,
    is_table,
)
from symrob.errors import Diagnostic, did_you_mean, enumerated, plural, printable
from symrob.lts import TAU, Lts
from symrob.problem import Problem
from symrob.problem.classes import CLASSES
from symrob.words import ANY, Words, fits, property_names

# Characters of a name or of its words, and of the name of a class; words of each kind.
MAX_LENGTH = 200
MAX_CLASS_LENGTH = 60
MAX_WORDS = 1000
# This many unknown names are told, and this many known ones compared with them.
_MOST = 8
_MOST_KNOWN = 10_000


def _text_of(most: int) -> Key:
    return Key(
        lambda value: isinstance(value, str) and 0 < len(value) <= most,
        f"a string of 1 to {most} characters",
    )


_NAMES = FreeNames(
    (
        (
            lambda name: 0 < len(name) <= MAX_LENGTH,
            f"a name of 1 to {MAX_LENGTH} characters",
        ),
        (lambda name: name.count(ANY) < 2, f"a name with at most one {ANY}"),
    ),
    MAX_WORDS,
    "words",
)
_KIND = Keys(free=_text_of(MAX_LENGTH), names=_NAMES)
WORDS = Keys(
    dict.fromkeys(
        ("actions", "states", "components", "properties"),
        Key(is_table, "a table of strings", inside=_KIND),
    )
)
_FILE = Keys({"words": Key(is_table, "a table of words", inside=WORDS)})


def _same_names(table: Mapping[str, Any], at: KeyPath) -> Iterator[KeyProblem]:
    """Classes that could not be distinguished."""
    given = {k: v for k, v in table.items() if k in CLASSES and isinstance(v, str)}
    names = {kind: kind.replace("-", " ") for kind in CLASSES} | given
    for kind, name in given.items():
        others = [o for o in CLASSES if name in (o, names[o]) and o != kind]
        if others:
            message = f"'classes.{kind}' is called '{name}', as is '{others[0]}'"
            yield KeyProblem(message, (*at, kind))


CLASS_NAMES = Keys(
    dict.fromkeys(CLASSES, _text_of(MAX_CLASS_LENGTH)), together=_same_names
)


def words_of(
    table: Mapping[str, Any],
    classes: Mapping[str, str] | None = None,
    *,
    shared: bool = False,
) -> Words:
    """Return the words of a valid table, without control characters.

    Args:
        table: The table.
        classes: The names of classes, by class.
        shared: Whether several cases share the table.
    """
    told: dict[str, Any] = {
        kind: {dotted(at): printable(text) for at, text in _KIND.leaves(given)}
        for kind in WORDS.keys
        if (given := table.get(kind))
    }
    named = {kind: printable(name) for kind, name in (classes or {}).items()}
    return Words(**told, classes=named, shared=shared)


def load_words(path: str) -> Words:
    """Read a file that holds the table `words` and nothing else.

    Raises:
        SymrobError: It cannot be read, or its contents are wrong; all problems.
    """
    data, _ = load_table(path, "words", "case-words", _FILE)
    return words_of(data.get("words", {}), shared=True)


def word_doubts(words: Words, problem: Problem) -> Iterator[Diagnostic]:
    """Yield warnings for names that no model has, and for actions with equal words.

    Args:
        words: The words. If several cases share them, unknown names give no warning.
        problem: The models.

    Cost: linear in the names of the models for each word with a `*`; models with very
    many names are skipped.
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
        known = {"E", "C", *(name for name, _ in _components(problem))}
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
        listed = enumerated([f"'{name}'" for name in names], _MOST)
        message = f"words.actions: {listed} have the same words '{told}'"
        hint = "give each action different words, so that traces distinguish them"
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
        message += "s" * (len(more) > 1) + f" of {plural(len(more), 'more word')}"
        yield Diagnostic("case-words", message, "warning")


def _components(problem: Problem) -> Iterator[tuple[str, Lts]]:
    """Each component of E and C, by its name; E by `E`, too."""
    environment, controller = problem.environment, problem.controller
    yield "E", environment
    if environment.parts is not None:
        names, components, _ = environment.parts
        yield from zip(names, components, strict=True)
    for name, part in zip(
        controller.component_names, controller.components, strict=True
    ):
        yield name or "C", part


def _states(problem: Problem) -> set[str]:
    names = set()
    for title, part in _components(problem):
        for state in range(part.size):
            names |= {part.state_name(state), f"{title}.{part.state_name(state)}"}
    return names


def _properties(problem: Problem) -> set[str]:
    monitors = (*problem.properties, *problem.constraints)
    return {part for monitor in monitors for part in property_names(monitor.name)}
