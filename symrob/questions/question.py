"""The base class of questions: a frozen dataclass whose fields are its options.

docs/pipeline.md shows a complete example. An answer is data: a frozen dataclass with
`schema`, `status`, `reason`, and `about`; the answer type of an analysis is defined in
`analyses`. Only the `Space` distinguishes transitions from fault modes. Work that may
take long requests a share of the time, `space.clock.step(NAME)`, by a name of
`limits.BUDGETS`.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterator, Mapping
from dataclasses import MISSING, dataclass, field, fields
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, ClassVar, NamedTuple, Protocol, Self

from symrob.errors import Diagnostic, SymrobError

if TYPE_CHECKING:
    from symrob.api.certificates.records import WrittenCertificate
    from symrob.case import Case
    from symrob.questions.session import Session


# The output formats of every answer that is data. A format for all questions is a name
# here, and what writes it in `report.output_formats.EVERY`.
DATA_FORMS = ("json",)


class Option(NamedTuple):
    """How a field of a question is given on the command line.

    Attributes:
        flags: Its names on the command line; none for an argument.
        help: The help text.
        metavar: Placeholder for its value.
        least: Its least value, if it is a number.
        setting: Whether it is a field of `Options` too, which a case file or a default
            can set instead.
    """

    flags: tuple[str, ...]
    help: str
    metavar: str | None = None
    least: int | None = None
    setting: bool = False


def option(*flags: str, default: Any = None, **more: Any) -> Any:
    """Return a field that is an option.

    Args:
        flags: See `Option`.
        default: The default value.
        more: The other fields of `Option`, such as `help`.
    """
    return field(default=default, metadata={"option": Option(flags, **more)})


def certificate() -> Any:
    """Return the option --certificate, for questions with provable answers."""
    what = "Write a certificate for `symrob verify`."
    return option("--certificate", metavar="FILE[.gz]", help=what)


def misused(code: str, *messages: str) -> SymrobError:
    """Return the error for options that are meaningless, or cannot be combined."""
    return SymrobError([Diagnostic(code, message) for message in messages])


class Given(Protocol):
    """The models that a user names; see `symrob.cli.option_groups`."""

    @property
    def allow_outside(self) -> bool: ...  # noqa: D102

    @property
    def named(self) -> bool: ...  # noqa: D102

    @property
    def at_most(self) -> int | None: ...  # noqa: D102

    @property
    def cases(self) -> Mapping[str, Case]: ...  # noqa: D102

    @property
    def case(self) -> Case: ...  # noqa: D102

    def beside(self, path: str) -> Case:
        """Return another case, with the same options."""


@dataclass(frozen=True)
class Question(ABC):
    """A question: a subclass has its options as fields and its help as docstring.

    Attributes:
        forms: The output formats of its answer, the first by default.
        lists: Whether text output shortens long lists, which --all prints in full.
        of_sides: Whether it is about two designs or more.
        covers: Whether its text ends with what the question does not cover.
        batch: The key of its answer in a batch row, if it differs from the name.
        on_page: The heading of its answer on the page; empty if it is not on the page.
            There, only `Session.space` and `engine` are available, and no file.
    """

    forms: ClassVar[tuple[str, ...]] = ("text", *DATA_FORMS)
    forms_help: ClassVar[str] = ""
    lists: ClassVar[bool] = True
    of_sides: ClassVar[bool] = False
    covers: ClassVar[bool] = False
    batch: ClassVar[str] = ""
    on_page: ClassVar[str] = ""

    @classmethod
    def called(cls) -> str:
        """Return its name: the name of its module."""
        return cls.__module__.rpartition(".")[2]

    @classmethod
    def key(cls) -> str:
        """Return the key of its answer in a batch row."""
        return cls.batch or cls.called()

    @classmethod
    def for_rows(cls) -> Self:
        """Return the question as a batch asks it."""
        return cls()

    @classmethod
    def in_batches(cls) -> bool:
        """Return whether a batch can ask it.

        It then needs no argument, and its answer is data.
        """
        required = [f for f in fields(cls) if f.default is MISSING]
        return "json" in cls.forms and not required

    @classmethod
    def options(cls) -> dict[str, Option]:
        """Return its options, by the names of the fields."""
        return {f.name: f.metadata["option"] for f in fields(cls)}

    def settings(self) -> dict[str, Any]:
        """Return the given values for fields of `Options`."""
        options = self.options()
        return {n: getattr(self, n) for n, one in options.items() if one.setting}

    def check(self, form: str) -> None:  # noqa: B027 - most refuse nothing
        """Reject options that are meaningless or cannot be combined.

        Some depend on the output format.

        Raises:
            SymrobError: There are such options; all of them are reported.
        """

    def cases(self, given: Given) -> Mapping[str, Case]:
        """Return the cases that it is about, by their names in messages."""
        return {given.case.title or "the case": given.case}

    def within(self, session: Session) -> Session:
        """Return the session in which a batch asks this, beside other questions."""
        return session

    @abstractmethod
    def ask(self, session: Session) -> Any:
        """Return the answer, or a stream of its parts.

        Raises:
            SymrobError: The models are wrong, or do not support the question.
            NominalViolation: The nominal system is unsafe.
            LimitExceeded: A bound was hit before anything was known.
        """

    def endings(self, _session: Session, answer: Any) -> Iterator[tuple[str, str]]:
        """Yield how the parts of the answer ended, the most severe first.

        Yields:
            A status (`failed` for a check that does not hold) and its reason. The first
            status that is not `complete` decides the exit code.
        """
        yield answer.status, answer.reason

    def certify(
        self, _session: Session, _answer: Any, _path: str
    ) -> WrittenCertificate:
        """Write a certificate of an answer; only for questions with that option."""
        raise NotImplementedError

    @staticmethod
    def order_of(part: Any) -> Any:
        """Return the sort key of the parts of an answer, if it comes in parts."""
        return part

    def lacking(self, _answer: Any, reason: str) -> str:
        """Return why a certificate does not confirm everything.

        Empty if that is reported already.
        """
        return reason


class View(NamedTuple):
    """How an answer is written.

    Attributes:
        question: The question, with its options for the output.
        session: The session of the question.
        everything: Whether long lists are written in full.
        bounds: Bounds on pictures.
    """

    question: Any
    session: Session
    everything: bool = False
    bounds: Mapping[str, int] = MappingProxyType({})
