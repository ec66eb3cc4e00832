"""A run told step by step, or in one line.

In:  a `Trace`, and the words of its case.
Out: lines of text, at most 100 characters wide.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from symrob.errors import Trace, TraceStep, printable
from symrob.lts import Lts, StateId, Transition
from symrob.report.text import WIDEST
from symrob.words import PLAIN, Words

# Longer actions stand alone, and what they change stands below them.
_ALIGNED = 28
_INDENT = " " * 12


def trace_lines(
    trace: Trace, words: Words = PLAIN, widest: int = WIDEST
) -> Iterator[str]:
    """Yield the initial states, each step, and what the last one violates.

    A step says who takes it (E, C or both), by which action, and what changes in E and
    in the components of C.

    Args:
        trace: The run.
        words: What names are called.
        widest: No line has more characters.
    """
    states = (
        f"{part}: {state}" for part, state, _ in _parts(trace, trace.start, words)
    )
    yield from _filled("  start".ljust(len(_INDENT)), _INDENT, states, widest)
    labels = [_label(step, words) for step in trace.steps]
    wide = max(map(len, labels), default=0)
    before = trace.start
    for number, (step, label) in enumerate(zip(trace.steps, labels, strict=True), 1):
        head = f"  {number:2}  {step.who:4}  "
        changes = list(_changes(trace, before, step, words))
        if wide <= _ALIGNED:
            start = f"{head}{label:{wide}}  "
            yield from _filled(start, " " * len(start), changes, widest)
        else:
            yield from _step_lines(head, label, changes, widest)
        before = step
    if trace.violated:
        told = violated(trace, words)
        yield from _filled("  violated: ", _INDENT, [told], widest)


def run_line(trace: Trace, words: Words = PLAIN) -> str:
    """Return the actions of a run in order; what E lacks is marked as added.

    Args:
        trace: The run.
        words: What names are called.
    """
    steps = (_label(step, words) for step in trace.steps)
    return " \u2192 ".join(steps) or "doing nothing"


def violated(trace: Trace, words: Words = PLAIN) -> str:
    """Return what a run violates: in words, and its name behind them."""
    return called(words.property(trace.violated), trace.violated)


def called(told: str, name: str) -> str:
    """Return what something is called, and its name behind that."""
    return printable(f"{told} ({name})" if told != name else name)


def named(environment: Lts, transition: Transition) -> str:
    """Return a transition of E by the names that `explain` takes."""
    source, target = map(environment.state_name, (transition.source, transition.target))
    return printable(f"{transition.action} {source} \u2192 {target}")


def in_words(environment: Lts, transition: Transition, words: Words) -> str:
    """Return a transition of E as it is called, or by its names."""
    source, target = (
        words.state("E", environment.state_name(q))
        for q in (transition.source, transition.target)
    )
    action = words.action(transition.action)
    colon = "" if action == transition.action else ":"
    return printable(f"{action}{colon} {source} \u2192 {target}")


def state_called(environment: Lts, state: StateId, words: Words) -> str:
    """Return a state of E in quotes as it is called, or by its name."""
    name = environment.state_name(state)
    told = words.state("E", name)
    return printable(name if told == name else f"'{told}' ({name})")


def _label(step: TraceStep, words: Words) -> str:
    action = printable(words.action(step.action))
    return f"{action} (added)" if step.added else action


def _parts(
    trace: Trace, step: TraceStep, words: Words
) -> Iterator[tuple[str, str, str]]:
    """Each part with its state, both as they are called, and the state's own name."""
    names = trace.components or ("",) * len(step.components)
    states = (step.environment, *step.components)
    for name, state in zip(("E", *names), states, strict=True):
        told = words.state(name or "C", state)
        yield printable(words.component(name)), printable(told), state


def _changes(
    trace: Trace, before: TraceStep, after: TraceStep, words: Words
) -> Iterator[str]:
    old, new = _parts(trace, before, words), _parts(trace, after, words)
    for (part, left, was), (_, entered, now) in zip(old, new, strict=True):
        if was != now:
            yield f"{part}: {left} \u2192 {entered}"


def _step_lines(
    head: str, label: str, changes: Sequence[str], widest: int
) -> Iterator[str]:
    """One line where it fits, else what changes below the action."""
    line = "  ".join([head + label, "; ".join(changes)]).rstrip()
    if len(line) <= widest:
        yield line
        return
    yield from _filled(head, _INDENT, [label], widest)
    below = _INDENT + "  "
    yield from _filled(below, below, changes, widest)


def _filled(
    start: str, further: str, items: Iterable[str], widest: int
) -> Iterator[str]:
    """The items with semicolons; each of them in one line where one is wide enough."""
    from textwrap import wrap  # Few commands need it.

    room = widest - len(further)
    # Nothing that is printable holds this kind of space.
    kept = (i.replace(" ", "\u00a0") if len(i) < room else i for i in items)
    lines = wrap(
        "; ".join(kept),
        widest,
        initial_indent=start,
        subsequent_indent=further,
        break_on_hyphens=False,
    )
    for line in lines or [start]:
        yield line.replace("\u00a0", " ").rstrip()
