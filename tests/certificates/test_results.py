"""`verify RESULT CASE` compares all that the result shows of the case."""

import json

import pytest

from tests.certificates.tools import MODELS
from tests.cli.tools import run

THERAC25 = MODELS / "therac25" / "therac25.toml"
ABP = MODELS / "abp" / "abp.toml"
ASKED = {
    "transitions": (THERAC25,),
    "some": (THERAC25, "--among", "MODE_CHOSEN,b,*"),
    "modes": (ABP,),
    "compact": (THERAC25,),
}


@pytest.fixture(scope="module")
def results():
    found = {}
    for name, words in ASKED.items():
        compact = ["--compact"] * (name == "compact")
        done = run("compute", *words, "--format", "json", *compact)
        assert done.code == 0
        found[name] = json.loads(done.out)
    return found


def moved(figures, source, target):
    figures[source] -= 1
    figures[target] += 1


def in_none(data, transition):
    """One more is said to be tolerated alone, and each deviation leaves it out."""
    for left_out in data["delta"]:
        left_out.append(len(data["tolerated"]))
    data["tolerated"].append(transition)


def swapped(row):
    row[0], row[1] = row[1], row[0]


def without_deviations(data):
    data["delta"] = []
    data["statistics"] |= {"delta": 0, "largest": 0}
    if data["delta_modes"] is not None:
        data["delta_modes"] = []


# The result, what is done to it, the exit code, and what is said.
FORGED = {
    "names permuted": (
        *("transitions", lambda d: swapped(d["environment"]["names"])),
        *(2, "belongs to a different environment"),
    ),
    "names permuted, in modes": (
        *("modes", lambda d: swapped(d["environment"]["names"])),
        *(2, "belongs to a different environment"),
    ),
    "a state renamed": (
        *("transitions", lambda d: d["environment"]["names"].__setitem__(3, "IDLE")),
        *(2, "belongs to a different environment"),
    ),
    "no deviation": (
        *("transitions", without_deviations),
        *(4, "no deviation, but the nominal system is safe"),
    ),
    "no deviation, in modes": (
        *("modes", without_deviations),
        *(4, "no deviation, but the nominal system is safe"),
    ),
    "one deviation more, in the figures": (
        *("transitions", lambda d: d["statistics"].update(delta=5)),
        *(4, "has delta = 5, expected 4"),
    ),
    "a larger one, in the figures": (
        *("transitions", lambda d: d["statistics"].update(largest=99)),
        *(4, "has largest = 99, expected 21"),
    ),
    "fewer candidates, in the figures": (
        *("transitions", lambda d: d["statistics"].update(candidates=20)),
        *(4, "has candidates = 20, expected 76"),
    ),
    "other candidates": (
        *("some", lambda d: d["among"].pop()),
        *(4, "'among' of the result differs from the case"),
    ),
    "all candidates": (
        *("some", lambda d: d.pop("among")),
        *(4, "'among' of the result differs from the case"),
    ),
    "a mode that is in no set": (
        *("modes", lambda d: d["modes"]["acks.corruption"].pop()),
        *(4, "'modes' of the result differs from the case"),
    ),
    "a transition twice": (
        *("transitions", lambda d: d["delta"][0].append(d["delta"][0][0])),
        *(2, "a list of transitions contains one of them twice"),
    ),
    "a state of E that is false": (
        *(
            "transitions",
            lambda d: d["environment"]["transitions"][0].__setitem__(0, 0.0),
        ),
        *(2, "belongs to a different environment"),
    ),
    "a figure that is true": (
        *("modes", lambda d: d["statistics"].update(delta=True)),
        *(4, "has delta = True, expected 1"),
    ),
    "a hazard that is tolerated, in the verdicts": (
        *("transitions", lambda d: moved(d["verdicts"], "hazardous", "tolerated")),
        *(4, "'verdicts' of the result are wrong"),
    ),
    "a hazard that only breaks an assumption": (
        *("compact", lambda d: moved(d["verdicts"], "hazardous", "excluded-unsafe")),
        *(4, "'verdicts' of the result are wrong"),
    ),
    "a hazard that was not looked at": (
        *("compact", lambda d: moved(d["verdicts"], "hazardous", "undecided")),
        *(4, "'verdicts' of the result are wrong"),
    ),
    "verdicts without one": (
        *("transitions", lambda d: d["verdicts"].pop("hazardous")),
        *(4, "'verdicts' of the result are wrong"),
    ),
    "a verdict that is no number": (
        *("transitions", lambda d: d["verdicts"].update(undecided=False)),
        *(4, "'verdicts' of the result are wrong"),
    ),
    "tolerated alone, and in no deviation": (
        *("compact", lambda d: in_none(d, [1, "x", 1])),
        *(
            4,
            "'tolerated' of the result is wrong",
        ),
    ),
    "tolerated alone, and nothing of E": (
        *("compact", lambda d: in_none(d, [99, "z", 99])),
        *(
            4,
            "'tolerated' of the result is wrong",
        ),
    ),
    "sets of modes where there are none": (
        *("transitions", lambda d: d.update(delta_modes=[["x"]])),
        *(4, "has 'delta_modes', which the case lacks"),
    ),
    "a hazardous mode that is tolerated, in the verdicts": (
        *("modes", lambda d: moved(d["verdicts"], "hazardous", "tolerated")),
        *(4, "'verdicts' of the result are wrong"),
    ),
    "verdicts on nothing, in modes": (
        *("modes", lambda d: d.update(verdicts={"hazardous": 0})),
        *(4, "'verdicts' of the result are wrong"),
    ),
    "what is tolerated, in modes": (
        *("modes", lambda d: d.update(tolerated=[[0, "acks.get.0", 0]])),
        *(4, "has 'tolerated', which the case lacks"),
    ),
    "a state that is false": (
        *("transitions", lambda d: d["delta"][0][0].__setitem__(0, False)),
        *(2, "a deviation must be a list of [source, action, target]"),
    ),
}


def verified(name, data, tmp_path):
    case, *options = ASKED[name]
    path = tmp_path / "result.json"
    path.write_text(json.dumps(data))
    return run("verify", path, case, *options)


@pytest.mark.parametrize("name", FORGED)
def test_forged(name, results, tmp_path):
    which, change, code, said = FORGED[name]
    data = json.loads(json.dumps(results[which]))
    change(data)
    assert repr(data) != repr(results[which])
    done = verified(which, data, tmp_path)
    assert done.code == code
    assert said in done.out + done.err


@pytest.mark.parametrize("name", ASKED)
def test_genuine(name, results, tmp_path):
    assert verified(name, results[name], tmp_path).code == 0


def test_what_stopped_before_the_first_says_nothing_false(results, tmp_path):
    data = json.loads(json.dumps(results["transitions"]))
    without_deviations(data)
    data["status"] = "timeout"
    done = verified("transitions", data, tmp_path)
    assert done.code == 0
    assert "\nnot checked: whether one is missing (--complete" in done.out


def test_what_was_not_looked_at_is_left_open(results, tmp_path):
    """It breaks an assumption, whatever else it does."""
    data = json.loads(json.dumps(results["transitions"]))
    moved(data["verdicts"], "excluded-unsafe", "undecided")
    moved(data["verdicts"], "excluded-safe", "undecided")
    assert verified("transitions", data, tmp_path).code == 0


def test_no_key_comes_twice(results, tmp_path):
    """One reader would take the first, another the last."""
    text = json.dumps(results["transitions"])
    path = tmp_path / "result.json"
    path.write_text('{"delta": [[[0, "x", 0]]], ' + text[1:])
    done = run("verify", path, THERAC25)
    assert done.code == 2
    assert "duplicate key in an object" in done.err
