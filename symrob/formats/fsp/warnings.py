"""What is legal in FSP and probably not meant.

In:  a text that was read, and what composing it found.
Out: warnings.
"""

from __future__ import annotations

from collections.abc import Sequence

from symrob.errors import Diagnostic
from symrob.formats.fsp import ast
from symrob.formats.fsp.composite import Composer
from symrob.formats.fsp.net import Net
from symrob.formats.fsp.text import Text
from symrob.lts import ERROR, Lts

_HINTS = {
    "fsp-relabel-nothing": "in composites, relabels see actions with their prefix: "
    "x:P/{b/x.a}"
}


def warnings_of(
    read: Text, composer: Composer, nets: Sequence[Net], targets: Sequence[str]
) -> list[Diagnostic]:
    """Return all warnings about a text.

    Args:
        read: The text.
        composer: What was built, with what it found on the way.
        nets: The components of each composite that was built.
        targets: The composites that are meant, if they were chosen by rule;
            then definitions that none of them uses are reported.

    Returns:
        The warnings, in no order.
    """
    return [
        *_from_findings(read, composer),
        *_unreached(read, composer),
        *_unused(read, targets),
        *(problem for net in nets for problem in _lonely_actions(read, net)),
    ]


def _warn(
    read: Text, code: str, message: str, pos: int, hint: str | None = None
) -> Diagnostic:
    return read.source.diagnostic(code, message, pos, severity="warning", hint=hint)


def _from_findings(read: Text, composer: Composer) -> list[Diagnostic]:
    return [
        _warn(read, code, message, pos, _HINTS.get(code))
        for (code, pos), message in composer.findings.doubts.items()
        if message is not None
    ]


def _unreached(read: Text, composer: Composer) -> list[Diagnostic]:
    built = {name for name, _arguments in composer.instances}
    found = []
    for name, node in read.names.processes.items():
        if name not in built or not isinstance(node, ast.Process):
            continue
        for local in node.locals:
            key = (local.name.text, local.pos)
            if key not in composer.findings.reached:
                message = f"local process '{local.name.text}' is never reached"
                found.append(_warn(read, "fsp-unreachable", message, local.pos))
    return found


def _unused(read: Text, targets: Sequence[str]) -> list[Diagnostic]:
    """Report definitions that nothing uses; processes only if `targets` are given."""
    uses = read.checker.uses
    roots = [
        key
        for key in uses
        if key[0] in ("Progress", "Assert", "Menu", "Fluent", "Foreign")
    ]
    kinds = {"ConstDef", "RangeDef", "SetDef"}
    if targets:
        roots += [("Composite", target) for target in targets]
        kinds |= {"Process", "Composite"}
    else:
        roots += [key for key in uses if key[0] in ("Process", "Composite")]
    used = read.checker.reached_from(roots) | set(roots)
    found = []
    for node in read.parsed.declarations:
        if node.key[0] in kinds and node.key not in used:
            message = f"'{node.name.text}' is not used"
            found.append(_warn(read, "fsp-unused", message, node.name.pos))
    return found


def _lonely_actions(read: Text, net: Net) -> list[Diagnostic]:
    """Report actions of a monitor that no other component has."""
    monitors, others = [], set()
    for name, lts in net.components():
        if is_monitor(lts):
            monitors.append((name, lts))
        else:
            others |= {*lts.alphabet}
    if not others:
        return []
    found = []
    for name, lts in monitors:
        lonely = [a.split("#")[0] for a in lts.alphabet if a not in others]
        if lonely:
            shown = ", ".join(lonely[:5]) + (", …" if len(lonely) > 5 else "")
            node = read.names.processes.get(name.split(":")[-1].split("(")[0])
            message = f"property '{name}' has actions that nobody else has: {shown}"
            pos = node.pos if node is not None else 0
            found.append(_warn(read, "fsp-lonely-action", message, pos))
    return found


def is_monitor(lts: Lts) -> bool:
    """Tell whether a system offers all its actions everywhere, some to ERROR."""
    return any(t.target == ERROR for t in lts.transitions) and all(
        len(row) == len(lts.alphabet) for row in lts.successors
    )
