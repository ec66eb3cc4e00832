"""Problems with one large part: an alphabet, an environment or a flat controller.

In:  a folder, a size, and a seed where something is drawn.
Out: the path of a case file in that folder, its models beside it.

Environments and controllers are drawn with labels, so that the nominal system is safe
by construction: each state carries the state of the other side that it is met with,
and a transition is drawn only where it leads to a state that carries what follows.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from pathlib import Path
from random import Random

Move = tuple[int, str, int]


def aut(moves: list[Move], states: int) -> str:
    """Return a system as Aldebaran text."""
    lines = [f"des (0,{len(moves)},{states})"]
    lines += [f"({source},{action},{target})" for source, action, target in moves]
    return "\n".join(lines) + "\n"


def json_text(moves: list[Move], states: int) -> str:
    """Return a system as JSON."""
    alphabet = sorted({action for _, action, _ in moves})
    return json.dumps({"alphabet": alphabet, "states": states, "transitions": moves})


def fsm(moves: list[Move], states: int) -> str:
    """Return a system as DESops text: each state with its outgoing transitions."""
    rows: list[list[str]] = [[] for _ in range(states)]
    for source, action, target in moves:
        rows[source].append(f"{action}\tq{target}\tc\to")
    text = [f"{states}\n"]
    for state, row in enumerate(rows):
        text.append("\n".join([f"\nq{state}\t1\t{len(row)}", *row]) + "\n")
    return "".join(text)


FLAT = {"aut": aut, "json": json_text, "fsm": fsm}


def alphabet_case(folder: Path, actions: int) -> Path:
    """Write a case of two states a model and so many actions."""
    half = actions // 2
    models = f"""
E = (x[i:1..{half}] -> F), F = (x[i:{half + 1}..{actions}] -> E).
C = (x[i:1..{half}] -> D), D = (x[i:1..{actions}] -> C).
property P = (x[i:1..{half}] -> Q), Q = (x[i:{half + 1}..{actions}] -> P).
"""
    (folder / "alphabet.lts").write_text(models, "utf-8")
    return _case(folder, "alphabet.lts#E", "alphabet.lts#C", ["alphabet.lts#P"])


CLERK = """
E = (a0 -> b0 -> E | c -> E).
property P = (a0 -> P | b0 -> P | c -> P).
"""
# A walker must not go east five times more than west; nobody goes north twice at once.
WALKER = """
C = ({east, south, west, north} -> C | alarm -> C).
property P = S[0],
S[i:0..3] = (east -> S[i + 1] | when (i > 0) west -> S[i - 1]
           | when (i == 0) west -> S[0] | {south, north} -> S[i]),
S[4] = (west -> S[3] | {south, north} -> S[4]).
property KEEPS = (north -> UP | {south, east, west} -> KEEPS),
UP = ({south, east, west} -> KEEPS).
"""


def chain_case(folder: Path, states: int) -> Path:
    """Write a case whose E is a chain; C and P as where the fault was found."""
    moves = [(q, "a0", q + 1) for q in range(states - 1)]
    (folder / "chain.aut").write_text(aut(moves, states), "utf-8")
    (folder / "clerk.lts").write_text(CLERK, "utf-8")
    return _case(folder, "chain.aut", "clerk.lts#E", ["clerk.lts#P"])


def ladder_case(folder: Path, states: int) -> Path:
    """Write a case whose E is a chain with breaks: at most four steps without one.

    What leads back past a break, or past the place of one, is hazardous: so few
    candidates are alike, and those that are tolerated alone contradict each other.
    """
    moves = [(q, "rest" if q % 5 == 4 else "step", q + 1) for q in range(states - 1)]
    text = "property P = S[0],\nS[i:0..4] = (when (i < 4) step -> S[i + 1]\n"
    text += " | rest -> S[0]).\nC = ({step, rest} -> C).\n"
    (folder / "ladder.aut").write_text(aut(moves, states), "utf-8")
    (folder / "ladder.lts").write_text(text, "utf-8")
    return _case(folder, "ladder.aut", "ladder.lts#C", ["ladder.lts#P"])


def grid_case(folder: Path, states: int) -> Path:
    """Write a case whose E is a grid five wide, with an assumption about its rows."""
    wide = 5
    moves: list[Move] = []
    for q in range(states):
        column = q % wide
        if column < wide - 1 and q + 1 < states:
            moves += [(q, "east", q + 1), (q + 1, "west", q)]
        if q + wide < states:
            moves.append((q, "south", q + wide))
            if column == 0 and q // wide % 2:
                moves.append((q + wide, "north", q))
    (folder / "grid.aut").write_text(aut(moves, states), "utf-8")
    (folder / "walker.lts").write_text(WALKER, "utf-8")
    return _case(
        folder, "grid.aut", "walker.lts#C", ["walker.lts#P"], ["walker.lts#KEEPS"]
    )


def random_case(folder: Path, states: int, actions: int = 3, seed: int = 1) -> Path:
    """Write a case with a random E; C and P have few states and are random too."""
    rng = Random(seed)
    names = [f"a{i}" for i in range(actions)]
    few = 6
    # C is deterministic and offers nearly all; P rejects one action in each state.
    ours = {
        (c, a): rng.randrange(few)
        for c in range(few)
        for a in names
        if rng.random() < 0.9
    }
    watched = {
        (p, a): rng.randrange(few)
        for p in range(few)
        for a in names
        if names.index(a) != p % (actions + 2)
    }
    (folder / "c.aut").write_text(aut(_moves(ours), few), "utf-8")
    # A state that nothing leads to has every action, so that P knows them all.
    known = [(few, a, few) for a in names]
    (folder / "p.aut").write_text(aut([*_moves(watched), *known], few + 1), "utf-8")
    label = [(0, 0)]
    while len(label) < states:
        label.append((rng.randrange(few), rng.randrange(few)))
    with_label: dict[tuple[int, int], list[int]] = {}
    for q, pair in enumerate(label):
        with_label.setdefault(pair, []).append(q)
    moves: set[Move] = set()
    for q, (c, p) in enumerate(label):
        for a in names:
            if (c, a) not in ours:
                moves.add((q, a, rng.randrange(states)))
                continue
            if (p, a) not in watched:
                continue
            after = with_label.get((ours[c, a], watched[p, a]), [])
            moves.update((q, a, t) for t in rng.sample(after, min(2, len(after))))
    (folder / "e.aut").write_text(aut(sorted(moves), states), "utf-8")
    return _case(folder, "e.aut", "c.aut", ["p.aut"])


def flat_moves(
    states: int, transitions: int, seed: int = 1
) -> tuple[list[Move], list[Move], list[Move]]:
    """Draw a flat C, an E of five states and a P of four; E‖C keeps P.

    Each state of C carries the states of E and P that it is met with. What E takes
    there leads to a state that carries what follows; the rest is free. Twelve actions
    are shared, eight are of C alone.

    Returns:
        The transitions of E, of C and of P.
    """
    rng = Random(seed)
    shared = [f"a{i}" for i in range(12)]
    own = [f"u{i}" for i in range(8)]
    plan = {
        (q, a): rng.randrange(5) for q in range(5) for a in shared if rng.random() < 0.4
    }
    watched = {
        (p, a): rng.randrange(4)
        for p in range(4)
        for a in shared
        if rng.random() < 0.85
    }
    label = [(0, 0)]
    label += [(rng.randrange(5), rng.randrange(4)) for _ in range(1, states)]
    with_label: dict[tuple[int, int], list[int]] = {}
    for c, pair in enumerate(label):
        with_label.setdefault(pair, []).append(c)
    moves: set[Move] = set()
    while len(moves) < transitions:
        c = rng.randrange(states)
        q, p = label[c]
        # Most moves are of both; C branches here and there on its own.
        if rng.random() < 0.05:
            moves.add((c, rng.choice(own), rng.choice(with_label[q, p])))
            continue
        a = rng.choice(shared)
        if (q, a) not in plan:
            moves.add((c, a, rng.randrange(states)))
        elif (p, a) in watched:
            after = with_label.get((plan[q, a], watched[p, a]))
            if after:
                moves.add((c, a, rng.choice(after)))
    return _moves(plan), sorted(moves), _moves(watched)


def controller_case(folder: Path, states: int, transitions: int) -> Path:
    """Write a case with a random flat controller."""
    plan, moves, watched = flat_moves(states, transitions)
    (folder / "e.aut").write_text(aut(plan, 5), "utf-8")
    (folder / "c.aut").write_text(aut(moves, states), "utf-8")
    (folder / "p.aut").write_text(aut(watched, 4), "utf-8")
    return _case(folder, "e.aut", "c.aut", ["p.aut"])


def protocol_case(folder: Path, states: int) -> Path:
    """Write a case whose flat C has structure: a counter with a mode and a timer.

    Its C is deterministic but for the timer, which runs on its own.
    """
    most = states // 50
    moves: list[Move] = []

    def number(count: int, mode: int, timer: int) -> int:
        return (count * 5 + mode) * 10 + timer

    for count in range(most):
        for mode in range(5):
            for timer in range(10):
                here = number(count, mode, timer)
                moves.append((here, "tick", number(count, mode, (timer + 1) % 10)))
                if count + 1 < most and mode != 3:
                    moves.append((here, "up", number(count + 1, mode, timer)))
                if count and timer < 9:
                    moves.append((here, "down", number(count - 1, mode, timer)))
                if mode < 4:
                    moves.append((here, "next", number(count, mode + 1, timer)))
                else:
                    moves.append((here, "reset", number(0, 0, timer)))
    plan = [(0, "up", 1), (1, "next", 2), (2, "next", 3), (3, "next", 4)]
    plan += [(4, "next", 4), (4, "reset", 0), (2, "down", 2)]
    text = "property P = S[0],\nS[i:0..3] = (when (i < 3) up -> S[i + 1]\n"
    text += " | when (i > 0) down -> S[i - 1] | reset -> S[0] | next -> S[i])."
    (folder / "e.aut").write_text(aut(plan, 5), "utf-8")
    (folder / "c.aut").write_text(aut(moves, most * 50), "utf-8")
    (folder / "p.lts").write_text(text, "utf-8")
    return _case(folder, "e.aut", "c.aut", ["p.lts"])


def _moves(table: dict[tuple[int, str], int]) -> list[Move]:
    return sorted((q, action, target) for (q, action), target in table.items())


def _case(
    folder: Path,
    environment: str,
    controller: str,
    properties: Iterable[str],
    constraints: Iterable[str] = (),
) -> Path:
    path = folder / "case.toml"
    lines: Iterator[str] = (
        f"{key} = {json.dumps(value)}"
        for key, value in (
            ("environment", environment),
            ("controller", controller),
            ("properties", [*properties]),
            ("constraints", [*constraints]),
        )
    )
    path.write_text("\n".join(lines) + "\n", "utf-8")
    return path
