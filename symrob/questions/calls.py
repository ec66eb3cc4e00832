"""The Python functions that ask what the commands ask.

In:  a case, or the result of `symrob.compute`; options as keyword arguments.
Out: answers, which are data. `str(answer)` is the text that the command prints.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, fields, replace
from os import PathLike
from typing import TYPE_CHECKING, Any, ClassVar

from symrob.api.arguments import require
from symrob.api.cases import LoadedCase, load_case
from symrob.api.functions import AnyModel, models_in_roles
from symrob.api.result import SafetyEnvelope
from symrob.case import Case, Spec
from symrob.errors import Diagnostic, SymrobError, did_you_mean
from symrob.options import Options
from symrob.question_names import question_names
from symrob.questions import question_named
from symrob.questions.compare import Compared
from symrob.questions.question import Question, View
from symrob.questions.risk import Assessed
from symrob.questions.session import Session
from symrob.shown import Origin, from_origin
from symrob.words import apart

if TYPE_CHECKING:
    from symrob.analyses.assume import Assumed
    from symrob.analyses.compare import Comparison
    from symrob.repair.answer import Answer
    from symrob.repair.suggest import Suggestions
    from symrob.risk.answer import Risk, RiskChange

# What names other files is asked of a case.
_OF_FILES = ("assume", "compare", "gate", "risk")

Asked = str | PathLike[str] | LoadedCase | SafetyEnvelope


def ask(case: Asked | Sequence[Asked], question: str, **options: Any) -> Any:
    """Ask a question about a case, as the command of that name does.

    Args:
        case: A result of `symrob.load_case` or `symrob.compute`, or the path of a case
            file; for a question about several designs, several cases (not envelopes).
        question: Its name, such as `cuts`.
        options: Those of the command: the fields of the question. Other options are
            those of a run, as in `symrob.compute`.

    Returns:
        The answer: data, or an iterable of data found during iteration. `str()` returns
        the text that the command prints.

    Raises:
        SymrobError: The question or an option is unknown, or not supported for this
            case.
        NominalViolation: The nominal system is unsafe.
        LimitExceeded: A bound was hit before anything was known.
    """
    if question not in question_names():
        message = f"unknown question {question!r:.60}"
        hint = did_you_mean(str(question), question_names())
        raise SymrobError(Diagnostic("api-argument", message, hint=hint))
    kind = question_named(question)
    own = {name: options.pop(name) for name in kind.options() if name in options}
    known = {*kind.options(), *(field.name for field in fields(Options))}
    if unknown := sorted({*options} - known):
        message = f"'{question}' has no option '{unknown[0]}'"
        hint = did_you_mean(unknown[0], known)
        raise SymrobError(Diagnostic("api-argument", message, hint=hint))
    asked = kind(**own)
    asked.check("json")
    session = _session(case, asked, {**asked.settings(), **options})
    found = asked.ask(session)
    answer = getattr(found, "final", found)
    # No circle, which would be freed late: what an answer comes from does not know it.
    if answer is not found:
        vars(found).pop("final", None)
    # Without what was opened: who keeps many answers does not keep their engines.
    if isinstance(case, SafetyEnvelope):
        shown = Session.of(case.space, case.title, case.words, form="text")
    else:
        roles = session.roles
        shown = Session(session.cases, session.options, roles=roles, form="text")
        shown = shown.remembering(session)
    source = None if found is answer else found
    return from_origin(answer, Origin(question, source, view=View(asked, shown)))


@dataclass(frozen=True)
class _Loaded:
    """Cases that were loaded, as questions ask for them; see `Given`."""

    loaded: Sequence[LoadedCase]
    allow_outside: ClassVar = False
    named: ClassVar = True

    @property
    def case(self) -> Case:
        return self.loaded[0].case

    @property
    def cases(self) -> Mapping[str, Case]:
        names = apart([c.title or f"case {n}" for n, c in enumerate(self.loaded, 1)])
        return {n: c.case for n, c in zip(names, self.loaded, strict=True)}

    @property
    def at_most(self) -> int | None:
        return self.case.at_most

    def beside(self, path: str) -> Case:
        return load_case(path).case


def _session(
    case: Asked | Sequence[Asked], asked: Question, options: Mapping[str, Any]
) -> Session:
    """Open what is asked about."""
    if isinstance(case, SafetyEnvelope):
        if (name := asked.called()) in _OF_FILES:
            message = f"'{name}' requires a case from symrob.load_case"
            raise SymrobError(Diagnostic("api-argument", message))
        chosen = Options.of(options)
        session = Session.of(case.space, case.title, case.words, options=chosen)
        vars(session)["envelope"] = case
        return session
    given: Any = [case] if isinstance(case, str | PathLike | LoadedCase) else case
    what = "a result of symrob.load_case, or the path of a case file"
    require(("case", given, Sequence, what))
    loaded = [c if isinstance(c, LoadedCase) else load_case(c) for c in given]
    first = loaded[0]
    cases = asked.cases(_Loaded(loaded))
    # A question can be about its case in other units.
    same = next(iter(cases.values())) is first.case
    roles = first.roles if same else None
    return Session(cases, first.case.options(options), roles=roles)


def assume(
    environment: AnyModel,
    controller: AnyModel,
    properties: AnyModel | Sequence[AnyModel],
    by: str | Sequence[str] | None = None,
    **options: Any,
) -> Assumed:
    """Find the minimal sets of E's own transitions to forbid; see docs/tour.md.

    Args:
        environment: As for `symrob.compute`.
        controller: As for `symrob.compute`.
        properties: As for `symrob.compute`.
        by: Group the transitions: `action`, `component`, or both.
        options: Others of `symrob.ask(case, "assume")`, such as `limit` or `timeout`.

    Returns:
        The answers, found during iteration. In each, `forbid` is a frozenset of
        transitions of E, `needed` shows with a trace why each must be forbidden, and
        `lost` lists what the plan can no longer do. A safe plan has one answer, which
        forbids nothing.

    Raises:
        SymrobError: As for `symrob.compute`; or E cannot be grouped in this way.
        NominalViolation: C violates a property with E's internal steps alone.

    Cost: see docs/pipeline.md; E's own transitions are the candidates.
    """
    roles = models_in_roles(environment, controller, properties, by=by or ())
    nowhere = Spec("")
    case = LoadedCase(Case(nowhere, nowhere, ()), roles)
    answers: Assumed = ask(case, "assume", **options)
    return answers


def compare(one: SafetyEnvelope, other: SafetyEnvelope) -> Comparison:
    """Compare the robustness of two designs in one environment.

    Args:
        one: The result of `compute` for the first design; its deviations are not needed
            and not computed.
        other: The result of `compute` for the second design.

    Returns:
        The verdict, and for each side a smallest set of transitions, or of fault modes,
        that only it tolerates.

    Raises:
        SymrobError: The environments or the fault modes differ, or an argument is not a
            result.

    Source: docs/sources.md [S1], Def. 6, Def. 7.
    """
    what = "a result of symrob.compute"
    require(("one", one, SafetyEnvelope, what), ("other", other, SafetyEnvelope, what))
    names = apart([one.title or "A", other.title or "B"])
    first, second = Session.of(one.space, names[0], one.words, form="text"), other
    cases = {**first.cases, names[1]: replace(first.case, words=second.words)}
    session = Session(cases, Options(), form="text")
    spaces = dict(zip(names, (one.space, other.space), strict=True))
    vars(session)["spaces"] = spaces
    found = Compared(session)
    view = View(question_named("compare")(), session)
    return from_origin(replace(found.first), Origin("compare", found, view=view))


def repair(case: Asked, **options: Any) -> Answer | Suggestions:
    """Find guards that make C tolerate the required deviations; see docs/repair.md.

    Args:
        case: As for `ask`.
        options: Those of `symrob repair`: `tolerate`, a list of expressions or fault
            modes; `disable` and `not_disable`, lists of actions; `keep="plan"`;
            `suggest=True` for single guards; `order` and `limit`. Others as for `ask`.

    Returns:
        An answer in which `repair.guards` are the guards and `repair.controller` is C
        with them; `possible` says whether a repair exists. With `suggest`, the guards.

    Raises:
        SymrobError: As for `ask`; or an expression or an action is unknown.

    Cost: see docs/pipeline.md.
    """
    answer: Answer | Suggestions = ask(case, "repair", **options)
    return answer


def risk(
    case: Asked,
    probability: Mapping[str, Any] | str | PathLike[str] | None = None,
    *,
    gap: float | None = None,
    **options: Any,
) -> Risk | RiskChange:
    """Compute the probability of a hazard and each event's contribution.

    Args:
        case: As for `ask`.
        probability: A table as for `SafetyEnvelope.risk`, or the path of a file that
            holds one; by default the table of the case.
        gap: Stop when the bounds on the probability differ by at most this; from 0 to
            1.
        options: Others of `symrob risk`, such as `other`, the path of a second design;
            the rest as for `ask`.

    Returns:
        The figures. `bounds` is the pair (low, high) between which the probability lies
        for all properties together; they are equal where it is exact.

    Raises:
        SymrobError: As for `ask`; or a probability is missing or invalid.

    Cost: that of `cuts` for the events, then of their decision diagram.
    """
    if isinstance(case, SafetyEnvelope):
        if not isinstance(probability, Mapping):
            message = "probability: an envelope requires a dict"
            raise SymrobError(Diagnostic("api-argument", message))
        assessed = case.risk(probability, gap=gap)
        found = Assessed((case.title,), [assessed], traces=bool(options.get("traces")))
        origin = Origin("risk", found, case.title, case.words)
        return from_origin(found.final, origin)
    found = ask(case, "risk", probability=probability, gap=gap, **options)
    answer: Risk | RiskChange = found
    return answer
