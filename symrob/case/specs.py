"""Model names of users: a file, and a part of it.

In:  a text such as `nurse.lts#NURSE`, from the command line or from a case file.
Out: a `Spec`; a property in words stays a text.

The text is split only here. Afterwards, the name of a part is a separate value and
never becomes part of a path, whatever it contains.
"""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from symrob.case.tables import FILE, MODEL
from symrob.files import is_stdin
from symrob.files.paths import beside
from symrob.formats.text import NO_CHOICE, Part, RoleChoice, part_text
from symrob.logic.patterns import is_sentence

# In these files a part may have any name.
_ANY_NAME = re.compile(r"(.*?\.(?:json|wmod|cif))#(.*)", re.IGNORECASE | re.DOTALL)


@dataclass(frozen=True)
class Spec:
    """A model in a file.

    Attributes:
        path: The file.
        part: The part of it; see `formats.registry.Source`.
        root: The folder that neither the file nor what it imports may leave; `None` if
            the user named the file: its imports stay in its own folder then.
    """

    path: str
    part: Part | None = None
    root: str | None = None

    def __str__(self) -> str:
        return self.called(self.path)

    @property
    def model(self) -> str:
        """Display name of the model: its part, or the file without folder and suffix.

        Empty for several parts, or none, and for standard input.
        """
        if self.part is None:
            if is_stdin(self.path):
                return ""
            return os.path.splitext(os.path.basename(self.path))[0]
        return self.part if isinstance(self.part, str) else ""

    def called(self, path: str) -> str:
        """Return how the model is written if its file is called `path`."""
        return path if self.part is None else f"{path}#{part_text(self.part)}"


@dataclass(frozen=True)
class GivenRoles:
    """What the user says of the roles in a file.

    Attributes:
        model: The file.
        choice: Which plants are E, and what requirements are.
        controller: The parts that are C; `None` for the usual ones.
    """

    model: Spec
    choice: RoleChoice = NO_CHOICE
    controller: tuple[str, ...] | None = None

    @classmethod
    def of(
        cls, table: Mapping[str, Any], file: str | None, root: str | None
    ) -> GivenRoles:
        """Read the table [roles] of a case; see `parse_spec` for the arguments."""
        said = {key: tuple(table[key]) for key in _CHOSEN if key in table}
        controller = said.pop("controller", None)
        model = parse_spec(table["model"], file=file, root=root)
        return cls(model, RoleChoice(**said), controller)

    def table(self, relative: Callable[[str], str]) -> dict[str, Any]:
        """Return the table again, with a path that is made relative."""
        said = {**self.choice._asdict(), "controller": self.controller}
        table: dict[str, Any] = {key: [*said[key]] for key in _CHOSEN if said[key]}
        return {"model": relative(self.model.path), **table}


_CHOSEN = ("environment", "controller", "properties", "guards")

Rule = Spec | str
"""A property or constraint: a model in a file, or a sentence."""


def parse_spec(text: str, *, file: str | None = None, root: str | None = None) -> Spec:
    """Split `file.lts#NAME` into the file and the part of it.

    If the suffix is `.json`, `.wmod` or `.cif`, everything after the first `#` behind
    it is the name. In other files a name has neither dots nor slashes, so a `#` in the
    name of a folder, or before the suffix, belongs to the path.

    Args:
        text: The text.
        file: The file that contains it, to which the path is relative; `None` for the
            command line.
        root: See `Spec`.
    """
    path, part = _split(text)
    return Spec(path if file is None else beside(file, path), part, root)


def parse_rule(text: str, *, file: str | None = None, root: str | None = None) -> Rule:
    """Read a property or constraint: a sentence, or as for `parse_spec`."""
    return text if is_sentence(text) else parse_spec(text, file=file, root=root)


def read_named(text: str, names: str, file: str = "", root: str | None = None) -> Rule:
    """Read a text of a table by what it names; a sentence stays a text.

    Args:
        text: The text.
        names: `MODEL`, `RULE` or `FILE`.
        file: See `parse_spec`; empty for the command line.
        root: See `Spec`.
    """
    if names == FILE:
        return Spec(beside(file, text), root=root)
    parse = parse_spec if names == MODEL else parse_rule
    return parse(text, file=file or None, root=root)


def _split(text: str) -> tuple[str, str | None]:
    if match := _ANY_NAME.fullmatch(text):
        return match[1], match[2]
    path, mark, part = text.rpartition("#")
    named = mark and path and not {*part} & {"/", os.sep, "."}
    return (path, part) if named else (text, None)
