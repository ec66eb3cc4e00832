"""A trace step by step, or in one line.

In:  a `Trace`, and the words of its case.
Out: lines of text, at most 100 characters wide.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from itertools import pairwise
from typing import NamedTuple

from symrob.analyses.hazards import Blocked
from symrob.errors import Trace, TraceStep, printable
from symrob.logic.patterns import is_sentence
from symrob.lts import Lts, StateId, Transition
from symrob.report.text import KEPT, WIDEST
from symrob.words import PLAIN, Words

# What a trace without steps is called.
START = "the start"
# Longer actions stand alone, and what they change stands below them.
_ALIGNED = 28
_INDENT = " " * 12
_BELOW = _INDENT + "  "
# This many planned steps in a row are folded into one line, but not the last ones.
_FOLDED = 3
_LAST = 2
# More planned steps beside an added one, or allowed actions, are not listed.
_FEW = 3
# Longer names of who acts are cut.
_LONGEST_WHO = 24


class Part(NamedTuple):
    """A component of E or C in a state.

    Attributes:
        label: Display name of the component.
        told: Display name of its state.
        state: The state's own name.
    """

    label: str
    told: str
    state: str


def trace_lines(
    trace: Trace, words: Words = PLAIN, widest: int = WIDEST, *, fold: bool = False
) -> Iterator[str]:
    """Yield the initial states, each step, and what the last one violates.

    A step says who takes it (E, C or both, by the names of their models), by which
    action, and what changes in the components of E and C.

    Args:
        trace: The trace.
        words: Words for names.
        widest: No line has more characters.
        fold: Fold several planned steps in a row into one line; and name the violated
            property without its words, which are above.
    """
    folded = {run.start: run for run in _planned_runs(trace)} if fold else {}
    hidden = {i for run in folded.values() for i in run}
    shown = [step for i, step in enumerate(trace.steps) if i not in hidden]
    wide = max((len(_marked(step, words)) for step in shown), default=0)
    wide_who = max((len(_who(step, words)) for step in shown), default=0)
    if 0 not in folded:
        yield from _states_line("start", trace, trace.start, words, widest)
    before = trace.start
    for i, step in enumerate(trace.steps):
        if i in folded:
            yield from _folded_lines(trace, folded[i], words, widest)
        elif i not in hidden:
            head = f"  {i + 1:2}  {_who(step, words):{wide_who}}  "
            label, changes = (
                _marked(step, words),
                list(_changes(trace, before, step, words)),
            )
            planned = _planned_text(trace, before, step, words)
            below = _BELOW
            if wide <= _ALIGNED:
                start = f"{head}{label:{wide}}  "
                below = " " * len(start)
                yield from _filled(start, below, changes, widest)
            else:
                yield from _step_lines(head, label, changes, widest)
            if planned:
                yield from _filled(below, below, [planned], widest)
        before = step
    if trace.violated:
        told = property_named(trace.violated, words) if fold else violated(trace, words)
        yield from _filled("  violates ", _INDENT, [told], widest)
        if 0 < len(trace.allowed) <= _FEW:
            # Several actions can have the same words.
            named = (printable(words.action(action)) for action in trace.allowed)
            allowed = [*dict.fromkeys(named)]
            head = f"{_INDENT}at this point it allows only: "
            yield from _filled(head, _BELOW, allowed, widest)
        if len(shown) > 1:
            yield from _states_line("state", trace, before, words, widest)


def _planned_runs(trace: Trace) -> Iterator[range]:
    """Planned steps in a row that are worth folding; none without a deviation."""
    added = [i for i, step in enumerate(trace.steps) if step.added]
    end = max(len(trace.steps) - _LAST, *added) if added else 0
    for before, i in pairwise([-1, *added, end]):
        if i - before > _FOLDED:
            yield range(before + 1, i)


def _folded_lines(trace: Trace, run: range, words: Words, widest: int) -> Iterator[str]:
    """Planned steps in a line, and the states behind them."""
    labels = [_label(trace.steps[i], words) for i in run]
    head = f"  {run.start + 1}–{run.stop} as planned: "
    line = head + ", ".join(labels)
    if len(line) > widest:
        line = f"{head}{labels[0]}, …, {labels[-1]}"
    yield from _filled("", _INDENT, [line], widest)
    yield from _states_line("state", trace, trace.steps[run.stop - 1], words, widest)


def _has_planned_outcome(step: TraceStep) -> bool:
    """Whether E could take the same action as planned."""
    return bool(step.planned) and step.planned[0].action == step.action


def _marked(step: TraceStep, words: Words) -> str:
    """The action of a step; marked where the step is added, or only its outcome is."""
    mark = "added outcome" if _has_planned_outcome(step) else "added"
    return _label(step, words, mark)


def _planned_text(
    trace: Trace, before: TraceStep, step: TraceStep, words: Words
) -> str:
    """What E does instead of an added step: other actions, or other states."""
    if not step.planned:
        return ""
    if not _has_planned_outcome(step):
        actions = dict.fromkeys(printable(words.action(s.action)) for s in step.planned)
        several = [*actions][:_FEW] + ["…"] * (len(actions) > _FEW)
        return f"planned instead: {'; '.join(several)}"
    environment, start = replace(trace, components=()), replace(before, components=())
    ways = [
        "; ".join(_changes(environment, start, replace(other, added=True), words))
        for other in step.planned[:_FEW]
    ] + ["…"] * (len(step.planned) > _FEW)
    return f"planned outcome: {', or '.join(ways)}" if all(ways) else ""


def _states_line(
    head: str, trace: Trace, step: TraceStep, words: Words, widest: int
) -> Iterator[str]:
    """The states of all components after a step."""
    states = _state_texts(parts_of(trace, step, words))
    yield from _filled(f"  {head}".ljust(len(_INDENT)), _INDENT, states, widest)


def _state_texts(parts: Iterable[Part]) -> Iterator[str]:
    """`LABEL, LABEL: STATE`; components with consecutive numbers come together."""
    groups: list[list[Part]] = []
    for part in _in_order(parts):
        if groups and _is_next(groups[-1][-1], part):
            groups[-1].append(part)
        else:
            groups.append([part])
    labels: dict[str, list[str]] = {}
    for group in groups:
        labels.setdefault(group[0].told, []).append(_group_label(group))
    for told, several in labels.items():
        yield f"{', '.join(several)}: {told}"


def _in_order(parts: Iterable[Part]) -> list[Part]:
    """Components by kind as they come, those of one kind by their numbers."""
    place: dict[tuple[str, str], int] = {}

    def order(part: Part) -> tuple[int, int]:
        before, number, after = _numbered(part.label)
        return place.setdefault((before, after), len(place)), number

    return sorted(parts, key=order)


def _numbered(label: str) -> tuple[str, int, str]:
    """A label around its last number; -1 where it has none."""
    found = re.fullmatch(r"(.*?)(0|[1-9][0-9]*)([^0-9]*)", label, re.DOTALL)
    return (found[1], int(found[2]), found[3]) if found else (label, -1, "")


def _is_next(one: Part, other: Part) -> bool:
    (before, number, after), theirs = _numbered(one.label), _numbered(other.label)
    follows = number >= 0 and theirs == (before, number + 1, after)
    return follows and one.told == other.told


def _group_label(group: Sequence[Part]) -> str:
    first = group[0].label
    if len(group) > 1:
        before, number, after = _numbered(first)
        # Words, not names: `lines 1–8`.
        if before.endswith(" ") and before[-2:-1].isalpha():
            before = f"{before[:-1]}s "
        first = f"{before}{number}–{number + len(group) - 1}{after}"
    return first


def run_line(trace: Trace, words: Words = PLAIN) -> str:
    """Return the actions of a trace in order; added steps are marked.

    Args:
        trace: The trace.
        words: Words for names.
    """
    steps = (_label(step, words) for step in trace.steps)
    return " \u2192 ".join(steps) or START


def violated(trace: Trace, words: Words = PLAIN) -> str:
    """Return what a trace violates: in words, followed by its name."""
    return property_called(trace.violated, words)


def property_called(name: str, words: Words) -> str:
    """Return a property or constraint: quoted in words, followed by its name."""
    told = property_in_words(name, words)
    return told if words.said(name) == name else f"{told} ({printable(name)})"


def property_named(name: str, words: Words) -> str:
    """Return the identifier and the name of a property or constraint."""
    identity, told = words.identity(name), _quoted(name)
    return printable(told if identity is None else f"{identity.id}: {told}")


def _quoted(name: str) -> str:
    """A name; a sentence in quotes, so that it does not read on."""
    return _in_quotes(name) if is_sentence(name) else name


def _in_quotes(text: str) -> str:
    """A text in quotes that it does not contain, where it has only one kind."""
    return f'"{text}"' if "'" in text else f"'{text}'"


def property_in_words(name: str, words: Words) -> str:
    """Return a property quoted in words, or its name if it has none."""
    told, named = words.property(name), words.said(name) == name
    return printable(told if named and not is_sentence(name) else _in_quotes(told))


def called(told: str, name: str) -> str:
    """Return the words for something, followed by its name."""
    return printable(f"{told} ({name})" if told != name else name)


def named(environment: Lts, transition: Transition) -> str:
    """Return a transition of E as `explain` accepts it."""
    source, target = map(environment.state_name, (transition.source, transition.target))
    return printable(f"{transition.action} {source} \u2192 {target}")


def in_words(environment: Lts, transition: Transition, words: Words) -> str:
    """Return a transition of E in words, or by its names."""
    source, target = (
        words.state("E", environment.state_name(q))
        for q in (transition.source, transition.target)
    )
    action = words.action(transition.action)
    colon = "" if action == transition.action else ":"
    is_loop_in_words = source == target != environment.state_name(transition.target)
    way = f"{target} (unchanged)" if is_loop_in_words else f"{source} \u2192 {target}"
    return printable(f"{action}{colon} {way}")


def blocked_action(one: Blocked, words: Words) -> str:
    """Return an action, and the state of E that blocks it.

    For a composed E, the states of the components that have the action.
    """
    environment, action = one.engine.problem.environment, one.action
    told = called(words.action(action), action)
    parts, states = environment.parts, environment.part_names(one.state)
    if parts is None or not states:
        state = environment.state_name(one.state)
        own = called(words.state("E", state), state)
        return f"{told} while {printable(words.component('E'))}: {own}"
    where = [
        f"{label}: {printable(words.state(name, state))}"
        for name, label, part, state in zip(
            parts.names,
            part_labels(parts.names, words),
            parts.components,
            states,
            strict=True,
        )
        if action in part.alphabet
    ]
    return f"{told} while {'; '.join(where)}"


def actor(role: str, words: Words) -> str:
    """Return what E or C is called in a sentence: `the nurse`, but `E` or `NURSE`."""
    name = printable(words.component(role))
    return name if name.isupper() else f"the {name}"


def _label(step: TraceStep, words: Words, mark: str = "added") -> str:
    action = printable(words.action(step.action))
    return f"{action} ({mark})" if step.added else action


def _who(step: TraceStep, words: Words) -> str:
    """Who takes a step, by the names of the models: `nurse+pump` for both."""
    roles = "EC" if step.who == "both" else (step.who,)
    who = "+".join(printable(words.component(role)) for role in roles)
    return who if len(who) <= _LONGEST_WHO else f"{who[: _LONGEST_WHO - 1]}…"


def part_labels(names: Sequence[str], words: Words) -> list[str]:
    """Return labels of components: their words, or the text before `:PROCESS`.

    Args:
        names: Names of the components; a labelled FSP process is `LABEL:PROCESS`.
        words: Words for them.
    """
    told = [words.component(name) for name in names]
    # A colon in brackets parts no label from its process.
    labels = [name.rpartition(":")[0] for name in names]
    short = [
        (label if label.count("(") == label.count(")") else "")
        if word == name
        else word
        for name, word, label in zip(names, told, labels, strict=True)
    ]
    return [
        printable(brief if brief and short.count(brief) == 1 else word)
        for brief, word in zip(short, told, strict=True)
    ]


def state_text(environment: Lts, state: StateId, words: Words = PLAIN) -> str:
    """Return the name of a state of E; if E is composed, those of its components."""
    own = environment.part_names(state)
    if not own or environment.parts is None:
        return printable(environment.state_name(state))
    step = TraceStep("", environment.state_name(state), parts=own)
    trace = Trace(step, parts=environment.parts.names)
    return "; ".join(_state_texts(parts_of(trace, step, words)))


def parts_of(trace: Trace, step: TraceStep, words: Words) -> list[Part]:
    """Return the components of E and C in the states after a step.

    Args:
        trace: The trace, for their names.
        step: The step, or the start.
        words: Words for names.
    """
    own = step.parts or (step.environment,)
    names = [*(trace.parts if step.parts else ("E",))]
    names += trace.components or ("",) * len(step.components)
    return [
        Part(label, printable(words.state(name or "C", state)), state)
        for name, label, state in zip(
            names, part_labels(names, words), (*own, *step.components), strict=True
        )
    ]


def _changes(
    trace: Trace, before: TraceStep, after: TraceStep, words: Words
) -> Iterator[str]:
    old, new = parts_of(trace, before, words), parts_of(trace, after, words)
    mine = len(new) - len(after.components)
    if bool(before.parts) != bool(after.parts):
        # E enters or leaves a state that is none of its components'.
        yield from _state_texts(new[:mine])
        old, new = old[len(old) - len(after.components) :], new[mine:]
        mine = 0
    yield from _state_texts(
        entered._replace(told=f"{entered.told} (unchanged)")
        for part, (left, entered) in enumerate(zip(old[:mine], new, strict=False))
        if after.added and left.state == entered.state and trace.moves(part, after)
    )
    yield from _state_texts(
        entered._replace(told=f"{left.told} → {entered.told}")
        for left, entered in zip(old, new, strict=True)
        if left.state != entered.state
    )


def _step_lines(
    head: str, label: str, changes: Sequence[str], widest: int
) -> Iterator[str]:
    """One line where it fits, else what changes below the action."""
    line = "  ".join([head + label, "; ".join(changes)]).rstrip()
    if len(line) <= widest:
        yield line
        return
    yield from _filled(head, _INDENT, [label], widest)
    if changes:
        yield from _filled(_BELOW, _BELOW, changes, widest)


def _filled(
    start: str, further: str, items: Iterable[str], widest: int
) -> Iterator[str]:
    """The items with semicolons; each of them in one line where one is wide enough."""
    from textwrap import wrap  # Few commands need it.

    room = widest - len(further)
    kept = (i.replace(" ", KEPT) if len(i) < room else i for i in items)
    lines = wrap(
        "; ".join(kept),
        widest,
        initial_indent=start,
        subsequent_indent=further,
        break_on_hyphens=False,
    )
    for line in lines or [start]:
        yield line.replace(KEPT, " ").rstrip()
