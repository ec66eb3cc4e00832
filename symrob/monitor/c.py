"""A monitor as a C99 header: tables and four functions, no dynamic memory.

In:  a `RuntimeMonitor`.
Out: the lines of a header.

In the style of MISRA C: fixed-width types, no recursion, no pointer arithmetic, one
exit from each function, every index checked or in range by the tables.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from symrob.monitor.build import RuntimeMonitor
from symrob.monitor.danger import KINDS
from symrob.monitor.names import comment, folded, identifiers, utf8
from symrob.monitor.tables import tables


def c_lines(monitor: RuntimeMonitor, name: str) -> Iterator[str]:
    """Yield the lines of a header.

    Args:
        monitor: The monitor.
        name: The prefix of all definitions; an identifier.
    """
    big = name.upper()
    title = comment(monitor.title or name, "*/", "/*", "??")
    found = tables(monitor)
    yield f"/* Runtime monitor: {title}"
    yield " * Made by symrob; docs/monitors.md of symrob explains the answers."
    yield " */"
    yield f"#ifndef {big}_MONITOR_H"
    yield f"#define {big}_MONITOR_H"
    yield ""
    yield "#include <stdbool.h>"
    yield "#include <stddef.h>"
    yield "#include <stdint.h>"
    yield ""
    yield f"#define {big}_ACTIONS ({len(monitor.actions)}U)"
    yield ""
    yield "/* What can be observed; every other number is ignored. */"
    for number, action in enumerate(identifiers(monitor.actions), 1):
        yield f"#define {big}_ACTION_{action} ({number}U)"
    yield ""
    yield "typedef enum"
    yield "{"
    kinds = [f"{big}_{kind.upper().replace(' ', '_')}" for kind in KINDS]
    yield from (f"    {k} = {i}," for i, k in enumerate(kinds[:-1]))
    yield f"    {kinds[-1]} = {len(kinds) - 1}"
    yield f"}} {name}_danger_t;"
    yield ""
    yield "typedef struct"
    yield "{"
    yield "    uint32_t steps;          /* observed actions */"
    yield "    uint32_t deviated_since; /* 0 on the plan, else the step */"
    for machine in found.next:
        yield f"    uint32_t {machine};"
    yield f"}} {name}_monitor_t;"
    yield ""
    for machine, targets in found.next.items():
        yield from _table(f"{name}_{machine}_next", targets)
    yield from _table(f"{name}_on_plan", found.on_plan)
    yield from _table(f"{name}_kept", found.kept)
    yield from _table(f"{name}_kind", found.danger)
    yield from _table(f"{name}_risk", found.risk)
    yield f"static const char *const {name}_names[] ="
    yield "{"
    texts = [_text(action) for action in monitor.actions] or ['""']
    yield from (f"    {text}," for text in texts[:-1])
    yield f"    {texts[-1]}"
    yield "};"
    # At once: a name may itself hold the other one's place.
    chosen = {"NAME": name, "BIG": big}
    yield from re.sub("NAME|BIG", lambda m: chosen[m[0]], _BODY).splitlines()
    yield ""
    yield f"#endif /* {big}_MONITOR_H */"


def _table(name: str, values: Sequence[int]) -> Iterator[str]:
    top = max(values, default=0)
    width = 8 if top < 1 << 8 else 16 if top < 1 << 16 else 32
    yield f"static const uint{width}_t {name}[] ="
    yield "{"
    # C has no empty arrays; the entry is never looked at.
    yield from folded([f"{value}U" for value in values or [0]], "    ")
    yield "};"
    yield ""


def _text(text: str) -> str:
    """Return a string of C; a question mark could begin a trigraph."""
    plain = "".join(
        chr(b) if 32 <= b < 127 and chr(b) not in '"\\?' else f"\\{b:03o}"
        for b in utf8(text)
    )
    return f'"{plain}"'


_BODY = """
/* Begin a run. */
static inline void NAME_init(NAME_monitor_t *const monitor)
{
    monitor->steps = 0U;
    monitor->deviated_since = 0U;
    monitor->plan = 0U;
    monitor->danger = 0U;
    monitor->assumptions = 0U;
}

/* Take an action that was observed. */
static inline void NAME_observe(NAME_monitor_t *const monitor, const uint32_t action)
{
    if ((action >= 1U) && (action <= BIG_ACTIONS))
    {
        const uint32_t column = action - 1U;

        if (monitor->steps < UINT32_MAX)
        {
            monitor->steps = monitor->steps + 1U;
        }
        monitor->plan =
            (uint32_t)NAME_plan_next[(monitor->plan * BIG_ACTIONS) + column];
        monitor->danger =
            (uint32_t)NAME_danger_next[(monitor->danger * BIG_ACTIONS) + column];
        monitor->assumptions =
            (uint32_t)NAME_assumptions_next[
                (monitor->assumptions * BIG_ACTIONS) + column];
        if ((monitor->deviated_since == 0U) && (NAME_on_plan[monitor->plan] == 0U))
        {
            monitor->deviated_since = monitor->steps;
        }
    }
}

/* How near a violation is. */
static inline NAME_danger_t NAME_danger(const NAME_monitor_t *const monitor)
{
    return (NAME_danger_t)NAME_kind[monitor->danger];
}

/* Whether this action can lead to doomed or violated, where the run is at risk. */
static inline bool NAME_at_risk_by(
    const NAME_monitor_t *const monitor, const uint32_t action)
{
    bool risky = false;

    if ((action >= 1U) && (action <= BIG_ACTIONS))
    {
        risky = (NAME_risk[(monitor->danger * BIG_ACTIONS) + (action - 1U)] != 0U);
    }
    return risky;
}

/* Whether the assumptions explain what was observed. */
static inline bool NAME_assumptions_kept(const NAME_monitor_t *const monitor)
{
    return NAME_kept[monitor->assumptions] != 0U;
}

/* What an action is called in the model, or NULL. */
static inline const char *NAME_action_name(const uint32_t action)
{
    const char *text = NULL;

    if ((action >= 1U) && (action <= BIG_ACTIONS))
    {
        text = NAME_names[action - 1U];
    }
    return text;
}
"""
