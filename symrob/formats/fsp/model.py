"""One FSP text to one model: the stages in order.

    text ──▶ parse ──▶ collect ──▶ check ──▶ choose a target ──▶ compose
             (parser)  (names)    (checks)   (here)              (composite)

In:  a text, what of it is wanted, and values for its constants.
Out: a `ModelFile`, or a `SymrobError` with every problem of the text.
"""

from __future__ import annotations

import sys
from collections.abc import Iterable, Iterator
from contextlib import contextmanager

from symrob.errors import Diagnostic, SymrobError
from symrob.formats.fsp import ast
from symrob.formats.fsp.assertions import assertion_monitor
from symrob.formats.fsp.composite import Composer, Importer, check_parts
from symrob.formats.fsp.names import Constants, not_fsp
from symrob.formats.fsp.net import Net
from symrob.formats.fsp.text import Text, merged, read_text
from symrob.formats.fsp.tokens import FspFault, LimitFault, did_you_mean
from symrob.formats.fsp.warnings import warnings_of
from symrob.formats.text import ModelFile
from symrob.limits import DEFAULT_LIMITS, Limits
from symrob.lts import Lts, Network

DEFAULT = "DEFAULT"
_PRIORITY = (
    "components under a priority cannot be changed one by one: it is not monotone"
)
_ONE_PROCESS = "ask about the environment as a whole, or model it without the priority"
# Frames that one level of nesting can cost.
_FRAMES_PER_LEVEL = 40


@contextmanager
def room(limits: Limits) -> Iterator[None]:
    """Allow as many Python frames inside as a text that keeps the limits needs.

    Nesting is bounded before anything recurses, so the room is enough; without
    it the depth would depend on how deep the caller already is.
    """
    usual = sys.getrecursionlimit()
    sys.setrecursionlimit(usual + limits.max_nesting * _FRAMES_PER_LEVEL)
    try:
        yield
    finally:
        sys.setrecursionlimit(usual)


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
        process: The composite, process or assertion wanted. By default the only
            composite that no other composite uses; in a text without composites, all
            processes side by side; in one without processes, its assertion.
        constants: Values for `const` (a number) or `range` (a pair of bounds)
            declarations of the text, by name.
        limits: Bounds on states, expansion and nesting.
        importer: Gives the system in the file that an `import` declaration
            names; without it such a declaration is an error where it is used.

    Returns:
        The model.

    Raises:
        SymrobError: The text has errors; all of them are listed.

    Cost: linear in the text and in the states of each process; products are
        made only where the language asks for one.
    Source: grammar/README.md.
    """
    with room(limits):
        read = read_text(text, file, constants or {}, limits)
        names = read.names
        composer = Composer(names, limits, importer)
        try:
            target = choose_target(read, process)
            read.excuse_all_but([target] if target else names.processes.values())
        except SymrobError as error:
            # That what is asked for is no FSP matters more than any other problem.
            if not read.errors or error.diagnostics[0].code == "fsp-foreign":
                # A comment that is never closed may have taken it away.
                said = (d for d in read.diagnostics if d.severity == "warning")
                error.warnings = tuple(said)
                raise
        if read.errors:
            raise SymrobError(merged([*read.errors, *sweep(read, composer)[1]]))
        name = target.name.text if target else DEFAULT
        meaning, notes = "", []
        network: Network | Lts
        try:
            if isinstance(target, ast.Assert):
                made = assertion_monitor(target, names, read.source, limits)
                network, meaning = made
            else:
                net = compose_target(composer, target)
                network = _settled(net.network())
                by_rule = process is None and name in names.composites
                notes = warnings_of(read, composer, [net], [name] if by_rule else [])
        except FspFault as fault:
            found = [read.source.of_fault(fault)]
            if not isinstance(fault, LimitFault):
                found += sweep(read, Composer(names, limits, importer))[1]
            raise SymrobError(merged(found)) from None
    return ModelFile(
        network,
        name,
        tuple(merged([*read.diagnostics, *notes])),
        names.used_constants,
        read.parsed.declarations,
        meaning,
        priorities=tuple(
            read.source.diagnostic("modes-priority", _PRIORITY, pos, hint=_ONE_PROCESS)
            for pos in sorted(composer.findings.priorities)
        ),
    )


def _settled(network: Network | Lts) -> Network | Lts:
    """Take END from a process that is nothing else: alone, it is a deadlock."""
    if isinstance(network, Lts) and network.end == 0:
        return Lts(
            network.alphabet, network.size, network.transitions, names=network.names
        )
    return network


def choose_target(read: Text, process: str | None) -> ast.Declaration | None:
    """Return the definition that is meant, or `None` for all processes side by side.

    Raises:
        SymrobError: There is no such definition, it is no FSP, there is none at all, or
            several are equally good.
    """
    names, file = read.names, read.source.file
    composites, processes = names.composites, names.processes
    known = {**names.assertions, **processes, **composites}
    if process in known:
        return known[process]
    if process in names.foreign:
        node = names.foreign[process]
        raise SymrobError(
            read.source.diagnostic("fsp-foreign", not_fsp(node), node.name.pos)
        )
    if process is not None:
        order = [*composites, *processes, *names.assertions]
        message = f"{file} defines no process '{process}'"
        listing = "it has: " + ", ".join(order) if order else None
        hint = did_you_mean(process, order) or listing
        raise SymrobError(Diagnostic("fsp-no-process", message, file=file, hint=hint))
    if processes and not composites:
        return None if len(processes) > 1 else next(iter(processes.values()))
    if not known:
        message = f"{file} defines no process"
        raise SymrobError(Diagnostic("fsp-empty", message, file=file))
    table = composites or names.assertions
    tops = topmost(read, table.values()) or [*table.values()]
    if len(tops) > 1:
        what = "composites" if composites else "assertions"
        listing = ", ".join(node.name.text for node in tops)
        message = f"several {what} could be meant: {listing}"
        hint = f"name one: {file}#{tops[-1].name.text}"
        raise SymrobError(
            read.source.diagnostic("fsp-ambiguous", message, tops[0].pos, hint=hint)
        )
    return tops[0]


def topmost(read: Text, nodes: Iterable[ast.Declaration]) -> list[ast.Declaration]:
    """Return those of some definitions that no other of them uses.

    By `A; B` processes use composites too.
    """
    keys = {node.key: node for node in nodes}
    users = {*keys, *read.checker.reached_from(keys)}
    used = {
        use for user in users for use in read.checker.uses.get(user, ()) if use != user
    }
    return [node for key, node in keys.items() if key not in used]


def compose_target(composer: Composer, target: ast.Declaration | None) -> Net:
    """Compose a definition, or all processes for `None`.

    Raises:
        FspFault: Something in it is wrong, or it has no components.
    """
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


def sweep(
    read: Text, composer: Composer, composites: Iterable[ast.Declaration] = ()
) -> tuple[list[Net], list[Diagnostic]]:
    """Build every process alone, and some composites.

    What uses a broken definition is left out, and so are composites where anything
    is wrong.

    Returns:
        The composites, and everything that goes wrong.
    """
    nets: list[Net] = []
    faults: list[Diagnostic] = []
    for node in [*read.names.processes.values(), *(() if read.errors else composites)]:
        used = {name for _kind, name in read.checker.reached_from([node.key])}
        if used & read.parsed.broken:
            continue
        try:
            if isinstance(node, ast.Composite):
                nets.append(compose_target(composer, node))
            else:
                composer.process(node.name.text, (), node.pos)
        except FspFault as fault:
            faults.append(read.source.of_fault(fault))
        except SymrobError as error:
            faults += error.diagnostics
    return nets, faults
