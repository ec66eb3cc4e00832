"""One FSP text to one model: the stages in order.

    text ──▶ parse ──▶ collect ──▶ check ──▶ choose a target ──▶ compose
             (parser)  (names)    (checks)   (here)              (composite)

In:  a text, what of it is wanted, and values for its constants.
Out: a `ModelFile`, or a `SymrobError` with every problem of the text.
"""

from __future__ import annotations

from collections.abc import Iterable
from contextlib import AbstractContextManager, suppress

from symrob.errors import Diagnostic, SymrobError
from symrob.formats.fsp import ast
from symrob.formats.fsp.assertions import assertion_monitor
from symrob.formats.fsp.composite import Composer, Importer, check_parts
from symrob.formats.fsp.names import Constants, not_fsp
from symrob.formats.fsp.net import Net, Part
from symrob.formats.fsp.parser import recursion_room
from symrob.formats.fsp.source import Fault, LimitFault, did_you_mean
from symrob.formats.fsp.text import DEFAULT, Text, merged, read_text
from symrob.formats.fsp.warnings import warnings_of
from symrob.formats.text import ModelFile
from symrob.limits import DEFAULT_LIMITS, Limits
from symrob.lts import Lts, Network

# Frames that one level of nesting can cost in checks and in composing.
_FRAMES_PER_LEVEL = 12


def room(limits: Limits) -> AbstractContextManager[None]:
    """Return the context in which texts that keep the limits never overflow."""
    return recursion_room(limits.max_nesting * _FRAMES_PER_LEVEL)


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
        composer = Composer(read.names, limits, importer)
        refuse_foreign(read, process)
        assertion = wanted_assertion(read, process)
        if assertion is not None:
            return _asserted(read, assertion, limits)
        chosen = None
        with suppress(SymrobError):
            chosen = choose_target(read, process)
            read.excuse_all_but(chosen[0])
        if read.errors:
            raise SymrobError(merged([*read.errors, *sweep(read, composer)[1]]))
        name, pos = chosen or choose_target(read, process)
        try:
            net = check_parts(compose_target(composer, name, pos), name, pos)
        except Fault as fault:
            found = [read.source.of_fault(fault)]
            if not isinstance(fault, LimitFault):
                found += sweep(read, Composer(read.names, limits, importer))[1]
            raise SymrobError(merged(found)) from None
        network = _settled(net.network())
        chosen_by_rule = process is None and name in read.names.composites
        notes = warnings_of(read, composer, [net], [name] if chosen_by_rule else [])
    return ModelFile(
        network,
        name,
        tuple(merged([*read.diagnostics, *notes])),
        read.names.used_constants,
        read.declarations,
        priorities=tuple(
            read.source.diagnostic("modes-priority", _PRIORITY, pos, hint=_ONE_PROCESS)
            for pos in sorted(composer.findings.priorities)
        ),
    )


_PRIORITY = (
    "components under a priority cannot be changed one by one: it is not monotone"
)
_ONE_PROCESS = "ask about the environment as a whole, or model it without the priority"


def _asserted(read: Text, name: str, limits: Limits) -> ModelFile:
    """Return the monitor of an assertion."""
    read.excuse_all_but(name)
    if read.errors:
        raise SymrobError(merged(read.errors))
    lts, meaning = assertion_monitor(name, read.names, read.source, limits)
    return ModelFile(
        lts,
        name,
        tuple(merged(read.diagnostics)),
        read.names.used_constants,
        read.declarations,
        meaning,
    )


def wanted_assertion(read: Text, process: str | None) -> str | None:
    """Return the assertion that is asked for, if it is one.

    By default that is the only one that no other uses, of a text without processes.

    Raises:
        SymrobError: Several could be meant.
    """
    names = read.names
    assertions = names.tables["assertion"]
    if {*names.composites, *names.processes} & {process}:
        return None
    if process is not None:
        return process if process in assertions else None
    if names.composites or names.processes or not assertions:
        return None
    used = {
        name
        for user in assertions
        for kind, name in read.checker.uses.get(("Assert", user), ())
        if kind == "Assert" and name != user
    }
    tops = [name for name in assertions if name not in used] or [*assertions]
    if len(tops) == 1:
        return tops[0]
    message = f"several assertions could be meant: {', '.join(tops)}"
    hint = f"name one: {read.source.file}#{tops[-1]}"
    pos = assertions[tops[0]].name.pos
    raise SymrobError(read.source.diagnostic("fsp-ambiguous", message, pos, hint=hint))


def _settled(network: Network | Lts) -> Network | Lts:
    """Take END from a process that is nothing else: alone, it is a deadlock."""
    if isinstance(network, Lts) and network.end == 0:
        return Lts(
            network.alphabet, network.size, network.transitions, names=network.names
        )
    return network


def refuse_foreign(read: Text, process: str | None) -> None:
    """Check that what is asked for is no declaration that FSP does not have.

    Raises:
        SymrobError: It is one; no other problem of the text matters then.
    """
    names = read.names
    if process in {*names.composites, *names.processes} or process is None:
        return
    node = names.foreign.get(process)
    if node is not None:
        problem = read.source.diagnostic("fsp-foreign", not_fsp(node), node.name.pos)
        raise SymrobError(problem)


def choose_target(read: Text, process: str | None) -> tuple[str, int]:
    """Return what to compose, and the place that defines it.

    Raises:
        SymrobError: There is no such definition, there is none at all, or
            several composites are equally good.
    """
    names = read.names
    composites, processes = names.composites, names.processes
    if process is not None:
        node = composites.get(process) or processes.get(process)
        if node is not None:
            return process, node.pos
        known = [*composites, *processes, *names.tables["assertion"]]
        message = f"{read.source.file} defines no process '{process}'"
        listing = "it has: " + ", ".join(known) if known else None
        hint = did_you_mean(process, known) or listing
        raise SymrobError(
            Diagnostic("fsp-no-process", message, file=read.source.file, hint=hint)
        )
    if composites:
        return _top_composite(read)
    if not processes:
        message = f"{read.source.file} defines no process"
        raise SymrobError(Diagnostic("fsp-empty", message, file=read.source.file))
    if len(processes) == 1:
        ((name, only),) = processes.items()
        return name, only.pos
    return DEFAULT, 0


def _top_composite(read: Text) -> tuple[str, int]:
    composites = read.names.composites
    tops = top_composites(read)
    if len(tops) == 1:
        return tops[0], composites[tops[0]].pos
    candidates = tops or list(composites)
    message = f"several composites could be meant: {', '.join(candidates)}"
    hint = f"name one: {read.source.file}#{candidates[-1]}"
    pos = composites[candidates[0]].pos
    raise SymrobError(read.source.diagnostic("fsp-ambiguous", message, pos, hint=hint))


def top_composites(read: Text) -> list[str]:
    """Return the composites that no other composite uses."""
    uses = read.checker.uses
    # By `A; B` processes use composites too; then direct uses are not enough.
    far = any(
        kind == "Composite"
        for user, names in uses.items()
        if user[0] == "Process"
        for kind, _name in names
    )
    used: set[str] = set()
    for name in read.names.composites:
        key = ("Composite", name)
        inside = read.checker.reached_from([key]) if far else uses.get(key, set())
        used |= {n for kind, n in inside if kind == "Composite" and n != name}
    return [name for name in read.names.composites if name not in used]


def compose_target(composer: Composer, name: str, pos: int) -> Net:
    """Compose a definition, or all processes for `DEFAULT`.

    Raises:
        Fault: Something in it is wrong.
    """
    if name in composer.names.composites:
        return composer.composite(name, None, pos)
    if name in composer.names.processes:
        return Net((Part(name, composer.process(name, None, pos)),))
    for title, node in composer.names.processes.items():
        composer.process(title, None, node.pos)
    # Instances that `A(2); B` made run too, as in LTSA.
    instances = composer.instances.items()
    return Net(tuple(Part(title, lts) for (title, _args), lts in instances))


def sweep(
    read: Text, composer: Composer, composites: Iterable[str] = ()
) -> tuple[list[Net], list[Diagnostic]]:
    """Build every process alone, and some composites.

    What uses a broken definition is left out, and so are composites where anything
    is wrong.

    Returns:
        The composites, and everything that goes wrong.
    """
    nets: list[Net] = []
    faults: list[Diagnostic] = []
    nodes: list[ast.Process | ast.Import | ast.Composite] = [
        *read.names.processes.values()
    ]
    if not read.errors:
        nodes += [read.names.composites[name] for name in composites]
    for node in nodes:
        key = (type(node).__name__, node.name.text)
        used = {name for _kind, name in read.checker.reached_from([key])}
        if used & read.checker.broken:
            continue
        composer.forget_running()
        try:
            if isinstance(node, ast.Composite):
                net = composer.composite(node.name.text, None, node.pos)
                nets.append(check_parts(net, node.name.text, node.pos))
            else:
                composer.process(node.name.text, None, node.pos)
        except Fault as fault:
            faults.append(read.source.of_fault(fault))
        except SymrobError as error:
            faults += error.diagnostics
    return nets, faults
