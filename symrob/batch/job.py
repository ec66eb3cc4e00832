"""Jobs: self-contained cases, with everything that a worker needs.

In:  a `Case`.
Out: a `Job`, which holds the contents of all files of the case and is sent through a
     pipe or a network as a line of JSON followed by the contents; and in the worker the
     case again, which reads only the files of the job.

The files of a job are read once. So its hash covers exactly what is computed, even if a
file changes meanwhile, and a worker neither reads nor writes a disk. For a file that
`compute` would refuse to read, because it is outside of the folder of the case or not a
regular file, the job holds the diagnostic.
"""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from hashlib import sha256
from typing import Any, BinaryIO

from symrob import files
from symrob.batch.text import compact
from symrob.case import Case, Spec, load_cases
from symrob.case.keys import LIMITS
from symrob.case.places import TomlSource
from symrob.errors import Diagnostic, SymrobError
from symrob.files.kinds import kind
from symrob.files.paths import beside
from symrob.formats.fsp.tokens import imported_files
from symrob.report.json import encoded
from symrob.version import VERSION

_LIMIT_FIELDS = frozenset(LIMITS.values())


Content = bytes | Mapping[str, Any]


@dataclass(frozen=True)
class Job:
    """One case with all its files.

    Attributes:
        key: The key that identifies the case in the batch.
        folder: The folder that paths are relative to, as the user named it.
        case: The table of the case, as in `Case.document`; its `file`, its `choice`
            of a matrix, and whether it is `constrained`.
        options: Options that affect the answer, by the fields of `Options`.
        limits: Bounds, by the fields of `Options`.
        files: By path, relative to `folder`, the content of each file; or the
            diagnostic that explains why there is none.
        problems: The problems of the case file; there is no case then.
        input: Hash of everything that affects the row, except limits.
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
        """Yield the job as bytes: a line of JSON, then the contents of each file.

        The contents are not copied.
        """
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
    """Creates jobs from case files; a file that several cases name is read once.

    All contents stay in memory, so their total size has the same bound as one file.

    Args:
        given: Options and limits of the command line; they override those of the case.
        allow_outside: Allow paths in a case file outside of its folder.
        without_constraints: Ignore the constraints of every case.
        max_cases: Bound on the number of cases of one file.

    Attributes:
        skipped: Files that are not cases, and what they are.
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

        A file that is not a case file gives a job, too, whose row reports it. But
        policies, and files of weights or of words, are skipped.
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
            options["weights"] = case.relative(options["weights"])
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
            if not isinstance(content, bytes):
                content = _placed(content, case.source, path)
            yield case.relative(path), content
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
                        raise SymrobError(files.too_large_together(path, size))
                    self._size = size
                    self._contents[path] = content
                return self._contents[path]
        except SymrobError as error:
            told: dict[str, Any] = encoded(error.diagnostics[0])
            return told

    def _imported(self, path: str, content: bytes) -> tuple[str, ...]:
        if path not in self._imports:
            text = content.decode("utf-8-sig", errors="replace")
            self._imports[path] = imported_files(files.one_line_end(text))
        return self._imports[path]

    def _broken(self, path: str, problems: Sequence[Diagnostic]) -> Job:
        """The job of a file that is no case; all that its row depends on is told."""
        told = [encoded(p) for p in problems]
        content = self._content(Spec(path))
        digests = [_digest(content)] if isinstance(content, bytes) else []
        depends = [VERSION, digests, told]
        key = Case(Spec(""), Spec(""), (), path=path).key
        digest = sha256(compact(depends).encode()).hexdigest()
        return Job(key, problems=told, input=digest)


def _placed(
    told: Mapping[str, Any], source: TomlSource | None, path: str
) -> Mapping[str, Any]:
    """What is wrong with a file, at the place of the case that names it."""
    for name in source.keys if source is not None else ():
        if source is not None and (name == path or name.startswith(f"{path}#")):
            placed: dict[str, Any] = encoded(
                source.naming(name, path, Diagnostic(**told))
            )
            return placed
    return told


def _document(case: Case) -> dict[str, Any]:
    document = case.document()
    if "risk" not in case.questions:
        document.pop("probability", None)
    named = {"file": os.path.basename(case.path or ""), "choice": case.choice}
    return {**document, **named, "constrained": case.constrained}


def _digest(content: Content) -> str:
    """The hash of a content, the same wherever the folder of the case lies."""
    if not isinstance(content, bytes):
        placeless = {key: content[key] for key in ("code", "hint")}
        content = compact(placeless).encode()
    return sha256(content).hexdigest()


def _hash(job: Job) -> str:
    """The hash of all that the row of a job depends on, its limits apart."""
    digests = {name: _digest(content) for name, content in job.files.items()}
    depends = [VERSION, job.case, job.options, digests]
    return sha256(compact(depends).encode()).hexdigest()


@contextmanager
def unpacked(job: Job) -> Iterator[Case]:
    """Return the case of a job; within the block, only its files can be read.

    Args:
        job: A job with a case.
    """
    prefix = os.path.join(job.folder, "")
    served = {
        os.path.join(prefix, name): content
        if isinstance(content, bytes)
        else Diagnostic(**content)
        for name, content in job.files.items()
    }
    path = os.path.join(prefix, job.case["file"])
    fields = {key: job.case[key] for key in ("choice", "constrained")}
    with files.served(served):
        yield Case.of(job.case, path, **fields)
