"""What Jupyter is given: read back, it says the same as the object."""

import json
import pickle
import subprocess
import sys
import time
import xml.etree.ElementTree as ElementTree
from html.parser import HTMLParser
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from IPython.core.formatters import DisplayFormatter

import symrob
from symrob.errors import printable
from symrob.lts import ERROR, Lts, Network, Transition
from symrob.lts.deviation import Deviation
from symrob.notebook import register
from tests.report.cells import html_of, svg
from tests.report.svgtools import of_class, read, states_of, transitions_of
from tests.report.test_pictures import TABLE1, deviation_of, environment_of
from tests.report.test_pictures_text import HOSTILE

MODELS = Path(__file__).parents[2] / "models"


class Page(HTMLParser):
    """The elements, attributes and table cells of a piece of HTML."""

    def __init__(self, html):
        super().__init__(convert_charrefs=True)
        self.tags, self.attributes, self.rows, self.words = [], set(), [], []
        self.open = []
        self.feed(html)
        self.close()
        assert self.open == [], "every element is closed"

    def handle_starttag(self, tag, attrs):
        self.tags.append(tag)
        self.open.append(tag)
        self.attributes |= {name for name, _ in attrs}
        if tag == "tr":
            self.rows.append([])
        if tag in ("td", "th"):
            self.rows[-1].append("")

    def handle_startendtag(self, tag, attrs):
        self.tags.append(tag)
        self.attributes |= {name for name, _ in attrs}

    def handle_endtag(self, tag):
        assert self.open.pop() == tag

    def handle_data(self, data):
        self.words.append(data)
        if self.open and self.open[-1] in ("td", "th"):
            self.rows[-1][-1] += data


def without_pictures(monkeypatch):
    monkeypatch.setitem(sys.modules, "pygraphviz", None)


def said_by(page, names):
    """The transitions that the rows of tables stand for."""
    number = {name: i for i, name in enumerate(names)}
    return {
        Transition(number[source], action, number[target])
        for source, action, targets in page.rows
        if (source, action) != ("state", "action")
        for target in targets.replace("*", "").split(", ")
    }


@given(
    st.frozensets(
        st.builds(
            Transition, st.integers(0, 3), st.sampled_from("abc"), st.integers(0, 3)
        )
    )
)
def test_a_table_says_exactly_the_transitions(transitions):
    system = Lts("abc", 4, transitions)
    with pytest.MonkeyPatch.context() as patch:
        without_pictures(patch)
        assert svg(system) is None
        page = Page(html_of(system))
    assert said_by(page, "0123") == transitions


def test_a_model_is_a_picture_if_it_can_be_read():
    nurse = symrob.load(str(MODELS / "therac25/nurse.lts"))
    groups = read(svg(nurse))
    assert len(of_class(groups, "state")) == nurse.size
    assert html_of(nurse) is None


def test_a_network_shows_every_component():
    machine = symrob.load(str(MODELS / "therac25/machines.lts"), "THERAC25")
    assert isinstance(machine, Network)
    groups = read(svg(machine))
    states = sum(c.size for c in machine.components)
    errors = len(of_class(groups, "error"))
    assert len(of_class(groups, "state")) - errors == states
    assert html_of(machine) is None


def test_a_large_model_is_a_table_that_counts_the_rest():
    size = 10_000
    system = Lts("ab", size, [(q, "a", 7 * q % size) for q in range(size)])
    start = time.process_time()
    assert svg(system) is None
    html = html_of(system)
    assert time.process_time() - start < 1.0
    page = Page(html)
    assert len(page.rows) == 51
    assert "10,000 states" in html
    assert "9,950 more transitions" in html
    assert len(html) < 20_000


def test_many_components_are_counted():
    system = Network([Lts("a", 2, [(0, "a", 1)])] * 30)
    assert svg(system) is None
    html = html_of(system)
    assert html.count("<table>") == 8
    assert "22 more components" in html


def test_many_targets_are_counted():
    system = Lts("a", 1000, [(0, "a", q) for q in range(1000)])
    html = html_of(system)
    assert "950 more" in html
    assert len(html) < 2_000


@pytest.mark.parametrize("name", list(TABLE1))
def test_a_deviation_shows_itself_over_its_environment(name):
    plain, transitions = environment_of(name), deviation_of(name)
    named = [f"state_{q}" for q in range(plain.size)]
    environment = Lts(plain.alphabet, plain.size, plain.transitions, names=named)
    nominal = environment.visible_transitions
    deviation = Deviation(nominal, transitions - nominal, environment)
    groups = read(svg(deviation))
    assert set(states_of(groups).values()) == set(named)
    assert html_of(deviation) is None
    with pytest.MonkeyPatch.context() as patch:
        without_pictures(patch)
        page = Page(html_of(deviation))
    assert said_by(page, named) == deviation.new


def test_a_deviation_of_an_unknown_environment_shows_numbers():
    deviation = Deviation([Transition(0, "a", 1)], [Transition(1, "b", 5)])
    groups = read(svg(deviation))
    assert set(states_of(groups).values()) == set("012345")
    assert transitions_of(groups)["added"] == {Transition(1, "b", 5)}


def test_a_deviation_without_anything_new_says_so(monkeypatch):
    without_pictures(monkeypatch)
    assert "No transition" in html_of(Deviation([Transition(0, "a", 1)], []))


def test_the_environment_is_no_part_of_what_a_deviation_is():
    environment = Lts("a", 2, [(0, "a", 1)], names=["ON", "OFF"])
    parts = (environment.visible_transitions, [Transition(1, "a", 0)])
    known, unknown = Deviation(*parts, environment), Deviation(*parts)
    assert known == unknown
    assert hash(known) == hash(unknown)
    again = pickle.loads(pickle.dumps(known))
    assert (again, again.new, again.environment) == (known, known.new, environment)


def envelope_of(case):
    from symrob.api import analyse, load_roles
    from symrob.case import load_case
    from symrob.options import Options

    return analyse(load_roles(load_case(str(MODELS / case))), Options())


@pytest.mark.parametrize("algorithm", symrob.options.ALGORITHMS)
@pytest.mark.parametrize("bad", [ERROR, 0])
def test_every_algorithm_tells_deviations_their_environment(algorithm, bad):
    environment = Lts("ab", 2, [(0, "a", 1)], names=["ON", "OFF"])
    anything = Lts("ab", 1, [(0, "a", 0), (0, "b", 0)])
    once = Lts("ab", 2, [(0, "a", 1), (1, "a", bad), (0, "b", 0), (1, "b", 1)])
    envelope = symrob.compute(environment, anything, once, algorithm=algorithm)
    assert len(envelope) > 0
    for deviation in envelope:
        assert deviation.environment == environment


def test_an_envelope_shows_its_deviations_and_the_largest_as_a_picture():
    envelope = envelope_of("therac25/therac25.toml")
    html = html_of(envelope)
    page = Page(html)
    names = [envelope.environment.state_name(q) for q in range(4)]
    assert said_by(page, names) == frozenset().union(*(d.new for d in envelope))
    assert "|Δ| = 4" in html
    svg = ElementTree.fromstring(html[html.index("<svg") : html.index("</svg>") + 6])
    groups = read(ElementTree.tostring(svg, encoding="unicode"))
    shown = transitions_of(groups)["added"]
    assert len(shown) == max(len(d.new) for d in envelope)


def test_showing_a_huge_envelope_computes_only_its_beginning():
    envelope = envelope_of("voting/voting_cfm_unconstrained.toml")
    html = html_of(envelope)
    assert envelope.status == "running"
    assert html.count("<details>") == 20
    assert "The first 20" in html


def test_a_transition_that_never_fires_is_marked():
    html = html_of(envelope_of("running_example/running_example.toml"))
    assert "*" in html
    assert "can never fire" in html


@pytest.mark.parametrize("text", [t for t in HOSTILE if t])
def test_hostile_text_is_only_text_in_html(text, monkeypatch):
    without_pictures(monkeypatch)
    environment = Lts([text], 2, [(0, text, 1)], names=[text, "plain"])
    deviation = Deviation(
        environment.visible_transitions, [Transition(1, text, 0)], environment
    )
    network = Network([environment], component_names=[text])
    for shown in (environment, deviation, network):
        html = html_of(shown)
        html.encode("utf-8")
        page = Page(html)
        assert set(page.tags) <= {"p", "b", "table", "tr", "th", "td"}
        assert page.attributes == {"style"}
        assert any(printable(text) in row for row in page.rows)


def test_importing_symrob_loads_no_picture():
    script = (
        "import sys, symrob; symrob.Lts('a', 1, []);"
        "print([m for m in sys.modules if m.startswith('symrob.report')])"
    )
    done = subprocess.run(
        [sys.executable, "-c", script], capture_output=True, text=True, check=True
    )
    assert json.loads(done.stdout) == []


def test_ipython_shows_what_is_registered():
    """In a real display formatter, with types that it has not met before."""
    formatters = DisplayFormatter().formatters
    register(formatters)
    nurse = symrob.load(str(MODELS / "therac25/nurse.lts"))
    assert formatters["image/svg+xml"](nurse) == svg(nurse)
    assert formatters["text/html"](nurse) is None
    envelope = envelope_of("therac25/therac25.toml")
    assert formatters["text/html"](envelope).startswith("<p><b>|Δ| = 4")


def test_in_a_shell_importing_symrob_registers():
    script = (
        "from IPython.core.interactiveshell import InteractiveShell\n"
        "shell = InteractiveShell.instance()\n"
        "import symrob\n"
        "nurse = symrob.load('models/therac25/nurse.lts')\n"
        "print(shell.display_formatter.format(nurse)[0].keys())\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", script], capture_output=True, text=True, check=True
    )
    assert "image/svg+xml" in done.stdout
