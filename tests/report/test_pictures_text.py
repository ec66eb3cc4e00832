"""Names and actions of strangers: in no document do they become anything else."""

import xml.etree.ElementTree as ElementTree

import pygraphviz
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from symrob.lts import Lts, Transition
from symrob.report.dot import to_dot
from symrob.report.lettering import visible, width, wrap_list, wrap_name
from symrob.report.picture import comparison_picture, lts_picture
from symrob.report.svg import to_svg
from tests.report.svgtools import SVG, of_class, read

HOSTILE = [
    "<script>alert(1)</script>",
    "a]]>b",
    "<!-- & -->",
    "&lt;&amp;&#65;",
    "\"quoted\" and 'single'",
    '" onload="alert(1)',
    "back\\slash\\",
    '\\"',
    "two\nlines\r\n",
    "\\N\\G\\l",
    "\x00\x01\x1b[31m\x7f\x9f",
    "\u202euser\u202c",
    "zero\u200bwidth\ufeff",
    "\ud800 lone",
    "\ufffe\uffff",
    "\U0001f480 日本語 עברית",
    "tab\there",
    "",
]
FORBIDDEN = [chr(c) for c in (*range(0x20), 0x7F, 0x202E, 0x2066, 0xFFFE, 0xFEFF)]


def system_of(text):
    return Lts([text or "-"], 2, [(0, text or "-", 1)], names=[text, "plain"])


@pytest.mark.parametrize("text", HOSTILE)
def test_hostile_text_is_only_text_in_svg(text):
    svg = to_svg(lts_picture(system_of(text), title=text))
    svg.encode("utf-8")
    assert not any(c in svg.replace("\n", "") for c in FORBIDDEN)
    root, groups, _ = read(svg)
    assert {e.tag.removeprefix(SVG) for e in root.iter()} <= {
        *("svg", "g", "title", "rect", "circle", "path", "polygon", "text", "tspan"),
    }
    for element in root.iter():
        assert not any(
            k.lower().startswith("on") or "href" in k for k in element.attrib
        )
    states = of_class(groups, "state")
    assert "".join(states[0].lines) == states[0].title == visible(text)
    assert " ".join(of_class(groups, "label")[0].lines) == visible(text or "-")
    assert "".join(states[1].lines) == "plain"


@pytest.mark.parametrize("text", HOSTILE)
def test_hostile_names_of_designs_are_only_text_in_legends(text):
    environment = Lts("a", 2, [(0, "a", 1)])
    picture = comparison_picture(
        environment, {Transition(1, "a", 0)}, set(), names=(text, "other")
    )
    _, groups, _ = read(to_svg(picture))
    legend = of_class(groups, "legend-only_first")[0]
    assert legend.lines == [f"tolerated by {visible(text)} only"]
    assert len(pygraphviz.AGraph(string=to_dot(picture)).edges()) == 3


def labels_by_graphviz(dot):
    """What Graphviz itself reads in a document: text of nodes and of edges."""
    drawn = pygraphviz.AGraph(string=dot).draw(format="svg", prog="dot").decode()
    texts = {}
    for group in ElementTree.fromstring(drawn).iter(f"{SVG}g"):
        lines = [t.text or "" for t in group.findall(f".//{SVG}text")]
        if group.get("class") in {"node"} or "nominal" in group.get("class", ""):
            texts[group.find(f"{SVG}title").text] = lines
    return texts


@pytest.mark.parametrize("text", [t for t in HOSTILE if t])
def test_graphviz_reads_back_what_was_written(text):
    """The independent reader: Graphviz, all its escapes and entities undone."""
    dot = to_dot(lts_picture(system_of(text), title=text))
    dot.encode("utf-8")
    assert not any(c in dot.replace("\n", "") for c in FORBIDDEN)
    texts = labels_by_graphviz(dot)
    # Graphviz writes spaces in SVG as no-break spaces.
    shown = {k: " ".join(v).replace("\xa0", " ") for k, v in texts.items()}
    assert shown == {
        "s0": visible(text),
        "s1": "plain",
        "start": "",
        "s0->s1": visible(text),
    }


def test_dot_holds_every_edge_and_kind():
    environment = Lts("abc", 3, [(0, "a", 1), (1, "b", 2)])
    first = {Transition(2, "c", 0), Transition(2, "a", 0)}
    picture = comparison_picture(environment, first, {Transition(2, "b", 2)})
    graph = pygraphviz.AGraph(string=to_dot(picture))
    edges = {
        (e[0], e[1], e.attr["class"], e.attr["label"])
        for e in graph.edges()
        if e[0] != "start"
    }
    assert edges == {
        ("s0", "s1", "nominal", "a"),
        ("s1", "s2", "nominal", "b"),
        ("s2", "s0", "only_first", "a, c"),
        ("s2", "s2", "only_second", "b"),
    }


@given(st.text(max_size=60))
@example("\ud800")
@example("\x85")
def test_visible_text_is_one_printable_line(text):
    shown = visible(text)
    shown.encode("utf-8")
    assert len(shown.splitlines()) <= 1
    ElementTree.fromstring(f"<a>{shown.replace('&', '&amp;').replace('<', '&lt;')}</a>")
    if text.isprintable():
        assert shown == text


def test_different_control_characters_stay_different():
    assert len({visible(c) for c in FORBIDDEN}) == len(FORBIDDEN)


@given(st.text(max_size=200), st.floats(60, 400))
@example("x" * 200, 60.0)
def test_wrapped_names_lose_nothing_and_fit(name, limit):
    lines = wrap_name(name, 13.0, limit)
    assert "".join(lines) == visible(name)
    assert all(width(line, 13.0) <= limit for line in lines)


@given(st.lists(st.text("abc_.[]1", min_size=1, max_size=12), min_size=1, max_size=60))
def test_wrapped_lists_lose_nothing_and_are_compact(items):
    lines = wrap_list(items, 11.0)
    assert " ".join(lines) == ", ".join(items)
    widest = max(width(line, 11.0) for line in lines)
    assert widest <= 450
    assert len(lines) <= 25


def test_a_name_without_end_is_cut_and_marked():
    shown = "".join(wrap_name("x" * 100_000, 13.0, 170.0))
    assert shown.endswith("…")
    assert len(shown) == 400
