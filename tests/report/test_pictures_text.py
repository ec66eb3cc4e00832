"""Names and actions of strangers: in no document do they become anything else."""

import xml.etree.ElementTree as ElementTree

import pygraphviz
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from symrob.errors import printable
from symrob.formats.dot import action_lines, lts_picture, picture_of
from symrob.lts import Lts, Transition
from symrob.report.picture import deviation_picture
from symrob.report.svg import drawn
from symrob.verdicts import VERDICTS
from tests.report.svgtools import SVG, of_class, read, states_of

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
    "\ufffe\uffff",
    "\U0001f480 日本語 עברית",
    "tab\there",
    "",
]
FORBIDDEN = [chr(c) for c in (*range(0x20), 0x7F, 0x202E, 0x2066, 0xFFFE, 0xFEFF)]


def system_of(text):
    return Lts([text or "-"], 2, [(0, text or "-", 1)], names=[text, "plain"])


@pytest.mark.parametrize("text", HOSTILE)
@pytest.mark.parametrize("max_edges", [None, -1], ids=["graph", "matrix"])
def test_hostile_text_is_only_text_in_svg(text, max_edges):
    """Graphviz, all escapes and entities of DOT undone, shows what the model says."""
    picture = lts_picture(system_of(text), title=text)
    svg = drawn([picture], title=text, max_edges=max_edges)
    svg.encode("utf-8")
    assert not any(c in svg.replace("\n", "") for c in FORBIDDEN)
    root = ElementTree.fromstring(svg)
    assert {e.tag.removeprefix(SVG) for e in root.iter()} <= {
        *("svg", "g", "title", "rect", "ellipse", "path", "polygon", "text"),
    }
    for element in root.iter():
        assert not any(
            k.lower().startswith("on") or "href" in k for k in element.attrib
        )
    groups = read(svg)
    seen = printable(text)
    said = states_of(groups)["s0"].removeprefix("→").strip()
    assert said == seen.strip()
    assert {d.title for d in of_class(groups, "initial")} == {seen}
    (edge,) = of_class(groups, "nominal" if max_edges else "label")
    assert edge.text == (seen or "-")
    assert states_of(groups)["s1"] == "plain"
    (head,) = of_class(groups, "heading" if max_edges else "graph")
    assert head.text == seen


@pytest.mark.parametrize("text", HOSTILE)
def test_hostile_names_of_designs_are_only_text_in_legends(text):
    environment = Lts("a", 2, [(0, "a", 1)])
    picture = deviation_picture(
        environment, {Transition(1, "a", 0)}, set(), names=(text, "other")
    )
    (graph,) = of_class(read(drawn([picture])), "graph")
    assert f"→ in the deviation of {printable(text)} only" in graph.text.replace(
        "\xa0", " "
    )


@pytest.mark.parametrize("text", HOSTILE)
@pytest.mark.parametrize("max_edges", [None, -1], ids=["graph", "matrix"])
@pytest.mark.parametrize("kind", VERDICTS)
def test_hostile_text_is_only_text_whatever_its_verdict(text, max_edges, kind):
    """Each in its class; a graph escapes what a double line and its label hold."""
    system = system_of(text)
    kinds = dict.fromkeys(system.transitions, kind)
    svg = drawn([picture_of(system, kinds, text)], max_edges=max_edges)
    assert not any(c in svg.replace("\n", "") for c in FORBIDDEN)
    assert {e.tag.removeprefix(SVG) for e in ElementTree.fromstring(svg).iter()} <= {
        *("svg", "g", "title", "rect", "ellipse", "path", "polygon", "text"),
    }
    groups = read(svg)
    (edge,) = of_class(of_class(groups, kind), "edge")
    said = edge if max_edges else of_class(of_class(groups, kind), "label")[0]
    assert edge.id == f"s0-s1-{kind}"
    assert said.text == (printable(text) or "-")


def test_dot_holds_every_edge_and_kind():
    environment = Lts("abc", 3, [(0, "a", 1), (1, "b", 2)])
    first = {Transition(2, "c", 0), Transition(2, "a", 0)}
    picture = deviation_picture(environment, first, {Transition(2, "b", 2)})
    graph = pygraphviz.AGraph(string=drawn([picture], "dot"))
    edges = {
        (e[0], e[1], e.attr["id"], e.attr["class"], e.attr["label"].strip())
        for e in graph.edges()
        if e[0] != "start"
    }
    assert edges == {
        ("s0", "s1", "s0-s1-nominal", "nominal", r"a\l"),
        ("s1", "s2", "s1-s2-nominal", "nominal", r"b\l"),
        ("s2", "s0", "s2-s0-only_first", "only_first", r"a, c\l"),
        ("s2", "s2", "s2-s2-only_second", "only_second", r"b\l"),
    }


@given(st.text(max_size=60))
@example("\ud800")
@example("\x85")
def test_printable_text_is_one_line_that_xml_can_hold(text):
    shown = printable(text)
    shown.encode("utf-8")
    assert len(shown.splitlines()) <= 1
    ElementTree.fromstring(f"<a>{shown.replace('&', '&amp;').replace('<', '&lt;')}</a>")
    if text.isprintable():
        assert shown == text


@given(st.lists(st.text("abc_.[]1-", min_size=1, max_size=12), min_size=1, max_size=60))
def test_lists_of_actions_lose_nothing_and_are_compact(actions):
    lines = action_lines(actions)
    assert " ".join(lines) == ", ".join(actions)
    assert max(map(len, lines)) <= 80
    assert len(lines) <= 25


def test_a_name_without_end_is_cut_and_marked():
    system = Lts("a", 1, [], names=["x" * 100_000])
    shown = states_of(read(drawn([lts_picture(system)])))["s0"].replace(" ", "")
    assert shown == "x" * 199 + "…"
