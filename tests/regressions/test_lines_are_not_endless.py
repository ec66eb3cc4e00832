"""Lines of hundreds of characters, which terminals break anywhere."""

from symrob.lts import Lts, Transition
from symrob.report.text import folded, transition_lines, wrapped

NAMES = [f"A_LONG_NAME[{n}]" for n in range(60)]


def test_many_targets_go_on_below_each_other():
    lts = Lts(["go"], 60, [], names=NAMES)
    added = {Transition(q, "go", t) for q in (0, 1) for t in range(60)}
    lines = list(transition_lines(lts, added, frozenset()))
    assert max(map(len, lines)) <= 120
    # Nothing is lost, and each line but the last of a source says that it goes on.
    words = " ".join(lines).replace(",", " ").split()
    assert [w for w in words if w in NAMES].count("A_LONG_NAME[59]") == 2
    assert sum(line.endswith(",") for line in lines) == len(lines) - 2
    assert all(line.index("A") > 20 for line in lines if "→" not in line)


def test_short_lines_and_long_names_stay_as_they_are():
    assert list(wrapped("  a  b")) == ["  a  b"]
    assert list(folded("x → ", ["y" * 300])) == ["x → " + "y" * 300]
    lines = list(wrapped("  " + " ".join(NAMES)))
    assert max(map(len, lines)) <= 120
    assert " ".join(lines).split() == NAMES
    assert lines[1].startswith("      A")
