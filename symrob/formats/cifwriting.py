"""CIF 3 (`.cif`), written: a plant for each component."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator

from symrob.errors import Diagnostic
from symrob.formats.registry import Text
from symrob.formats.text import distinct_names, sample
from symrob.lts import ERROR, TAU, Lts, Network

ERROR_NAME = "ERROR"
# Every word that CIF keeps for itself needs this mark before it.
_WORDS = frozenset(
    """
    alg alphabet and any attr automaton bool case const cont controllable cross
    def disables disc dist do edge elif else end enum equation error event
    external false file final for from func goto group id if import in initial
    input int intersect invariant list location map marked monitor namespace
    needs new not now or out plant post pre print printfile real requirement
    return sample self set string sub supervisor svgcopy svgfile svgin svgmove
    svgout switch tau time to true tuple type uncontrollable union urgent value
    void when while abs acos acosh asin asinh atan atanh bernoulli beta binomial
    cbrt ceil cos cosh del empty erlang exp exponential floor fmt gamma
    geometric ln log lognormal max min normal poisson pop pow random round scale
    sign sin sinh size sqrt tan tanh triangle uniform weibull
    """.split()  # noqa: SIM905
)


def specification_text(system: Lts | Network) -> Text:
    """Return the lines of a specification that holds a system, and what it cannot hold.

    Args:
        system: Each component becomes a plant; or, if it has transitions to ERROR, a
            requirement with a location of that name.

    Cost: linear in the transitions.
    """
    events = sorted({a for c in system.components for a in c.alphabet})
    spelled = _spelled(events, set())
    taken = {name.lstrip("$") for name in spelled.values()}
    given = distinct_names(system.component_names, "M")
    automata = _spelled(given, taken)
    found: list[Diagnostic] = []
    found += _renamed("actions", spelled)
    found += _renamed("components", automata)
    lines = [f"event {name};" for name in spelled.values()]
    for name, lts in zip(given, system.components, strict=True):
        lines += ["", *_automaton(automata[name], lts, spelled, found)]
    if system.hidden:
        what = sample(sorted(system.hidden))
        found.append(_loss(f"hidden actions are written as others: {what}"))
    return lines, tuple(found)


def _automaton(
    name: str, lts: Lts, spelled: dict[str, str], found: list[Diagnostic]
) -> Iterator[str]:
    error = any(target == ERROR for _source, _action, target in lts.transitions)
    labels = [lts.state_name(state) for state in range(lts.size)]
    states = _spelled(labels, {ERROR_NAME})
    found += _renamed("states", states)
    if lts.end is not None:
        found.append(_loss("that a state is END is not written"))
    yield f"{'requirement' if error else 'plant'} {name}:"
    if lts.alphabet:
        yield f"  alphabet {', '.join(spelled[a] for a in lts.alphabet)};"
    for state, row in enumerate(lts.successors):
        yield f"  location {states[labels[state]]}:"
        if state == 0:
            yield "    initial;"
        yield "    marked;"
        edges: dict[int, list[str]] = {}
        for action, targets in row.items():
            for target in targets:
                word = TAU if action == TAU else spelled[action]
                edges.setdefault(target, []).append(word)
        for target, words in edges.items():
            there = ERROR_NAME if target == ERROR else states[labels[target]]
            yield f"    edge {', '.join(words)} goto {there};"
    if error:
        yield f"  location {ERROR_NAME};"
    yield "end"


def _spelled(names: Iterable[str], taken: set[str]) -> dict[str, str]:
    """Spell names as identifiers, all of them different."""
    spelled: dict[str, str] = {}
    used = set(taken)
    # Those that stay as they are come first, so that others make room for them.
    for name in sorted(names, key=lambda n: not _fits(n)):
        word = name if _fits(name) else _made(name)
        unique, number = word, 2
        while unique in used:
            unique, number = f"{word}_{number}", number + 1
        used.add(unique)
        spelled[name] = f"${unique}" if unique in _WORDS else unique
    return spelled


def _fits(name: str) -> bool:
    return re.fullmatch(r"[A-Za-z_][A-Za-z0-9_]*", name) is not None


def _made(name: str) -> str:
    word = re.sub(r"[^A-Za-z0-9_]", "_", name)
    return f"_{word}" if not word or word[0].isdigit() else word


def _renamed(what: str, spelled: dict[str, str]) -> Iterator[Diagnostic]:
    changed = [
        f"'{old}' as '{new}'"
        for old, new in spelled.items()
        if new.removeprefix("$") != old
    ]
    if changed:
        shown = ", ".join(changed[:5])
        more = f" and {len(changed) - 5} more" if len(changed) > 5 else ""
        yield _loss(f"{what} are written under other names: {shown}{more}")


def _loss(message: str) -> Diagnostic:
    return Diagnostic("cif-loss", message, severity="warning")
