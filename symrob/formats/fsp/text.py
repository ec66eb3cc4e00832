"""A text that was read and checked, with every problem of it.

In:  the text, values for its constants, limits.
Out: a `Text`: its declarations, names, checks and diagnostics.
"""

from __future__ import annotations

from dataclasses import replace

from symrob.errors import Diagnostic
from symrob.formats.fsp import ast, kept
from symrob.formats.fsp.checks import Checker
from symrob.formats.fsp.names import Constants, Names, collect
from symrob.formats.fsp.parser import parse
from symrob.formats.fsp.source import Source
from symrob.limits import Limits

DEFAULT = "DEFAULT"
_MOST_SHOWN = 200


class Text:
    """A text that was read and checked, ready to be composed.

    Args:
        source: The text as it was read.
        declarations: The declarations that could be read.
        names: The table of names.
        checker: What the checks found.
        diagnostics: Every problem so far, errors and warnings.
    """

    def __init__(
        self,
        source: Source,
        declarations: ast.Declarations,
        names: Names,
        checker: Checker,
        diagnostics: list[Diagnostic],
    ) -> None:
        self.source = source
        self.declarations = declarations
        self.names = names
        self.checker = checker
        self.diagnostics = diagnostics

    @property
    def errors(self) -> list[Diagnostic]:
        """The problems that forbid to go on."""
        return [d for d in self.diagnostics if d.severity == "error"]

    def excuse_all_but(self, target: str) -> None:
        """Turn errors that `target` has no part in into warnings.

        These are names that are not defined in a composite, and uses of
        declarations that FSP does not have.
        """
        kind = "Composite" if target in self.names.composites else "Process"
        if target not in {*self.names.composites, *self.names.processes}:
            kind = "Assert"
        start = [(kind, target)]
        if target == DEFAULT:
            start = [("Process", name) for name in self.names.processes]
        needed = {*start, *self.checker.reached_from(start)}
        excused = {
            problem
            for pos, problem in self.checker.problems.items()
            if self.checker.users[pos] not in needed
            and (
                problem.code == "fsp-foreign"
                or (
                    problem.code.startswith("fsp-undefined-")
                    and self.checker.users[pos][0] == "Composite"
                )
            )
        }
        self.diagnostics = [
            replace(d, severity="warning") if d in excused else d
            for d in self.diagnostics
        ]


def read_text(text: str, file: str, constants: Constants, limits: Limits) -> Text:
    """Parse and check a text; problems are collected, not raised."""
    parsed = parse(text, file, limits)
    names = collect(parsed.declarations, parsed.source, constants, limits)
    checker = Checker(names, parsed.source, parsed.broken, parsed.doubtful)
    checker.check(parsed.declarations)
    found = [*parsed.problems, *names.problems, *checker.problems.values()]
    found += _skipped(names, parsed.source)
    wrong = {kind for kind, _name in checker.users.values()}
    if not names.problems and wrong <= {"Composite"}:
        late = kept.faults(parsed.declarations, names.scope)
        found += [parsed.source.of_fault(fault) for fault in late]
    return Text(parsed.source, parsed.declarations, names, checker, merged(found))


def _skipped(names: Names, source: Source) -> list[Diagnostic]:
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
