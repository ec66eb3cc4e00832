"""JSON from types: the conversion of answers to documents.

In:  answers, which are data: dataclasses of numbers, texts, units, traces and the like.
Out: dictionaries and lists for `dumps`, and the text. `symrob.schemas` describes them,
     from the same types.

A dataclass is an object: a key for each field, and for each property that its class
names in `also`, by key. A field that is excluded from comparisons, such as the space of
an answer, is left out. A transition is `[source, action, target]`; units are sorted. No
key is ever absent: `null` stands for what is unknown or does not apply.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence, Set
from dataclasses import fields, is_dataclass
from functools import cache
from math import isfinite
from operator import attrgetter
from types import MappingProxyType
from typing import Any, ClassVar, NamedTuple, Protocol

from symrob.analyses.coverage import NotCovered
from symrob.analyses.hazards import Alone
from symrob.analyses.space import About, ModeSet
from symrob.lts import Lts, Network, Transition
from symrob.lts.deviation import Deviation
from symrob.problem import Many
from symrob.problem.classes import Kind
from symrob.version import VERSION
from symrob.words import Identity

# What a terminal obeys, of what JSON lets stand as it is: control characters, and
# those that turn text around or end a line. All of them stand in strings only.
_UNSEEN = (
    "[\x7f-\x9f\xad\u061c\u200b-\u200f\u2028-\u202e\u2060-\u206f\ufeff\ufff9-\ufffb"
    "\ud800-\udfff\U0001d173-\U0001d17a\U000e0000-\U000e0fff]"
)
_PLAIN = (str, int, type(None))


def dumps(data: Mapping[str, Any] | Sequence[Any]) -> str:
    """Format as JSON on one line with sorted keys, safe for terminals."""
    text = json.dumps(data, sort_keys=True, ensure_ascii=False)
    return re.sub(_UNSEEN, lambda found: json.dumps(found[0])[1:-1], text)


class Beside(NamedTuple):
    """Additional data of documents.

    Attributes:
        identifiers: The identifiers of properties, constraints and modes, by name.
        not_covered: What the question does not cover.
    """

    identifiers: Mapping[str, Identity] = MappingProxyType({})
    not_covered: NotCovered = NotCovered()


NOTHING = Beside()


def document(answer: Any, title: str = "", beside: Beside = NOTHING) -> dict[str, Any]:
    """Return an answer as a document: its head, then the answer itself.

    Args:
        answer: A dataclass with `schema`, such as `cuts/3`, and `about`.
        title: Human-readable title.
        beside: Additional data of the document.
    """
    return {
        **head(answer.schema, getattr(answer, "about", None), title, beside),
        **encoded(answer),
    }


def head(
    schema: str,
    about: About | None = None,
    title: str = "",
    beside: Beside = NOTHING,
) -> dict[str, Any]:
    """Return the head that all documents have.

    A mode is the list of its transitions of E, `[source, action, target]`, or of
    components of E, `[component, source, action, target]`.

    Args:
        schema: Its name and number.
        about: E and the units; `None` if the document is not about a problem.
        title: Human-readable title.
        beside: Additional data of the document.
    """
    environment = among = modes = budget = None
    if about is not None:
        environment = encoded(about.environment or about.network)
        among = encoded(about.among)
        modes = None if about.units is None else about.units.held()
        budget = encoded(about.budget)
    return {
        "schema": f"symrob/{schema}",
        "title": title,
        "status": "complete",
        "reason": "",
        "environment": environment,
        "among": among,
        "modes": modes,
        "at_most": budget,
        "identifiers": encoded(beside.identifiers),
        "not_covered": encoded(beside.not_covered),
        "versions": versions(),
    }


class Stream(Protocol):
    """An answer in parts, which iteration computes.

    Attributes:
        schema: Name and number of the document.
        about: E and the units.
        parts: The key under which a document lists the parts.
        end: The final results; a dataclass.
    """

    schema: ClassVar[str]
    parts: ClassVar[str]

    @property
    def about(self) -> About: ...  # noqa: D102

    @property
    def end(self) -> Any: ...  # noqa: D102

    def __iter__(self) -> Iterator[Any]: ...


def streamed(
    found: Stream,
    title: str = "",
    beside: Beside = NOTHING,
    order: Callable[[Any], Any] | None = None,
) -> dict[str, Any]:
    """Return an answer in parts as one document; computes all parts.

    Args:
        found: The answer.
        title: Human-readable title.
        beside: Additional data of the document.
        order: Sort key of the parts; by default they keep their order.
    """
    # Encoded while they come, so that little is left to do when a signal ends it.
    parts: list[tuple[Any, Any]] = [
        (order and order(part), encoded(part)) for part in found
    ]
    if order is not None:
        parts.sort(key=lambda part: part[0])
    return {
        **head(found.schema, found.about, title, beside),
        found.parts: [part for _, part in parts],
        **encoded(found.end),
    }


def json_lines(
    found: Stream, title: str = "", beside: Beside = NOTHING
) -> Iterator[str]:
    """Yield an answer in parts: its head, each part, the final results."""
    first = head(found.schema.replace("/", "-lines/"), found.about, title, beside)
    yield dumps({**first, "status": "running"})
    for part in found:
        yield dumps(encoded(part))
    yield dumps(encoded(found.end))


def encoded(value: Any) -> Any:
    """Return data for `dumps`."""
    return value if type(value) in _PLAIN else _encoder(type(value))(value)  # type: ignore[arg-type]


def triples(transitions: Iterable[Transition]) -> list[list[Any]]:
    """Return transitions as lists, sorted."""
    return sorted(map(list, transitions))


def keys_of(kind: type) -> dict[str, str]:
    """Return the keys of a dataclass in JSON, each with its field or property."""
    shown = {
        f.name.rstrip("_"): f.name
        for f in fields(kind)
        if f.compare and f.metadata.get("json", True)
    }
    return shown | getattr(kind, "also", {})


@cache
def versions() -> dict[str, str]:
    """Return the versions of symrob and of the packages that it computes with."""
    # It brings the library for electronic mail along: a tenth of a start.
    from importlib.metadata import PackageNotFoundError, version

    found = {"symrob": VERSION}
    for package in ("dd", "python-sat"):
        try:
            found[package] = version(package)
        except PackageNotFoundError:
            continue
    return found


def _units(units: Iterable[Any]) -> list[Any]:
    return [unit if isinstance(unit, str) else list(unit) for unit in sorted(units)]


def _deviation(deviation: Deviation) -> list[Any]:
    return triples(deviation) if deviation.modes is None else list(deviation.modes)


def _environment(environment: Lts) -> dict[str, Any]:
    return {
        "alphabet": list(environment.alphabet),
        "states": environment.size,
        "end": environment.end,
        "names": [environment.state_name(q) for q in range(environment.size)],
        "transitions": [list(t) for t in environment.transitions],
        **({"initial": [*environment.initial]} if environment.initial != (0,) else {}),
    }


def _network(network: Network) -> dict[str, Any]:
    """An environment without the product of its components: these components."""
    parts = zip(network.component_names, network.components, strict=True)
    return {
        "alphabet": list(network.alphabet),
        "components": [{"name": name, **_environment(part)} for name, part in parts],
    }


def _judged(alone: Alone[Many]) -> dict[str, Any]:
    return {verdict: _units(many) for verdict, many in alone.groups().items()}


# The first that fits.
_ENCODERS: Sequence[tuple[type, Callable[[Any], Any]]] = (
    (str, str),
    (bool, bool),
    (int, int),
    (float, lambda number: number if isfinite(number) else None),
    (Lts, _environment),
    (Network, _network),
    (Transition, list),
    (Kind, lambda one: {"class": one.kind, "left_out": one.left_out}),
    (Deviation, _deviation),
    (ModeSet, lambda found: list(found.modes)),
    (Many, _units),
    (Alone, _judged),
    (Set, lambda values: [*map(encoded, sorted(values))]),
    (Mapping, lambda data: {str(key): encoded(data[key]) for key in sorted(data)}),
)


@cache
def _encoder(kind: Any) -> Callable[[Any], Any]:
    for base, encoder in _ENCODERS:
        if issubclass(kind, base):
            return encoder
    keys: dict[str, str]
    if is_dataclass(kind):
        keys = keys_of(kind)  # type: ignore[arg-type]
    elif hasattr(kind, "_fields"):
        keys = {name: name for name in kind._fields}
    else:
        assert issubclass(kind, Iterable), f"{kind} is no data"
        return lambda values: [*map(encoded, values)]
    found = {key: attrgetter(name) for key, name in keys.items()}
    return lambda value: {key: encoded(get(value)) for key, get in found.items()}
