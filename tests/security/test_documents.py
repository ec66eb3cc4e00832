"""Documents: no name breaks out of the text it stands in."""

import csv
import io
import json
import re
from html.parser import HTMLParser
from xml.etree import ElementTree

import pygraphviz
import pytest

import symrob
from tests.cli.tools import run
from tests.report.cells import html_of, svg
from tests.security.hostile import GROUPS, HOSTILE, harmful, models, write

SVG = "{http://www.w3.org/2000/svg}"
SHAPES = {"svg", "title", "rect", "g", "path", "polygon", "text", "ellipse"}


def check_svg(text):
    """Only shapes and texts; no element and no attribute that acts."""
    for element in ElementTree.fromstring(text).iter():
        assert element.tag.removeprefix(SVG) in SHAPES, element.tag
        for name, value in element.attrib.items():
            assert not name.startswith("on")
            assert "href" not in name
            assert "javascript" not in value
    assert not harmful(text)


@pytest.mark.parametrize("group", GROUPS, ids=range(len(GROUPS)))
def test_svg(tmp_path, group):
    given = models(tmp_path, group)
    done = run("draw", *given)
    assert done.code == 0
    check_svg(done.out)
    assert run("draw", tmp_path / "c.json", "--out", tmp_path / "c.svg").code == 0
    check_svg((tmp_path / "c.svg").read_text("utf-8"))


@pytest.mark.parametrize("group", GROUPS, ids=range(len(GROUPS)))
def test_dot(tmp_path, group):
    given = models(tmp_path, group)
    run("convert", tmp_path / "e.json", tmp_path / "e.dot")
    texts = [
        run("draw", *given, "--format", "dot").out,
        (tmp_path / "e.dot").read_text("utf-8"),
    ]
    for text in texts:
        graph = pygraphviz.AGraph(string=text)
        states = [
            n for n in graph.nodes() if graph.get_node(n).attr["shape"] != "point"
        ]
        assert len(states) == len(group)
        for item in (graph, *map(graph.get_node, graph.nodes())):
            attributes = item.graph_attr if item is graph else item.attr
            assert not {k.lower() for k, v in attributes.items() if v} & {
                "url",
                "href",
                "tooltip",
            }
        assert not harmful(text.replace("\t", ""))


class Tags(HTMLParser):
    """Collects what a browser would see as elements."""

    def __init__(self):
        super().__init__()
        self.found = []

    def handle_starttag(self, tag, attributes):
        self.found.append((tag, attributes))


@pytest.mark.parametrize("group", GROUPS, ids=range(len(GROUPS)))
def test_html_of_notebooks(tmp_path, group):
    models(tmp_path, group)
    parts = [symrob.load(str(tmp_path / f"{x}.json")) for x in "ecp"]
    envelope = symrob.compute(*parts, limit=2)
    found = next(iter(envelope))
    for text in [svg(part) for part in (*parts, found)]:
        check_svg(text)
    shown = [html_of(part) for part in (*parts, envelope, found)]
    assert shown[3]
    # Where there is a picture there is no table.
    for text in filter(None, shown):
        tags = Tags()
        tags.feed(text)
        assert tags.found
        for tag, attributes in tags.found:
            assert tag not in ("script", "img", "iframe", "a", "link", "object")
            for name, value in attributes:
                assert not name.startswith("on")
                assert "javascript" not in (value or "")
        assert not harmful(text)


@pytest.fixture
def rows(tmp_path):
    """A file of rows with a case for each hostile title."""
    for name in ("e", "c"):
        write(tmp_path / f"{name}.json", ["a"], ["s"], [[0, "a", 0]])
    for i, title in enumerate(HOSTILE):
        (tmp_path / f"{i}.toml").write_text(
            f"title = {json.dumps(title)}\nlabels = [{json.dumps(title)}]\n"
            'environment = "e.json"\ncontroller = "c.json"\nproperties = ["c.json"]\n'
        )
    path = tmp_path / "rows.jsonl"
    cases = sorted(tmp_path.glob("*.toml"))
    assert run("batch", *cases, "--out", path).code == 0
    return path


def test_exports_of_results(rows):
    text = run("results", rows, "--format", "csv").out
    table = list(csv.reader(io.StringIO(text)))
    assert len(table) == len(HOSTILE) + 1
    assert len({len(row) for row in table}) == 1
    for cell in (cell for row in table for cell in row):
        assert not cell.startswith(("=", "+", "-", "@", "\t", "\r", "|", "%")), cell

    text = run("results", rows, "--format", "markdown").out
    lines = [line for line in text.splitlines() if line.startswith("|")]
    assert len(lines) == len(HOSTILE) + 2
    assert len({line.replace("\\|", "").count("|") for line in lines}) == 1
    assert "<script" not in text
    assert "<img" not in text
    assert not re.search(r"(?<!\\)\]\(javascript", text)

    text = run("results", rows, "--format", "junit").out
    suite = ElementTree.fromstring(text).find("testsuite")
    assert len(suite) == len(HOSTILE)
    assert not harmful(text)

    for form in ("text", "json", "jsonl"):
        assert not harmful(run("results", rows, "--format", form).out), form


@pytest.mark.parametrize("group", GROUPS, ids=range(len(GROUPS)))
def test_junit_and_markdown_of_gates(tmp_path, group):
    policy = tmp_path / "policy.toml"
    policy.write_text(
        f"title = {json.dumps(group[0])}\n[[tolerates]]\n"
        f"name = {json.dumps(group[1])}\n"
        "transitions = ['*,*,1']\n[[forbids]]\ntransitions = ['*,*,1']\n"
    )
    done = run("gate", policy, *models(tmp_path, group), "--format", "junit")
    assert done.code == 4
    suite = ElementTree.fromstring(done.out).find("testsuite")
    assert len(suite) == 2
    assert {child.tag for case in suite for child in case} == {"failure"}
    assert not harmful(done.out)

    text = run("gate", policy, *models(tmp_path, group), "--format", "markdown").out
    lines = [line for line in text.splitlines() if line.startswith("|")]
    assert len(lines) == 4
    assert len({line.replace("\\|", "").count("|") for line in lines}) == 1
    # Names stand escaped, or in blocks of code.
    outside = "\n".join(line for line in text.splitlines() if line[:4] != "    ")
    assert "<script" not in outside
    assert "<img" not in outside
    assert not re.search(r"(?<!\\)\]\(javascript", outside)
    assert not harmful(text)
