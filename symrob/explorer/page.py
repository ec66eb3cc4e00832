"""The page: models, pictures and answers as one HTML file.

In:  the engines of one design or two over one environment.
Out: HTML that opens from the disk, without server or network.

A Content-Security-Policy in the page allows its script and its style sheet, by their
hashes, a worker created from the page's own text, and nothing else: names in a model
can never be executed, nor access the network.

Source: W3C, Content Security Policy Level 3, 2.3 and 6.1 (hashes, `worker-src`).
"""

from __future__ import annotations

import json
import os
from base64 import b64encode
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from hashlib import sha256
from html import escape
from string import Template
from typing import Any

from symrob.analyses.fault_mode_space import space_of
from symrob.analyses.same import require_same_units
from symrob.doing import Doing
from symrob.envelope.engine import Engine
from symrob.errors import printable
from symrob.explorer.answers import answers, class_data, differences
from symrob.explorer.data import (
    Numbers,
    action_numbers,
    actions_data,
    chance_data,
    design_data,
    environment_data,
    fingerprint,
    mode_data,
)
from symrob.explorer.pictures import System, pictures
from symrob.explorer.scripts import joined, read
from symrob.limits import Stages, Status
from symrob.lts import Action, Lts
from symrob.problem import budget_of
from symrob.report.text import budget_text, plural
from symrob.risk.events import Events
from symrob.version import VERSION
from symrob.words import PLAIN, Words

STYLES = ("style.css", "pictures.css")


@dataclass(frozen=True)
class Design:
    """One design that a page shows.

    Attributes:
        engine: Its problem, with its preconditions checked.
        name: Its name.
        words: Words for names.
        asked: The arguments that name its models on the command line, for `symrob
            explain`; empty if there is no command line.
    """

    engine: Engine
    name: str
    words: Words = PLAIN
    asked: tuple[str, ...] = ()


@dataclass(frozen=True)
class Page:
    """A page, and whether its initial contents are complete.

    Attributes:
        html: The document.
        status: `complete`, or what stopped an analysis.
        reason: Why, as text.
    """

    html: str
    status: Status
    reason: str


def page(designs: Sequence[Design], title: str, events: Events | None = None) -> Page:
    """Build a page.

    Args:
        designs: One, or two over one environment.
        title: Title of the page.
        events: How likely what may be switched on is possible, if that is known.

    Raises:
        SymrobError: Graphviz is not installed, or the units of the designs differ.

    Cost: what `answers` may spend on each design, and a tenth of a second for each
        picture.
    """
    engines = [design.engine for design in designs]
    units = engines[0].problem.units
    numbers = action_numbers([engine.problem for engine in engines])
    stages = Stages(engines[0].clock)
    if len(engines) > 1:
        one, other = (space_of(engine).about for engine in engines)
        require_same_units(one, other)
    data = _data(designs, numbers, title)
    mark = fingerprint(data)
    made = _today()
    data |= {"fingerprint": mark, "made": made, "version": VERSION}
    # Before what is asked, which has the rest of the time.
    templates: list[str] = []
    with stages:
        templates.extend(_pictures(designs))
        engines[0].clock.check()
    data |= chance_data(engines[0].problem, numbers, events)
    for each, design in zip(data["designs"], designs, strict=True):
        with Doing("computing the answers of the page"):
            known = answers(design.engine, numbers, units, design.words, stages, events)
            each["answers"] = known
            each["asked"] = [*map(printable, design.asked)]
    if len(engines) == 2:
        with stages:
            data["comparison"] = differences((engines[0], engines[1]), numbers)
    script, style = joined("main"), "".join(map(read, STYLES))
    document = Template(read("index.html")).substitute(
        policy=policy(script, style),
        version=escape(VERSION),
        title=escape(printable(title)),
        made=made,
        fingerprint=mark,
        subtitle=escape(_subtitle(designs)),
        style=style,
        pictures="\n".join(templates),
        data=embedded(data),
        worker=joined("beside"),
        script=script,
    )
    return Page(document, stages.status, stages.reason)


def _today() -> str:
    """The date of the page; `SOURCE_DATE_EPOCH` sets it, for the same bytes again.

    Source: reproducible-builds.org, SOURCE_DATE_EPOCH.
    """
    seconds = os.environ.get("SOURCE_DATE_EPOCH", "")
    fixed = seconds.isascii() and seconds.isdigit() and len(seconds) < 12
    moment = datetime.fromtimestamp(int(seconds), UTC) if fixed else datetime.now(UTC)
    return moment.date().isoformat()


def policy(script: str, style: str) -> str:
    """Return the Content-Security-Policy that allows this script and style sheet."""
    return "; ".join(
        (
            "default-src 'none'",
            f"script-src '{_hash(script)}'",
            f"style-src '{_hash(style)}'",
            "worker-src blob:",
            "img-src data:",
            "base-uri 'none'",
            "form-action 'none'",
        )
    )


def embedded(data: Any) -> str:
    """Return data as JSON that is safe to embed in HTML."""
    text = json.dumps(data, ensure_ascii=False, separators=(",", ":"))
    for character in "<>&\u2028\u2029":
        text = text.replace(character, f"\\u{ord(character):04x}")
    return text


def _hash(text: str) -> str:
    return f"sha256-{b64encode(sha256(text.encode()).digest()).decode()}"


def _data(designs: Sequence[Design], numbers: Numbers, title: str) -> dict[str, Any]:
    first, problem = designs[0], designs[0].engine.problem
    return {
        "title": printable(title),
        **actions_data(numbers, first.words),
        "environment": environment_data(problem.environment, numbers, first.words),
        "classes": class_data(first.engine, numbers, first.words),
        **mode_data(problem, numbers),
        "comparison": {"verdict": "", "status": "", "only": []},
        "designs": [
            design_data(d.engine.problem, numbers, d.name, d.words) for d in designs
        ],
    }


def _subtitle(designs: Sequence[Design]) -> str:
    problem = designs[0].engine.problem
    environment, units = problem.environment, problem.units
    count = len(designs[0].engine.candidates if units is None else units)
    asked = plural(count, "candidate" if units is None else "fault mode")
    budget = budget_of(problem.at_most, units)
    if budget is not None:
        asked += f", {budget_text(budget)}"
    return (
        f"{plural(environment.size, 'state')} and "
        f"{plural(len(environment.alphabet), 'action')} of the environment, "
        f"{asked}: what if …?"
    )


def _pictures(designs: Sequence[Design]) -> Iterator[str]:
    first = designs[0]
    environment = first.engine.problem.environment
    systems = {"E": System(environment, "Environment", words=first.words)}
    if environment.parts is not None:
        parts = environment.parts
        for index, (name, lts) in enumerate(
            zip(parts.names, parts.components, strict=True)
        ):
            systems[f"E-{index}"] = _system(name, lts, first.words)
    for number, design in enumerate(designs):
        controller = design.engine.problem.controller
        names = controller.component_names
        for index, (name, lts) in enumerate(
            zip(names, controller.components, strict=True)
        ):
            system = _system(name, lts, design.words, controller.hidden)
            systems[f"{number}-{index}"] = system
    for name, drawn in zip(systems, pictures([*systems.values()]), strict=True):
        if drawn is not None:
            yield f'<template data-picture="{name}">{drawn}</template>'


def _system(
    name: str, lts: Lts, words: Words, hidden: frozenset[Action] = frozenset()
) -> System:
    return System(lts, words.component(name), name or "C", words, hidden)
