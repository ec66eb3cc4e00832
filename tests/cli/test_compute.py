"""`compute` and `check`: what they print and what they return."""

import json
import re
import sys
import time

import jsonschema
import pytest

from symrob.api import load_roles
from symrob.case import load_case
from symrob.case.results import load_result, read_deviations
from symrob.envelope import tuning
from symrob.lts.product import product
from tests.cli.tools import run, spawn
from tests.schemas import validate

RUNNING = "models/running_example/running_example.toml"
THERAC = "models/therac25/therac25.toml"
VOTING_UNCONSTRAINED = "models/voting/voting_all_unconstrained.toml"

NATURAL = {"type": "integer", "minimum": 0}
FIGURE = {"type": ["integer", "null"], "minimum": 0}
TRANSITION = {
    "type": "array",
    "prefixItems": [NATURAL, {"type": "string"}, NATURAL],
    "minItems": 3,
    "maxItems": 3,
}


def record(**properties):
    """An object with exactly these keys."""
    return {
        "type": "object",
        "properties": properties,
        "required": list(properties),
        "additionalProperties": False,
    }


def list_of(items):
    return {"type": "array", "items": items}


RESULT = record(
    schema={"const": "symrob/result/3"},
    title={"type": "string"},
    status={"enum": ["complete", "limit", "timeout", "interrupted"]},
    reason={"type": "string"},
    algorithm={"enum": ["maximal", "connected", "plain", "brute-force"]},
    environment=record(
        alphabet=list_of({"type": "string"}),
        states={"type": "integer", "minimum": 1},
        end={"type": ["integer", "null"], "minimum": 0},
        names=list_of({"type": "string"}),
        transitions=list_of(TRANSITION),
    ),
    # These problems neither choose candidates nor have fault modes.
    among={"type": "null"},
    modes={"type": "null"},
    delta=list_of(list_of(TRANSITION)),
    delta_modes={"type": "null"},
    statistics=record(
        actions=NATURAL,
        environment_states=NATURAL,
        controller_states=FIGURE,
        property_states=FIGURE,
        winning_set=FIGURE,
        winning_set_per_env_deviation={"type": ["array", "null"], "items": NATURAL},
        delta=NATURAL,
        largest=NATURAL,
        candidates=NATURAL,
    ),
    verdicts={
        "oneOf": [
            {"type": "null"},
            record(
                **dict.fromkeys(("tolerated", "hazardous", "undecided"), NATURAL),
                **{"excluded-unsafe": NATURAL, "excluded-safe": NATURAL},
            ),
        ]
    },
    vacuous=list_of({"type": "string"}),
    side_report={"type": "null"},
    at_most={"type": "null"},
    identifiers={"type": "object"},
    not_covered={"type": "object"},
    warnings=list_of({"type": "object"}),
    timing={"type": "object", "required": ["seconds"]},
    versions={"type": "object", "additionalProperties": {"type": "string"}},
)


def result_of(*args, code=0):
    done = run("compute", *args, "--format", "json")
    assert done.code == code, done.err
    result = json.loads(done.out)
    jsonschema.validate(result, RESULT)
    return result


def same(result):
    """What two runs of one problem must agree on."""
    return {k: v for k, v in result.items() if k != "timing"}


# --- JSON -----------------------------------------------------------------


@pytest.mark.parametrize("case", [RUNNING, THERAC, "models/pca_pump/pca_pump.toml"])
def test_result_is_as_documented_and_sorted(case):
    result = result_of(case, "--sorted")
    environment, delta = result["environment"], result["delta"]
    assert environment["alphabet"] == sorted(environment["alphabet"])
    assert len(environment["names"]) == environment["states"]
    assert delta == sorted(delta)
    assert all(d == sorted(d) for d in delta)
    assert all(len({tuple(t) for t in d}) == len(d) for d in delta)
    nominal = {tuple(t) for t in environment["transitions"]}
    assert all(nominal <= {tuple(t) for t in d} for d in delta)
    statistics = result["statistics"]
    assert statistics["delta"] == len(delta)
    assert statistics["largest"] == max(map(len, delta))
    size = environment["states"] ** 2 * len(environment["alphabet"])
    assert statistics["candidates"] == size - len(nominal)


@pytest.mark.parametrize("algorithm", ["maximal", "plain"])
def test_compact_result_is_the_same_and_read_everywhere(tmp_path, algorithm):
    case = THERAC if algorithm == "maximal" else RUNNING
    args = ("compute", case, "--algorithm", algorithm, "--format", "json")
    whole, compact = run(*args).out, run(*args, "--compact").out
    path = tmp_path / "result.json"
    path.write_text(compact, encoding="utf-8")
    environment = product(load_roles(load_case(case)).environment.model)
    found = read_deviations(load_result(str(path)), environment, str(path))
    # In the same order, too.
    assert [sorted(map(list, d)) for d in found] == json.loads(whole)["delta"]
    assert run("verify", path, case).code == 0
    # One more that it leaves out: it is not maximal.
    data = json.loads(compact)
    data["delta"][0].append(
        min(set(range(len(data["tolerated"]))) - set(data["delta"][0]))
    )
    path.write_text(json.dumps(data), encoding="utf-8")
    assert run("verify", path, case).code == 4


def test_compact_lines_say_the_same():
    case = "models/therac25/therac25_unconstrained.toml"
    args = ("compute", case, "--format", "jsonl")
    _, *whole, end = map(json.loads, run(*args).out.splitlines())
    head, tolerated, *compact, last = map(
        json.loads, run(*args, "--compact").out.splitlines()
    )
    for line in (head, tolerated, *compact[:3], last):
        validate(line, "result-lines-2")
    assert last == end
    nominal = head["environment"]["transitions"]
    for line, deviation in zip(compact, whole, strict=True):
        left = set(line["without"])
        kept = [t for i, t in enumerate(tolerated["tolerated"]) if i not in left]
        assert sorted(nominal + kept) == deviation["deviation"]


def test_options_of_json_are_refused_for_text():
    done = run("compute", RUNNING, "--compact", "--sorted")
    assert done.code == 2
    assert "--compact" in done.err
    assert "--sorted" in done.err


def test_schema_can_fail():
    result = result_of(RUNNING)
    del result["statistics"]["candidates"]
    with pytest.raises(jsonschema.ValidationError):
        jsonschema.validate(result, RESULT)


def test_runs_agree_whatever_the_hash_seed():
    runs = [
        spawn("compute", THERAC, "--format", "json", PYTHONHASHSEED=str(seed))
        for seed in (0, 1)
    ]
    assert [r.code for r in runs] == [0, 0]
    first, second = [same(json.loads(r.out)) for r in runs]
    assert first == second


def test_text_agrees_whatever_the_hash_seed():
    def without_time(text):
        return re.sub(r"[0-9.]+ s$", "", text, flags=re.MULTILINE)

    texts = {
        without_time(spawn("compute", RUNNING, PYTHONHASHSEED=str(seed)).out)
        for seed in (0, 1)
    }
    assert len(texts) == 1


@pytest.mark.parametrize("case", [RUNNING, THERAC, "models/oyster/oyster.toml"])
def test_backends_agree(case, monkeypatch):
    # A small flat controller is no BDD.
    monkeypatch.setattr(tuning, "SMALL_PRODUCT", 0)
    cudd = result_of(case, "--sorted")
    monkeypatch.setitem(sys.modules, "dd.cudd", None)
    autoref = result_of(case, "--sorted")
    assert cudd["timing"]["backend"] == "cudd"
    assert autoref["timing"]["backend"] == "autoref"
    assert same(cudd) == same(autoref)


@pytest.mark.parametrize("algorithm", ["connected", "plain", "brute-force"])
def test_algorithms_agree_on_delta(algorithm, write):
    case = write(
        "small.toml",
        f'environment = "{write("e.lts", "E = (a -> F), F = (b -> E).")}"\n'
        f'controller = "{write("c.lts", "C = (a -> D), D = (b -> C | a -> G), G = (b -> C).")}"\n'  # noqa: E501
        f'properties = ["{write("p.lts", "property P = (a -> Q), Q = (b -> P).")}"]\n',
    )
    expected = result_of(case, "--sorted")
    found = result_of(case, "--sorted", "--algorithm", algorithm)
    assert found["algorithm"] == algorithm
    assert found["delta"] == expected["delta"]
    assert expected["delta"]


def test_flags_say_the_same_as_the_case_file():
    folder = "models/therac25"
    flags = result_of(
        "--env",
        f"{folder}/nurse.lts",
        "--ctrl",
        f"{folder}/machines.lts#THERAC25",
        "--prop",
        f"{folder}/xflat.lts",
        "--env-prop",
        f"{folder}/one_treatment.lts",
    )
    assert flags["delta"] == result_of(THERAC)["delta"]


def test_extra_states_are_part_of_the_environment():
    result = result_of(RUNNING, "--extra-states", "1")
    assert result["environment"]["states"] == 4
    assert result["environment"]["names"][-1].endswith("new1")


def test_constant_changes_the_model():
    one = result_of("models/pca_pump/pca_pump.toml")
    two = result_of("models/pca_pump/pca_pump.toml", "--const", "LINES=2")
    assert one["environment"]["states"] == 10
    assert two["environment"]["states"] == 16


def test_warnings_are_in_the_result_and_on_standard_error(write):
    prop = write("p.lts", "property P = (b -> P | nobody -> P).")
    args = (
        "--env=models/running_example/environment.lts",
        "--ctrl=models/running_example/controller.lts",
        f"--prop={prop}",
    )
    done = run("compute", *args, "--format", "json")
    warning, vacuous = json.loads(done.out)["warnings"]
    assert warning["code"] == "problem-property-alphabet"
    assert vacuous["code"] == "problem-vacuous-property"
    assert "nobody" in warning["message"]
    assert "nobody" in done.err


# --- text -----------------------------------------------------------------


def test_text_speaks_the_words_of_the_model():
    done = run("compute", THERAC, "--stats")
    assert done.code == 0
    assert done.err == ""
    assert done.out.startswith("Therac-25 with the bug\n")
    assert "Environment: 4 states, 5 actions, 4 transitions" in done.out
    assert re.search(r"^ +enter +MODE_CHOSEN → CONFIRMED$", done.out, re.MULTILINE)
    assert done.out.count("\nDeviation ") == 4
    assert re.search(r"\|W_Penv\| +28, 30, 31, 37", done.out)
    assert "|Δ| = 4: 4 maximal deviations; the largest has 21 " in done.out


def test_text_lists_every_new_transition():
    result = result_of(THERAC)
    nominal = {tuple(t) for t in result["environment"]["transitions"]}
    news = [len({tuple(t) for t in d} - nominal) for d in result["delta"]]
    out = run("compute", THERAC, "--details").out
    heads = re.findall(r"Deviation \d+: (\d+) transitions, (\d+) new", out)
    assert sorted(int(new) for _, new in heads) == sorted(news)
    for block in out.split("\nDeviation ")[1:]:
        body = block.split("\n\n")[0].splitlines()
        targets = sum(line.split("→")[1].count(",") + 1 for line in body[1:])
        assert targets == int(re.search(r"(\d+) new", body[0])[1])


# --- bounds ---------------------------------------------------------------


def test_limit_stops_and_says_so():
    result = result_of(THERAC, "--limit", "2", code=3)
    assert result["status"] == "limit"
    assert len(result["delta"]) == 2
    everything = result_of(THERAC)["delta"]
    assert all(d in everything for d in result["delta"])
    done = run("compute", THERAC, "--limit", "2")
    assert done.code == 3
    assert "Incomplete (stopped after --limit 2 deviations)" in done.out
    assert "incomplete" in done.err


def test_limit_that_is_not_reached():
    assert result_of(THERAC, "--limit", "4")["status"] == "complete"


def test_timeout_stops_and_keeps_what_was_found():
    begun = time.monotonic()
    done = run("compute", VOTING_UNCONSTRAINED, "--timeout", "1", "--format", "json")
    assert time.monotonic() - begun < 20
    assert done.code == 3
    result = json.loads(done.out)
    assert result["status"] == "timeout"
    assert result["statistics"]["delta"] == len(result["delta"]) > 0
    # Thousands would take longer to validate than to find.
    jsonschema.validate({**result, "delta": result["delta"][:9]}, RESULT)


def test_bound_on_nodes():
    done = run("compute", "models/pca_pump/pca_pump.toml", "--bound", "max-nodes=10")
    assert done.code == 3
    assert "--bound max-nodes" in done.err


# --- check, table ---------------------------------------------------------


@pytest.mark.parametrize("case", [RUNNING, THERAC])
def test_check_of_a_safe_system(case):
    done = run("check", case)
    assert done.code == 0
    assert done.out.startswith("safe")
