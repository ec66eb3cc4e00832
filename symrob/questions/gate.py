"""`symrob gate`: does a controller satisfy the rules of a policy?"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import MISSING, dataclass, replace
from functools import cache, cached_property, partial
from typing import TYPE_CHECKING, ClassVar

from symrob.case import Case
from symrob.case.faults import Faults
from symrob.case.places import naming
from symrob.problem import FaultMode, LocalTransition
from symrob.questions.question import DATA_FORMS, Given, Question, certificate, option

if TYPE_CHECKING:
    from symrob.analyses.space import Space
    from symrob.api.certificates.records import WrittenCertificate
    from symrob.gate.rule import Assess, Judged, Policy, Ruling
    from symrob.questions.session import Session


@dataclass(frozen=True)
class GateQuestion(Question):
    """Check the rules of a policy.

    Exit code: 4 if a rule fails, else 3 if a result is unknown, else 0.
    """

    covers: ClassVar = True
    forms: ClassVar = ("text", *DATA_FORMS, "junit", "markdown", "github")
    forms_help: ClassVar = "Choose text, json, junit, github or markdown."

    policy: str = option(
        metavar="POLICY.toml", help="Read the rules from this policy.", default=MISSING
    )
    certificate: str | None = certificate()

    def cases(self, given: Given) -> Mapping[str, Case]:
        """Return the case, and variants with each controller that rules refer to."""
        rules = self._policy(given.allow_outside)
        if given.named or rules.case is None:
            case = given.case
        else:
            with naming(rules.source, rules.case):
                case = given.beside(rules.case)
        if rules.at_most is not None and given.at_most is None:
            case = replace(case, at_most=rules.at_most)
        cases = {case.title or "the case": case}
        for rule in map(rules.rules.__getitem__, _beside(rules)):
            assert rule.compared is not None
            name = f"{rule.name}: {rule.compared}"
            while name in cases:
                name += "'"
            other = replace(case, controller=rule.compared, source=rules.source)
            cases[name] = other
        return cases

    def ask(self, session: Session) -> Rulings:
        """Return the ruling on each rule, as it is found."""
        return Rulings(session, self._policy(session.allow_outside))

    def _policy(self, allow_outside: bool) -> Policy:
        from symrob.gate.policy import load_policy

        return load_policy(self.policy, allow_outside=allow_outside)

    def endings(self, _session: Session, answer: Rulings) -> Iterator[tuple[str, str]]:
        """Yield the ends; a failed rule comes before an unknown one."""
        rulings = answer.final.rules
        if answer.space.clock.interrupted:
            yield "interrupted", "interrupted"
        if any(ruling.answer == "fails" for ruling in rulings):
            yield "failed", ""
        for ruling in rulings:
            if ruling.answer == "unknown":
                yield "limit", ruling.message

    def certify(
        self, session: Session, answer: Rulings, path: str
    ) -> WrittenCertificate:
        """Write a certificate of the evidence for the rules."""
        from symrob.gate.certificate import write_gate_certificate

        roles, *others = session.all_roles.values()
        known = dict(zip(answer.others, others, strict=True))
        engine = answer.space.required_whole("a certificate")
        found = answer.final.rules
        return write_gate_certificate(path, answer.asked, found, roles, engine, known)


def _beside(rules: Policy) -> list[int]:
    """The rules that compare with another controller, by their places."""
    return [
        place for place, rule in enumerate(rules.rules) if rule.compared is not None
    ]


def _assessing(session: Session, probability: str | None) -> Assess:
    """Read the chances of the case that is selected; return what assesses it."""
    from symrob.questions.risk import RiskQuestion
    from symrob.questions.session import Session

    space, *_ = session.spaces.values()
    roles, *_ = session.all_roles.values()
    cases = {session.title or "the case": session.case}
    own = Session(cases, session.options, clock=space.clock, roles=roles)
    assess = RiskQuestion(probability=probability).prepared(own)
    # A rule is judged, then asked whether it says anything.
    return cache(lambda constrained: assess(constrained)[0])


def _of_components(session: Session, names: Mapping[LocalTransition, str]) -> Space:
    """Return the sets of some transitions of components, which rules name."""
    from symrob.api.stages import open_space

    space, *_ = session.spaces.values()
    roles, *_ = session.all_roles.values()
    modes = [FaultMode(n, local=frozenset((t,))) for t, n in sorted(names.items())]
    faults = Faults(modes=tuple(modes), only=True)
    options = replace(session.options, strict=False)
    return open_space(replace(roles, faults=faults), options, space.clock)


class Rulings:
    """The rulings on the rules of a policy; can be iterated over once.

    Args:
        session: The session of the case, and of the case with each other controller.
        rules: The policy.

    Attributes:
        policy: The rules.
        title: Human-readable title of the policy and the case.
        space: The problem.
        others: The rules about another controller, by their indexes.
        asked: The rules in terms of the problem.
    """

    def __init__(self, session: Session, rules: Policy) -> None:
        from symrob.gate.judge import ask, judge
        from symrob.gate.rule import ComponentSets, GateGround

        self.policy, self.title = rules, rules.title
        if session.title:
            self.title += f": {session.title}"
        self.space, *more = session.spaces.values()
        self.others = _beside(rules)
        known = dict(zip(self.others, more, strict=True))
        ground = GateGround(
            self.space,
            session.case,
            partial(_assessing, session),
            next(iter(session.all_roles.values())).environment.model,
            ComponentSets(partial(_of_components, session)),
        )
        self.asked = ask(rules, ground, known)
        self._source = judge(self.asked, self.space)
        self._found: list[Ruling] = []

    def __iter__(self) -> Iterator[Ruling]:
        """Yield the ruling on each rule, as soon as it is known."""
        yield from self._found
        for ruling in self._source:
            self._found.append(ruling)
            yield ruling

    @cached_property
    def final(self) -> Judged:
        """The rulings on all rules."""
        from symrob.gate.rule import Judged

        if not self._found:
            for _ in self:
                pass
        return Judged.of(self.space, self._found)
