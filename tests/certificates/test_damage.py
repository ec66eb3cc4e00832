"""Damage is refused by the trailer, and what is no certificate without a traceback."""

import gzip
import json
import subprocess
import sys

import pytest

from symrob.certify.format import encoded
from symrob.certify.reading import WrongError
from tests.certificates.tools import certify_case, read, verdict, write_lines


@pytest.fixture(scope="module")
def content(tmp_path_factory):
    path = tmp_path_factory.mktemp("genuine") / "certificate"
    certify_case("running_example/running_example", path)
    return path.read_bytes()


def refused(content, path):
    path.write_bytes(content)
    return verdict(path)


def test_each_line(content, tmp_path):
    """Lost, doubled, cut, with the next one before it, with a digit changed."""
    path = tmp_path / "damaged"
    lines = content.splitlines(keepends=True)
    assert refused(content, path) == "right"
    for i, line in enumerate(lines):
        before, after = lines[:i], lines[i + 1 :]
        changed = [
            [],
            [line, line],
            [line[: len(line) // 2]],
            [line.replace(b"1", b"2")],
        ]
        changed += [[after[0], line, after[0]]] if after else []
        for instead in changed:
            damaged = b"".join([*before, *instead, *after])
            if damaged != content:
                assert refused(damaged, path) == "damaged", (i, instead)


def test_each_cut(content, tmp_path):
    for end in range(0, len(content) - 1, 7):
        assert refused(content[:end], tmp_path / "cut") == "damaged"


def test_packed(content, tmp_path):
    packed = gzip.compress(content)
    path = tmp_path / "packed"
    assert refused(packed, path) == "right"
    for end in range(2, len(packed) - 1, 13):
        assert refused(packed[:end], path) == "damaged"
        flipped = bytes([*packed[:end], packed[end] ^ 8, *packed[end + 1 :]])
        # A bit of the header may say nothing.
        assert refused(flipped, path) == "damaged" or end < 10


def test_what_stands_behind_an_end(content, tmp_path):
    """The last line fits, and another one before it ends the records."""
    lines = content.splitlines(keepends=True)[:-1]
    early = [*lines, content.splitlines(keepends=True)[-1], *lines[-2:]]
    write_lines(lines, tmp_path / "c")
    assert verdict(tmp_path / "c") == "right"
    write_lines(early, tmp_path / "c")
    assert verdict(tmp_path / "c") in ("malformed", "damaged")


@pytest.mark.parametrize("schema", ["symrob/certificate/1", "symrob/certificate/2"])
def test_the_format_before_is_told_by_the_schema(schema, content, tmp_path):
    """Not by a title that names it."""
    lines = content.splitlines(keepends=True)[:-1]
    head = {"schema": schema, "title": "as in symrob/certificate/1"}
    write_lines([encoded(head), *lines[1:]], tmp_path / "c")
    former = schema.endswith("1")
    assert verdict(tmp_path / "c") == ("malformed" if former else "right")
    if former:
        with pytest.raises(WrongError) as caught:
            read(tmp_path / "c")
        assert "is the previous format" in caught.value.args[1]


HOSTILE = {
    "nothing": b"",
    "a line": b"\n",
    "no text": bytes(range(256)),
    "brackets": b"[" * 200_000,
    "nested": b'{"schema":' * 50_000 + b"1" + b"}" * 50_000 + b"\n{}\n",
    "a number without end": b'{"schema":' + b"9" * 100_000 + b"}\n{}\n",
    "no number": b'{"schema":NaN}\n{"end":{}}\n',
    "a number": b"1\n2\n",
    "null": b"null\nnull\n",
    "empty objects": b"{}\n{}\n",
    "an empty list": b"[]\n{}\n",
    "a list as a key": b"[[]]\n{}\n",
    "no gzip": b"\x1f\x8b" + b"x" * 100,
}


@pytest.mark.parametrize("name", HOSTILE)
def test_what_is_none(name, tmp_path):
    assert refused(HOSTILE[name], tmp_path / "hostile") in ("damaged", "malformed")


def test_a_bomb(tmp_path):
    bomb = gzip.compress(b" " * (1 << 26), 1)
    assert refused(bomb, tmp_path / "bomb") in ("damaged", "malformed")


def test_the_command_says_so(content, tmp_path):
    """Exit 4 and a sentence, alone and as `symrob verify`; 2 for what is not there."""
    path = tmp_path / "damaged"
    path.write_bytes(content.replace(b"0", b"1", 1))
    for module in (["symrob.certify"], ["symrob", "verify"]):
        run = subprocess.run(
            [sys.executable, "-m", *module, path], capture_output=True, text=True
        )
        assert run.returncode == 4
        assert run.stdout.startswith("wrong (damaged): ")
        assert not run.stderr
        run = subprocess.run(
            [sys.executable, "-m", *module, tmp_path / "none"],
            capture_output=True,
            text=True,
        )
        assert run.returncode == 2
        assert "Traceback" not in run.stderr


def test_the_trailer_counts(content):
    trailer = json.loads(content.splitlines()[-1])["end"]
    assert trailer["deviation"] == 3
    assert len(trailer["sha256"]) == 64
