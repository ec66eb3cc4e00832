"""Texts that are no UTF-8: every reader says what they are; line ends of every kind."""

import codecs

import pytest

from symrob.errors import SymrobError
from symrob.files.csvtext import csv_rows
from symrob.files.tomltext import read_toml
from symrob.formats import read
from tests.cli.tools import ROOT

FOLDER = ROOT / "tests/data/formats"
HEADS = ("from", "action", "to", "probability")


def rows_of(path):
    return [row for _line, row in csv_rows(path, HEADS)]


def model_of(path):
    return read(path).network


READERS = {
    "lts": ("P = (a -> b -> P).\n", model_of),
    "aut": ('des (0, 1, 2)\n(0, "a", 1)\n', model_of),
    "fsm": ("1\n\nA\t0\t1\ngo\tA\tc\to\n", model_of),
    "json": ('{"alphabet": ["a"],\n "states": 1, "transitions": []}\n', model_of),
    "toml": ('title = "x"\n\nenvironment = "y"\n', read_toml),
    "csv": ("from,action,to,probability\nA,a,B,0.5\n", rows_of),
}
for name in (
    *("two_machines.cif", "tls_server.dot", "philosophers.fsm"),
    *("lift.json", "turnstile.json"),
):
    READERS[name] = ((FOLDER / name).read_text("utf-8"), model_of)
XML = {
    name: ((FOLDER / name).read_text("utf-8"), model_of)
    for name in ("microwave.scxml", "two_machines.wmod")
}
# No mark in front, and no character beyond ASCII: valid UTF-8, with a NUL beside each.
WIDE = {
    "UTF-16": ("utf-16", "utf-16-le", "utf-16-be"),
    "UTF-32": ("utf-32", "utf-32-le", "utf-32-be"),
}


def written(tmp_path, name, content):
    suffix = name.rpartition(".")[2]
    path = tmp_path / f"x.{suffix}"
    path.write_bytes(content)
    return str(path)


@pytest.mark.parametrize("name", READERS)
@pytest.mark.parametrize("encoding", [e for group in WIDE.values() for e in group])
def test_wide_texts_are_named(tmp_path, name, encoding):
    text, reader = READERS[name]
    path = written(tmp_path, name, text.encode(encoding))
    with pytest.raises(SymrobError) as caught:
        reader(path)
    (problem,) = caught.value.diagnostics
    family = next(family for family, group in WIDE.items() if encoding in group)
    assert (problem.code, problem.line, problem.column) == ("file-encoding", 1, 1)
    assert problem.hint == f"save the file as UTF-8; it looks like {family}"


@pytest.mark.parametrize("name", READERS)
def test_texts_with_one_byte_for_each_letter_are_named(tmp_path, name):
    text, reader = READERS[name]
    path = written(tmp_path, name, text.encode() + "é\n".encode("latin-1"))
    with pytest.raises(SymrobError) as caught:
        reader(path)
    (problem,) = caught.value.diagnostics
    assert problem.line == text.count("\n") + 1
    assert "byte 0xe9" in problem.message
    assert problem.hint.endswith("it looks like Latin-1 or Windows-1252")


def test_a_damaged_text_in_utf_8_is_called_nothing_else(tmp_path):
    path = written(tmp_path, "x.lts", "// é\n".encode() + b"P = \xff")
    with pytest.raises(SymrobError) as caught:
        read(path)
    assert caught.value.diagnostics[0].hint == "save the file as UTF-8"


@pytest.mark.parametrize("name", {**READERS, **XML})
@pytest.mark.parametrize("end", ["\r", "\r\n"])
@pytest.mark.parametrize("mark", [b"", codecs.BOM_UTF8])
def test_line_ends_and_marks_change_nothing(tmp_path, name, end, mark):
    text, reader = {**READERS, **XML}[name]
    plain = reader(written(tmp_path, name, text.encode()))
    content = mark + text.replace("\n", end).encode()
    assert reader(written(tmp_path, name, content)) == plain


@pytest.mark.parametrize("name", XML)
def test_xml_may_be_utf_16_if_it_says_nothing_else(tmp_path, name):
    text, reader = XML[name]
    plain = reader(written(tmp_path, name, text.encode()))
    body = text.partition("?>\n")[2] or text
    for encoding in WIDE["UTF-16"]:
        assert reader(written(tmp_path, name, body.encode(encoding))) == plain
    told = f'<?xml version="1.0" encoding="UTF-8"?>\n{body}'
    for family, group in WIDE.items():
        for encoding in group:
            with pytest.raises(SymrobError) as caught:
                reader(written(tmp_path, name, told.encode(encoding)))
            (problem,) = caught.value.diagnostics
            assert problem.hint.endswith(f"it looks like {family}")
    with pytest.raises(SymrobError, match="it looks like Latin-1"):
        reader(written(tmp_path, name, f"<!-- é -->{body}".encode("latin-1")))
