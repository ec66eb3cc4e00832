"""What a question is: a frozen dataclass whose fields are its options.

docs/pipeline.md shows a whole one. An answer is data: a frozen dataclass with `schema`,
`status`, `reason`, and what it is `about`; one that an analysis makes stands with it in
`analyses`. Whether units are transitions or fault modes is known to the `Space` alone.
What may take long asks for a share of the time, `space.clock.step(NAME)`, by a name of
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


class Option(NamedTuple):
    """How a field of a question is given.

    Attributes:
        flags: Its names on the command line; none for an argument.
        help: What it is for.
        metavar: What stands for its value.
        least: Its least value, if it is a number.
        setting: Whether it is a field of `Options` too, for which a case file and a
            default stand in where it is not given.
    """

    flags: tuple[str, ...]
    help: str
    metavar: str | None = None
    least: int | None = None
    setting: bool = False


def option(*flags: str, default: Any = None, **more: Any) -> Any:
    """Return a field that is an option.

    Args:
        flags: As of `Option`; so are the others.
        default: What holds where it is not given.
        more: `help` and the like.
    """
    return field(default=default, metadata={"option": Option(flags, **more)})


def certificate() -> Any:
    """Return the option of questions whose answers can be proved."""
    what = "Write a proof for `symrob verify`."
    return option("--certificate", metavar="FILE[.gz]", help=what)


def misused(code: str, *messages: str) -> SymrobError:
    """Return the error for options that mean nothing, or not together."""
    return SymrobError([Diagnostic(code, message) for message in messages])


class Given(Protocol):
    """The models that a user names; see `symrob.cli.groups`."""

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
    """A question; a subclass has its options as fields, and says what it does first.

    Attributes:
        forms: The forms in which its answer can be written, the first by default.
        lists: Whether text cuts long lists, which --all prints.
        of_sides: Whether it is about two designs or more.
        covers: Whether its text ends with what lies outside the question.
        batch: The key of its answer in a row of a batch, where it is not its name.
        on_page: What stands above its answer on the page; empty where it has no place.
            There only `Session.space` and `engine` are known, and no file.
    """

    forms: ClassVar[tuple[str, ...]] = ("text", "json")
    forms_help: ClassVar[str] = ""
    lists: ClassVar[bool] = True
    of_sides: ClassVar[bool] = False
    covers: ClassVar[bool] = False
    batch: ClassVar[str] = ""
    on_page: ClassVar[str] = ""

    @classmethod
    def called(cls) -> str:
        """Return what it is called: the name of its module."""
        return cls.__module__.rpartition(".")[2]

    @classmethod
    def key(cls) -> str:
        """Return the key of its answer in a row of a batch."""
        return cls.batch or cls.called()

    @classmethod
    def for_rows(cls) -> Self:
        """Return the question as a batch asks it."""
        return cls()

    @classmethod
    def in_batches(cls) -> bool:
        """Return whether a batch can ask it: it requires nothing, and answers data."""
        required = [f for f in fields(cls) if f.default is MISSING]
        return "json" in cls.forms and not required

    @classmethod
    def options(cls) -> dict[str, Option]:
        """Return its options, by the names of the fields."""
        return {f.name: f.metadata["option"] for f in fields(cls)}

    def settings(self) -> dict[str, Any]:
        """Return what is given of the fields of `Options`."""
        options = self.options()
        return {n: getattr(self, n) for n, one in options.items() if one.setting}

    def check(self, form: str) -> None:  # noqa: B027 - most refuse nothing
        """Refuse options that mean nothing, or not together, or not in this form.

        Raises:
            SymrobError: All of them.
        """

    def cases(self, given: Given) -> Mapping[str, Case]:
        """Return the cases that it is about, by what messages call them."""
        return {given.case.title or "the case": given.case}

    def within(self, session: Session) -> Session:
        """Return the session in which a batch asks this, beside other questions."""
        return session

    @abstractmethod
    def ask(self, session: Session) -> Any:
        """Return the answer, or a stream of its parts.

        Raises:
            SymrobError: The models are wrong, or the question cannot be asked of them.
            NominalViolation: The nominal system is unsafe.
            LimitExceeded: A bound was hit before anything was known.
        """

    def endings(self, _session: Session, answer: Any) -> Iterator[tuple[str, str]]:
        """Yield how parts of the answer ended, the gravest first.

        Yields:
            A status, `failed` for a check that does not hold, and why. The first that
            is not `complete` decides the exit code.
        """
        yield answer.status, answer.reason

    def certify(
        self, _session: Session, _answer: Any, _path: str
    ) -> WrittenCertificate:
        """Write a certificate of an answer; only for questions with that option."""
        raise NotImplementedError

    @staticmethod
    def order_of(part: Any) -> Any:
        """What parts are sorted by in one document, where an answer comes in parts."""
        return part

    def lacking(self, _answer: Any, reason: str) -> str:
        """Return why a certificate does not confirm all; empty where that is said."""
        return reason


class View(NamedTuple):
    """How an answer is written.

    Attributes:
        question: The question, for what it asks of the writing.
        session: What it was asked of.
        everything: Whether long lists are written whole.
        bounds: Those on pictures.
    """

    question: Any
    session: Session
    everything: bool = False
    bounds: Mapping[str, int] = MappingProxyType({})
