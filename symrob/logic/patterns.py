"""Property sentences: common safety properties in words.

In:  a sentence.
Out: a `Pattern`: its monitor, and its meaning, spelled out.

    never A
    A only after B
    no A between B and C
    at most N A until B
    B within N steps of A
    B within N C of A
    never CONDITION
    A only while CONDITION
    never A while CONDITION
    A enabled only while CONDITION

A, B and C are actions: a name, a name in quotes, `{one, other}`; `*` stands for any
text. If two of them share actions, opening and closing take precedence.

They are absence, precedence, absence after B until C, and bounded existence of the
catalogue cited below, each in its stricter reading: `no A between` does not wait for C
to fail, and `at most` counts again from each B on. The last four are about states
(`logic.conditions`): they have no monitor over actions, and the last one is not a
property, but a guard of the controller.

Those with `within` are bounded response: after an A, the N-th step or C violates it if
no B has occurred since the A. A step is any action of E or C; in a constraint, of E
alone. Another A does not restart a pending A; each B ends it. They are safety
properties: a system that stops violates none of them.

Source: docs/sources.md [Patterns].
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Literal

from symrob.errors import Diagnostic, SymrobError, did_you_mean, known_or_near
from symrob.limits import DEFAULT_LIMITS, Limits, check_size
from symrob.logic.conditions import Condition, parse_condition, spoken, written
from symrob.lts import ERROR, Action, Lts
from symrob.words import ANY, fits

Kind = Literal[
    "never",
    "after",
    "between",
    "most",
    "steps",
    "within",
    "state",
    "while",
    "never-while",
    "guard",
]
Names = tuple[str, ...]

FORMS = (
    "never A",
    "A only after B",
    "no A between B and C",
    "at most N A until B",
    "B within N steps of A",
    "B within N C of A",
    "never CONDITION",
    "A only while CONDITION",
    "never A while CONDITION",
    "A enabled only while CONDITION",
)

_NAME = r"""(?:'[^']+'|"[^"]+"|[^\s{},'"]+)"""
_GROUP = rf"(?:{_NAME}|\{{\s*{_NAME}(?:\s*,\s*{_NAME})*\s*\}})"


_CONDITION = r"(?P<W>.+)"


def _sentence(*words: str) -> re.Pattern[str]:
    return re.compile(r"\s+".join(words), re.DOTALL)


def _group(letter: str) -> str:
    return rf"(?P<{letter}>{_GROUP})"


_SENTENCES: dict[Kind, re.Pattern[str]] = {
    "never": _sentence("never", _group("A")),
    "after": _sentence(_group("A"), "only", "after", _group("B")),
    "between": _sentence("no", _group("A"), "between", _group("B"), "and", _group("C")),
    "most": _sentence(
        "at", "most", r"(?P<N>\d{1,9})", _group("A"), "until", _group("B")
    ),
    "guard": _sentence(_group("A"), "enabled", "only", "while", _CONDITION),
    "while": _sentence(_group("A"), "only", "while", _CONDITION),
    "never-while": _sentence("never", _group("A"), "while", _CONDITION),
    "state": _sentence("never", r"(?P<W>.*\S\s+is\s+.+)"),
    "steps": _sentence(
        _group("B"), "within", r"(?P<N>\d{1,9})", "steps?", "of", _group("A")
    ),
    "within": _sentence(
        _group("B"), "within", r"(?P<N>\d{1,9})", _group("C"), "of", _group("A")
    ),
}
_BEGINS = re.compile(
    r"(?:never|no|at\s+most)\s|.*\sonly\s+(?:after|while)\s|.*\swithin\s+\d", re.DOTALL
)
# What ends like a file is one; an action of that name can be quoted.
_FILE = re.compile(r"\.(?:lts|fsp|aut|fsm|json|wmod|cif|scxml)(?:#[^\s./]*)?\Z")


@dataclass(frozen=True)
class Pattern:
    """A property sentence.

    Attributes:
        text: The sentence as written.
        kind: The kind of sentence.
        groups: The names of A, B and C, as far as it has them; `*` for any text.
        count: N, if there is one.
        condition: Its condition on states; `None` if there is none.
    """

    text: str
    kind: Kind
    groups: tuple[Names, ...]
    count: int = 0
    condition: Condition | None = None

    @property
    def words(self) -> str:
        """Its meaning, spelled out."""
        a, b, c = (*(" or ".join(names) for names in self.groups), "", "", "")[:3]
        match self.kind:
            case "never":
                return f"{a} never happens"
            case "after":
                return f"{a} does not happen before the first {b}"
            case "between":
                return f"after each {b}, {a} does not happen until the next {c}"
            case "most":
                times = "once" if self.count == 1 else f"{self.count} times"
                return (
                    f"{a} happens at most {times} before the first {b}, and at "
                    f"most {times} after each {b} until the next"
                )
            case "steps":
                steps = "1 step" if self.count == 1 else f"{self.count} steps"
                return f"after each {a}, {b} happens within {steps}"
            case "within":
                return f"after each {a}, {b} happens within {self.count} {c}"
        assert self.condition is not None, "it is about states"
        said = spoken(self.condition)
        match self.kind:
            case "state":
                return f"no reachable state meets: {said}"
            case "while":
                return f"{a} happens only in states that meet: {said}"
            case "never-while":
                return f"{a} never happens in a state that meets: {said}"
        return f"the controller offers {a} only in states that meet: {said}"

    def about(self, condition: Condition) -> str:
        """Return the sentence about states with another condition, as one writes it."""
        match = _SENTENCES[self.kind].fullmatch(self.text)
        assert match is not None, "it was read as this sentence"
        return self.text[: match.start("W")] + written(condition)

    def monitor(
        self, known: Iterable[Action] | None = None, limits: Limits = DEFAULT_LIMITS
    ) -> Lts:
        """Return the monitor, over the actions that are named.

        Args:
            known: The actions that `*` can match; `None` if unknown.
            limits: `max_states` bounds N.

        Raises:
            SymrobError: A name with `*` matches no action, or no actions are known.
            LimitExceeded: N is too large.
        """
        if self.condition is not None:
            return Lts((), 1, (), names=["kept"])
        actions = None if known is None else sorted({*known})
        a, *others = (self._meant(names, actions) for names in self.groups)
        opens = others[0] if others else frozenset()
        closes = others[1] if len(others) > 1 else frozenset()
        alphabet = sorted(a | opens | closes)
        ticks = closes
        if self.kind == "steps":
            ticks = frozenset(alphabet) | self._steps(actions)
            alphabet = sorted(ticks)
        size, names = 2, ["not yet", "allowed"]
        if self.kind == "never":
            size, names = 1, ["watching"]
        elif self.kind == "between":
            names = ["outside", "inside"]
        elif self.kind == "most":
            check_size(self.count + 1, limits.max_states, f"monitor of '{self.text}'")
            size = self.count + 1
            names = [str(count) for count in range(size)]
        elif self.kind in ("steps", "within"):
            check_size(self.count + 1, limits.max_states, f"monitor of '{self.text}'")
            size = self.count + 1
            # How many steps are left before it is broken.
            names = ["idle", *(f"left{count}" for count in range(self.count, 0, -1))]

        def after(state: int, action: Action) -> int:
            match self.kind:
                case "never":
                    return ERROR
                case "after":
                    return 1 if action in opens or state == 1 else ERROR
                case "between":
                    if action in closes or state == 0:
                        return int(action in opens)
                    return ERROR if action in a else 1
                case "most":
                    if action in opens:
                        return 0
                    return state + 1 if state < self.count else ERROR
                case "steps" | "within":
                    if action in opens:
                        return int(action in a)
                    if state == 0:
                        return int(action in a)
                    if action not in ticks:
                        return state
                    return state + 1 if state < self.count else ERROR
            raise AssertionError("sentences about states have no monitor")

        moves = [(s, x, after(s, x)) for s in range(size) for x in alphabet]
        return Lts(alphabet, size, moves, names=names)

    def actions(self, known: Iterable[Action]) -> frozenset[Action]:
        """Return the actions that a sentence about states refers to.

        Args:
            known: The known actions.

        Raises:
            SymrobError: A name matches none of them.
        """
        names, actions = (*self.groups, ())[0], sorted({*known})
        problems = [
            Diagnostic(
                "words-action",
                f"'{self.text}': unknown action '{name}'",
                hint=known_or_near(name, actions, "the actions"),
            )
            for name in names
            if ANY not in name and name not in actions
        ]
        if problems:
            raise SymrobError(problems)
        return self._meant(names, actions)

    def _steps(self, known: list[Action] | None) -> frozenset[Action]:
        """All actions that count as steps."""
        if known is None:
            message = f"'{self.text}': steps require the models of a case"
            raise SymrobError(Diagnostic("words-action", message))
        return frozenset(known)

    def _meant(self, names: Names, known: list[Action] | None) -> frozenset[Action]:
        found: set[Action] = set()
        problems = []
        for name in names:
            if ANY not in name:
                found.add(name)
                continue
            meant = [a for a in known or () if fits(name, a)]
            found.update(meant)
            if not meant:
                problems.append(
                    Diagnostic(
                        "words-action",
                        f"'{self.text}': no action is called '{name}'"
                        if known is not None
                        else f"'{self.text}': '*' requires the models of a case",
                        hint=did_you_mean(name, known or ()),
                    )
                )
        if problems:
            raise SymrobError(problems)
        return frozenset(found)


def is_sentence(text: str) -> bool:
    """Whether a text looks like a property sentence and not like a path."""
    if _FILE.search(text) is not None:
        return False
    said = text.strip()
    if _BEGINS.match(said) is not None:
        return True
    # No file that can be read is called like this; the error lists the sentences.
    return len(said.split()) > 2 and not {*said} & {".", "/", "\\", "#"}


def parse_pattern(text: str) -> Pattern:
    """Read a property sentence.

    Args:
        text: A text that satisfies `is_sentence`.

    Raises:
        SymrobError: It is not a known sentence.
    """
    plain = text.strip()
    for kind, sentence in _SENTENCES.items():
        match = sentence.fullmatch(plain)
        if match is not None:
            found = match.groupdict()
            groups = tuple(_names(found[x]) for x in "ABC" if x in found)
            said = found.get("W")
            condition = None if said is None else parse_condition(said, plain)
            count = int(found.get("N") or 0)
            if kind in ("steps", "within") and not count:
                message = f"'{plain:.100}': 'within' requires a number of at least 1"
                raise SymrobError(Diagnostic("words-property", message))
            return Pattern(plain, kind, groups, count, condition)
    raise SymrobError(
        Diagnostic(
            "words-property",
            f"not a known property sentence: '{text:.100}'",
            hint=f"the known sentences: {'; '.join(FORMS)}. A, B, C: an action, "
            "'in quotes' if it has spaces, or {one, other}; CONDITION: "
            "COMPONENT is STATE [or STATE …], joined by not, and, or",
        )
    )


def _names(group: str) -> Names:
    found = re.findall(_NAME, group.strip("{}") if group.startswith("{") else group)
    return tuple(dict.fromkeys(name.strip("'\"") for name in found))
