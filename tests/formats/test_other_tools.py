"""What other tools' files hold: written, read back, and by a second reader."""

import re
from html import unescape
from itertools import permutations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from symrob.errors import SymrobError
from symrob.formats import read, write
from symrob.lts import ERROR, TAU, Lts, Network
from tests.formats.strategies import networks, systems


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    return tmp_path_factory.mktemp("tools")


def renamed(warnings, what):
    """The names that a writer says it has changed."""
    for warning in warnings:
        if warning.message.startswith(f"{what} are written under other names"):
            assert " more" not in warning.message
            return dict(re.findall(r"'(.*?)' as '(.*?)'(?:,|$)", warning.message))
    return {}


@given(systems())
def test_a_module_of_supremica_holds_the_system(folder, lts):
    path = folder / "x.wmod"
    warnings = write(lts, str(path))
    again = read(str(path)).network
    assert again.alphabet == lts.alphabet
    assert again.transitions == lts.transitions
    assert again.size == lts.size
    if "state names" not in "".join(w.message for w in warnings) and lts.names:
        assert again.names == lts.names


@given(networks())
def test_a_module_of_supremica_holds_networks(folder, network):
    path = folder / "n.wmod"
    write(network, str(path))
    again = read(str(path)).network
    assert [c.transitions for c in again.components] == [
        c.transitions for c in network.components
    ]
    assert [c.alphabet for c in again.components] == [
        c.alphabet for c in network.components
    ]


PLAIN = ("a", "b", "c_1", "when", "x2")


@given(systems(PLAIN))
def test_a_specification_of_cif_holds_the_system(folder, lts):
    path = folder / "x.cif"
    warnings = write(lts, str(path))
    again = read(str(path)).network
    assert again.alphabet == lts.alphabet
    assert again.transitions == lts.transitions
    if lts.names is not None:
        changed = renamed(warnings, "states")
        if not any("not unique" in w.message for w in warnings):
            assert len(set(again.names)) == lts.size
            for old, new in zip(lts.names, again.names, strict=True):
                assert new.removeprefix("$") == changed.get(old, old)


@given(systems())
def test_a_specification_of_cif_tells_of_other_names(folder, lts):
    """Whatever the names are, the shape is the same, and nothing is merged."""
    path = folder / "y.cif"
    write(lts, str(path))
    again = read(str(path)).network
    found = set(again.transitions)
    assert len(again.alphabet) == len(lts.alphabet)
    spellings = (
        dict(zip((*lts.alphabet, TAU), (*words, TAU), strict=True))
        for words in permutations(again.alphabet)
    )
    rows = lts.transitions
    assert any({(s, word[a], t) for s, a, t in rows} == found for word in spellings)


# --- second readers, which share nothing with the writers -----------------

_ENTITY = re.compile(r"#(\d+);")
_POINT = re.compile(r"<U\+([0-9A-F]+)>")


def mermaid_rows(text):
    """States by identifier, transitions, initial and final ones of a diagram."""
    plain = lambda s: _ENTITY.sub(lambda m: chr(int(m[1])), s)  # noqa: E731
    return diagram_rows(text, plain, "-->")


def plantuml_rows(text):
    plain = lambda s: _POINT.sub(lambda m: chr(int(m[1], 16)), s)  # noqa: E731
    return diagram_rows(text, plain, r"-(?:\[[^]]*\]-|-)>")


def diagram_rows(text, plain, arrow):
    names, rows, first, last = {}, [], [], []
    for line in text.splitlines():
        if found := re.fullmatch(r'\s*state "(.*)" as (\w+)(?: #\w+)?', line):
            names[found[2]] = plain(found[1])
        elif found := re.fullmatch(rf"\s*(\S+) {arrow} (\S+)(?: : (.*))?", line):
            if found[1] == "[*]":
                first.append(found[2])
            elif found[2] == "[*]":
                last.append(found[1])
            else:
                rows.append((found[1], plain(found[3]), found[2]))
    return names, rows, first, last


@pytest.mark.parametrize(
    ("suffix", "reader"), [(".mmd", mermaid_rows), (".puml", plantuml_rows)]
)
@given(st.data())
def test_a_diagram_holds_the_system(folder, suffix, reader, data):
    lts = data.draw(systems())
    path = folder / f"x{suffix}"
    assert write(lts, str(path)) == ()
    names, rows, first, last = reader(path.read_text("utf-8"))
    ids = {f"s{state}": state for state in range(lts.size)} | {"error": ERROR}
    assert first == ["s0"]
    assert last == ([] if lts.end is None else [f"s{lts.end}"])
    assert sorted((ids[s], a, ids[t]) for s, a, t in rows) == sorted(lts.transitions)
    for state in range(lts.size):
        assert names[f"s{state}"] == lts.state_name(state)


@given(systems(("a", "b.1", "x")))
def test_explicit_files_of_prism_hold_the_system(folder, lts):
    path = folder / "x.tra"
    write(lts, str(path))
    head, *rows = path.read_text().splitlines()
    states, choices, transitions = map(int, head.split())
    assert choices == transitions == len(rows) == len(lts.transitions)
    error = any(t.target == ERROR for t in lts.transitions)
    assert states == lts.size + error
    found, per_state = [], {}
    for row in rows:
        source, choice, target, chance, *action = row.split(" ")
        assert chance == "1"
        assert int(choice) == per_state.get(source, 0)
        per_state[source] = int(choice) + 1
        there = ERROR if int(target) == lts.size else int(target)
        found.append((int(source), action[0] if action else TAU, there))
    assert sorted(found) == sorted(lts.transitions)
    states_file = (folder / "x.sta").read_text().splitlines()
    assert states_file == ["(s)", *(f"{i}:({i})" for i in range(states))]
    names, *marks = (folder / "x.lab").read_text().splitlines()
    numbers = dict(re.findall(r'(\d+)="(\w+)"', names))
    labels = {"init": set(), "deadlock": set(), "error": set(), "end": set()}
    for line in marks:
        state, words = line.split(": ")
        for word in words.split(" "):
            labels[numbers[word]].add(int(state))
    assert labels["init"] == {0}
    assert labels["error"] == ({lts.size} if error else set())
    assert labels["end"] == (set() if lts.end is None else {lts.end})
    sources = {t.source for t in lts.transitions}
    assert labels["deadlock"] == set(range(states)) - sources


@pytest.mark.parametrize(
    ("suffix", "wrong", "shown"),
    [
        ("tra", ["a b", "#c"], "'#c', 'a b'"),
        ("aut", ["i", " a", "b\nc"], "' a', 'b\\nc', 'i'"),
        ("fsm", ["a\tb", "c "], "'a\\tb', 'c '"),
    ],
)
def test_what_a_format_cannot_hold_is_refused_at_once(suffix, wrong, shown, tmp_path):
    with pytest.raises(SymrobError) as caught:
        write(Lts([*wrong, "fine"], 1, []), str(tmp_path / f"x.{suffix}"))
    (problem,) = caught.value.diagnostics
    assert problem.message.endswith(f"does not support the actions {shown}")
    assert problem.code.endswith("-action")
    assert not list(tmp_path.iterdir())


def test_a_network_is_one_diagram(tmp_path):
    lts = Lts(["a"], 1, [(0, "a", 0)])
    for suffix in (".mmd", ".puml"):
        path = tmp_path / f"x{suffix}"
        write(Network([lts, lts], component_names=["L", "R"]), str(path))
        text = unescape(path.read_text())
        assert 'state "L" as p1 {' in text
        assert 'state "R" as p2 {' in text
