"""Two environments of four components and more: all sets of modes, tried one by one.

A client and a server between a channel of requests, two of replies and a user; an oven
with a user, a door, a sensor of the door, and a clock. Each set of modes is composed
anew by the oracle; verdicts, minimal sets, risk and deadlocks have to agree, with E
multiplied out and with its components in bits.
"""

from itertools import combinations
from math import isclose, prod
from random import Random

import pytest

import symrob
from tests.agreement.test_mode_parts import (
    TOLERATED,
    VERDICTS,
    check_every_answer,
    parts_of_any_size,
)
from tests.models.tools import plain
from tests.oracles import modes as oracle

TWO_REPLIES = {
    "e": """
        REQUESTS = (put -> FULL), FULL = (get -> REQUESTS).
        REPLIES = (put -> FULL), FULL = (get -> REPLIES | put -> FULL).
        USER = (ask -> BUSY), BUSY = (answer -> USER).
        ||E = (requests:REQUESTS || a:REPLIES || b:REPLIES || USER).
    """,
    "c": """
        CLIENT = (ask -> requests.put -> WAIT),
        WAIT = (a.get -> b.get -> DONE | b.get -> a.get -> DONE),
        DONE = (answer -> CLIENT).
        SERVER = (requests.get -> work -> a.put -> b.put -> SERVER).
        ||C = (CLIENT || SERVER).
    """,
    "p": """
        property ASKED = (ask -> WANTED | work -> ASKED),
        WANTED = (work -> DONE), DONE = (answer -> ASKED | work -> DONE).
    """,
}
TWO_REPLIES_MODES = {
    "requests.loss": "requests:REQUESTS:REQUESTS,requests.put,REQUESTS",
    "requests.duplication": "requests:REQUESTS:FULL,requests.get,FULL",
    "a.loss": ["a:REPLIES:REPLIES,a.put,REPLIES", "a:REPLIES:FULL,a.put,REPLIES"],
    "a.duplication": "a:REPLIES:FULL,a.get,FULL",
    "a.spurious": "a:REPLIES:REPLIES,a.get,REPLIES",
    "b.duplication": "b:REPLIES:FULL,b.get,FULL",
    "user.impatient": "USER:BUSY,ask,BUSY",
}
OVEN = {
    "e": """
        DOOR = (open -> OPEN), OPEN = (close -> DOOR).
        SENSOR = (open -> SEEN | on -> SENSOR), SEEN = (says.open -> AJAR),
        AJAR = (close -> SHUT | on -> AJAR), SHUT = (says.closed -> SENSOR).
        USER = (open -> LOADS), LOADS = (close -> READY),
        READY = (on -> WAITS), WAITS = (off -> USER).
        CLOCK = (tick -> CLOCK) + {ring}.
        ||E = (DOOR || SENSOR || USER || CLOCK).
    """,
    "c": """
        OVEN = (on -> heat -> HOT | says.open -> AJAR | tick -> OVEN
                | says.closed -> OVEN),
        HOT = (off -> cool -> OVEN | ring -> cool -> DONE | tick -> HOT),
        DONE = (off -> OVEN),
        AJAR = (says.closed -> OVEN | tick -> AJAR).
    """,
    "p": """
        property SHUT = (open -> OPEN | heat -> SHUT), OPEN = (close -> SHUT).
        property IN_TURN = (heat -> cool -> IN_TURN).
        ||P = (SHUT || IN_TURN).
    """,
}
OVEN_MODES = {
    "sensor.stuck": [
        "SENSOR:SENSOR,open,SENSOR",
        "SENSOR:SENSOR,close,SENSOR",
    ],
    "sensor.lies": "SENSOR:SEEN,says.closed,AJAR",
    "sensor.repeats": "SENSOR:SENSOR,says.closed,SENSOR",
    "user.eager": "USER:LOADS,on,LOADS",
    "user.curious": ["USER:WAITS,open,WAITS", "USER:WAITS,close,WAITS"],
    "clock.rings": "CLOCK:CLOCK,ring,CLOCK",
    "door.stays": "DOOR:OPEN,close,OPEN",
}


def asked(models, modes, tmp_path, *, coupled):
    """The sets of modes, with E multiplied out or not."""
    for role, text in models.items():
        (tmp_path / f"{role}.lts").write_text(text, encoding="utf-8")
    arguments = [symrob.load(str(tmp_path / f"{role}.lts")) for role in models]
    e, c, p = arguments
    case = {"faults": modes, "only": True}
    if not coupled:
        return e, c, p, symrob.compute(e, c, [p], **case)
    with parts_of_any_size(coupled=True):
        return e, c, p, symrob.compute(e, c, [p], **case)


def stuck(systems):
    """The states of systems side by side from which there is no move."""
    tables = [oracle.steps_of(s) for s in systems]
    alphabets = [set(s["alphabet"]) for s in systems]
    start = (0,) * len(systems)
    seen, todo, found = {start}, [start], set()
    while todo:
        here = todo.pop()
        following = [after for _, after in oracle.moves(tables, alphabets, here)]
        if not following:
            found.add(here)
        for after in following:
            if after not in seen:
                seen.add(after)
                todo.append(after)
    return found


@pytest.mark.parametrize("coupled", [False, True])
@pytest.mark.parametrize(
    ("models", "modes"), [(TWO_REPLIES, TWO_REPLIES_MODES), (OVEN, OVEN_MODES)]
)
def test_all_sets(models, modes, coupled, tmp_path):
    e, c, p, found = asked(models, modes, tmp_path, coupled=coupled)
    parts, machine, watching = ([*map(plain, m.components)] for m in (e, c, p))
    held = {name: [tuple(t) for t in mode.local] for name, mode in found.modes.items()}
    of = {}
    for size in range(len(held) + 1):
        for chosen in combinations(sorted(held), size):
            changed = oracle.changed(parts, {t for n in chosen for t in held[n]})
            kept = oracle.is_safe([*changed, *machine], watching)
            of[frozenset(chosen)] = VERDICTS[True, kept]
    safe = {s for s, v in of.items() if v == TOLERATED}
    want = {s for s in safe if not any(s < other for other in safe)}
    assert 1 < len(safe) < len(of)
    assert len(want) == 2
    assert {frozenset(one.modes) for one in found} == want
    check_every_answer(Random(7), found.space, want, of)
    check_risk(models, modes, tmp_path, of, coupled=coupled)
    if coupled:
        return
    before = stuck([*parts, *machine])
    names = [[part.state_name(q) for q in range(part.size)] for part in e.components]
    side = found.side_report()
    told = {
        frozenset(one.deviation.modes): {
            found.environment.part_names(d.state) for d in one.deadlocks
        }
        for one in side.stuck
        if one.deadlocks
    }
    expected = {}
    for chosen in want:
        changed = oracle.changed(parts, {t for n in chosen for t in held[n]})
        new = stuck([*changed, *machine]) - before
        own = {tuple(n[q] for n, q in zip(names, s, strict=False)) for s in new}
        expected |= {chosen: own} if own else {}
    assert told == expected


def check_risk(models, modes, tmp_path, of, *, coupled):
    """The probability that the modes that happen are hazardous, over all sets."""
    chances = {name: 0.01 * (n + 1) for n, name in enumerate(sorted(modes))}
    lines = [
        'environment = "e.lts#E"',
        'controller = "c.lts"',
        'properties = ["p.lts"]',
    ]
    lines += ["[faults]", "only = true"]
    lines += [f'"{n}" = {m!r}'.replace("'", '"') for n, m in modes.items()]
    lines += ["[probability]", *(f'"{n}" = {c}' for n, c in chances.items())]
    path = tmp_path / "case.toml"
    path.write_text("\n".join(lines), encoding="utf-8")
    with parts_of_any_size(coupled=coupled) if coupled else parts_of_any_size():
        risk = symrob.risk(str(path))
    expected = sum(
        prod(p if n in s else 1 - p for n, p in chances.items())
        for s, verdict in of.items()
        if verdict != TOLERATED
    )
    assert all(isclose(bound, expected, rel_tol=1e-12) for bound in risk.bounds)
