"""Pictures as documents: one, or several below each other.

In:  pictures, such as those of the components of a network.
Out: one document, in SVG or in DOT. A single picture is the same document as
     alone.

A document of `svg` has neither style sheet nor identifiers, so it can stand
inside another one as it is. A document of DOT may hold several graphs.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from xml.sax.saxutils import escape

from symrob.report.dot import to_dot
from symrob.report.layout import MAX_EDGES
from symrob.report.lettering import visible
from symrob.report.picture import Picture
from symrob.report.svg import to_svg

FORMATS = ("svg", "dot")

_SIZE = re.compile(r'<svg [^>]*?width="([0-9.]+)" height="([0-9.]+)"')


def drawn(
    pictures: Sequence[Picture], form: str, *, title: str, max_edges: int | None = None
) -> str:
    """Write pictures as one document.

    Args:
        pictures: What to draw, from top to bottom; at least one.
        form: One of `FORMATS`.
        title: What the whole is called.
        max_edges: Largest number of edges of each picture that is laid out;
            DOT leaves the layout to others and has no limit.

    Raises:
        LimitExceeded: A picture is too large to be read.
        SymrobError: The layout engine is not installed.

    Cost: that of `svg.to_svg` or `dot.to_dot` for each.
    """
    if form == "dot":
        return "".join(map(to_dot, pictures))
    return to_stacked_svg(pictures, title=title, max_edges=max_edges)


def to_stacked_svg(
    pictures: Sequence[Picture], *, title: str, max_edges: int | None = None
) -> str:
    """Draw pictures one below the other.

    Args:
        pictures: What to draw, from top to bottom; at least one.
        title: What the whole is called.
        max_edges: Largest number of edges of each picture that is tried.

    Raises:
        LimitExceeded: A picture is too large to be read.
        SymrobError: The layout engine is not installed.

    Cost: that of `svg.to_svg` for each.
    """
    documents = [to_svg(p, max_edges=max_edges or MAX_EDGES) for p in pictures]
    if len(documents) == 1:
        return documents[0]
    wide, y, placed = 0.0, 0.0, []
    for document in documents:
        size = _SIZE.match(document)
        assert size is not None, "an SVG document states its size"
        placed.append(document.replace("<svg ", f'<svg y="{y:g}" ', 1))
        wide = max(wide, float(size[1]))
        y += float(size[2])
    head = (
        f'<svg xmlns="http://www.w3.org/2000/svg" role="img" width="{wide:g}" '
        f'height="{y:g}" viewBox="0 0 {wide:g} {y:g}">\n'
        f"<title>{escape(visible(title))}</title>\n"
    )
    return head + "".join(placed) + "</svg>\n"
