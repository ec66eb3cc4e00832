"""Random FSP composites against the definition, for as long as one likes.

    python -m tests.fsp.fuzz_composites --minutes 10 --seed 1

Each seed gives one program: a few processes, and composites of them with prefixes,
`::`, relabels, hiding, priority, replication, conditions, brackets, parameters and
modifiers. `tests.oracles.fsp_composites` says what its last composite means. The
product of the network must mean the same, as must the components multiplied out by
the oracle, and the product that the language itself demands (there END counts too).
A program that differs is printed with its seed, and the exit code is 1.
"""

from __future__ import annotations

import argparse
import time
from random import Random

from symrob.formats.fsp import load_text
from symrob.lts import TAU as SILENT
from symrob.lts import Lts
from symrob.lts.product import product
from tests.oracles.fsp_composites import (
    ERROR,
    TAU,
    Composite,
    Group,
    Machine,
    Renamed,
    Term,
    TooLarge,
    Unclear,
    hidden,
    labels,
    prefixes,
    relabels,
    renamed,
    same,
    together,
    whole,
)

NAMES = ("a", "b", "c", "a.x", "b.x", "d.1")
NEW = ("a", "b", "m", "a.x", "m.x", "e.0")
MOST_PARTS = 5


def spelled(label: str) -> str:
    """Return a label as it stands in a text: `d.1` as `d[1]`."""
    first, *rest = label.split(".")
    return first + "".join(f"[{w}]" if w.isdigit() else f".{w}" for w in rest)


def braces(names) -> str:
    """Return a set of labels as it stands in a text."""
    return "{" + ", ".join(spelled(name) for name in sorted(names)) + "}"


class Maker:
    """Makes one random program, as a text and as terms.

    Attributes:
        lines: The definitions.
        top: The term of the last composite, which is called `TOP`.
    """

    def __init__(self, seed: int) -> None:
        self.random = Random(seed)
        self.lines: list[str] = []
        # For each definition: its text and term, by the value of its parameter.
        self.known: list[tuple[str, tuple[Term, ...]]] = []
        for number in range(self.random.randint(1, 3)):
            self.process(f"P{number}")
        for number in range(self.random.randint(1, 3)):
            self.composite(f"C{number}")
            if self.chance(2):
                self.sequence(f"S{number}")
        self.top = self.composite("TOP")

    def some(self, names, most: int = 2) -> list[str]:
        """Return a few of some names, at least one."""
        names = sorted(names)
        return self.random.sample(names, min(len(names), self.random.randint(1, most)))

    def chance(self, one_in: int) -> bool:
        """Return true once in so many calls."""
        return self.random.randrange(one_in) == 0

    def process(self, name: str) -> None:
        """Define a process with up to three states, and perhaps suffixes."""
        random, size = self.random, self.random.randint(1, 3)
        moves: set[tuple[int, str, object]] = set()
        locals_ = []
        places = [f"{name}{i}" for i in range(size)]
        for state in range(size):
            branches = []
            for _ in range(random.randint(0 if state else 1, 2)):
                label = random.choice(NAMES)
                target: object = random.randrange(size)
                text = places[target]
                if self.chance(3):
                    text = target = random.choice(("END", "STOP", *3 * ["END"], ERROR))
                moves.add((state, label, target))
                branches.append(f"{spelled(label)} -> {text}")
            body = f"({' | '.join(branches)})" if branches else "STOP"
            locals_.append(f"{places[state]} = {body}")
        machine = Machine(
            frozenset(a for _s, a, _t in moves), 0, frozenset(moves), "END"
        )
        suffix = ""
        if self.chance(4):
            more = self.some(NAMES)
            suffix += f" + {braces(more)}"
            machine = Machine(machine.labels | set(more), 0, machine.moves, machine.end)
        if self.chance(5):
            text, renaming = self.relabelling(machine.labels)
            suffix += text
            machine = renamed(machine, renaming)
        if self.chance(5):
            text, hiding = self.hiding()
            suffix += text
            machine = hidden(machine, *hiding)
        reached = machine.states()
        end = "END" if "END" in reached else None
        machine = Machine(machine.labels, 0, machine.moves, end)
        body = ", ".join([f"{name} = {places[0]}", *locals_])
        self.lines.append(f"{body}{suffix}.")
        self.known.append((name, (machine, machine)))

    def sequence(self, name: str) -> None:
        """Define a process that runs the last composite to its END, if it has one."""
        call, (term, _other) = self.known[-1]
        part = whole(term)
        if part is None or part.end not in part.states():
            return
        moves = {("s", "s", part.start), (part.end, "t", "s")} | part.moves
        if part.start == part.end:
            # What is nothing but END leaves no trace.
            moves = {("s", "s", "s t"), ("s t", "t", "s")}
        machine = Machine(part.labels | {"s", "t"}, "s", frozenset(moves))
        text = call.replace("%s", "0")
        self.lines.append(f"{name} = (s -> {text}; Q), Q = (t -> {name}).")
        self.known.append((name, (machine, machine)))

    def relabelling(self, names) -> tuple[str, object]:
        """Return relabels of some names or their prefixes."""
        olds = {a for name in names for a in (name, name.rpartition(".")[0]) if a}
        pairs = [
            (new, old)
            for old in self.some(olds or NAMES, 3)
            for new in self.some(NEW, 1 if self.random.random() < 0.7 else 2)
        ]
        if self.chance(2):
            pairs = [(pairs[0][0], old) for _new, old in pairs]
        self.random.shuffle(pairs)
        text = ", ".join(f"{spelled(new)}/{spelled(old)}" for new, old in pairs)
        return f" / {{{text}}}", relabels(pairs)

    def hiding(self) -> tuple[str, tuple[bool, frozenset[str]]]:
        r"""Return a `\` or `@` suffix."""
        names = self.some({*NAMES, *NEW}, 3)
        keep = self.chance(3)
        return f" {'@' if keep else chr(92)} {braces(names)}", (keep, frozenset(names))

    def composite(self, name: str) -> Composite:
        """Define a composite, perhaps with a parameter K of 0 or 1."""
        parameter = self.chance(4) and name != "TOP"
        text, first = self.body(3)
        bodies = [first, first]
        if parameter:
            text = f"(n[K]:({text}) || {self.known[0][0]})"
            bodies = [
                Group((Renamed(prefixes([f"n.{value}"]), first), self.known[0][1][0]))
                for value in (0, 1)
            ]
        marks, tail, priority, hiding = frozenset(), "", None, None
        if self.chance(7):
            names, high = self.some({*NAMES, *NEW}), self.chance(2)
            tail += f" {'<<' if high else '>>'} {braces(names)}"
            priority = high, frozenset(names)
        if self.chance(3):
            more, hiding = self.hiding()
            tail += more
        if self.chance(10):
            choice = ("minimal", "deterministic", "property", "compose")
            marks = frozenset(self.some(choice, 1))
        head = "".join(f"{mark} " for mark in marks)
        title = f"{name}(K=0)" if parameter else name
        self.lines.append(f"{head}||{title} = {text}{tail}.")
        terms = tuple(Composite(body, priority, hiding, marks) for body in bodies)
        call = f"{name}(%s)" if parameter else name
        self.known.append((call, terms))
        return terms[0]

    def body(self, depth: int) -> tuple[str, Term]:
        """Return a body, replicated, conditional, or a member."""
        if depth and self.chance(6):
            text, term = self.member(depth - 1)
            variable = f"i{depth}"
            copies = tuple(Renamed(prefixes([f"p.{i}"]), term) for i in (0, 1))
            return f"forall [{variable}:0..1] p[{variable}]:({text})", Group(copies)
        if depth and self.chance(8):
            text, term = self.body(depth - 1)
            if self.chance(3):
                other, _term = self.body(0)
                return f"if 1 then ({text}) else {other}", term
            return f"if 1 then {text}", term
        return self.member(depth)

    def member(self, depth: int) -> tuple[str, Term]:
        """Return a call or a group with prefixes and relabels, all perhaps."""
        random = self.random
        if depth and self.chance(2):
            parts = [self.body(depth - 1) for _ in range(random.randint(1, 3))]
            text = "(" + " || ".join(text for text, _term in parts) + ")"
            call, terms = text, (Group(tuple(term for _text, term in parts)),) * 2
        else:
            # Composites are what this is about.
            last = len(self.known) - 1
            call, terms = self.known[max(random.randint(0, last) for _ in "ab")]
        indexed = self.chance(7)
        if indexed:
            # The index of the prefix is the argument, if there is one.
            text = f"q[j{depth}:0..1]:" + call.replace("%s", f"j{depth}")
            copies = (Renamed(prefixes([f"q.{i}"]), terms[i]) for i in (0, 1))
            term: Term = Group(tuple(copies))
        else:
            value = random.randrange(2)
            text, term = call.replace("%s", str(value)), terms[value]
            if self.chance(4):
                names = self.some(("u", "v", "a"))
                text = f"{braces(names) if len(names) > 1 else names[0]}:{text}"
                term = Group(tuple(Renamed(prefixes([n]), term) for n in sorted(names)))
        if self.chance(6):
            names = self.some(("u", "w", "a", "a.x"))
            text = f"{braces(names)}::{text}"
            term = Renamed(prefixes(names), term)
        if self.chance(2):
            more, renaming = self.relabelling(labels(term))
            text += more
            term = Renamed(renaming, term)
        return text, term


def read_back(lts: Lts) -> Machine:
    """Return a system of symrob as a machine of the oracle."""
    moves = {
        (s, TAU if a == SILENT else a, ERROR if t < 0 else t)
        for s, a, t in lts.transitions
    }
    return Machine(frozenset(lts.alphabet), 0, frozenset(moves), lts.end)


def multiplied(network) -> Machine:
    """Return the components of a network, multiplied out by the oracle."""
    machine = together([read_back(lts) for lts in network.components])
    moves = frozenset(
        (s, TAU if a in network.hidden else a, t) for s, a, t in machine.moves
    )
    return Machine(machine.labels - network.hidden, machine.start, moves, machine.end)


def difference(seed: int) -> tuple[str, str | None]:
    """Make a program and compare.

    Returns:
        Its text, and what is wrong: nothing (`None`), or which view of it.

    Raises:
        TooLarge, Unclear: The program is of no use.
    """
    maker = Maker(seed)
    text = "\n".join(maker.lines)
    expected = whole(maker.top)
    network = load_text(text, process="TOP").network
    # The network itself decides END for all components together.
    if not same(multiplied(network), expected, ends=False):
        return text, "network"
    if not same(read_back(product(network)), expected, ends=False):
        return text, "product"
    # No action is called so, but priority asks for the product.
    demanded = load_text(f"{text}\n||ALL = TOP >> {{none}}.", process="ALL").network
    expected = whole(Composite(maker.top, (False, frozenset(["none"]))))
    if not same(read_back(product(demanded)), expected):
        return text, "product that the language demands"
    return text, None


def main() -> int:
    """Compare programs until the time is over; return 1 if one differs."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--minutes", type=float, default=1.0)
    parser.add_argument("--seed", type=int, default=0, help="of the first program")
    arguments = parser.parse_args()
    until = time.monotonic() + arguments.minutes * 60
    compared = skipped = wrong = 0
    seed = arguments.seed
    while time.monotonic() < until:
        try:
            text, what = difference(seed)
        except (TooLarge, Unclear):
            skipped += 1
        else:
            compared += 1
            if what is not None:
                wrong += 1
                print(f"--- seed {seed}: the {what} differs\n{text}", flush=True)
        seed += 1
    print(f"{compared} programs compared, {skipped} skipped, {wrong} differ")
    return int(wrong > 0)


if __name__ == "__main__":
    raise SystemExit(main())
