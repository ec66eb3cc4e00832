"""Case files: which models play which role, in TOML.

In:  a `.toml` file, or the options of the command line.
Out: a `Case`, or one for each choice of a matrix; paths are made relative to the
     working folder.

    title = "Therac-25 with the bug"
    environment = "nurse.lts"
    controller = "machines.lts#THERAC25"
    properties = ["xflat.lts"]
    constraints = ["one_treatment.lts"]

    [constants]
    LINES = 8

Paths are relative to the case file and stay in its folder, unless the user
allows otherwise; a process is named after a `#`. `row` names the row of the
paper's Table 1 that the case reproduces, and `[paper]` holds its figures.
docs/batch.md has all keys, `keys` checks them, `matrix` makes many cases of one.
"""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from typing import Any

from symrob.case.keys import LIMITS, PAPER_KEYS, KeyProblem, problems
from symrob.case.matrix import MAX_CASES, expand, not_one_case
from symrob.case.places import at_value, located
from symrob.case.words import load_words, word_problems, words_of
from symrob.errors import Diagnostic, SymrobError
from symrob.files import tomltext
from symrob.files.kinds import recognised
from symrob.files.paths import beside, is_inside
from symrob.options import Options
from symrob.words import PLAIN, Words

__all__ = [
    "MAX_CASES",
    "PAPER_KEYS",
    "Case",
    "Constant",
    "load_case",
    "load_cases",
    "parse_constants",
    "split_process",
]

Constant = int | tuple[int, int]


@dataclass(frozen=True)
class Case:
    """The models of one problem, and what is asked about it.

    Attributes:
        environment: Path of E, with `#PROCESS` where one is named.
        controller: Path of C, likewise.
        properties: Paths of the properties; at least one.
        constraints: Paths of the environmental constraints.
        constrained: Whether the constraints count; they are read in any case.
        constants: Values for FSP constants and ranges of all models.
        title: What a person calls the case.
        row: The row of Table 1 that it reproduces, if any.
        paper: The figures of that row.
        path: The case file; `None` if the case comes from options.
        choice: Which choice of the file's matrix this is; empty without one.
        labels: Words to find the case by.
        questions: What a batch computes: some of `case.keys.QUESTIONS`.
        settings: Options that the file sets, by the names of the fields of
            `symrob.options.Options`.
        order: Up to which size `cuts` lists sets; `None` for any.
        other: The side that `compare` compares with.
        one_sided: Actions that E or C is meant to have alone, with `*` for any text.
        words: What names of the models are called in plain language.
        root: The folder that no path may leave; `None` for no such bound.
        form: The format of the model that is read from standard input.
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
    choice: str = ""
    labels: tuple[str, ...] = ()
    questions: tuple[str, ...] = ("deviations",)
    settings: Mapping[str, Any] = field(default_factory=dict)
    order: int | None = None
    other: Case | None = None
    one_sided: tuple[str, ...] = ()
    words: Words = PLAIN
    root: str | None = None
    form: str | None = None
    constrained: bool = True

    @property
    def key(self) -> str:
        """What tells the case from all others of a batch."""
        path = os.path.normpath(self.path or "").replace(os.sep, "/")
        return f"{path} [{self.choice}]" if self.choice else path

    @property
    def folder(self) -> str:
        """The folder of the case file; empty for the working folder."""
        return os.path.dirname(self.path) if self.path else ""

    @property
    def folder_prefix(self) -> str:
        """What stands before the paths of the case file's models."""
        return os.path.join(self.folder, "")

    def options(self, given: Mapping[str, Any]) -> Options:
        """Return options with the settings of the case file.

        Args:
            given: Those of the user, by the names of the fields of `Options`; one
                that is not `None` wins, also over settings that exclude it.

        Raises:
            SymrobError: Values out of range, all of them at once.
        """
        return Options.of(self.settings_beside(given), given)

    def settings_beside(self, given: Mapping[str, Any]) -> dict[str, Any]:
        """Return the settings that hold where the user has given some options."""
        excluded: set[str] = set()
        if given.get("algorithm") not in (None, "maximal"):
            excluded = {"largest", "weights"}
        elif given.get("largest") is not None:
            excluded = {"algorithm"}
        return {k: v for k, v in self.settings.items() if k not in excluded}

    def unconstrained(self) -> Case:
        """Return the case as if it had no constraints, and no row of Table 1."""
        other = None if self.other is None else self.other.unconstrained()
        same = replace(self, constrained=False, other=other)
        if not self.constraints:
            return same
        title = self.title and f"{self.title}, without its constraints"
        return replace(same, title=title, row=None, paper={})

    @property
    def specs(self) -> tuple[str, ...]:
        """All models of the case, in the order of their roles."""
        return (
            self.environment,
            self.controller,
            *self.properties,
            *self.constraints,
        )

    @property
    def names(self) -> dict[str, tuple[str, ...]]:
        """What messages call the models; keys as in `symrob.compute`."""

        def short(paths: tuple[str, ...]) -> tuple[str, ...]:
            if not self.folder:
                return paths
            return tuple(os.path.relpath(p, self.folder) for p in paths)

        return {
            "environment": short((self.environment,)),
            "controller": short((self.controller,)),
            "properties": short(self.properties),
            "constraints": short(self.constraints),
        }


def split_process(spec: str) -> tuple[str, str | None]:
    """Split `file.lts#NAME` into the path and the name of the process.

    A name has neither dots nor slashes, so a `#` in the name of a folder, or before
    the suffix of a file, belongs to the path.
    """
    path, mark, process = spec.rpartition("#")
    named = mark and path and not set(process) & {".", "/", os.sep}
    return (path, process) if named else (spec, None)


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
                    "usage-const",
                    f"--const takes NAME=5 or NAME=0..5, not '{option:.60}'",
                )
            )
            continue
        if name in constants:
            problems.append(Diagnostic("usage-const", f"--const {name} is given twice"))
        constants[name] = value
    if problems:
        raise SymrobError(problems)
    return constants


def load_case(path: str, *, allow_outside: bool = False) -> Case:
    """Read a case file that stands for one case.

    Args:
        path: The file, with the suffix `.toml`.
        allow_outside: Let paths in the file lead out of its folder.

    Raises:
        SymrobError: It cannot be read or is no TOML, or a key is missing, is
            unknown or has a value of the wrong kind; all problems at once. Or
            it has a matrix that stands for several cases.
    """
    cases = load_cases(path, allow_outside=allow_outside)
    if len(cases) != 1:
        raise SymrobError(not_one_case(path, len(cases)))
    return cases[0]


def load_cases(
    path: str, *, allow_outside: bool = False, max_cases: int = MAX_CASES
) -> tuple[Case, ...]:
    """Read a case file; with a matrix it stands for several cases.

    Args:
        path: The file, with the suffix `.toml`.
        allow_outside: Let paths in the file lead out of its folder.
        max_cases: Bound on the number of cases.

    Returns:
        At least one case; see `case.matrix` for their order.

    Raises:
        SymrobError: As for `load_case`.
        LimitExceeded: The matrix stands for more cases than that.
    """
    with recognised(path, "case"):
        text, data = read_toml(path)
        found = located(_problems(data), "case-key", path, text)
        if not found and not allow_outside:
            found = list(_outside(data, path, text))
        if found:
            raise SymrobError(found)
        words = _words(data, path)
    root = None if allow_outside else os.path.dirname(path)
    return tuple(
        _case(document, path, choice, root, words)
        for choice, document in expand(data, path, max_cases)
    )


def read_toml(path: str) -> tuple[str, dict[str, Any]]:
    """Return the text of a case file or policy, and what it says."""
    text, data = tomltext.read_toml(path)
    if any(map(_holds_nul, _paths(data))):
        raise SymrobError(
            Diagnostic("file-path", "a path holds the character NUL", file=path)
        )
    return text, data


# What case files and policies give paths for; other texts may hold anything.
_PATH_KEYS = {
    *("environment", "controller", "properties", "constraints"),
    *("weights", "words", "case", "baseline"),
}


def _paths(document: object) -> Iterator[object]:
    """The values of keys for paths, wherever they stand."""
    if isinstance(document, dict):
        for key, value in document.items():
            if key in _PATH_KEYS:
                yield value
            else:
                yield from _paths(value)
    elif isinstance(document, list):
        for value in document:
            yield from _paths(value)


def _holds_nul(value: object) -> bool:
    """Whether a text in a value holds what no path may hold."""
    if isinstance(value, list):
        return any(map(_holds_nul, value))
    return isinstance(value, str) and "\0" in value


def _problems(data: Mapping[str, Any]) -> Iterator[KeyProblem]:
    yield from problems(data)
    if isinstance(data.get("words"), dict):
        yield from word_problems(data["words"])


def _words(data: Mapping[str, Any], path: str) -> Words:
    """Return the words of a document that was found to be right."""
    given = data.get("words", {})
    if isinstance(given, str):
        return load_words(beside(path, given))
    return words_of(given, shared="matrix" in data or "against" in data)


def _case(
    data: Mapping[str, Any], path: str, choice: str, root: str | None, words: Words
) -> Case:
    """Return the case of a document without matrix."""

    def models(table: Mapping[str, Any]) -> dict[str, Any]:
        roles: dict[str, Any] = {}
        if "controller" in table:
            roles["controller"] = beside(path, table["controller"])
        for role in ("properties", "constraints"):
            if role in table:
                roles[role] = tuple(beside(path, p) for p in table[role])
        return roles

    settings = {LIMITS[k]: v for k, v in data.get("limits", {}).items()}
    settings |= {k: data[k] for k in ("algorithm", "extra_states") if k in data}
    if "top" in data:
        settings["largest"] = data["top"]
    if "weights" in data:
        settings["weights"] = beside(path, data["weights"])
    title = data.get("title", os.path.basename(path))
    case = Case(
        environment=beside(path, data["environment"]),
        **models(data),
        constants={
            name: tuple(value) if isinstance(value, list) else value
            for name, value in data.get("constants", {}).items()
        },
        title=f"{title} ({choice})" if choice else title,
        row=data.get("row"),
        paper=data.get("paper", {}),
        path=path,
        choice=choice,
        labels=tuple(data.get("labels", ())),
        questions=tuple(dict.fromkeys(data.get("compute", ("deviations",)))),
        settings=settings,
        order=data.get("order"),
        one_sided=tuple(data.get("one_sided", ())),
        words=words,
        root=root,
    )
    if "against" in data:
        case = replace(case, other=replace(case, **models(data["against"])))
    return case


def _outside(data: Mapping[str, Any], path: str, text: str) -> Iterator[Diagnostic]:
    """Each path of a case file that leaves its folder."""
    folder = os.path.dirname(path)
    for spec in dict.fromkeys(_specs(data)):
        file, _process = split_process(spec)
        if is_inside(beside(path, file), folder):
            continue
        yield at_value(
            Diagnostic(
                "case-outside",
                f"'{spec}' leaves the folder of the case file",
                file=path,
                hint="--allow-outside allows it, for files that you trust",
            ),
            text,
            spec,
        )


def _specs(data: Mapping[str, Any]) -> Iterator[str]:
    """Each path in a document that was found to be right."""
    matrix = data.get("matrix", {})
    for table in (data, data.get("against", {}), matrix):
        for key in ("environment", "controller", "controllers", "weights", "words"):
            yield from _flat(table.get(key, ()))
        for key in ("properties", "constraints"):
            yield from _flat(table.get(key, ()))


def _flat(value: Any) -> Iterator[str]:
    if isinstance(value, str):
        yield value
    elif isinstance(value, list):
        for part in value:
            yield from _flat(part)
