"""One case as a parcel: all that a worker needs, wherever it runs.

In:  a `Case`.
Out: a `Job`, which holds the contents of all files of the case and goes through a
     pipe or a network as a line of JSON and the contents behind it; and in the
     worker the case again, which reads the files of the job and no others.

A job is read once. So its hash is of exactly what is computed, even if a file is
changed meanwhile, and a worker neither reads nor writes a disk. What `compute` would
refuse to read, because it leaves the folder of the case or is no regular file, the
job holds as the problem that it is.
"""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from decimal import Decimal
from hashlib import sha256
from typing import Any, BinaryIO

from symrob import files
from symrob.batch.text import compact
from symrob.case import Case, Rule, Spec, load_cases
from symrob.case.faults import Faults
from symrob.case.keys import LIMITS
from symrob.case.probability import Probabilities
from symrob.errors import Diagnostic, SymrobError
from symrob.files.kinds import kind
from symrob.files.paths import beside
from symrob.formats.fsp.tokens import imported_files
from symrob.report.json import diagnostic_dict
from symrob.version import VERSION

# Fields of a case that name models; the paths of a job are relative to its folder.
_ROLES = ("environment", "controller", "properties", "constraints")
_LIMIT_FIELDS = frozenset(LIMITS.values())


Content = bytes | Mapping[str, Any]


@dataclass(frozen=True)
class Job:
    """One case with all its files.

    Attributes:
        key: What tells the case from the others of the batch.
        folder: The folder that paths are relative to, as the user named it.
        case: The case: roles, questions, and what a row repeats of it.
        options: What the answer depends on, by the fields of `Options`.
        limits: How much may be spent on it, by the fields of `Options`.
        files: By path, relative to `folder`, the content of each file;
            or the diagnostic that says why there is none.
        problems: What is wrong with the case file; there is no case then.
        input: Hash of all that the row depends on, limits apart.
    """

    key: str
    folder: str = ""
    case: Mapping[str, Any] = field(default_factory=dict)
    options: Mapping[str, Any] = field(default_factory=dict)
    limits: Mapping[str, Any] = field(default_factory=dict)
    files: Mapping[str, Content] = field(default_factory=dict)
    problems: Sequence[Mapping[str, Any]] = ()
    input: str = ""

    def parts(self) -> Iterator[bytes]:
        """Yield the job as bytes: a line of JSON, then each content, not copied."""
        contents = {n: c for n, c in self.files.items() if isinstance(c, bytes)}
        sizes = {name: len(content) for name, content in contents.items()}
        yield compact({**vars(self), "files": {**self.files, **sizes}}).encode() + b"\n"
        yield from contents.values()

    @classmethod
    def read(cls, stream: BinaryIO) -> Job | None:
        """Return the next job of a stream of parts; `None` at its end.

        Raises:
            EOFError: The stream ends within a job.
        """
        import json

        line = stream.readline()
        if not line:
            return None
        fields = json.loads(line)
        for name, size in fields["files"].items():
            if isinstance(size, int):
                fields["files"][name] = content = stream.read(size)
                if len(content) < size:
                    raise EOFError
        return cls(**fields)


class Packer:
    """Makes jobs of case files; a file that several cases name is read once.

    All that it reads stays in memory, so there is a bound on all of it together,
    which is that on one file.

    Args:
        given: Options and limits of the command line; they win over the case's.
        allow_outside: Let paths in a case file lead out of its folder.
        without_constraints: Ask every case as if it had no constraints.
        max_cases: Bound on the number of cases of one file.

    Attributes:
        skipped: Files that were taken for no case, and what they are.
    """

    def __init__(
        self,
        given: Mapping[str, Any],
        *,
        allow_outside: bool,
        max_cases: int,
        without_constraints: bool = False,
    ) -> None:
        self._given = given
        self._allow_outside = allow_outside
        self._max_cases = max_cases
        self._without_constraints = without_constraints
        self._contents: dict[str, Content] = {}
        self._imports: dict[str, tuple[str, ...]] = {}
        self._size = 0
        self.skipped: list[Diagnostic] = []

    def jobs(self, path: str) -> Iterator[Job]:
        """Yield a job for each case of a file.

        A file that is no case file gives a job too: one whose row says so. But a
        policy, or a file of weights or of words, stands among case files without
        being one.
        """
        try:
            cases = load_cases(
                path, allow_outside=self._allow_outside, max_cases=self._max_cases
            )
            yield from [self.job(case) for case in cases]
        except SymrobError as error:
            if kind(path) in {"policy", "table", "weights", "words"}:
                self.skipped += error.diagnostics
            else:
                yield self._broken(path, error.diagnostics)
        except Exception as error:
            # A fault of symrob's own must not end a batch.
            message = f"symrob failed: {type(error).__name__}: {error}"
            yield self._broken(path, [Diagnostic("batch-fault", message, file=path)])

    def job(self, case: Case) -> Job:
        """Return the job of one case."""
        if self._without_constraints:
            case = case.unconstrained()
        settings = {**case.settings_beside(self._given), **self._given}
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
    ) -> Iterator[tuple[str, Content]]:
        """Each file that reading the case can ask for, with its content."""
        specs = [*case.specs, *(case.other.specs if case.other else ())]
        queue = [replace(spec, part=None) for spec in specs]
        if "weights" in options:
            path = case.folder_prefix + options["weights"]
            queue.append(Spec(path, root=case.environment.root))
        if case.faults is not None and case.faults.table is not None:
            queue.append(Spec(case.faults.table, root=case.environment.root))
        queue = list(dict.fromkeys(queue))
        for spec in queue:
            path = spec.path
            content = self._content(spec)
            yield _relative(case, path), content
            if isinstance(content, bytes) and path.lower().endswith((".lts", ".fsp")):
                root = os.path.dirname(path) if spec.root is None else spec.root
                names = dict.fromkeys(self._imported(path, content))
                found = (Spec(beside(path, name), root=root) for name in names)
                queue += [other for other in found if other not in queue]

    def _content(self, spec: Spec) -> Content:
        """The content of a file, or why there is none."""
        path = spec.path
        try:
            with files.confined(spec.root, path):
                files.require_allowed(path)
                if path not in self._contents:
                    content = files.read_bytes(path)
                    size = self._size + len(content)
                    if size > files.allowed():
                        return diagnostic_dict(files.too_large_together(path, size))
                    self._size = size
                    self._contents[path] = content
                return self._contents[path]
        except SymrobError as error:
            return diagnostic_dict(error.diagnostics[0])

    def _imported(self, path: str, content: bytes) -> tuple[str, ...]:
        if path not in self._imports:
            text = content.decode("utf-8-sig", errors="replace")
            self._imports[path] = imported_files(files.one_line_end(text))
        return self._imports[path]

    def _broken(self, path: str, problems: Sequence[Diagnostic]) -> Job:
        """The job of a file that is no case; all that its row depends on is told."""
        told = [diagnostic_dict(p) for p in problems]
        content = self._content(Spec(path))
        digests = [_digest(content)] if isinstance(content, bytes) else []
        depends = [VERSION, digests, told]
        key = Case(Spec(""), Spec(""), (), path=path).key
        digest = sha256(compact(depends).encode()).hexdigest()
        return Job(key, problems=told, input=digest)


def _relative(case: Case, path: str) -> str:
    """The path as it is within the folder of the case; nothing is normalised."""
    return path.removeprefix(case.folder_prefix)


def _roles(case: Case) -> dict[str, Any]:
    """The models of a case: of a file its path and the part, a sentence as it is."""

    def rule(value: Rule) -> Any:
        if isinstance(value, Spec):
            return {"path": _relative(case, value.path), "part": value.part}
        return value

    roles = {role: getattr(case, role) for role in _ROLES}
    return {
        role: [*map(rule, value)] if isinstance(value, tuple) else rule(value)
        for role, value in roles.items()
    }


def _document(case: Case) -> dict[str, Any]:
    return {
        **_roles(case),
        "constants": dict(case.constants),
        "title": case.title,
        "file": os.path.basename(case.path or ""),
        "choice": case.choice,
        "labels": list(case.labels),
        "row": case.row,
        "paper": dict(case.paper),
        "questions": list(case.questions),
        "order": case.order,
        "one_sided": list(case.one_sided),
        "constrained": case.constrained,
        "other": None if case.other is None else _roles(case.other),
        **({"chances": _chances(case)} if "risk" in case.questions else {}),
        **({} if case.faults is None else {"faults": _faults(case, case.faults)}),
    }


def _chances(case: Case) -> dict[str, str] | None:
    said = case.probabilities
    return None if said is None else {k: str(p) for k, p in said.chances.items()}


def _faults(case: Case, faults: Faults) -> dict[str, Any]:
    """What is asked about, for a worker; a case file gives no modes as such."""
    return {
        "texts": {name: list(texts) for name, texts in faults.texts.items()},
        "only": faults.only,
        "by": list(faults.by),
        "among": list(faults.among),
        "not_among": list(faults.not_among),
        "table": None if faults.table is None else _relative(case, faults.table),
    }


def _digest(content: Content) -> str:
    """The hash of a content, the same wherever the folder of the case lies."""
    if not isinstance(content, bytes):
        placeless = {key: value for key, value in content.items() if key != "file"}
        content = compact(placeless).encode()
    return sha256(content).hexdigest()


def _hash(job: Job) -> str:
    """The hash of all that the row of a job depends on, its limits apart."""
    digests = {name: _digest(content) for name, content in job.files.items()}
    depends = [VERSION, job.case, job.options, digests]
    return sha256(compact(depends).encode()).hexdigest()


@contextmanager
def unpacked(job: Job) -> Iterator[Case]:
    """Give the case of a job; within the block its files are all that can be read.

    Args:
        job: With a case.
    """
    prefix = os.path.join(job.folder, "")
    served = {
        os.path.join(prefix, name): content
        if isinstance(content, bytes)
        else Diagnostic(**content)
        for name, content in job.files.items()
    }
    with files.served(served):
        yield _case(job, prefix)


def _case(job: Job, prefix: str) -> Case:
    """The case of a job, its paths as the user's command would have them."""

    def models(roles: Mapping[str, Any]) -> dict[str, Any]:
        def rule(value: Any) -> Any:
            if isinstance(value, list):
                return tuple(map(rule, value))
            if isinstance(value, str):
                return value
            part = value["part"]
            part = tuple(part) if isinstance(part, list) else part
            return Spec(os.path.join(prefix, value["path"]), part)

        return {role: rule(roles[role]) for role in _ROLES}

    common = {
        "constants": {
            name: tuple(value) if isinstance(value, list) else value
            for name, value in job.case["constants"].items()
        },
        "title": job.case["title"],
        "path": os.path.join(prefix, job.case["file"]),
        "one_sided": tuple(job.case["one_sided"]),
        "constrained": job.case["constrained"],
    }
    if (faults := job.case.get("faults")) is not None:
        table = faults["table"]
        common["faults"] = Faults(
            {name: tuple(texts) for name, texts in faults["texts"].items()},
            faults["only"],
            by=tuple(faults["by"]),
            among=tuple(faults["among"]),
            not_among=tuple(faults["not_among"]),
            table=None if table is None else os.path.join(prefix, table),
        )
    if (chances := job.case.get("chances")) is not None:
        said = {name: Decimal(text) for name, text in chances.items()}
        common["probabilities"] = Probabilities(said)
    other = job.case["other"]
    return Case(
        **models(job.case),
        **common,
        questions=tuple(job.case["questions"]),
        order=job.case["order"],
        other=None if other is None else Case(**models(other), **common),
    )
