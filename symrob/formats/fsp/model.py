"""An FSP text to a model, or to all diagnostics about it.

    text ──▶ parse ──▶ collect ──▶ check ──▶ choose a target ──▶ compose
             (parser)  (names)    (checks)   (here)              (composite)

In:  a text, the requested part, and values of its constants.
Out: a `ModelFile`, or a `SymrobError` with every problem of the text; for `lint`, all
     diagnostics, errors and warnings, in reading order.

Loading a model evaluates only the definitions that it uses. `lint` builds every process
and the composites that no other uses, so it finds mistakes in unused definitions too.
Declarations outside of systems (`progress`, `menu`, `fluent`) are evaluated once, to
find mistakes; only the names in assertions are checked.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace

from symrob.errors import Diagnostic, Severity, SymrobError, plural
from symrob.formats.fsp import ast
from symrob.formats.fsp.assertions import assertion_monitor
from symrob.formats.fsp.composite import Composer, Importer, Net, check_parts
from symrob.formats.fsp.names import Constants, DefinitionChecker, Names, not_fsp
from symrob.formats.fsp.parser import parse
from symrob.formats.fsp.tokens import FspFault, LimitFault, did_you_mean
from symrob.formats.fsp.values import Scope
from symrob.formats.text import ModelFile, room
from symrob.limits import DEFAULT_LIMITS, Limits
from symrob.lts import Lts, Network

DEFAULT = "DEFAULT"
_PRIORITY = (
    "components under a priority cannot be changed separately: priority is not monotone"
)
_ONE_PROCESS = "analyse the environment as a whole, or model it without priority"
_HINTS = {
    "fsp-relabel-nothing": "in composites, old names include their prefix: x:P/{b/x.a}"
}
_MOST_SHOWN = 200


def load_text(
    text: str,
    *,
    file: str = "<text>",
    process: str | None = None,
    constants: Constants | None = None,
    limits: Limits = DEFAULT_LIMITS,
    importer: Importer | None = None,
) -> ModelFile:
    """Read an FSP text.

    Args:
        text: The text.
        file: Its name, for diagnostics.
        process: The requested composite, process or assertion. By default the only
            composite that no other composite uses; in a text without composites, all
            processes in parallel; in one without processes, its assertion.
        constants: Values for `const` (a number) or `range` (a pair of bounds)
            declarations of the text, by name.
        limits: Bounds on states, expansion and nesting.
        importer: Reads the file of an `import` declaration; without it, a used
            declaration is an error.

    Returns:
        The model.

    Raises:
        SymrobError: The text has errors; all of them are listed.

    Cost: linear in the text and in the states of each process; products are computed
        only where the language requires one.
    Source: grammar/README.md.
    """
    with room(limits):
        return _FspText(text, file, constants or {}, limits, importer).model(process)


def lint_text(
    text: str,
    *,
    file: str = "<text>",
    constants: Constants | None = None,
    limits: Limits = DEFAULT_LIMITS,
    importer: Importer | None = None,
) -> tuple[Diagnostic, ...]:
    """Return all problems of a text.

    Args:
        text: As for `load_text`.
        file: As for `load_text`.
        constants: As for `load_text`.
        limits: As for `load_text`.
        importer: As for `load_text`.

    Returns:
        Errors and warnings in reading order; they are returned, not raised.

    Cost: that of building every process and every topmost composite.
    """
    with room(limits):
        return tuple(_FspText(text, file, constants or {}, limits, importer).problems())


class _FspText:
    """A text that was read and checked, ready to be composed.

    Attributes:
        diagnostics: Every problem so far, errors and warnings.
    """

    def __init__(
        self,
        text: str,
        file: str,
        constants: Constants,
        limits: Limits,
        importer: Importer | None,
    ) -> None:
        self.limits, self.importer = limits, importer
        self.parsed = parsed = parse(text, file, limits)
        self.source = source = parsed.source
        self.names = names = Names(parsed.declarations, source, constants, limits)
        self.checker = checker = DefinitionChecker(names, parsed)
        self.composer = Composer(names, limits, importer)
        found = [*parsed.problems, *names.problems, *checker.problems.values()]
        found += self._skipped()
        wrong = {kind for kind, _name in checker.users.values()}
        if not names.problems and wrong <= {"Composite"}:
            faults = _faults(parsed.declarations, names.scope)
            found += map(source.of_fault, faults)
        self.diagnostics = _merged(found)

    def model(self, process: str | None) -> ModelFile:
        """Return the model that is asked for."""
        names, composer = self.names, self.composer
        try:
            target = self._chosen(process)
            self._excuse_all_but([target] if target else names.processes.values())
        except SymrobError as error:
            # That what is asked for is no FSP matters more than any other problem.
            if not self._errors or error.diagnostics[0].code == "fsp-foreign":
                # A comment that is never closed may have taken it away.
                said = (d for d in self.diagnostics if d.severity == "warning")
                error.warnings = tuple(said)
                raise
        if self._errors:
            raise SymrobError(_merged([*self._errors, *self._sweep(composer)[1]]))
        name = target.name.text if target else DEFAULT
        meaning = ""
        notes: list[Diagnostic] = []
        network: Network | Lts
        try:
            if isinstance(target, ast.Assert):
                made = assertion_monitor(target, names, self.source, self.limits)
                network, meaning = made
            else:
                net = _composed(composer, target)
                network = _settled(net.network())
                by_rule = process is None and name in names.composites
                notes = [*self._warnings([net], [name] if by_rule else [])]
        except FspFault as fault:
            found = [self.source.of_fault(fault)]
            if not isinstance(fault, LimitFault):
                found += self._sweep(Composer(names, self.limits, self.importer))[1]
            raise SymrobError(_merged(found)) from None
        return ModelFile(
            network,
            name,
            tuple(_merged([*self.diagnostics, *notes])),
            names.used_constants,
            self.parsed.declarations,
            meaning,
            priorities=tuple(self._priorities()),
            progress=tuple(self._progress()),
        )

    def _progress(self) -> Iterator[tuple[str, tuple[str, ...]]]:
        """What must stay possible, by name; what is conditional has no such meaning."""
        for node in self.parsed.declarations:
            if isinstance(node, ast.ProgressDef) and node.condition is None:
                for values, bound in self.names.scope.bind(node.indices):
                    indices = "".join(f"[{value}]" for value in values)
                    actions = dict.fromkeys(bound.label_names(node.labels))
                    yield node.name.text + indices, tuple(actions)

    def _priorities(self) -> Iterator[Diagnostic]:
        for pos in sorted(self.composer.findings.priorities):
            code, hint = "modes-priority", _ONE_PROCESS
            yield self.source.diagnostic(code, _PRIORITY, pos, hint=hint)

    def problems(self) -> list[Diagnostic]:
        """Return everything that can be said about the text."""
        roots = self._roots()
        nets, faults = self._sweep(self.composer, roots)
        found = [*self.diagnostics, *faults]
        if not any(d.severity == "error" for d in found):
            found += self._warnings(nets, [node.name.text for node in roots])
            if not self.parsed.declarations:
                message, file = "the file defines nothing", self.source.file
                found.append(Diagnostic("fsp-empty", message, file=file))
        return _merged(found)

    @property
    def _errors(self) -> list[Diagnostic]:
        """The problems that forbid to go on."""
        return [d for d in self.diagnostics if d.severity == "error"]

    def _excuse_all_but(self, targets: Iterable[ast.Declaration]) -> None:
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

    def _skipped(self) -> Iterator[Diagnostic]:
        """Name what FSP does not have, in one warning."""
        foreign = self.names.foreign
        if foreign:
            shown = ", ".join(f"{node.word} {name}" for name, node in foreign.items())
            message = f"skipped declarations that are not FSP: {shown}"
            yield self._warn(
                "fsp-skipped", message, min(n.pos for n in foreign.values())
            )

    # --- what is meant --------------------------------------------------------

    def _chosen(self, process: str | None) -> ast.Declaration | None:
        """The definition that is meant; `None` for all processes side by side."""
        names, file = self.names, self.source.file
        composites, processes = names.composites, names.processes
        known = {**names.assertions, **processes, **composites}
        if process in known:
            return known[process]
        if process in names.foreign:
            node = names.foreign[process]
            problem = self.source.diagnostic(
                "fsp-foreign", not_fsp(node), node.name.pos
            )
            raise SymrobError(problem)
        if process is not None:
            order = [*composites, *processes, *names.assertions]
            message = f"{file} defines no process '{process}'"
            listing = "its processes: " + ", ".join(order) if order else None
            hint = did_you_mean(process, order) or listing
            raise SymrobError(
                Diagnostic("fsp-no-process", message, file=file, hint=hint)
            )
        if processes and not composites:
            return None if len(processes) > 1 else next(iter(processes.values()))
        if not known:
            message = f"{file} defines no process"
            raise SymrobError(Diagnostic("fsp-empty", message, file=file))
        table = composites or names.assertions
        tops = self._topmost(table.values()) or [*table.values()]
        if len(tops) > 1:
            what = "composites" if composites else "assertions"
            listing = ", ".join(node.name.text for node in tops)
            message = f"the file defines several {what}: {listing}"
            hint = f"name one: {file}#{tops[-1].name.text}"
            code, pos = "fsp-ambiguous", tops[0].pos
            raise SymrobError(self.source.diagnostic(code, message, pos, hint=hint))
        return tops[0]

    def _topmost(self, nodes: Iterable[ast.Declaration]) -> list[ast.Declaration]:
        """Those of some definitions that no other of them uses.

        By `A; B` processes use composites too.
        """
        keys = {node.key: node for node in nodes}
        users = {*keys, *self.checker.reached_from(keys)}
        uses = self.checker.uses
        used = {use for user in users for use in uses.get(user, ()) if use != user}
        return [node for key, node in keys.items() if key not in used]

    def _roots(self) -> list[ast.Declaration]:
        """Composites that use all others: those on top, and one of each circle."""
        composites = self.names.composites.values()
        roots = self._topmost(composites)
        reached = self.checker.reached_from(node.key for node in roots)
        for node in composites:
            if node not in roots and node.key not in reached:
                roots.append(node)
                reached |= self.checker.reached_from([node.key])
        return roots

    def _sweep(
        self, composer: Composer, composites: Iterable[ast.Declaration] = ()
    ) -> tuple[list[Net], list[Diagnostic]]:
        """Build every process alone, and some composites.

        What uses a broken definition is left out, and so are composites where anything
        is wrong. Gives the composites, and everything that goes wrong.
        """
        nets: list[Net] = []
        faults: list[Diagnostic] = []
        processes = self.names.processes.values()
        for node in [*processes, *(() if self._errors else composites)]:
            used = {name for _kind, name in self.checker.reached_from([node.key])}
            if used & self.parsed.broken:
                continue
            try:
                if isinstance(node, ast.Composite):
                    nets.append(_composed(composer, node))
                else:
                    composer.process(node.name.text, (), node.pos)
            except FspFault as fault:
                faults.append(self.source.of_fault(fault))
            except SymrobError as error:
                faults += error.diagnostics
        return nets, faults

    # --- what is legal and probably not meant ---------------------------------

    def _warnings(
        self, nets: Sequence[Net], targets: Sequence[str]
    ) -> Iterator[Diagnostic]:
        """All warnings, in no order.

        Args:
            nets: The components of each composite that was built.
            targets: The composites that are meant, if they were chosen by rule;
                then definitions that none of them uses are reported.
        """
        for (code, pos), message in self.composer.findings.doubts.items():
            if message is not None:
                yield self._warn(code, message, pos, _HINTS.get(code))
        yield from self._unreached()
        yield from self._unused(targets)
        for net in nets:
            yield from self._lonely_actions(net)

    def _warn(
        self, code: str, message: str, pos: int, hint: str | None = None
    ) -> Diagnostic:
        return self.source.diagnostic(code, message, pos, severity="warning", hint=hint)

    def _unreached(self) -> Iterator[Diagnostic]:
        built = {name for name, _arguments in self.composer.instances}
        for name, node in self.names.processes.items():
            for local in getattr(node, "locals", ()) if name in built else ():
                key = (local.name.text, local.pos)
                if key not in self.composer.findings.reached:
                    message = f"local process '{local.name.text}' is never reached"
                    yield self._warn("fsp-unreachable", message, local.pos)

    def _unused(self, targets: Sequence[str]) -> Iterator[Diagnostic]:
        """Definitions that nothing uses; processes only if `targets` are given."""
        uses, kinds = self.checker.uses, {"ConstDef", "RangeDef", "SetDef"}
        asking = {"ProgressDef", "Assert", "Menu", "FluentDef", "Foreign"}
        if targets:
            kinds |= {"Process", "Composite"}
        else:
            asking |= {"Process", "Composite"}
        roots = {key for key in uses if key[0] in asking}
        roots |= {("Composite", target) for target in targets}
        used = self.checker.reached_from(roots) | roots
        for node in self.parsed.declarations:
            if node.key[0] in kinds and node.key not in used:
                message = f"'{node.name.text}' is not used"
                yield self._warn("fsp-unused", message, node.name.pos)

    def _lonely_actions(self, net: Net) -> Iterator[Diagnostic]:
        """Actions of a monitor that no other component has."""
        components = [(name, lts, _is_monitor(lts)) for name, lts in net.components()]
        others = {
            a for _, lts, monitor in components if not monitor for a in lts.alphabet
        }
        for name, lts, monitor in components if others else ():
            lonely = [a.split("#")[0] for a in lts.alphabet if a not in others]
            if monitor and lonely:
                shown = ", ".join(lonely[:5]) + (", …" if len(lonely) > 5 else "")
                node = self.names.processes.get(name.split(":")[-1].split("(")[0])
                message = (
                    f"property '{name}' has actions that no other model has: {shown}"
                )
                pos = node.pos if node is not None else 0
                yield self._warn("fsp-lonely-action", message, pos)


def _is_monitor(lts: Lts) -> bool:
    """Whether a system offers all its actions everywhere, some to ERROR."""
    complete = all(len(row) == len(lts.alphabet) for row in lts.successors)
    return lts.can_fail and complete


def _settled(network: Network | Lts) -> Network | Lts:
    """Take END from a process that is nothing else: alone, it is a deadlock."""
    if isinstance(network, Lts) and network.end == 0:
        return Lts(
            network.alphabet, network.size, network.transitions, names=network.names
        )
    return network


def _composed(composer: Composer, target: ast.Declaration | None) -> Net:
    """Compose a definition, or all processes for `None`."""
    names = composer.names
    if isinstance(target, ast.Composite):
        net = composer.composite(target.name.text, (), target.pos)
        return check_parts(net, target.name.text, target.pos)
    if target is not None:
        name = target.name.text
        return Net(composer.process(name, (), target.pos), name)
    for name, node in names.processes.items():
        composer.process(name, (), node.pos)
    # Instances that `A(2); B` made run too, as in LTSA.
    instances = composer.instances.items()
    return Net(tuple(Net(lts, name) for (name, _arguments), lts in instances))


def _faults(declarations: ast.Declarations, scope: Scope) -> Iterator[FspFault]:
    """Yield what is wrong with the values of what has no part in a model."""
    for node in declarations:
        try:
            match node:
                case ast.ProgressDef():
                    for _values, bound in scope.bind(node.indices):
                        if node.condition is not None:
                            bound.label_names(node.condition)
                        bound.label_names(node.labels)
                case ast.Menu():
                    scope.label_names(node.labels)
                case ast.FluentDef():
                    _check_fluent(node, scope)
        except FspFault as fault:
            yield fault


def _check_fluent(node: ast.FluentDef, scope: Scope) -> None:
    for _values, bound in scope.bind(node.indices):
        starts = set(bound.label_names(node.initiating))
        stops = set(bound.label_names(node.terminating))
        if starts & stops:
            message = f"'{min(starts & stops)}' both starts and stops this fluent"
            raise FspFault("fsp-fluent", message, node.terminating.pos)
        if node.initially is not None:
            bound.evaluate(node.initially)


def _merged(found: list[Diagnostic]) -> list[Diagnostic]:
    """Sort diagnostics by place, keep the first for each place, and not too many."""
    found = sorted(found, key=lambda d: (d.line or 0, d.column or 0))
    first: dict[object, Diagnostic] = {}
    for d in found:
        first.setdefault((d.line, d.column, d.severity), d)
    diagnostics = list(first.values())
    rest = len(diagnostics) - _MOST_SHOWN
    if rest > 0:
        left_out = {d.severity for d in diagnostics[_MOST_SHOWN:]}
        severity: Severity = "error" if "error" in left_out else "warning"
        message = f"and {plural(rest, 'more problem')}"
        more = Diagnostic("fsp-more", message, severity, found[0].file)
        diagnostics = [*diagnostics[:_MOST_SHOWN], more]
    return diagnostics
