"""Pictures as documents: SVG drawn by Graphviz, or a matrix of large graphs.

In:  `Picture`s.
Out: one document, SVG or a text for other tools (DOT, Mermaid, PlantUML), the same
     bytes in every run and on every computer.

Graphviz draws the DOT text of `symrob.formats.dot` in a separate process: so it can be
stopped, warnings of its font library are hidden, and text is passed through pipes,
without a file. It has no access to the fonts of this computer, and so reserves a cell
of 7.5 by 10.5 points for each character, which fits the sizes of `symrob.formats.dot`.

Each state and edge is a group whose `id` and `class` are those of the DOT text,
with its full words as a tooltip. There is no style sheet inside, so several pictures
can stand in one page; a style sheet of the page can restyle each class.

Source: E. R. Gansner, E. Koutsofios, S. C. North, K.-P. Vo, "A technique for
drawing directed graphs", IEEE Trans. Software Eng. 19(3), 1993 (Graphviz).
"""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from collections.abc import Sequence
from importlib.util import find_spec
from itertools import compress
from time import monotonic
from xml.etree.ElementTree import Element, SubElement, fromstring, indent, tostring

from symrob.doing import Doing
from symrob.errors import Diagnostic, LimitExceeded, SymrobError
from symrob.formats.diagrams import mermaid_lines, plantuml_lines
from symrob.formats.dot import PAPER, Picture, pictures_dot, shown
from symrob.interrupts import BEAT, SIGNALS, check_request, seconds_left
from symrob.report import graphviz
from symrob.report.matrix import matrix
from symrob.words import PLAIN, Words

FORMATS = ("svg", "dot", "mermaid", "plantuml")

MOST_EDGES = 150
"""Edges of a graph that a reader can still follow, if it has enough states."""

FEW_EDGES, EDGES_PER_STATE = 18, 3
"""Edges of a graph that can be read however few its states are, and for each."""

MOST_STATES = 100
"""Maximum number of states of a matrix that a reader can use."""

MOST_PICTURES = 100
"""Pictures in one SVG document."""

SECONDS = 20.0
"""Time for Graphviz to draw one picture."""

_SVG = "http://www.w3.org/2000/svg"


def drawn(
    pictures: Sequence[Picture],
    form: str = "svg",
    *,
    title: str = "",
    max_edges: int | None = None,
    max_pictures: int | None = None,
    words: Words = PLAIN,
) -> str:
    """Write pictures as one document.

    Args:
        pictures: The pictures, from top to bottom; at least one.
        form: One of `FORMATS`.
        title: The common title of several pictures.
        max_edges: Maximum number of edges of a graph in SVG, in place of `edges_shown`;
            DOT is always a graph.
        max_pictures: Bound on the pictures of one SVG document, by default
            `MOST_PICTURES`.
        words: Words for names; tooltips tell them.

    Returns:
        The document; SVG without XML declaration, so that it can also be put into
        a page.

    Raises:
        LimitExceeded: A picture is too large to be read as a graph or a matrix, or
            there are too many.
        SymrobError: Graphviz is not installed.

    Cost: one process for all pictures; a tenth of a second for its start, and up to 2 s
        for a graph of 150 edges.
    """
    texts = {
        "dot": lambda: pictures_dot(pictures),
        "mermaid": lambda: mermaid_lines(pictures, title),
        "plantuml": lambda: plantuml_lines(pictures, title),
    }
    if form in texts:
        return "\n".join(texts[form]()) + "\n"
    count, many = len(pictures), len(pictures) > 1
    most = max_pictures or MOST_PICTURES
    if count > most:
        raise LimitExceeded(
            f"one SVG document holds at most {most} pictures, not {count:,}; name one "
            "process (FILE#PROCESS), choose another format, or raise this limit with "
            f"--bound max-pictures={count}"
        )
    prefixes = [f"p{number}-" if many else "" for number in range(1, count + 1)]
    as_graphs = [is_graph(picture, max_edges) for picture in pictures]
    graphs = iter(
        _graphs([*compress(pictures, as_graphs)], [*compress(prefixes, as_graphs)])
    )
    parts = [
        _part(picture, next(graphs) if graph else None, prefix, max_edges, words)
        for picture, graph, prefix in zip(pictures, as_graphs, prefixes, strict=True)
    ]
    root = _stacked(parts) if many else parts[0]
    return document(root, title if many else pictures[0].title)


def document(root: Element, title: str) -> str:
    """Return a drawing as a separate document, which may also be part of a page."""
    root.attrib |= {"xmlns": _SVG, "role": "img"}
    name = Element("title")
    name.text = shown(title or "Transition system")
    root.insert(0, name)
    indent(root, "")
    return tostring(root, encoding="unicode") + "\n"


def edges_shown(picture: Picture) -> int:
    """Return the maximum number of edges that are readable with these states."""
    some = max(FEW_EDGES, EDGES_PER_STATE * len(picture.states))
    return min(some, MOST_EDGES)


def is_graph(picture: Picture, max_edges: int | None = None) -> bool:
    """Whether a picture is drawn as a graph, not as a matrix."""
    return len(picture.edges) <= (max_edges or edges_shown(picture))


def is_readable(picture: Picture) -> bool:
    """Whether `drawn` can draw a picture."""
    return is_graph(picture) or len(picture.states) <= MOST_STATES


def drawn_graphs(
    pictures: Sequence[Picture],
    words: Sequence[Words],
    told: Sequence[Picture] | None = None,
) -> list[Element | None]:
    """Draw graphs, each by itself.

    Args:
        pictures: The pictures.
        words: Words for the names in each picture.
        told: The pictures with the names that tooltips show, if they differ.

    Returns:
        For each its SVG; `None` if Graphviz takes too long.

    Raises:
        LimitExceeded: The time of the run is up.
        SymrobError: Graphviz is not installed.

    Cost: as for `drawn`.
    """
    roots = _graphs(pictures, [""] * len(pictures))
    for root, picture, own in zip(roots, told or pictures, words, strict=True):
        if root is not None:
            _give_tips(root, picture, "", own)
    return roots


def _part(
    picture: Picture,
    root: Element | None,
    prefix: str,
    max_edges: int | None,
    words: Words,
) -> Element:
    """Return a picture as Graphviz drew it, or as a matrix; with tooltips."""
    if root is None:
        if len(picture.states) > MOST_STATES:
            edges = len(picture.edges)
            faint = any(edge.kind == "inert" for edge in picture.edges)
            less = "omit inert transitions (--hide-inert), " if faint else ""
            raise LimitExceeded(
                f"a picture of {len(picture.states):,} states and {edges:,} edges "
                f"is unreadable (limits: a matrix of {MOST_STATES} states, a graph "
                f"of {max_edges or edges_shown(picture)} edges within {SECONDS:g} s); "
                f"{less}choose another format, or force a graph with "
                f"--bound max-edges={edges}"
            )
        root = matrix(picture, prefix)
    _give_tips(root, picture, prefix, words)
    return root


def _give_tips(root: Element, picture: Picture, prefix: str, words: Words) -> None:
    names = {s.id: _told(s.name, words.state("E", s.name)) for s in picture.states}
    tips = {prefix + s.dot_id: names[s.id] for s in picture.states}
    meaning = dict(picture.legend)
    for edge in picture.edges:
        actions = ", ".join(_told(a, words.action(a)) for a in edge.actions)
        kind = f" ({shown(meaning[edge.kind])})" if edge.kind in meaning else ""
        between = f"{names[edge.source]} → {names[edge.target]}"
        tips[prefix + edge.id] = f"{between}: {actions}{kind}"
    for group in root.iter("g"):
        for old in group.findall("title"):
            group.remove(old)
        if group.get("id") in tips:
            tip = Element("title")
            tip.text = tips[group.attrib["id"]]
            group.insert(0, tip)


def _told(name: str, words: str) -> str:
    """A name, and what it is called where that is something else."""
    return shown(name) if words == name else f"{shown(name)} ({shown(words)})"


def laid_out(dots: Sequence[str]) -> list[str | None]:
    """Return texts of DOT as Graphviz draws them, as SVG.

    Args:
        dots: The texts.

    Returns:
        For each its picture; `None` if that takes too long, or the time of the run is
        up at the last one.

    Raises:
        LimitExceeded: The time of the run is up before.
        SymrobError: Graphviz is not installed, or fails.
        KeyboardInterrupt: A signal has ended it.
    """
    if dots and find_spec("pygraphviz") is None:
        raise SymrobError(
            Diagnostic(
                "picture-no-engine",
                "pictures need the package pygraphviz",
                hint="install it with: pip install 'symrob[draw]', or write DOT",
            )
        )
    found: list[str | None] = []
    while len(found) < len(dots):
        with Doing("laying out pictures", "pictures"):
            Doing.found = len(found)
            pictures, in_time = _by_graphviz(dots[len(found) :])
        found += pictures
        if len(found) < len(dots):
            found.append(None)
        if len(found) < len(dots) and not in_time:
            message = f"stopped after {len(found) - 1:,} of {len(dots):,} pictures; "
            raise LimitExceeded(
                message + "raise --timeout to continue", reason="timeout"
            )
    return found


def _by_graphviz(dots: Sequence[str]) -> tuple[list[str], bool]:
    """The pictures up to the first that takes too long, and whether time is left."""
    with graphviz.in_memory() as file:
        file.write("\0".join(dots).encode("utf-8", "backslashreplace"))
        file.seek(0)
        try:
            process = subprocess.Popen(
                [sys.executable, "-P", graphviz.__file__, f"{SECONDS:f}"],
                stdin=file,
                stdout=subprocess.PIPE,
                stderr=subprocess.DEVNULL,
                env={**os.environ, "FONTCONFIG_FILE": os.devnull},
                # A signal to the group is ours to answer: we end the process then.
                start_new_session=True,
            )
        except OSError as error:
            raise _failed(type(error).__name__) from error
    with process:
        try:
            output, in_time = _answer(process, SECONDS * len(dots) + 1)
        finally:
            process.kill()
    code = process.returncode if in_time else 0
    pictures = [text.decode() for text in output.split(b"\0")[:-1]]
    if -code in SIGNALS:
        raise KeyboardInterrupt
    stopped = not in_time or -code == getattr(signal, "SIGALRM", None)
    if not stopped and (code or len(pictures) < len(dots)):
        raise _failed(f"exit code {code}")
    return pictures, in_time


def _answer(process: subprocess.Popen[bytes], seconds: float) -> tuple[bytes, bool]:
    """What a process writes, and whether it ended in time; a signal ends the wait."""
    end = monotonic() + min(seconds, seconds_left())
    while True:
        try:
            return process.communicate(timeout=BEAT)[0], True
        except subprocess.TimeoutExpired as expired:
            check_request()
            if monotonic() >= end:
                return expired.stdout or b"", False


def _failed(how: str) -> SymrobError:
    message = f"Graphviz failed to draw the picture ({how})"
    return SymrobError(Diagnostic("picture-engine", message, hint="write DOT instead"))


def _graphs(
    pictures: Sequence[Picture], prefixes: Sequence[str]
) -> list[Element | None]:
    """Have Graphviz draw pictures; `None` for one that takes too long."""
    dots = [
        "\n".join(pictures_dot([p], x)) for p, x in zip(pictures, prefixes, strict=True)
    ]
    return [None if text is None else _read(text) for text in laid_out(dots)]


def _read(text: str) -> Element:
    root = fromstring(text)
    for element in root.iter():
        element.tag = element.tag.removeprefix(f"{{{_SVG}}}")
    _raise_labels(root)
    return root


def _raise_labels(root: Element) -> None:
    """Put the labels of edges above all lines, each with a rim that keeps them off."""
    graph = root.find("g")
    assert graph is not None, "Graphviz draws into one group"
    rim = {"stroke": PAPER, "stroke-width": "3", "paint-order": "stroke"}
    for group in graph.findall("g"):
        texts = group.findall("text")
        kind = group.attrib["class"]
        if texts and kind.startswith("edge"):
            look = {"class": kind.replace("edge", "label", 1)} | rim
            name = f"{group.attrib['id']}-label"
            label = SubElement(graph, "g", {"id": name} | look)
            for text in texts:
                group.remove(text)
                label.append(text)


def _stacked(parts: Sequence[Element]) -> Element:
    """Put documents one below the other."""
    root = Element("svg")
    wide = y = 0.0
    for part in parts:
        _, _, width, height = map(float, part.attrib["viewBox"].split())
        part.attrib |= {"y": f"{y:g}", "width": f"{width:g}", "height": f"{height:g}"}
        root.append(part)
        wide, y = max(wide, width), y + height
    root.attrib |= {
        "width": f"{wide:g}pt",
        "height": f"{y:g}pt",
        "viewBox": f"0 0 {wide:g} {y:g}",
    }
    return root
