"""A text that was read and checked, with every problem of it.

In:  the text, values for its constants, limits.
Out: a `Text`: its declarations, names, checks and diagnostics.

Declarations that have no part in a model (`progress`, `menu`, `fluent`) are evaluated
once, to find mistakes; assertions are formulas, of which only the names are checked.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace

from symrob.errors import Diagnostic
from symrob.formats.fsp import ast
from symrob.formats.fsp.checks import Checker
from symrob.formats.fsp.names import Constants, Names
from symrob.formats.fsp.parser import Parsed, parse
from symrob.formats.fsp.tokens import FspFault, FspSource
from symrob.formats.fsp.values import Scope
from symrob.limits import Limits

_MOST_SHOWN = 200


@dataclass
class Text:
    """A text that was read and checked, ready to be composed.

    Attributes:
        parsed: The text as it was read, and the declarations that could be.
        names: The table of names.
        checker: What the checks found.
        diagnostics: Every problem so far, errors and warnings.
    """

    parsed: Parsed
    names: Names
    checker: Checker
    diagnostics: list[Diagnostic]

    @property
    def source(self) -> FspSource:
        """The text, for messages."""
        return self.parsed.source

    @property
    def errors(self) -> list[Diagnostic]:
        """The problems that forbid to go on."""
        return [d for d in self.diagnostics if d.severity == "error"]

    def excuse_all_but(self, targets: Iterable[ast.Declaration]) -> None:
        """Turn errors that the targets have no part in into warnings.

        These are names that are not defined in a composite, and uses of
        declarations that FSP does not have.
        """
        start = [node.key for node in targets]
        needed = {*start, *self.checker.reached_from(start)}
        excused = set()
        for pos, problem in self.checker.problems.items():
            user = self.checker.users[pos]
            undefined = problem.code.startswith("fsp-undefined-")
            if user not in needed and (
                problem.code == "fsp-foreign" or (undefined and user[0] == "Composite")
            ):
                excused.add(problem)
        self.diagnostics = [
            replace(d, severity="warning") if d in excused else d
            for d in self.diagnostics
        ]


def read_text(text: str, file: str, constants: Constants, limits: Limits) -> Text:
    """Parse and check a text; problems are collected, not raised."""
    parsed = parse(text, file, limits)
    names = Names(parsed.declarations, parsed.source, constants, limits)
    checker = Checker(names, parsed)
    found = [*parsed.problems, *names.problems, *checker.problems.values()]
    found += _skipped(names, parsed.source)
    wrong = {kind for kind, _name in checker.users.values()}
    if not names.problems and wrong <= {"Composite"}:
        late = _faults(parsed.declarations, names.scope)
        found += [parsed.source.of_fault(fault) for fault in late]
    return Text(parsed, names, checker, merged(found))


def _faults(declarations: ast.Declarations, scope: Scope) -> Iterator[FspFault]:
    """Yield what is wrong with the values of what has no part in a model."""
    for node in declarations:
        try:
            match node:
                case ast.Progress():
                    for _values, bound in scope.bind(node.indices):
                        if node.condition is not None:
                            bound.label_names(node.condition)
                        bound.label_names(node.labels)
                case ast.Menu():
                    scope.label_names(node.labels)
                case ast.Fluent():
                    _check_fluent(node, scope)
        except FspFault as fault:
            yield fault


def _check_fluent(node: ast.Fluent, scope: Scope) -> None:
    for _values, bound in scope.bind(node.indices):
        starts = set(bound.label_names(node.initiating))
        stops = set(bound.label_names(node.terminating))
        if starts & stops:
            message = f"'{min(starts & stops)}' both starts and stops this fluent"
            raise FspFault("fsp-fluent", message, node.terminating.pos)
        if node.initially is not None:
            bound.evaluate(node.initially)


def _skipped(names: Names, source: FspSource) -> list[Diagnostic]:
    """Name what FSP does not have, in one warning."""
    if not names.foreign:
        return []
    shown = ", ".join(f"{node.word} {name}" for name, node in names.foreign.items())
    message = f"declarations that FSP does not have are skipped: {shown}"
    first = min(node.pos for node in names.foreign.values())
    return [source.diagnostic("fsp-skipped", message, first, severity="warning")]


def merged(found: list[Diagnostic]) -> list[Diagnostic]:
    """Sort diagnostics by place, keep the first for each place, and not too many."""
    found = sorted(found, key=lambda d: (d.line or 0, d.column or 0))
    first: dict[object, Diagnostic] = {}
    for d in found:
        first.setdefault((d.line, d.column, d.severity), d)
    diagnostics = list(first.values())
    rest = len(diagnostics) - _MOST_SHOWN
    if rest > 0:
        left_out = {d.severity for d in diagnostics[_MOST_SHOWN:]}
        more = Diagnostic(
            "fsp-more",
            f"and {rest} more problems",
            "error" if "error" in left_out else "warning",
            found[0].file,
        )
        diagnostics = [*diagnostics[:_MOST_SHOWN], more]
    return diagnostics
