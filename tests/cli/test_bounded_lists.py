"""Lists in text: the first ones, then counts that add up to what JSON has."""

import json
import os
import pty
import re
import shutil
import subprocess
import sys

import pytest

from tests.cli.tools import ROOT, run

THERAC = "models/therac25/therac25.toml"
ANY_NURSE = "models/therac25/therac25_unconstrained.toml"
VOTING = "models/voting/voting_cfm_unconstrained.toml"
COMPUTE, CUTS = ("compute", ANY_NURSE), ("cuts", ANY_NURSE, "--order", "2")


def delta():
    return json.loads(run(*COMPUTE, "--format", "json").out)


def listed(text):
    """How many deviations are shown, or stand for others that are shown."""
    shown = len(re.findall(r"^Deviation [\d,]+: ", text, re.M))
    (alike,) = re.findall(r"^([\d,]+) deviations? not shown", text, re.M) or ["0"]
    return shown, number(alike)


def number(text):
    return int(text.replace(",", ""))


def counts_of(text, what):
    """(all that are not listed, their counts by size, those by what they contain)."""
    end = text.index("\nNot listed: ")
    block = " ".join(text[end:].partition("\n\n")[0].split())
    many, sizes, labels = re.fullmatch(
        rf"Not listed: ([\d,]+) {what}s?; --all lists all by [\w ]+: (.*?)"
        r"(?: containing: (.*))?",
        block,
    ).groups()
    return number(many), read(sizes), read(labels or "")


def read(text):
    """`4: 120, 3: 16, and 2 more` as a table, and how many entries are left out."""
    table, more = {}, 0
    for entry in text.split(", ") if text else ():
        if match := re.fullmatch(r"and ([\d,]+) more", entry):
            more = number(match[1])
        else:
            key, _, count = entry.rpartition(": ")
            table[key] = number(count)
    return table, more


def test_twenty_deviations_are_listed_and_the_others_counted():
    done = run(*COMPUTE)
    data = delta()
    nominal = {tuple(t) for t in data["environment"]["transitions"]}
    new = [{tuple(t) for t in d} - nominal for d in data["delta"]]
    shown, alike = listed(done.out)
    assert (done.code, shown) == (0, 20)
    left, (sizes, more), (labels, none) = counts_of(done.out, "deviation")
    assert shown + alike + left == len(new)
    assert len(sizes) == 8
    every = [len(d) for d in new]
    assert all(0 < count <= every.count(int(size)) for size, count in sizes.items())
    assert more == len({*every}) - len(sizes) > 0
    assert sum(sizes.values()) < left, "those of some sizes are left out"
    holding = {a: sum(any(t[1] == a for t in d) for d in new) for a in labels}
    assert none == 0
    assert {*labels} == {t[1] for d in new for t in d}
    assert all(holding[a] - 20 - alike <= labels[a] <= holding[a] for a in labels)
    assert done.out.splitlines()[-1].startswith(f"|Δ| = {len(new)}: ")


def test_fifty_sets_are_listed_and_the_others_counted():
    done = run(*CUTS)
    cuts = json.loads(run(*CUTS, "--format", "json").out)["cuts"]
    singles = [cut for cut in cuts if len(cut["transitions"]) == 1]
    assert (done.code, len(cuts)) == (0, 80)
    assert f"\n{len(singles)} transitions individually hazardous:\n" in done.out
    heads = re.findall(r"^Set ([\d,]+), hazardous: 2 transitions$", done.out, re.M)
    assert [*map(number, heads)] == [*range(len(singles) + 1, 51)]
    left, (sizes, _), (labels, _) = counts_of(done.out, "set")
    assert (left, sizes) == (30, {"2": 30})
    names = json.loads(run("summary", THERAC, "--format", "json").out)["environment"]
    assert {*labels} <= {*names["alphabet"]}
    assert left <= sum(labels.values()) <= 2 * left


def test_all_lists_all():
    every = run(*COMPUTE, "--all").out
    assert "Not listed" not in every
    assert sum(listed(every)) == len(delta()["delta"]) == 398
    every = run(*CUTS, "--all").out
    assert "Not listed" not in every
    assert "\nSet 80, hazardous: 2 transitions\n" in every


@pytest.mark.parametrize("asked", [COMPUTE, CUTS])
def test_a_limit_is_a_bound_of_the_user(asked):
    done = run(*asked, "--limit", "27")
    assert done.code == 3
    assert "stopped after --limit 27" in done.out
    if asked is COMPUTE:
        assert sum(listed(done.out)) == 27
    else:
        assert "\nSet 27, " in done.out
        assert "\nSet 28, " not in done.out
    assert "Not listed" not in done.out


def slow_case(folder):
    """One with more deviations and sets than can be counted, and little time to."""
    shutil.copytree(ROOT / "models/voting", folder / "voting")
    path = folder / "voting/case.toml"
    text = (folder / "voting/voting_cfm_unconstrained.toml").read_text("utf-8")
    path.write_text(f"{text}\n[budgets]\ncounting = 0.3\n", "utf-8")
    return path


@pytest.mark.parametrize(
    ("command", "end"),
    [
        ("compute", r"^More than [\d,]+ maximal deviations; counting stopped \("),
        ("cuts", r"^counting stopped \(--timeout S allows S"),
    ],
)
def test_the_end_of_counting_is_no_bound(tmp_path, command, end):
    done = run(command, slow_case(tmp_path))
    assert (done.code, done.err) == (0, "")
    what = "deviation" if command == "compute" else "set"
    (more,) = re.findall(
        rf"^Not listed: more than ([\d,]+) {what}s; --all lists all$", done.out, re.M
    )
    assert number(more) > 0
    assert len(re.findall(end, done.out, re.M)) == 1
    assert "ncomplete" not in done.out


@pytest.mark.parametrize("command", ["compute", "cuts"])
def test_a_timeout_of_the_user_is_a_bound(command, tmp_path):
    """It has nothing to do with the budget of counting, and is the user's own."""
    done = run(command, slow_case(tmp_path), "--timeout", "1")
    assert done.code == 3
    assert "Incomplete (" in done.out
    assert "raise --timeout" in done.err
    assert "ore than" not in done.out


def on_a_terminal(*args):
    """What a command prints to a terminal."""
    mine, its = pty.openpty()
    process = subprocess.Popen(
        [sys.executable, "-m", "symrob", *args],
        cwd=ROOT,
        stdout=its,
        stderr=subprocess.DEVNULL,
        stdin=subprocess.DEVNULL,
    )
    os.close(its)
    pieces = []
    while True:
        try:
            piece = os.read(mine, 65536)
        except OSError:  # The other end is closed.
            break
        if not piece:
            break
        pieces.append(piece)
    os.close(mine)
    assert process.wait(60) == 0
    return b"".join(pieces).decode("utf-8").replace("\r\n", "\n")


@pytest.mark.parametrize("asked", [COMPUTE, CUTS, ("summary", THERAC)])
def test_a_pipe_gets_what_a_terminal_gets(asked):
    def without_times(text):
        # A terminal colours verdicts.
        plain = re.sub(r"\x1b\[\d*m", "", text)
        return re.sub(r"\d+\.\d+ s\b", "# s", plain)

    assert without_times(on_a_terminal(*asked)) == without_times(run(*asked).out)
