"""Case files: which models play which role, in TOML.

In:  a `.toml` file, or the options of the command line.
Out: a `Case`; its paths are made relative to the working folder.

    title = "Therac-25 with the bug"
    environment = "nurse.lts"
    controller = "machines.lts#THERAC25"
    properties = ["xflat.lts"]
    constraints = ["one_treatment.lts"]

    [constants]
    LINES = 8

Paths are relative to the case file; a process is named after a `#`. `row`
names the row of the paper's Table 1 that the case reproduces, and `[paper]`
holds its figures.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from difflib import get_close_matches
from typing import Any

from symrob.errors import Diagnostic, SymrobError

Constant = int | tuple[int, int]

PAPER_KEYS = (
    "actions",
    "environment_states",
    "controller_states",
    "property_states",
    "winning_set",
    "winning_set_per_env_deviation",
    "delta",
    "largest",
    "wall_heuristic",
    "wall_plain",
)


@dataclass(frozen=True)
class Case:
    """The models of one problem.

    Attributes:
        environment: Path of E, with `#PROCESS` where one is named.
        controller: Path of C, likewise.
        properties: Paths of the properties; at least one.
        constraints: Paths of the environmental constraints.
        constants: Values for FSP constants and ranges of all models.
        title: What a person calls the case.
        row: The row of Table 1 that it reproduces, if any.
        paper: The figures of that row.
        path: The case file; `None` if the case comes from options.
    """

    environment: str
    controller: str
    properties: tuple[str, ...]
    constraints: tuple[str, ...] = ()
    constants: Mapping[str, Constant] = field(default_factory=dict)
    title: str = ""
    row: str | None = None
    paper: Mapping[str, Any] = field(default_factory=dict)
    path: str | None = None

    @property
    def names(self) -> dict[str, tuple[str, ...]]:
        """What messages call the models; keys as in `symrob.compute`."""
        folder = os.path.dirname(self.path) if self.path else ""

        def short(paths: tuple[str, ...]) -> tuple[str, ...]:
            return tuple(os.path.relpath(p, folder) if folder else p for p in paths)

        return {
            "environment": short((self.environment,)),
            "controller": short((self.controller,)),
            "properties": short(self.properties),
            "env_constraints": short(self.constraints),
        }


def split_process(spec: str) -> tuple[str, str | None]:
    """Split `file.lts#NAME` into the path and the name of the process."""
    path, mark, process = spec.rpartition("#")
    return (path, process) if mark and path else (spec, None)


def parse_constants(options: list[str]) -> dict[str, Constant]:
    """Read `NAME=5` and `NAME=0..5`, as `--const` takes them.

    Raises:
        SymrobError: An option has another form, or a name comes twice.
    """
    constants: dict[str, Constant] = {}
    problems = []
    for option in options:
        name, mark, text = option.partition("=")
        low, dots, high = text.partition("..")
        try:
            if not mark or not name.isidentifier():
                raise ValueError
            value = (int(low), int(high)) if dots else int(text)
        except ValueError:
            problems.append(
                Diagnostic(
                    "usage-const", f"--const takes NAME=5 or NAME=0..5, not '{option}'"
                )
            )
            continue
        if name in constants:
            problems.append(Diagnostic("usage-const", f"--const {name} is given twice"))
        constants[name] = value
    if problems:
        raise SymrobError(problems)
    return constants


def load_case(path: str) -> Case:
    """Read a case file.

    Args:
        path: The file, with the suffix `.toml`.

    Raises:
        SymrobError: It cannot be read or is no TOML, or a key is missing, is
            unknown or has a value of the wrong kind; all problems at once.
    """
    import tomllib

    try:
        with open(path, "rb") as file:
            text = file.read().decode("utf-8-sig")
        data = tomllib.loads(text)
    except OSError as error:
        raise SymrobError(
            Diagnostic("case-file", f"cannot read: {error.strerror}", file=path)
        ) from error
    except UnicodeDecodeError as error:
        raise SymrobError(
            Diagnostic("case-syntax", f"this is no UTF-8 text: {error}", file=path)
        ) from error
    except tomllib.TOMLDecodeError as error:
        raise SymrobError(_syntax_problem(path, text, str(error))) from error
    problems = [
        _placed(Diagnostic("case-key", message, file=path, hint=hint), text, key)
        for message, hint, key in _problems(data)
    ]
    if problems:
        raise SymrobError(problems)
    folder = os.path.dirname(path)

    def beside(spec: str) -> str:
        return os.path.join(folder, spec)

    return Case(
        beside(data["environment"]),
        beside(data["controller"]),
        tuple(beside(p) for p in data["properties"]),
        tuple(beside(p) for p in data.get("constraints", ())),
        {
            name: tuple(value) if isinstance(value, list) else value
            for name, value in data.get("constants", {}).items()
        },
        data.get("title", os.path.basename(path)),
        data.get("row"),
        data.get("paper", {}),
        path,
    )


def _syntax_problem(path: str, text: str, message: str) -> Diagnostic:
    """Give what the TOML reader says the form of all other diagnostics."""
    place = re.search(r" \(at (?:line (\d+), column (\d+)|end of document)\)$", message)
    problem = Diagnostic("case-syntax", f"this is no TOML: {message}", file=path)
    if place is None:
        return problem
    lines = text.splitlines() or [""]
    line = int(place[1] or len(lines))
    column = int(place[2] or len(lines[-1]) + 1)
    words = message[: place.start()]
    source = lines[line - 1] if line <= len(lines) else ""
    return replace(
        problem,
        message=f"this is no TOML: {words[:1].lower()}{words[1:]}",
        line=line,
        column=column,
        source=source,
    )


def _placed(problem: Diagnostic, text: str, key: str | None) -> Diagnostic:
    """Add the line where a key stands, if there is such a line."""
    if key is None:
        return problem
    pattern = re.compile(rf"(\s*)(\[?\s*[\"']?{re.escape(key)}\b)")
    for number, line in enumerate(text.splitlines(), 1):
        match = pattern.match(line)
        if match:
            column = len(match[1]) + 1
            return replace(
                problem, line=number, column=column, length=len(match[2]), source=line
            )
    return problem


def _is_text(value: object) -> bool:
    return isinstance(value, str) and value != ""


def _is_texts(value: object) -> bool:
    return isinstance(value, list) and all(_is_text(v) for v in value)


def _is_constants(value: object) -> bool:
    def is_number(v: object) -> bool:
        return isinstance(v, int) and not isinstance(v, bool)

    return isinstance(value, dict) and all(
        is_number(v)
        or (isinstance(v, list) and len(v) == 2 and all(is_number(x) for x in v))
        for v in value.values()
    )


_KEYS = {
    "title": (_is_text, "a text"),
    "row": (_is_text, "a text"),
    "environment": (_is_text, "the path of a model"),
    "controller": (_is_text, "the path of a model"),
    "properties": (lambda v: _is_texts(v) and v, "a list of paths of models"),
    "constraints": (_is_texts, "a list of paths of models"),
    "constants": (_is_constants, "a table of numbers or [low, high] pairs"),
    "paper": (lambda v: isinstance(v, dict), "a table of figures"),
}
_REQUIRED = ("environment", "controller", "properties")


def _problems(data: Mapping[str, Any]) -> Iterator[tuple[str, str | None, str | None]]:
    """Each problem of a case as (message, hint, key that it is about)."""
    for key in _REQUIRED:
        if key not in data:
            yield f"the key '{key}' is missing", None, None
    for key, value in data.items():
        if key not in _KEYS:
            yield f"unknown key '{key}'", _suggestion(key, _KEYS), key
            continue
        fits, expected = _KEYS[key]
        if not fits(value):
            yield f"'{key}' must be {expected}", None, key
    paper = data.get("paper", {})
    for key in paper if isinstance(paper, dict) else ():
        if key not in PAPER_KEYS:
            yield f"unknown key 'paper.{key}'", _suggestion(key, PAPER_KEYS), key


def _suggestion(word: str, known: Any) -> str | None:
    close = get_close_matches(word, list(known), n=1)
    return f"did you mean '{close[0]}'?" if close else None
