"""Pictures for Graphviz (`.dot`): a system, or the components of a network.

In:  an `Lts` or a `Network`.
Out: the text of one directed graph; it cannot be read back.

Transitions between the same two states share one arrow. ERROR is a red octagon,
END a double circle. A network is drawn as one box for each component.
"""

from __future__ import annotations

from collections.abc import Iterator

from symrob.lts import ERROR, Lts, Network

# One arrow with more labels than this is unreadable whatever is done.
_LABELS_PER_LINE = 3


def dot_lines(system: Lts | Network) -> Iterator[str]:
    """Yield the lines of a DOT file that shows `system`.

    Args:
        system: What to draw; hidden actions are drawn in grey.

    Cost: linear in the transitions.
    """
    yield "digraph {"
    yield "  rankdir=LR;"
    yield '  node [shape=box, style=rounded, fontname="sans-serif"];'
    yield '  edge [fontname="sans-serif", fontsize=11];'
    many = isinstance(system, Network)
    for index, lts in enumerate(system.components):
        if many:
            yield f"  subgraph cluster_{index} {{"
            yield f"    label={quote(system.component_names[index])};"
        yield from _component(lts, f"c{index}_" if many else "", system.hidden)
        if many:
            yield "  }"
    yield "}"


def quote(text: str) -> str:
    """Return `text` as a quoted DOT string that shows it literally.

    In labels a backslash starts an escape and an ampersand an entity. Characters
    that cannot be seen are spelled out: DOT cannot hold all of them.
    """
    seen = "".join(
        c if c.isprintable() else c.encode("unicode_escape").decode("ascii")
        for c in text
    )
    escaped = seen.replace("&", "&amp;").replace("\\", "\\\\").replace('"', '\\"')
    return f'"{escaped}"'


def _component(lts: Lts, prefix: str, hidden: frozenset[str]) -> Iterator[str]:
    yield f"    {prefix}start [shape=point];"
    for state in range(lts.size):
        extra = ", peripheries=2" if state == lts.end else ""
        yield f"    {prefix}{state} [label={quote(lts.state_name(state))}{extra}];"
    if any(t.target == ERROR for t in lts.transitions):
        yield f"    {prefix}error [label=ERROR, shape=octagon, style=bold, color=red];"
    yield f"    {prefix}start -> {prefix}0;"
    arrows: dict[tuple[int, int], list[str]] = {}
    for source, action, target in lts.transitions:
        arrows.setdefault((source, target), []).append(action)
    for (source, target), actions in arrows.items():
        head = "error" if target == ERROR else str(target)
        grey = ", color=grey, fontcolor=grey" if hidden >= set(actions) else ""
        yield f"    {prefix}{source} -> {prefix}{head} [label={_label(actions)}{grey}];"


def _label(actions: list[str]) -> str:
    rows = [
        ", ".join(actions[i : i + _LABELS_PER_LINE])
        for i in range(0, len(actions), _LABELS_PER_LINE)
    ]
    return '"' + "\\n".join(quote(row)[1:-1] for row in rows) + '"'
