"""One case as a parcel: all that a worker needs, wherever it runs.

In:  a `Case`.
Out: a `Job`, which holds the contents of all files of the case and goes through a
     pipe or a network as JSON; and in the worker the case again, its files laid out
     in a folder of their own.

A job is read once. So its hash is of exactly what is computed, even if a file is
changed meanwhile, and a worker needs no access to the user's disk.
"""

from __future__ import annotations

import os
import stat
import tempfile
from base64 import b64decode, b64encode
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from hashlib import sha256
from pathlib import Path
from typing import Any

from symrob.batch.text import compact
from symrob.case import Case, load_cases, split_process
from symrob.case.keys import LIMITS
from symrob.errors import Diagnostic, SymrobError
from symrob.formats.fsp.imports import imported_files
from symrob.formats.paths import is_inside
from symrob.report.json import diagnostic_dict
from symrob.version import VERSION

# Fields of a case whose values are paths; the paths of a job are relative to its
# folder.
_PATHS = ("environment", "controller", "properties", "constraints")
_LIMIT_FIELDS = frozenset(LIMITS.values())


@dataclass(frozen=True)
class Job:
    """One case with all its files.

    Attributes:
        key: What tells the case from the others of the batch.
        folder: The folder that paths are relative to, as the user named it.
        case: The case: roles, questions, and what a row repeats of it.
        options: What the answer depends on, by the fields of `Options`.
        limits: How much may be spent on it, by the fields of `Options`.
        files: The content of each file, in base 64; `None` where there is none.
        problems: What is wrong with the case file; there is no case then.
        input: Hash of all that the row depends on, limits apart.
    """

    key: str
    folder: str = ""
    case: Mapping[str, Any] = field(default_factory=dict)
    options: Mapping[str, Any] = field(default_factory=dict)
    limits: Mapping[str, Any] = field(default_factory=dict)
    files: Mapping[str, str | None] = field(default_factory=dict)
    problems: Sequence[Mapping[str, Any]] = ()
    input: str = ""

    def to_json(self) -> bytes:
        """Return the job as one line."""
        return compact(vars(self)).encode()

    @classmethod
    def from_json(cls, line: bytes | str) -> Job:
        """Return the job that a line holds."""
        import json

        return cls(**json.loads(line))


class Packer:
    """Makes jobs of case files; a file that several cases name is read once.

    Args:
        given: Options and limits of the command line; they win over the case's.
        allow_outside: Let paths in a case file lead out of its folder.
        max_cases: Bound on the number of cases of one file.
    """

    def __init__(
        self, given: Mapping[str, Any], *, allow_outside: bool, max_cases: int
    ) -> None:
        self._given = given
        self._allow_outside = allow_outside
        self._max_cases = max_cases
        self._contents: dict[str, str | None] = {}
        self._imports: dict[str, tuple[str, ...]] = {}

    def jobs(self, path: str) -> Iterator[Job]:
        """Yield a job for each case of a file.

        A file that is no case file gives a job too: one whose row says so.
        """
        try:
            cases = load_cases(
                path, allow_outside=self._allow_outside, max_cases=self._max_cases
            )
        except SymrobError as error:
            content = self._content(path)
            yield _broken(Case("", "", (), path=path).key, content, error.diagnostics)
            return
        for case in cases:
            yield self.job(case)

    def job(self, case: Case) -> Job:
        """Return the job of one case."""
        settings = {**case.settings, **self._given}
        limits = {k: v for k, v in settings.items() if k in _LIMIT_FIELDS}
        options = {k: v for k, v in settings.items() if k not in _LIMIT_FIELDS}
        if "weights" in options:
            options["weights"] = _relative(case, options["weights"])
        document = _document(case)
        files = dict(sorted(self._files(case, options)))
        job = Job(case.key, case.folder, document, options, limits, files)
        return Job(**{**vars(job), "input": _hash(job)})

    def _files(
        self, case: Case, options: Mapping[str, Any]
    ) -> Iterator[tuple[str, str | None]]:
        """Each file that reading the case can ask for, with its content."""
        specs = [*case.specs, *(case.other.specs if case.other else ())]
        queue = [split_process(_relative(case, spec))[0] for spec in specs]
        if "weights" in options:
            queue.append(options["weights"])
        for name in queue:
            path = os.path.join(case.folder, name)
            content = None
            if case.root is None or is_inside(path, case.root):
                content = self._content(path)
            yield name, content
            if content is not None and name.lower().endswith((".lts", ".fsp")):
                for other in self._imported(path, content):
                    found = os.path.normpath(os.path.join(os.path.dirname(name), other))
                    queue += [found] if found not in queue else []

    def _content(self, path: str) -> str | None:
        """The content of a file in base 64; `None` where it cannot be read."""
        if path not in self._contents:
            self._contents[path] = None
            try:
                # Opening what is no plain file, such as a pipe, can wait forever.
                if stat.S_ISREG(os.stat(path).st_mode):
                    content = Path(path).read_bytes()
                    self._contents[path] = b64encode(content).decode()
            except (OSError, ValueError):
                pass
        return self._contents[path]

    def _imported(self, path: str, content: str) -> tuple[str, ...]:
        if path not in self._imports:
            text = b64decode(content).decode("utf-8-sig", errors="replace")
            self._imports[path] = imported_files(text)
        return self._imports[path]


def _relative(case: Case, spec: str) -> str:
    return os.path.relpath(spec, case.folder or os.curdir)


def _roles(case: Case) -> dict[str, Any]:
    roles: dict[str, Any] = {}
    for role in _PATHS:
        value = getattr(case, role)
        if isinstance(value, str):
            roles[role] = _relative(case, value)
        else:
            roles[role] = [_relative(case, spec) for spec in value]
    return roles


def _document(case: Case) -> dict[str, Any]:
    return {
        **_roles(case),
        "constants": dict(case.constants),
        "title": case.title,
        "choice": case.choice,
        "labels": list(case.labels),
        "row": case.row,
        "paper": dict(case.paper),
        "questions": list(case.questions),
        "order": case.order,
        "other": None if case.other is None else _roles(case.other),
    }


def _hash(job: Job) -> str:
    """The hash of all that the row of a job depends on, its limits apart."""
    digests = {
        name: None if content is None else sha256(content.encode()).hexdigest()
        for name, content in job.files.items()
    }
    depends = [VERSION, job.case, job.options, digests]
    return sha256(compact(depends).encode()).hexdigest()


def _broken(key: str, content: str | None, problems: Sequence[Diagnostic]) -> Job:
    depends = [VERSION, content]
    return Job(
        key,
        problems=[diagnostic_dict(p) for p in problems],
        input=sha256(compact(depends).encode()).hexdigest(),
    )


@contextmanager
def laid_out(job: Job) -> Iterator[tuple[Case, str]]:
    """Lay the files of a job out in a folder that exists within the block.

    Args:
        job: With a case.

    Yields:
        The case, and the folder that its paths begin with.
    """
    # Names may begin with `..`: the case's folder stands as deep as they climb.
    climbs = max((Path(name).parts.count("..") for name in job.files), default=0)
    with tempfile.TemporaryDirectory(prefix="symrob-") as top:
        folder = os.path.realpath(os.path.join(top, *["d"] * climbs))
        os.makedirs(folder, exist_ok=True)
        for name, content in job.files.items():
            if content is not None:
                path = os.path.normpath(os.path.join(folder, name))
                os.makedirs(os.path.dirname(path), exist_ok=True)
                Path(path).write_bytes(b64decode(content))
        yield _case(job, folder), folder


def _case(job: Job, folder: str) -> Case:
    """The case of a job whose files lie in a folder."""

    def models(roles: Mapping[str, Any]) -> dict[str, Any]:
        def beside(value: Any) -> Any:
            if isinstance(value, str):
                return os.path.join(folder, value)
            return tuple(beside(v) for v in value)

        return {role: beside(roles[role]) for role in _PATHS}

    common = {
        "constants": {
            name: tuple(value) if isinstance(value, list) else value
            for name, value in job.case["constants"].items()
        },
        "title": job.case["title"],
        "path": os.path.join(folder, "case.toml"),
    }
    other = job.case["other"]
    return Case(
        **models(job.case),
        **common,
        questions=tuple(job.case["questions"]),
        order=job.case["order"],
        other=None if other is None else Case(**models(other), **common),
    )
