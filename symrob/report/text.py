"""Results in the model's own words, as plain text.

In:  deviations and statistics, with the environment for its names.
Out: lines of text.

Names come from untrusted files: `printable` escapes control characters.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence, Set
from dataclasses import replace
from itertools import islice

from symrob.analyses.space import Space
from symrob.api.result import SafetyEnvelope
from symrob.envelope.engine import Statistics
from symrob.errors import Diagnostic, enumerated
from symrob.errors import plural as plural
from symrob.errors import printable as printable
from symrob.lts import Action, Lts, Transition
from symrob.lts.deviation import Deviation
from symrob.problem import Budget

NEVER_MARK = "*"
# A longer line is not read, and terminals break it anywhere.
WIDEST = 100
# A space at which no line ends; nothing printable holds it.
KEPT = "\u00a0"
# Lines that are made only to say how many there are.
_COUNTED = 1000


def printable_lines(text: str) -> str:
    """Like `printable`, for text of several lines."""
    return "\n".join(printable(line) for line in text.split("\n"))


def diagnostic_text(diagnostic: Diagnostic) -> str:
    """Return a diagnostic, with control characters in names escaped."""

    def safe(text: str | None) -> str | None:
        return None if text is None else printable(text)

    source = diagnostic.source
    if source is not None:
        # One character for one, so that the caret stays below what it means.
        source = "".join(
            c if c.isprintable() or c == "\t" else "\ufffd" for c in source
        )
    return str(
        replace(
            diagnostic,
            message=printable(diagnostic.message),
            file=safe(diagnostic.file),
            source=source,
            hint=safe(diagnostic.hint),
        )
    )


def limited(
    lines: Iterable[str], most: int | None, *, indent: str = "", where: str = "--all"
) -> Iterator[str]:
    """Yield the first lines, and the number of further ones; all for `None`.

    Args:
        lines: The lines.
        most: Maximum number of lines, except the one with the number.
        indent: Indentation of that line.
        where: The command that prints the others.
    """
    rest = iter(lines)
    yield from islice(rest, most)
    left = sum(1 for _ in islice(rest, _COUNTED))
    if left:
        more = "over " if left == _COUNTED and next(rest, None) is not None else ""
        yield f"{indent}… {more}{plural(left, 'more line')}; {where} lists them"


def aligned(rows: Iterable[Sequence[str]], right_from: int = 99) -> Iterator[str]:
    """Yield rows of cells in columns; those from `right_from` on are right-aligned."""
    safe = [[printable(cell) for cell in row] for row in rows]
    widths = [max(map(len, column)) for column in zip(*safe, strict=True)]
    for row in safe:
        padded = (
            cell.rjust(width) if number >= right_from else cell.ljust(width)
            for number, (cell, width) in enumerate(zip(row, widths, strict=True))
        )
        yield "  ".join(padded).rstrip()


def wrapped(
    line: str, widest: int = WIDEST, further: int | None = None
) -> Iterator[str]:
    """Yield a line; long ones are continued below, with a larger indentation.

    Args:
        line: The line; words with `KEPT` between them stay together.
        widest: Maximum width of a line, except for longer words.
        further: Indentation of the continuation; by default four characters more.
    """
    if len(line) <= widest:
        yield line.replace(KEPT, " ")
        return
    from textwrap import wrap  # Few need it.

    if further is None:
        further = len(line) - len(line.lstrip()) + 4
    lines = wrap(
        line,
        widest,
        subsequent_indent=" " * further,
        break_long_words=False,
        break_on_hyphens=False,
    )
    yield from (one.replace(KEPT, " ") for one in lines)


def folded(head: str, items: Iterable[str], widest: int = WIDEST) -> Iterator[str]:
    """Yield `head` and its items, separated by commas; long lines are wrapped."""
    line, empty = head, True
    for item in items:
        if not empty and len(line) + len(item) + 2 > widest:
            yield f"{line},"
            line, empty = " " * len(head), True
        line += item if empty else f", {item}"
        empty = False
    yield line


def transition_lines(
    environment: Lts,
    transitions: Iterable[Transition],
    never: Set[Transition],
    said: Callable[[Transition], str] | None = None,
) -> Iterator[str]:
    """Yield a line for each action and source: `action  source → target, …`.

    Args:
        environment: For the names of states.
        transitions: The transitions to show.
        never: Transitions that are marked because they can never fire.
        said: The remark on each, in brackets; transitions with the same remark share a
            line.
    """
    groups: dict[Action, dict[tuple[int, str], list[Transition]]] = {}
    for t in sorted(transitions):
        about = f" ({said(t)})" if said else ""
        groups.setdefault(t.action, {}).setdefault((t.source, about), []).append(t)
    name = [printable(environment.state_name(q)) for q in range(environment.size)]
    wide = max((len(printable(a)) for a in groups), default=0)
    wide_source = max((len(name[q]) for g in groups.values() for q, _ in g), default=0)
    for action in sorted(groups):
        label = printable(action)
        for (source, about), members in groups[action].items():
            head = f"{label:{wide}}  {name[source]:{wide_source}} → "
            items = [
                name[t.target] + (NEVER_MARK if t in never else "") for t in members
            ]
            items[-1] += printable(about)
            yield from folded(head, items)
            label = ""


def deviation_lines(
    environment: Lts, deviation: Deviation, number: int, never: Set[Transition]
) -> Iterator[str]:
    """Yield the lines of one deviation: its new transitions, by action."""
    yield (
        f"Deviation {number}: {plural(len(deviation), 'transition')}, "
        f"{len(deviation.new):,} new"
    )
    if not deviation.new:
        yield "  none: no transition can be added"
    for line in transition_lines(environment, deviation.new, never):
        yield f"  {line}"


def heading_lines(envelope: SafetyEnvelope, title: str) -> Iterator[str]:
    """Yield the title of the case, if it has one, and E."""
    environment = envelope.environment
    if title:
        yield printable(title)
    yield (
        f"Environment: {plural(environment.size, 'state')}, "
        f"{plural(len(environment.alphabet), 'action')}, "
        f"{plural(len(environment.transitions), 'transition')}; "
        f"{plural(len(envelope.engine.candidates), 'transition')} could be added"
    )


def statistics_lines(statistics: Statistics) -> Iterator[str]:
    """Yield the figures of Table 1, one per line; `?` if a bound was hit."""

    def figure(value: int | None) -> str:
        return "?" if value is None else f"{value:,}"

    per = statistics.winning_set_per_env_deviation
    yield f"|Act|      {figure(statistics.actions)}"
    yield f"|Q_E|      {figure(statistics.environment_states)}"
    yield f"|Q_C|      {figure(statistics.controller_states)}"
    yield f"|Q_P|      {figure(statistics.property_states)}"
    yield f"|W|        {figure(statistics.winning_set)}"
    yield f"|W_Penv|   {'?' if per is None else ', '.join(map(str, per)) or 'NA'}"
    yield f"|A \\ R_E|  {figure(statistics.candidates)}"


def deviated(steps: int) -> str:
    """Return a number of deviated steps in words."""
    return plural(steps, "deviated step")


def budget_text(budget: Budget) -> str:
    """Return how often a run can deviate."""
    parts = [] if budget.run is None else [deviated(budget.run)]
    modes = sorted(budget.modes.items())
    parts += [f"{deviated(most)} of {printable(name)}" for name, most in modes]
    bounds = [f"at most {part}" for part in parts]
    return f"{enumerated(bounds, len(bounds))} in a trace"


def budget_lines(budget: Budget | None) -> Iterator[str]:
    """Yield how often a run can deviate; nothing without a bound."""
    if budget is not None:
        yield from wrapped(f"Budget: {budget_text(budget)}.")


def vacuous_note(vacuous: int, properties: int) -> str:
    """Return how many properties cannot be violated; empty if all can be."""
    if not vacuous:
        return ""
    if properties == 1:
        return "the property cannot be violated"
    return f"{vacuous:,} of {properties:,} properties cannot be violated"


def with_vacuous(lines: Iterable[str], space: Space) -> Iterator[str]:
    """Yield lines; the last one, a verdict, gets the note on vacuous properties."""
    note = vacuous_note(len(space.vacuous), len(space.properties))
    last: str | None = None
    for line in lines:
        if last is not None:
            yield last
        last = line
    if last is not None:
        yield from wrapped(f"{last}; {note}" if note else last)


def effort_lines(envelope: SafetyEnvelope) -> Iterator[str]:
    """Yield the effort of the analysis, for any algorithm."""
    effort, context = envelope.engine.effort, envelope.engine.context
    yield f"algorithm        {envelope.algorithm}"
    yield f"backend          {context.backend}"
    yield f"sets visited     {effort.sets_visited:,}"
    yield f"images           {context.images + effort.images:,}"
    yield f"peak BDD nodes   {max(context.peak_nodes, effort.peak_nodes):,}"
    yield f"solver calls     {effort.solver_calls:,}"
    if effort.repeated:
        yield f"found twice      {effort.repeated:,}"
    yield f"solver pairs     {effort.pairs:,}"
    for stage, seconds in effort.seconds.items():
        yield f"{stage:24}{seconds:9.4f} s"
