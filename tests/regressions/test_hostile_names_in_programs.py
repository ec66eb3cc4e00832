"""Programs and documents with hostile names and titles are what they should be."""

import csv
import io
import json
import shutil
import subprocess
from xml.etree import ElementTree

import pytest

from symrob.case import Case, Spec
from symrob.monitor.names import comment
from symrob.monitor.targets import text_of
from tests.cli.tools import run
from tests.monitor.st import Block
from tests.monitor.test_command import monitor_of
from tests.security import hostile

TITLES = (
    *("BIGpump", "NAME", "BIG NAME BIGNAME", "??/", "???/", "?????'", "*/", "**//"),
    *("/*/", "x\\", "x ??/\nint broken;", "*??/\n/ int broken;", "(*)", "*)*)", "\r"),
)
NAMES = ("BIGpump", "NAME", "BIG", "NAMEBIG", "bigname", "big", "Max", "int", "if", "_")


@pytest.fixture(scope="module")
def found(tmp_path_factory):
    folder = tmp_path_factory.mktemp("models")
    given = hostile.models(folder, hostile.GROUPS[-1])
    environment, controller, prop = map(Spec, given[1::2])
    return folder, Case(environment, controller, (prop,))


def titled(found, title):
    from dataclasses import replace

    return replace(monitor_of(found[1]), title=title)


@pytest.mark.parametrize("name", NAMES)
def test_the_name_of_what_is_defined(found, name, tmp_path):
    check(titled(found, "title"), name, tmp_path)


@pytest.mark.parametrize("title", TITLES, ids=range(len(TITLES)))
def test_the_title(found, title, tmp_path):
    check(titled(found, title), title, tmp_path)


def check(monitor, name, folder):
    compile(text_of(monitor, "python", name), "monitor.py", "exec")
    assert Block(text_of(monitor, "st", name)).name.startswith("FB_")
    text = text_of(monitor, "c", name)
    defined = {word for word in text.split() if word.endswith("_monitor_t;")}
    assert len(defined) == 1
    if not shutil.which("gcc"):
        return
    (folder / "monitor.h").write_text(text)
    prefix = defined.pop().removesuffix("monitor_t;")
    calls = f"{prefix}monitor_t m; {prefix}init(&m); {prefix}observe(&m, 1U);"
    more = f"{prefix}at_risk_by(&m, 1U) && {prefix}assumptions_kept(&m)"
    more += f" && {prefix}action_name(1U) != NULL && {prefix}danger(&m) > 0"
    program = f'#include "monitor.h"\nint main(void) {{ {calls} return {more}; }}\n'
    (folder / "main.c").write_text(program)
    flags = [
        "-std=c99",
        "-pedantic",
        "-Wall",
        "-Wextra",
        "-Wcomment",
        "-Werror",
        "-trigraphs",
    ]
    for options in (flags, [*flags, "-Wno-trigraphs", "-x", "c++", "-std=c++14"]):
        wanted = [o for o in options if "c++" not in options or o != "-std=c99"]
        line = ["gcc", *wanted, "-fsyntax-only", "main.c"]
        done = subprocess.run(line, cwd=folder, capture_output=True, text=True)
        assert done.returncode == 0, done.stderr


@pytest.mark.parametrize("text", ["???/", "**//", "*/*/", "(*)", "?" * 9])
def test_marks_that_overlap_are_taken_apart(text):
    told = comment(text, "*/", "/*", "??", "(*", "*)")
    assert not any(mark in told for mark in ("*/", "/*", "??", "(*", "*)"))
    assert told.replace(" ", "") == text


@pytest.mark.parametrize("group", hostile.GROUPS, ids=range(len(hostile.GROUPS)))
def test_documents_of_a_risk(tmp_path, group):
    hostile.models(tmp_path, group)
    case = {"environment": "e.json", "controller": "c.json", "title": "".join(group)}
    case["probability"] = {"*,*,*": 0.125}
    lines = [f"{key} = {json.dumps(value)}" for key, value in case.items()]
    lines[-1] = 'properties = ["p.json"]\n[probability]\n"*,*,*" = 0.125'
    (tmp_path / "case.toml").write_text("\n".join(lines).replace("\x7f", "\\u007f"))

    def told(form):
        done = run("risk", tmp_path / "case.toml", "--format", form, "--all")
        assert done.code == 0, done.err
        return done.out

    risk = json.loads(told("json"))
    assert risk["sets"]
    text = told("openpsa")
    assert b"\x00" not in text.encode()
    root = ElementTree.fromstring(text.encode())
    assert not list(root.iter("script"))
    for form, heads in (("csv", 16), ("csv-sets", 6)):
        rows = list(csv.reader(io.StringIO(told(form))))
        assert {len(row) for row in rows} == {heads}
        assert not any(c.startswith(("=", "@", "\t")) for row in rows for c in row)
    for line in told("galileo").splitlines():
        assert line.startswith("//") or line.endswith(";"), line
    markdown = [x for x in told("markdown").splitlines() if x.startswith("|")]
    for line in markdown:
        plain = line.replace("\\\\", "").replace("\\|", "")
        assert plain.count("|") in (4, 7, 17), line
    for line in told("dot").splitlines()[1:-1]:
        plain = line.replace("\\\\", "").replace('\\"', "")
        assert plain.count('"') % 2 == 0, line
        assert line.endswith((";", "];")), line
