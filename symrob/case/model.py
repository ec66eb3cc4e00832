"""Cases: models in their roles, and the questions about them.

In:  a table in the form of a case file: from one, from the command line, from a batch.
Out: `Case`, the input of the stages, and its table; `NAME=5`.
"""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from symrob.case.faults import Faults, faults_of, table_of
from symrob.case.goals import goals_named, table_of_goals
from symrob.case.keys import CASE, LIMITS, SETTINGS
from symrob.case.places import TomlSource
from symrob.case.probability import Probabilities, probabilities_of
from symrob.case.specs import GivenRoles, Rule, Spec, read_named
from symrob.case.tables import FILE, RULE
from symrob.errors import Diagnostic, SymrobError, printable
from symrob.files.paths import beside
from symrob.options import Options
from symrob.problem.goals import NamedGoals
from symrob.words import PLAIN, Identity, Words

Constant = int | tuple[int, int]

_ROLES = ("environment", "controller", "properties", "constraints")
# The keys that are read and written as they are, and the fields of a case that hold
# what they say.
_FIELDS = {
    **dict(zip(_ROLES, _ROLES, strict=True)),
    **{key: key for key in ("title", "row", "paper", "labels", "order", "one_sided")},
    **{key: key for key in ("controllable", "uncontrollable", "at_most")},
    "compute": "questions",
}


@dataclass(frozen=True)
class Case:
    """The models of one problem, and the questions about it.

    Attributes:
        environment: The model of E.
        controller: The model of C.
        properties: The models of the properties, or sentences; at least one.
        constraints: The models of the environmental constraints, or sentences.
        constrained: Whether the constraints count; they are read in any case.
        constants: Values for FSP constants and ranges of all models.
        title: Human-readable title.
        row: The row of Table 1 that it reproduces, if any.
        paper: The figures of that row.
        path: The case file; `None` if the case comes from options.
        choice: Which choice of the file's matrix this is; empty without one.
        labels: Labels for selecting cases.
        questions: What a batch computes: some of `case.keys.QUESTIONS`.
        settings: Options that the file sets, by the names of the fields of
            `symrob.options.Options`.
        order: Maximum size of the sets that `cuts` lists; `None` for no bound.
        other: The side that `compare` compares with.
        one_sided: Patterns of actions that intentionally belong to E or C alone; `*`
            stands for any text.
        words: Plain-language words for names of the models.
        identities: Identifiers of properties and constraints in other documents.
        faults: The fault modes that it declares, if any.
        probabilities: The probabilities of deviations, if it gives any.
        controllable: Actions of C that may be disabled; see `case.controllable`.
        uncontrollable: Actions of C that may not be.
        at_most: How many steps of a run may use transitions that E lacks; `None` for
            any number.
        form: The format of the model that is read from standard input.
        said: The roles that a model file assigned by itself, in one line; empty if
            none.
        source: The case file, with the locations of its paths; `None` if the case comes
            from elsewhere.
        progress: What must stay possible, by name; see `problem.goals`.
        roles: What the user says of the roles in a file that its models are parts of.
    """

    environment: Spec
    controller: Spec
    properties: tuple[Rule, ...]
    constraints: tuple[Rule, ...] = ()
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
    identities: Mapping[Rule, Identity] = field(default_factory=dict)
    faults: Faults | None = None
    probabilities: Probabilities | None = None
    controllable: tuple[str, ...] | None = None
    uncontrollable: tuple[str, ...] | None = None
    at_most: int | None = None
    form: str | None = None
    constrained: bool = True
    said: str = ""
    source: TomlSource | None = field(default=None, repr=False, compare=False)
    progress: NamedGoals = field(default_factory=dict)
    roles: GivenRoles | None = None

    @property
    def vocabulary(self) -> Words:
        """Its words, the names of its models, and its identifiers."""
        words, names = self.words, self.names
        if self.identities:
            rules = zip(
                (*self.properties, *self.constraints),
                (*names["properties"], *names["constraints"]),
                strict=True,
            )
            known = {n: self.identities[r] for r, n in rules if r in self.identities}
            words = replace(words, identities=known)
        models = {"E": self.environment.model, "C": self.controller.model}
        if not all(models.values()) or models["E"] == models["C"]:
            return words
        return replace(words, models=models)

    @classmethod
    def of(
        cls,
        data: Mapping[str, Any],
        file: str | None = None,
        *,
        root: str | None = None,
        source: TomlSource | None = None,
        **fields: Any,
    ) -> Case:
        """Return the case that a table in the form of a case file describes.

        Args:
            data: Valid by `keys.CASE`, without [matrix] and words.
            file: The file that contains it, to which paths are relative; `None` for
                options.
            root: See `Spec`.
            source: The file, with the locations of its paths.
            fields: Further fields of the case, by name.
        """

        def read(table: Mapping[str, Any], keys: Mapping[str, str]) -> dict[str, Any]:
            return {
                name: _read(table[key], CASE.keys[key].names, file or "", root)
                for key, name in keys.items()
                if key in table
            }

        found = {"title": os.path.basename(file or ""), **read(data, _FIELDS)}
        if "questions" in found:
            found["questions"] = tuple(dict.fromkeys(found["questions"]))
        limits = {LIMITS[key]: value for key, value in data.get("limits", {}).items()}
        if data.get("faults") is not None:
            found["faults"] = faults_of(data["faults"], file, source)
        if data.get("probability") is not None:
            found["probabilities"] = probabilities_of(data["probability"], source)
        found["constants"] = {
            name: tuple(value) if isinstance(value, list) else value
            for name, value in data.get("constants", {}).items()
        }
        found["progress"] = goals_named(data.get("progress", {}))
        if data.get("roles") is not None:
            found["roles"] = GivenRoles.of(data["roles"], file, root)
        found["settings"] = {**limits, **read(data, SETTINGS)}
        sides = (data, data.get("against") or {})
        found["identities"] = {
            _read(each, RULE, file or "", root): Identity(
                printable(each["id"]), printable(each.get("source", ""))
            )
            for side in sides
            for key in ("properties", "constraints")
            for each in side.get(key) or ()
            if isinstance(each, dict) and "id" in each
        }
        case = cls(**{**found, "path": file, "source": source, **fields})
        if data.get("against") is None:
            return case
        roles = {role: role for role in _ROLES}
        return replace(case, other=replace(case, **read(data["against"], roles)))

    def document(self) -> dict[str, Any]:
        """Return the table that `of` takes, without settings and words.

        Paths in it are relative to the folder of the case; nothing is normalised.
        """

        def written(value: Any) -> Any:
            if isinstance(value, Spec | str) and value in self.identities:
                path = value if isinstance(value, str) else self.relative(value.path)
                text = path if isinstance(value, str) else value.called(path)
                return self.identified(value, text)
            if isinstance(value, tuple):
                return [*map(written, value)]
            if not isinstance(value, Spec):
                return value
            path = self.relative(value.path)
            if isinstance(value.part, tuple):
                return {"path": path, "parts": value.part}
            return value.called(path)

        document = {key: written(getattr(self, f)) for key, f in _FIELDS.items()}
        document["constants"] = dict(self.constants)
        if self.other is not None:
            roles = {role: written(getattr(self.other, role)) for role in _ROLES}
            document["against"] = roles
        if self.faults is not None:
            document["faults"] = table_of(self.faults, self.relative)
        if self.probabilities is not None:
            chances = self.probabilities.chances
            document["probability"] = {name: str(p) for name, p in chances.items()}
        if self.roles is not None:
            document["roles"] = self.roles.table(self.relative)
        if self.progress:
            document["progress"] = table_of_goals(self.progress)
        return document

    def identified(self, rule: Rule, text: str) -> Any:
        """Return the table entry of a property or constraint in a case file.

        Args:
            rule: The property or constraint.
            text: How it is written there.
        """
        known = self.identities.get(rule)
        if known is None:
            return text
        table = {"model": text, "id": known.id}
        return table | ({"source": known.source} if known.source else {})

    @property
    def key(self) -> str:
        """The key that identifies the case in a batch."""
        path = os.path.normpath(self.path or "").replace(os.sep, "/")
        return f"{path} [{self.choice}]" if self.choice else path

    @property
    def folder(self) -> str:
        """The folder of the case file; empty for the working folder."""
        return os.path.dirname(self.path) if self.path else ""

    @property
    def folder_prefix(self) -> str:
        """The prefix of the paths of the case file's models."""
        return os.path.join(self.folder, "")

    def relative(self, path: str) -> str:
        """Return a path relative to the folder of the case."""
        return path.removeprefix(self.folder_prefix)

    def options(self, given: Mapping[str, Any]) -> Options:
        """Return options with the settings of the case file.

        Args:
            given: The user's options, by the names of the fields of `Options`; values
                other than `None` take precedence, also over settings that exclude them.

        Raises:
            SymrobError: Values out of range, all of them at once.
        """
        return Options.of(self.settings_beside(given), given)

    def settings_beside(self, given: Mapping[str, Any]) -> dict[str, Any]:
        """Return the settings that apply together with some options of the user."""
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
        title = self.title and f"{self.title}, without its assumptions"
        return replace(same, title=title, row=None, paper={})

    @property
    def specs(self) -> tuple[Spec, ...]:
        """All models of the case that are files, in the order of their roles."""
        rules = (*self.properties, *self.constraints)
        named = (rule for rule in rules if isinstance(rule, Spec))
        return (self.environment, self.controller, *named)

    @property
    def names(self) -> dict[str, tuple[str, ...]]:
        """The names of the models in messages; keys as in `symrob.compute`.

        Models of a case file are named by their paths relative to its folder, others by
        `called`.
        """
        rules = (*self.properties, *self.constraints)
        names = called((self.environment, self.controller, *rules))
        if self.folder:
            names = tuple(
                s.called(os.path.relpath(s.path, self.folder))
                if isinstance(s, Spec)
                else s
                for s in (self.environment, self.controller, *rules)
            )
        first = 2 + len(self.properties)
        parts = names[:1], names[1:2], names[2:first], names[first:]
        return dict(zip(_ROLES, parts, strict=True))


def _read(value: Any, names: str, file: str, root: str | None) -> Any:
    """What a key says, whose texts may name something; of other files the path."""
    if isinstance(value, list | tuple):
        return tuple(_read(each, names, file, root) for each in value)
    if names and isinstance(value, dict) and "model" in value:
        return _read(value["model"], names, file, root)
    if names and isinstance(value, dict):
        return Spec(beside(file, value["path"]), tuple(value["parts"]), root)
    if not names or not isinstance(value, str):
        return value
    named = read_named(value, names, file, root)
    return named.path if names == FILE and isinstance(named, Spec) else named


def called(specs: Sequence[Rule]) -> tuple[str, ...]:
    """Return the names of models that no case file names: the paths given.

    An absolute path is shortened to its shortest unique end, so that output for others
    names no folder of this machine.
    """
    paths = {spec.path for spec in specs if isinstance(spec, Spec)}
    return tuple(
        spec.called(_end(spec.path, paths - {spec.path}))
        if isinstance(spec, Spec)
        else spec
        for spec in specs
    )


def _end(path: str, others: set[str]) -> str:
    """The shortest end of an absolute path that no other one has; else the path."""
    if not os.path.isabs(path):
        return path
    parts = path.split(os.sep)
    for start in range(len(parts) - 1, 0, -1):
        end = os.sep.join(parts[start:])
        if not any(f"{os.sep}{other}".endswith(f"{os.sep}{end}") for other in others):
            return end
    return path


def parse_constants(options: list[str]) -> dict[str, Constant]:
    """Read `NAME=5` and `NAME=0..5`, as `--const` takes them.

    Raises:
        SymrobError: An option has another form, or a name occurs twice.
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
