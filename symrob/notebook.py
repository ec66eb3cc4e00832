"""What Jupyter shows in place of `Lts(…)`: pictures and tables.

In:  a model, a deviation or Δ.
Out: SVG or HTML for a notebook cell; `None` if the other format is better.

`register` registers formatters with IPython by type name, so that the types need no
display code. `import symrob` calls it if IPython is loaded.

A front end prefers HTML to SVG. So a picture is offered alone, and a table only if a
picture would be unreadable or the layout engine is missing; the last line of a cell
must never hang or fail. Names come from untrusted files, so control characters are made
visible and all names are escaped.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from html import escape
from importlib.util import find_spec
from itertools import islice
from typing import Any

from symrob.api.exploration import Exploration
from symrob.api.result import SafetyEnvelope
from symrob.errors import printable
from symrob.explorer.page import Design, page
from symrob.formats.dot import Picture, lts_picture
from symrob.lts import Action, Lts, Network, StateId, Transition
from symrob.lts.deviation import Deviation
from symrob.report.answers import environment_of, text
from symrob.report.picture import deviation_picture
from symrob.report.svg import MOST_EDGES, drawn, is_readable
from symrob.report.text import plural
from symrob.shown import Shown

MOST_TRANSITIONS = 20_000
"""Models with more transitions are shown as tables, not as pictures."""

MOST_ROWS = 50
"""Maximum number of table rows; further rows are only counted."""

MOST_DEVIATIONS = 20
"""Deviations that displaying Δ computes; a cell must not run for hours."""

MOST_COMPONENTS = 8
"""Maximum number of components of a network that are drawn."""

_TYPES = {
    ("symrob.lts.model", "Lts"): ("model_svg", "model_html"),
    ("symrob.lts.model", "Network"): ("model_svg", "model_html"),
    ("symrob.lts.deviation", "Deviation"): ("deviation_svg", "deviation_html"),
}

_CELL = 'style="text-align:left;vertical-align:top"'


def register(formatters: Mapping[str, Any]) -> None:
    """Register formatters for the types of symrob with IPython.

    Args:
        formatters: The formatters of IPython's display formatter, by MIME type.
    """
    for (module, name), shown in _TYPES.items():
        for mime, function in zip(("image/svg+xml", "text/html"), shown, strict=True):
            formatters[mime].for_type_by_name(module, name, globals()[function])


def register_in_shell() -> None:
    """Register with the running IPython shell, if there is one."""
    from IPython.core.getipython import get_ipython

    display = getattr(get_ipython(), "display_formatter", None)
    if display is not None:
        register(display.formatters)


def view(answer: Shown) -> str | None:
    """Return an answer as HTML for a notebook: by default its text.

    Args:
        answer: An answer of a question, `symrob.compute` or a method of an envelope.

    Cost: as for `str(answer)`; for an envelope as for `envelope_html`.
    """
    kinds: dict[type, Callable[[Any], str | None]] = {
        Deviation: deviation_html,
        Exploration: exploration_html,
        SafetyEnvelope: envelope_html,
    }
    for kind, html in kinds.items():
        if isinstance(answer, kind):
            return html(answer)
    return f"<pre>{escape(text(answer))}</pre>"


def model_svg(model: Lts | Network) -> str | None:
    """Draw a model, a network by its components; `None` if that is too large."""
    if len(model.components) > MOST_COMPONENTS:
        return None
    pictures = []
    for name, lts in zip(model.component_names, model.components, strict=True):
        picture = _readable(lts, name)
        if picture is None:
            return None
        pictures.append(picture)
    return drawn(pictures, title=", ".join(model.component_names))


def model_html(model: Lts | Network) -> str | None:
    """Return a model as a table; `None` if a picture can be drawn."""
    parts = [
        (name, lts, _readable(lts, name))
        for name, lts in zip(
            model.component_names[:MOST_COMPONENTS],
            model.components[:MOST_COMPONENTS],
            strict=True,
        )
    ]
    hidden = len(model.components) - len(parts)
    if not hidden and all(picture is not None for _, _, picture in parts):
        return None
    tables = [_model_table(name, lts) for name, lts, _ in parts]
    if hidden:
        tables.append(f"<p>… {plural(hidden, 'more component')}</p>")
    return "\n".join(tables)


def deviation_svg(deviation: Deviation) -> str | None:
    """Draw a deviation over its environment; `None` if that is too large."""
    picture = _deviation_picture(deviation)
    return None if picture is None else drawn([picture])


def deviation_html(deviation: Deviation) -> str | None:
    """Return the added transitions as a table; `None` if a picture can be drawn."""
    if _deviation_picture(deviation) is not None:
        return None
    return _deviation_table(deviation, environment_of(deviation), frozenset())


def envelope_html(envelope: SafetyEnvelope) -> str:
    """Return the known part of Δ, with a picture of its largest deviation.

    Args:
        envelope: Δ; its first `MOST_DEVIATIONS` deviations are computed if necessary.
    """
    shown = list(islice(envelope, MOST_DEVIATIONS))
    environment = envelope.environment
    parts = [f"<p><b>{escape(_verdict(envelope, len(shown)))}</b></p>"]
    largest = max(shown, key=len, default=None)
    if largest is not None:
        title = f"Deviation {shown.index(largest) + 1}, the largest of these"
        never = envelope.never_firing(largest)
        picture = _deviation_picture(largest, never, title)
        if picture is not None:
            parts.append(drawn([picture]))
    for number, deviation in enumerate(shown, 1):
        table = _deviation_table(
            deviation, environment, envelope.never_firing(deviation)
        )
        head = (
            f"Deviation {number}: {plural(len(deviation), 'transition')}, "
            f"{len(deviation.new):,} new"
        )
        parts.append(f"<details><summary>{head}</summary>{table}</details>")
    return "\n".join(parts)


def exploration_html(exploration: Exploration) -> str:
    """Return the what-if page in a frame.

    The frame is sandboxed without `allow-same-origin`, so its scripts can access
    neither the notebook nor its data.
    """
    names, engines = exploration.names, exploration.engines
    designs = list(map(Design, engines, names))
    title = "What if …?" if len(names) < 2 else " and ".join(names)
    made = page(designs, title)
    return (
        f'<iframe sandbox="allow-scripts allow-downloads" title="{escape(title)}" '
        'style="width:100%;height:820px;border:1px solid #dde3e9;border-radius:8px" '
        f'srcdoc="{escape(made.html)}"></iframe>'
    )


def _verdict(envelope: SafetyEnvelope, shown: int) -> str:
    if envelope.status == "complete":
        found = len(envelope)
        more = "" if found == shown else f"; the first {shown}"
        return f"|Δ| = {found:,}{more}"
    if envelope.status == "running":
        first = plural(shown, "deviation")
        return f"The first {first}; iterate over this to compute the others"
    found_so_far = f"{plural(shown, 'deviation')} so far"
    return f"Incomplete ({printable(envelope.reason)}): {found_so_far}"


def _readable(lts: Lts, title: str = "") -> Picture | None:
    """Return the picture of a system, if a reader can find something in it."""
    if lts.size > MOST_EDGES or len(lts.transitions) > MOST_TRANSITIONS:
        return None
    return _if_readable(lts_picture(lts, title=title))


def _if_readable(picture: Picture) -> Picture | None:
    drawable = is_readable(picture) and find_spec("pygraphviz") is not None
    return picture if drawable else None


def _deviation_picture(
    deviation: Deviation, never: frozenset[Transition] = frozenset(), title: str = ""
) -> Picture | None:
    environment = environment_of(deviation)
    if environment.size > MOST_EDGES or len(deviation) > MOST_TRANSITIONS:
        return None
    return _if_readable(
        deviation_picture(environment, deviation, inert=never, title=title)
    )


def _model_table(name: str, lts: Lts) -> str:
    head = (
        f"{plural(lts.size, 'state')}, {plural(len(lts.transitions), 'transition')}, "
        f"{plural(len(lts.alphabet), 'action')}"
    )
    title = f"<b>{_text(name)}</b>: " if name else ""
    return f"<p>{title}{head}</p>{_table(lts, lts.transitions)}"


def _deviation_table(
    deviation: Deviation, environment: Lts, never: frozenset[Transition]
) -> str:
    if not deviation.new:
        return "<p>No transition can be added.</p>"
    faint = never & deviation.new
    note = "<p>* can never fire with this deviation</p>" if faint else ""
    return _table(environment, sorted(deviation.new), faint) + note


def _table(
    lts: Lts,
    transitions: Sequence[Transition],
    marked: frozenset[Transition] = frozenset(),
) -> str:
    """Write transitions as rows of source, action and targets."""
    groups: dict[tuple[StateId, Action], list[Transition]] = {}
    for t in transitions:
        if (t.source, t.action) in groups or len(groups) < MOST_ROWS:
            groups.setdefault((t.source, t.action), []).append(t)
    rows = [_row("th", ("state", "action", "next states"))]
    for (source, action), members in groups.items():
        rows.append(
            _row(
                "td",
                (_name(lts, source), printable(action), _targets(lts, members, marked)),
            )
        )
    hidden = len(transitions) - sum(map(len, groups.values()))
    more = f"<p>… {plural(hidden, 'more transition')}</p>" if hidden else ""
    return f"<table>{''.join(rows)}</table>{more}"


def _targets(
    lts: Lts, members: Iterable[Transition], marked: frozenset[Transition]
) -> str:
    names = [_name(lts, t.target) + ("*" if t in marked else "") for t in members]
    more = f", … {len(names) - MOST_ROWS} more" if len(names) > MOST_ROWS else ""
    return ", ".join(names[:MOST_ROWS]) + more


def _row(tag: str, cells: Iterable[str]) -> str:
    return f"<tr>{''.join(_cells(tag, cells))}</tr>"


def _cells(tag: str, cells: Iterable[str]) -> Iterator[str]:
    for cell in cells:
        yield f"<{tag} {_CELL}>{escape(cell)}</{tag}>"


def _name(lts: Lts, state: StateId) -> str:
    return printable(lts.state_name(state))


def _text(text: str) -> str:
    return escape(printable(text))
