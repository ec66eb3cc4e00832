"""A monitor as a function block in Structured Text of IEC 61131-3.

In:  a `RuntimeMonitor`.
Out: the lines of a function block.

Each call with an action takes one step; with 0, or any other number that is not an
action, it does nothing. Arrays begin at 0 and are written row by row.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from symrob.monitor.build import RuntimeMonitor
from symrob.monitor.danger import KINDS
from symrob.monitor.names import comment, folded, identifiers
from symrob.monitor.tables import tables


def st_lines(monitor: RuntimeMonitor, name: str) -> Iterator[str]:
    """Yield the lines of a function block.

    Args:
        monitor: The monitor.
        name: The name of the function block; an identifier. `FB_` is put before it,
            since function blocks, types and keywords share their names.
    """
    found = tables(monitor)
    count = len(monitor.actions)
    yield f"(* Runtime monitor: {comment(monitor.title or name, '*)', '(*')}"
    yield "   Made by symrob; docs/monitors.md of symrob explains the answers."
    yield "   Actions by number:"
    for number, (action, known) in enumerate(
        zip(identifiers(monitor.actions), monitor.actions, strict=True), 1
    ):
        yield f"   {number} {action}: {comment(known, '*)', '(*')}"
    kinds = ", ".join(f"{i} {kind}" for i, kind in enumerate(KINDS))
    yield f"   Danger: {kinds} *)"
    yield f"FUNCTION_BLOCK FB_{name}"
    yield "VAR_INPUT"
    yield "    Observed : UDINT; (* the number of the action; 0 for none *)"
    yield "    Restart : BOOL; (* begin a new run first *)"
    yield "END_VAR"
    yield "VAR_OUTPUT"
    yield "    DeviatedSince : UDINT; (* 0 on the plan, else the step *)"
    yield f"    Danger : UINT := {found.danger[0]};"
    yield f"    AtRiskBy : ARRAY[0..{count}] OF BOOL :="
    yield "        ["
    first = ["FALSE", *(str(bool(v)).upper() for v in found.risk[:count])]
    yield from folded(first, " " * 9)
    yield "        ];"
    yield f"    AssumptionsKept : BOOL := {str(bool(found.kept[0])).upper()};"
    yield "END_VAR"
    yield "VAR"
    for variable in ("Steps", "Plan", "Machine", "Rules", "Column"):
        yield f"    {variable} : UDINT := 0;"
    yield "END_VAR"
    yield "VAR CONSTANT"
    yield f"    ACTIONS : UDINT := {count};"
    for title, machine in (
        ("PLAN_NEXT", "plan"),
        ("MACHINE_NEXT", "danger"),
        ("RULES_NEXT", "assumptions"),
    ):
        yield from _array(title, found.next[machine], "UDINT")
    yield from _array("ON_PLAN", found.on_plan, "BOOL")
    yield from _array("KEPT", found.kept, "BOOL")
    yield from _array("KIND", found.danger, "UINT")
    yield from _array("RISK", found.risk, "BOOL")
    yield "END_VAR"
    yield from _BODY.splitlines()


def _array(title: str, values: Sequence[int], kind: str) -> Iterator[str]:
    texts = [str(bool(v)).upper() if kind == "BOOL" else str(v) for v in values]
    # No array is empty; the entry is never looked at.
    texts = texts or ["FALSE" if kind == "BOOL" else "0"]
    yield f"    {title} : ARRAY[0..{len(texts) - 1}] OF {kind} :="
    yield "        ["
    yield from folded(texts, " " * 9)
    yield "        ];"


_BODY = """
IF Restart THEN
    Steps := 0;
    Plan := 0;
    Machine := 0;
    Rules := 0;
    DeviatedSince := 0;
END_IF;
IF (Observed >= 1) AND (Observed <= ACTIONS) THEN
    IF Steps < 4294967295 THEN
        Steps := Steps + 1;
    END_IF;
    Column := Observed - 1;
    Plan := PLAN_NEXT[Plan * ACTIONS + Column];
    Machine := MACHINE_NEXT[Machine * ACTIONS + Column];
    Rules := RULES_NEXT[Rules * ACTIONS + Column];
    IF (DeviatedSince = 0) AND NOT ON_PLAN[Plan] THEN
        DeviatedSince := Steps;
    END_IF;
END_IF;
Danger := KIND[Machine];
AssumptionsKept := KEPT[Rules];
FOR Column := 1 TO ACTIONS DO
    AtRiskBy[Column] := RISK[Machine * ACTIONS + Column - 1];
END_FOR;
END_FUNCTION_BLOCK
"""
