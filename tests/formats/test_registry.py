"""Formats are found by suffix and beginning, built-in ones and others by one door."""

import sys
from importlib.metadata import EntryPoint
from types import ModuleType

import pytest

from symrob.errors import SymrobError
from symrob.formats import read, registry, write
from symrob.formats.registry import BUILT_IN, Format
from symrob.formats.text import Holds, ModelFile
from symrob.lts import Lts


@pytest.mark.parametrize("known", BUILT_IN, ids=lambda known: known.name)
def test_what_is_known_of_a_format_is_so(known):
    """The list says of each module what the module says of itself."""
    loaded = known.load()
    assert isinstance(loaded, Format)
    assert known.reads == (loaded.read is not None)
    assert known.writes == (loaded.write is not None)
    assert known.roles == (loaded.parts is not None)
    assert all(s.startswith(".") and s == s.lower() for s in known.suffixes)


def test_only_the_last_of_a_suffix_needs_no_beginning():
    for suffix in registry.suffixes():
        sharing = [k for k in BUILT_IN if k.reads and suffix in k.suffixes]
        for known in sharing[:-1]:
            assert known.load().begins is not None, known.name


@pytest.fixture
def plug_in(monkeypatch):
    """A format of another package, `.dots`: so many states in a row as dots."""
    module = ModuleType("dots_package")

    def read_dots(source):
        with open(source.path) as file:
            size = file.read().count(".")
        rows = [(s, "dot", s + 1) for s in range(size - 1)]
        return ModelFile(Lts(["dot"], size, rows), "dots")

    module.FORMAT = Format(
        "Dots",
        read_dots,
        lambda lts: ["." * lts.size],
        holds=Holds(actions=str.isalpha, others=lambda _: ["actions are dots"]),
        begins=lambda text: text.startswith("."),
        suffixes=(".dots", ".json"),
    )
    monkeypatch.setitem(sys.modules, "dots_package", module)
    asked = []

    def entry_points(group):
        asked.append(group)
        return [EntryPoint("dots", "dots_package:FORMAT", group)]

    monkeypatch.setattr("importlib.metadata.entry_points", entry_points)
    registry.plug_ins.cache_clear()
    yield asked
    registry.plug_ins.cache_clear()
    registry._loaded.cache_clear()


def test_another_package_adds_a_format(tmp_path, plug_in):
    path = tmp_path / "x.dots"
    path.write_text("...")
    assert read(str(path)).network.size == 3
    (warning,) = write(Lts(["a"], 2, []), str(path))
    assert (warning.code, warning.message) == ("dots-loss", "actions are dots")
    assert path.read_text() == "..\n"
    with pytest.raises(SymrobError, match="Dots does not support the actions '1'"):
        write(Lts(["1"], 2, []), str(path))
    other = tmp_path / "x.txt"
    other.write_text("..")
    assert read(str(other), form="dots").network.size == 2
    assert plug_in == ["symrob.formats"]


def test_another_package_shares_a_suffix(tmp_path, plug_in):
    path = tmp_path / "x.json"
    path.write_text("....")
    assert read(str(path)).network.size == 4


def test_what_is_built_in_asks_no_package(tmp_path, plug_in):
    path = tmp_path / "x.aut"
    write(Lts(["a"], 1, [(0, "a", 0)]), str(path))
    read(str(path))
    assert plug_in == []


def test_a_package_that_is_broken_is_named(tmp_path, monkeypatch):
    points = [EntryPoint("bad", "no_such_module_here:FORMAT", "symrob.formats")]
    monkeypatch.setattr("importlib.metadata.entry_points", lambda group: points)
    registry.plug_ins.cache_clear()
    try:
        with pytest.raises(SymrobError, match="'bad' of an installed package"):
            read(str(tmp_path / "x.unknown"))
    finally:
        registry.plug_ins.cache_clear()


SHARED = {
    "json": '{"alphabet": ["a"], "states": 1, "transitions": []}',
    "named": '{"schema": "symrob/model/1", "systems": [{"name": "A", "initial": "s",'
    ' "transitions": [["s", "a", "s"]]}]}',
    "xstate": '{"id": "m", "initial": "s", "states": {"s": {"on": {"a": "s"}}}}',
}


@pytest.mark.parametrize("name", SHARED)
def test_the_beginning_tells_formats_of_one_suffix(tmp_path, name):
    path = tmp_path / "x.json"
    path.write_text(SHARED[name])
    assert read(str(path)).network.alphabet == ("a",)
    other = {"json": "xstate", "named": "json", "xstate": "named"}[name]
    with pytest.raises(SymrobError):
        read(str(path), form=other)


def test_two_kinds_of_fsm(tmp_path):
    path = tmp_path / "x.fsm"
    path.write_text('x(2) Bool "f" "t"\n---\n0\n1\n---\n1 2 "go"\n2 1 "tau"\n')
    lts = read(str(path)).network
    assert lts.transitions == ((0, "go", 1), (1, "tau", 0))
    assert lts.names == ("x=f", "x=t")
    path.write_text("1\n\nA\t0\t1\ngo\tA\tc\to\n")
    assert read(str(path)).network.names == ("A",)
