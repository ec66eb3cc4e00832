"""Fault modes end to end: the alternating-bit protocol, in every question."""

import csv
import io
import json
import re
import shutil
from pathlib import Path

import pytest

from bench.bench_modes import write_case
from symrob.limits import BUDGETS
from tests.cli.tools import run
from tests.models.tools import components, load
from tests.oracles.classes import kind
from tests.schemas import validate

ABP = "models/abp/abp.toml"
THERAC = "models/therac25/therac25.toml"
FORGIVEN = sorted(
    f"{channel}.{fault}"
    for channel in ("acks", "messages")
    for fault in ("duplication", "loss", "overwriting")
)
HAZARDOUS = sorted(
    f"{channel}.{fault}"
    for channel in ("acks", "messages")
    for fault in ("corruption", "spurious")
)


def asked(*args, schema, code=0):
    done = run(*args, "--format", "json")
    assert done.code == code, done.err
    data = json.loads(done.out)
    validate(data, schema)
    return data


def refused(*args):
    done = run(*args)
    assert done.code == 2
    assert "error: " in done.err
    return done.err


@pytest.mark.parametrize("algorithm", ["maximal", "connected", "brute-force"])
def test_six_of_ten_modes_are_forgiven_together(algorithm):
    data = asked("compute", ABP, "--algorithm", algorithm, schema="result")
    assert data["delta_modes"] == [FORGIVEN]
    assert sorted(data["modes"]) == sorted(FORGIVEN + HAZARDOUS)
    # One step of the messages' channel for each state of the other, say.
    assert data["modes"]["messages.loss"] == [
        [0, 0, "messages.put.0", 0],
        [0, 0, "messages.put.1", 0],
    ]
    assert data["statistics"]["candidates"] == 10


def test_by_component_and_by_single_transitions():
    data = asked("compute", ABP, "--by", "component", schema="result")
    assert data["statistics"]["candidates"] == 64
    assert [len(names) for names in data["delta_modes"]] == [28]
    data = asked("compute", ABP, "--among", "*,*,*", schema="result")
    assert data["statistics"]["candidates"] == len(data["among"]) == 624
    (deviation,) = data["delta"]
    assert len(deviation) - len(data["environment"]["transitions"]) == 212


def test_text_says_it_in_ten_lines():
    lines = run("compute", ABP).out.splitlines()
    lacking = "40 transitions that components of E lack, excluded by 'only'"
    assert lines[-2:] == ["", f"Not covered: {lacking}"]
    lines = lines[:-2]
    assert len(lines) <= 10
    assert f"Individually hazardous: {', '.join(HAZARDOUS)}" in lines
    assert "Set 1: 6 of 10 fault modes, all individually tolerated ones:" in lines
    assert ", ".join(FORGIVEN) in " ".join(" ".join(lines).split())
    found = "|Δ| = 1: 1 maximal set of fault modes; the largest has 6 fault modes;"
    assert lines[-1].startswith(found)
    details = run("compute", ABP, "--details").out
    assert "messages:CHANNEL: CHANNEL --messages.put.0--> CHANNEL" in details


def test_lines_of_json():
    done = run("compute", ABP, "--format", "jsonl")
    head, one, end = map(json.loads, done.out.splitlines())
    for line in (head, one, end):
        validate(line, "result-lines")
    assert one["modes"] == FORGIVEN
    assert set(head["modes"]) == {*FORGIVEN, *HAZARDOUS}


def test_cuts_and_summary():
    data = asked("cuts", ABP, schema="cuts")
    assert sorted(cut["modes"] for cut in data["cuts"]) == [[m] for m in HAZARDOUS]
    assert data["resilience"] == {"size": 1, "harmless": 0}
    summary = asked("summary", ABP, schema="summary")
    assert summary["alone"]["hazardous"] == HAZARDOUS
    assert summary["always"] == FORGIVEN
    assert summary["sets"] == 1
    assert "messages.spurious" in run("summary", ABP).out


def test_explain():
    good = [part for name in FORGIVEN[:2] for part in ("--mode", name)]
    data = asked("explain", ABP, *good, schema="explain")
    assert data["verdict"] == "tolerated"
    assert data["addable"] == FORGIVEN[2:]
    assert data["deviations"] == [FORGIVEN]
    bad = [*good, "--mode", "acks.spurious"]
    data = asked("explain", ABP, *bad, schema="explain")
    assert data["verdict"] == "hazardous"
    assert data["cut"]["modes"] == ["acks.spurious"]
    text = run("explain", ABP, *bad, "--expect", "hazardous")
    assert text.code == 0
    assert "\nOne of these suffices:\n  acks.spurious\n" in text.out
    assert run("explain", ABP, *bad, "--expect", "tolerated").code == 4
    assert "did you mean 'acks.loss'" in refused("explain", ABP, "--mode", "acks.los")
    assert "no fault modes" in refused("explain", THERAC, "--mode", "x")


def test_the_compact_form_names_modes(tmp_path):
    whole = asked("compute", ABP, schema="result")
    compact = asked("compute", ABP, "--compact", schema="result-2")
    assert compact["delta"] is None
    assert compact["delta_modes"] == whole["delta_modes"] != []
    path = tmp_path / "compact.json"
    path.write_text(json.dumps(compact))
    assert run("verify", path, ABP).code == 0
    path.write_text(json.dumps({**compact, "delta_modes": [["acks.loss"]]}))
    assert run("verify", path, ABP).code == 4


def test_units_that_there_are_not_and_that_do_not_fit():
    assert "--by takes one or more of" in refused("compute", ABP, "--by", "colour")
    assert "is not composed" in refused("compute", THERAC, "--by", "component")
    message = refused("compute", ABP, "--by", "component", "--extra-states", 1)
    assert "--extra-states" in message


@pytest.mark.parametrize("by", ["action", "class", "class,action"])
def test_groups_of_the_nurse_and_their_verdicts(by):
    """Each group is one mode, and all candidates are in one."""
    data = asked("compute", THERAC, "--by", by, schema="result")
    held = [tuple(t) for group in data["modes"].values() for t in group]
    assert len(held) == len(set(held)) == 76
    environment = data["environment"]
    planned = {tuple(t) for t in environment["transitions"]}
    for names, deviation in zip(data["delta_modes"], data["delta"], strict=True):
        union = {tuple(t) for name in names for t in data["modes"][name]}
        assert union | planned == set(map(tuple, deviation))


def test_the_heaviest_modes_come_first(tmp_path):
    weights = tmp_path / "weights.toml"
    weights.write_text('[[weight]]\nmode = "*.loss"\nvalue = 5\n', encoding="utf-8")
    top = ("--top", 1, "--weights", weights)
    assert asked("compute", ABP, *top, schema="result")["delta_modes"] == [FORGIVEN]
    weights.write_text('[[weight]]\nmode = "x"\nvalue = 0\n', encoding="utf-8")
    message = refused("compute", ABP, *top)
    assert "there is no fault mode 'x'" in message
    assert "'weight.value' must be" in message


def test_idle_modes_are_told(tmp_path):
    case = tmp_path / "case.toml"
    head = "\n".join(
        f'{role} = "{value}"'
        for role, value in {
            "environment": "network.lts#NETWORK",
            "controller": "protocol.lts#PROTOCOL",
        }.items()
    )
    for name in ("network", "protocol", "in_order"):
        with open(f"models/abp/{name}.lts", encoding="utf-8") as file:
            (tmp_path / f"{name}.lts").write_text(file.read(), encoding="utf-8")
    case.write_text(
        f'{head}\nproperties = ["in_order.lts"]\n[faults]\nonly = true\n'
        'nothing = []\nplan = "acks:CHANNEL,acks.put.0,FULL[0]"\n'
        'one = ["acks:CHANNEL,acks.put.0,CHANNEL"]\n'
        'two = ["acks:CHANNEL,acks.put.*,CHANNEL"]\n',
        encoding="utf-8",
    )
    done = run("compute", case)
    assert "fault mode 'nothing' is empty, so it changes nothing" in done.err
    assert (
        "'plan' contains only transitions that its components already have" in done.err
    )
    assert "one and two have 1 transition in common" in done.out
    assert run("compute", case, "--strict").code == 2


def case_file(folder, name, **changed):
    """The protocol's case in a folder of its own, with some lines changed."""
    for source in ("network", "protocol", "in_order"):
        text = Path(f"models/abp/{source}.lts").read_text("utf-8")
        (folder / f"{source}.lts").write_text(text, encoding="utf-8")
    shutil.copy("models/abp/words.toml", folder)
    (folder / "forgetful.lts").write_text(FORGETFUL_TEXT, encoding="utf-8")
    text = Path(ABP).read_text("utf-8")
    for old, new in changed.values():
        assert old in text
        text = text.replace(old, new)
    path = folder / name
    path.write_text(text, encoding="utf-8")
    return path


# It stops and waits, without looking at any bit.
FORGETFUL_TEXT = """
range Bit = 0..1
SENDER = (input -> messages.put[0] -> acks.get[Bit] -> SENDER) + {messages.put[Bit]}.
RECEIVER = (messages.get[Bit] -> output -> acks.put[0] -> RECEIVER) + {acks.put[Bit]}.
||PROTOCOL = (SENDER || RECEIVER).
"""
FORGETFUL = ("protocol.lts#PROTOCOL", "forgetful.lts#PROTOCOL")


def test_compare_with_a_protocol_without_bits(tmp_path):
    good = case_file(tmp_path, "good.toml")
    bad = case_file(tmp_path, "bad.toml", controller=FORGETFUL)
    data = asked("compare", good, bad, schema="compare")
    assert data["verdict"] == "incomparable"
    # Only it suffers from what comes twice; only the bit can be corrupted.
    assert [side["witness"]["units"] for side in data["surplus"]] == [
        ["messages.duplication"],
        ["messages.corruption"],
    ]
    assert "incomparable" in run("compare", bad, good).out
    assert asked("compare", good, good, schema="compare")["verdict"] == "equal"
    fewer = case_file(tmp_path, "fewer.toml", x=("[faults.acks]", "[faults.lost]"))
    assert "only the first has 'acks.corruption'" in refused("compare", good, fewer)
    data = asked("compare", good, bad, "--delta", schema="compare")
    mine, theirs = data["delta"]
    assert mine == [FORGIVEN]
    assert [m for m in theirs[0] if "acks" in m][:2] == ["acks.corruption", "acks.loss"]
    text = run("compare", good, bad, "--delta", "--limit", 1).out
    assert "Maximal sets of A that B does not tolerate:\nSet 1:\n" in text
    assert run("compare", good, good, "--delta").out.count("  none\n") == 2


def test_a_table_of_modes_and_designs(monkeypatch):
    """The verdict of each mode alone is that of the summary of each design."""
    monkeypatch.setitem(BUDGETS, "story", 0.0)  # Another test reads it.
    cases = [f"models/two_phase_commit/two_phase_commit{n}.toml" for n in WITH_LOG]
    found = asked("compare", *cases, schema="compare")["modes"]
    summaries = [asked("summary", case, schema="summary")["alone"] for case in cases]
    assert found == {
        mode: [v.replace("_", "-") for s in summaries for v in s if mode in s[v]]
        for mode in found
    }
    assert found["crash"] == ["tolerated", "hazardous"]
    text = run("compare", *cases).out
    assert "\n                         A          B\n  crash                  t" in text
    ordered = asked("compare", *cases, cases[0], schema="ranking")["modes"]
    assert {m: three[:2] for m, three in ordered.items()} == found


WITH_LOG = ("", "_forgetful")


def test_the_order_in_which_modes_are_declared_means_nothing(tmp_path):
    folder = tmp_path / "abp"
    shutil.copytree("models/abp", folder)
    text = (folder / "stop_and_wait.toml").read_text()
    head, *blocks = text.strip().split("\n[faults.")
    turned = folder / "turned.toml"
    turned.write_text("\n[faults.".join([head, *reversed(blocks)]))
    assert len(blocks) == 2
    data = [
        asked("compare", folder / "abp_uncorrupted.toml", case, schema="compare")
        for case in (folder / "stop_and_wait.toml", turned)
    ]
    for one in data:
        assert one["verdict"] == "more"
    assert len(data[1]["surplus"][0]["witness"]["units"]) == 1
    # One of a name that does something else is named.
    turned.write_text(text.replace('"acks"\nsend = "put.*"', '"acks"\nsend = "put.0"'))
    said = refused("compare", folder / "stop_and_wait.toml", turned)
    assert "'acks.loss' and 'acks.overwriting' change E differently" in said


def test_rules_of_a_gate_name_modes(tmp_path):
    case_file(tmp_path, "good.toml")
    case_file(tmp_path, "bad.toml", controller=FORGETFUL)
    policy = tmp_path / "policy.toml"
    rules = (
        f"[[tolerates]]\nmodes = {json.dumps(FORGIVEN)}\n"
        f"[[forbids]]\nmodes = {json.dumps(HAZARDOUS)}\n"
    )

    def judged(text):
        policy.write_text(text, encoding="utf-8")
        return run("gate", policy)

    done = judged(f'case = "good.toml"\n{rules}')
    assert done.code == 0, done.out + done.err
    asked("gate", policy, schema="gate")
    other = '[[as_robust_as]]\ncontroller = "protocol.lts#PROTOCOL"\n'
    done = judged(f'case = "bad.toml"\nresilience = 2\n{rules}{other}')
    assert done.code == 4
    assert done.out.count("FAILS") == 4
    part = "not tolerated together; adding messages.duplication violates a property"
    assert part in done.out
    assert (
        "tolerates a set that violates a property with this one: messages.duplication"
        in done.out
    )
    done = judged('case = "good.toml"\n[[forbids]]\nmodes = ["acks.loss"]\n')
    assert "1 of 1 fault mode tolerated" in done.out
    judged('case = "good.toml"\n[[forbids]]\nmodes = ["acks.los"]\n')
    assert "did you mean 'acks.loss'" in refused("gate", policy)


def test_rules_of_a_gate_name_transitions_of_components(tmp_path):
    """Each is a mode of its own: its verdict is that of `--by component`."""
    gets = [f"messages:CHANNEL:CHANNEL,messages.get.{bit},CHANNEL" for bit in (0, 1)]
    puts = [f"messages:CHANNEL:CHANNEL,messages.put.{bit},CHANNEL" for bit in (0, 1)]
    alone = asked("summary", *PLAIN, "--by", "component", schema="summary")["alone"]
    policy = tmp_path / "policy.toml"
    rules = [
        f"[[{rule}]]\nname = '{name}'\ntransitions = {json.dumps(texts)}\n"
        for name, texts in (
            ("gets", ["messages:CHANNEL,messages.get.*,CHANNEL"]),
            ("puts", puts),
        )
        for rule in ("tolerates", "forbids")
    ]
    policy.write_text("".join(rules), encoding="utf-8")
    data = asked("gate", policy, ABP, schema="gate", code=4)
    answers = [rule["answer"] for rule in data["rules"]]
    assert answers == ["fails", "holds", "holds", "fails"]
    assert {*gets} <= {*alone["hazardous"]}
    assert {*puts} <= {*alone["tolerated"]}
    (broken,) = data["rules"][0]["units"]
    assert broken in gets
    assert sorted(data["rules"][3]["units"]) == puts
    text = run("gate", policy, ABP).out
    assert f"\n         {broken}\n" in text
    assert "FAILS    gets: 2 transitions of components not tolerated together" in text
    junit = run("gate", policy, ABP, "--format", "junit").out
    for form in (text, junit):
        assert "(CHANNEL" not in form
    mixed = ["(CHANNEL, CHANNEL),acks.get.0,(CHANNEL, CHANNEL)", gets[0]]
    policy.write_text(f"[[tolerates]]\ntransitions = {json.dumps(mixed)}\n", "utf-8")
    assert "use two rules" in refused("gate", policy, ABP)


def test_pictures_show_each_component_with_what_modes_add():
    """The added edges are the transitions of the modes in the largest set."""
    data = asked("compute", ABP, schema="result")
    (chosen,) = data["delta_modes"]
    held = {tuple(t) for name in chosen for t in data["modes"][name]}
    dot = run("draw", ABP, "--format", "dot").out
    drawn = set()
    for line in dot.splitlines():
        found = re.search(
            r'id="p(\d)-s(\d)-s(\d)-(?:added|inert)".*label="([^"]*)"', line
        )
        if found:
            part, source, target = (int(found[n]) for n in (1, 2, 3))
            for action in found[4].replace("\\l", "").replace(",", " ").split():
                drawn.add((part - 1, source, action, target))
    assert drawn == held
    assert "(CHANNEL" not in dot


def test_batch_answers_in_modes(tmp_path):
    text = 'title = "Alternating-bit protocol"'
    questions = f'{text}\ncompute = ["deviations", "summary", "cuts"]'
    path = case_file(tmp_path, "case.toml", title=(text, questions))
    out = tmp_path / "rows.jsonl"
    assert run("batch", path, "--out", out, "-j", 1).code == 0
    (row,) = map(json.loads, out.read_text("utf-8").splitlines())
    validate(row, "row")
    assert row["result"]["delta_modes"] == [FORGIVEN]
    assert row["summary"]["always"] == FORGIVEN
    assert len(row["cuts"]["cuts"]) == 4


def test_seven_protocols_side_by_side(tmp_path):
    """14 channels: E would have 3^14 states, and falls into seven parts."""
    path = write_case(tmp_path, 7)
    data = asked("compute", path, schema="result")
    assert data["delta"] is None
    assert len(data["environment"]["components"]) == 14
    (modes,) = data["delta_modes"]
    lines = range(1, 8)
    assert modes == sorted(f"line.{i}.{name}" for i in lines for name in FORGIVEN)
    assert len(data["modes"]) == 70
    assert data["modes"]["line.2.acks.loss"][0][0] == 3
    done = run("compute", path)
    assert "in 7 independent parts, product not computed" in done.out
    lines = run("compute", path, "--format", "jsonl").out.splitlines()
    for line in map(json.loads, lines):
        validate(line, "result-lines")
    assert "--top" in refused("compute", path, "--top", 1)
    assert "independent parts" in refused("compute", path, "--certificate", "x")


def test_two_protocols_are_multiplied_out(tmp_path):
    data = asked("compute", write_case(tmp_path, 2), schema="result")
    assert data["environment"]["states"] == 81
    (modes,) = data["delta_modes"]
    assert modes == sorted(f"line.{i}.{name}" for i in (1, 2) for name in FORGIVEN)


def test_verify_checks_sets_of_modes_and_finds_what_is_wrong(tmp_path):
    # Of eight modes, so that all sets of them are soon tried.
    path, case = tmp_path / "result.json", "models/abp/abp_uncorrupted.toml"

    def verified(change, *more):
        data = json.loads(run("compute", case, "--format", "json").out)
        change(data)
        path.write_text(json.dumps(data), encoding="utf-8")
        return run("verify", path, case, *more)

    done = verified(lambda data: None, "--complete")
    assert done.code == 0, done.out
    assert "for 2 fault modes left out" in done.out
    assert "none is missing: the checker tried every set of fault modes" in done.out

    def fewer(data):
        data["delta_modes"][0].remove("acks.loss")

    done = verified(fewer, "--complete")
    assert done.code == 4
    assert "is not maximal: acks.loss can be added" in done.out
    assert "differs from E with its fault modes" in done.out
    assert "a maximal set of fault modes is missing" in done.out

    def more(data):
        data["delta_modes"][0].append("acks.spurious")

    told = verified(more).out
    assert "wrong (unsafe)" in told
    assert told.endswith(" errors found\n")

    def none(data):
        del data["delta_modes"]

    assert verified(none).code == 2


def test_a_priority_in_the_environment_is_refused_with_its_place(tmp_path):
    case_file(tmp_path, "case.toml")
    path = case_file(tmp_path, "first.toml", x=("#NETWORK", "#FIRST"))
    network = tmp_path / "network.lts"
    text = network.read_text("utf-8")
    first = "||FIRST = (NETWORK)<<{messages.put[Bit]}.\n"
    network.write_text(f"{text}{first}", encoding="utf-8")
    # Nobody uses it here.
    assert run("compute", tmp_path / "case.toml").code == 0
    message = refused("compute", path, "--by", "component")
    assert "network.lts:10:20" in message
    assert "a priority cannot be changed separately" in message
    two = "||TWO = (FIRST || x:CHANNEL).\n"
    network.write_text(f"{text}{first}{two}", encoding="utf-8")
    path = case_file(tmp_path, "two.toml", x=("#NETWORK", "#TWO"))
    network.write_text(f"{text}{first}{two}", encoding="utf-8")
    assert "a priority" in refused("compute", path, "--by", "component")
    assert run("compute", path, "--among", "*,acks.put.*,*").code == 0


def test_what_is_not_among_the_candidates_is_not_explained():
    asked_about = ("--among", "*,b,*", "--transition", "NO_MODE,b,NO_MODE")
    assert run("explain", THERAC, *asked_about).code == 0
    outside = ("--not-among", "*,b,*", "--transition", "NO_MODE,b,NO_MODE")
    assert "not among the selected candidates" in refused("explain", THERAC, *outside)


def test_what_is_refused_is_told_in_modes_too():
    """As of the same case without modes: E refuses `x` once the mode is chosen."""
    slips = "models/therac25/therac25_slips.toml"
    plain = json.loads(run("summary", THERAC, "--format", "json").out)["story"]
    data = asked("summary", slips, schema="summary")
    assert data["story"]["refused"] == plain["refused"] != []
    harmless = ("--mode", "'enter' once more")
    data = asked("explain", slips, *harmless, schema="explain")
    added = [[2, "enter", 2]]
    assert data["modes"]["'enter' once more"] == added
    assert [(b["state"], b["action"]) for b in data["refused"]] == [(1, "x")]
    assert data["blocked"] == []
    text = run("explain", slips, *harmless).out
    assert (
        "\nSafe, like the plan, only because the nurse never does the following" in text
    )


PLAIN = (
    *("--env", "models/abp/network.lts#NETWORK"),
    *("--ctrl", "models/abp/protocol.lts#PROTOCOL"),
    *("--prop", "models/abp/in_order.lts"),
)


def rows_of(*args):
    return list(csv.DictReader(io.StringIO(run("candidates", *args).out)))


def test_modes_of_components_have_a_table_of_components():
    """Unless an expression is about E as a whole."""
    assert rows_of(ABP) == rows_of(ABP, "--by", "component")
    assert len(rows_of(ABP)) == len(rows_of(*PLAIN, "--by", "component")) == 64
    assert len(rows_of(*PLAIN)) == 624
    assert {row["component"] for row in rows_of(ABP, "--among", "acks:*,*,*")} == {
        "acks:CHANNEL"
    }
    assert "component" not in rows_of(ABP, "--among", "*,*,*")[0]
    assert len(rows_of("models/therac25/therac25_slips.toml")) == 76


def test_a_case_can_name_the_table_that_is_yet_to_be_written(tmp_path):
    case = case_file(tmp_path, "case.toml", x=("only = true", 'table = "table.csv"'))
    out = tmp_path / "table.csv"
    assert run("candidates", case, "--out", out).code == 0
    assert out.read_text("utf-8").startswith("component,")
    # Rows of components in it are enough for the next one to be of components.
    plain = case.read_text("utf-8").partition("[faults.messages]")[0]
    case.write_text(plain, encoding="utf-8")
    assert run("candidates", case).out == out.read_text("utf-8")


def test_classes_of_components_are_relative_to_their_plan():
    """In tables, in expressions and in groups, by the definition of classes."""
    models = components(load("abp/abp.toml", "environment"))
    names = ["messages:CHANNEL", "acks:CHANNEL"]
    rows = rows_of(ABP)
    for row in rows:
        part = models[names.index(row["component"])]
        states = [part.state_name(q) for q in range(part.size)]
        ends = (states.index(row["from"]), row["action"], states.index(row["to"]))
        called, left_out = kind(part, 0, ends)
        of = "" if left_out is None else f" of {left_out}"
        assert row["class"] == called.replace("-", " ") + of
    of_class = {}
    for row in rows:
        name = row["class"].partition(" of ")[0].replace(" ", "-")
        of_class.setdefault((row["component"], name), []).append(row)
    assert len({name for _, name in of_class}) > 5
    by = asked("compute", ABP, "--by", "component,class", schema="result")["modes"]
    assert {name: len(held) for name, held in by.items()} == {
        f"{part},{name}": len(held) for (part, name), held in of_class.items()
    }
    for name in ("omission", "jump-back"):
        expression = f"messages:class:{name}"
        meant = rows_of(ABP, "--among", expression)
        assert meant == of_class["messages:CHANNEL", name]
    assert "not a class" in refused("candidates", ABP, "--among", "acks:class:x")


def test_many_candidates_of_components_are_hinted_at():
    """Once, in text, with as many modes as the option gives."""
    folder = "models/two_phase_commit"
    models = (
        *("--env", f"{folder}/network.lts#NETWORK"),
        *("--ctrl", f"{folder}/protocol.lts#WITH_LOG"),
        *("--prop", f"{folder}/agreement.lts"),
    )
    few = ("--limit", 1)
    said = run("cuts", *models, *few).err
    assert said.count("--by component") == 1
    rows = rows_of(*models, "--by", "component")
    assert f"with {len(rows)} fault modes" in said
    for quiet in (
        ("cuts", *models, *few, "--format", "json"),
        ("cuts", *models, *few, "--by", "component"),
        ("cuts", f"{folder}/two_phase_commit.toml"),
        ("cuts", *PLAIN, *few),
    ):
        assert "--by component" not in run(*quiet).err


def test_a_table_of_components_is_filled_in_and_read_back(tmp_path):
    """Its rows joined to the declared modes give the declared answer."""
    done = run("candidates", *PLAIN, "--by", "component")
    rows = list(csv.DictReader(io.StringIO(done.out)))
    assert len(rows) == 64
    declared = asked("compute", ABP, "--details", schema="result")["modes"]
    names = ["messages:CHANNEL", "acks:CHANNEL"]
    states = ["CHANNEL", "FULL[0]", "FULL[1]"]
    of = {
        (names[i], states[q], a, states[r]): mode
        for mode, held in declared.items()
        for i, q, a, r in held
    }
    verdicts = {row["individual verdict"] for row in rows}
    assert verdicts == {"tolerated", "hazardous"}
    for row in rows:
        mode = of.get(tuple(row[c] for c in ("component", "from", "action", "to")))
        row["fault mode"], row["plausible"] = (mode, "yes") if mode else ("", "no")
    table = tmp_path / "table.csv"

    def written(rows):
        with table.open("w", encoding="utf-8", newline="") as file:
            writer = csv.DictWriter(file, rows[0])
            writer.writeheader()
            writer.writerows(rows)

    written(rows)
    data = asked("compute", *PLAIN, "--table", table, schema="result")
    assert data["delta_modes"] == [FORGIVEN]
    assert data["modes"] == declared
    rows[0]["component"], rows[1]["from"] = "acks:CHANEL", "FULL[2]"
    written(rows)
    message = refused("compute", *PLAIN, "--table", table)
    assert f"{table}:2: error: column 'component': E has no component" in message
    assert "acks:CHANNEL" in message
    assert "column 'from'" in message
    assert "not composed" in refused("compute", THERAC, "--table", table)
    written([{k: v for k, v in row.items() if k != "component"} for row in rows[2:]])
    message = refused("compute", ABP, "--table", table)
    assert "candidates CASE --by component" in message


def test_an_order_of_designs_and_its_picture():
    cases = [f"models/abp/{n}.toml" for n in ("abp_uncorrupted", "stop_and_wait")]
    three = (*cases, cases[0])
    data = asked("compare", *three, schema="ranking")
    assert data["classes"] == [[0, 2], [1]]
    (step,) = data["steps"]
    assert step["added"] in (["acks.duplication"], ["messages.duplication"])
    assert data["at_least"] == [[True, True, True], [False, True, False], [True] * 3]
    assert f"       {step['added'][0]}\n" in run("compare", *three).out
    picture = run("draw", cases[0], "--compare", cases[1], "--compare", cases[0])
    assert step["added"][0] in picture.out


def test_transitions_are_explained_by_the_modes_that_hold_them(tmp_path):
    local = ("--transition", "messages:CHANNEL,messages.put.*,CHANNEL")
    data = asked("explain", ABP, *local, schema="explain")
    assert data["new"] == ["messages.loss"]
    assert len(data["held"]["by"]) == 2
    whole = ("--transition", "(CHANNEL, CHANNEL),acks.put.0,(CHANNEL, CHANNEL)")
    data = asked("explain", ABP, *whole, schema="explain")
    assert list(data["held"]["by"].values()) == [["acks.loss"]]
    assert "contained in acks.loss" in run("explain", ABP, *whole).out
    everything = ("--transition", "*,messages.get.0,*", "--expect", "hazardous")
    data = asked("explain", ABP, *everything, schema="explain")
    kinds = ("corruption", "duplication", "spurious")
    assert data["new"] == [f"messages.{kind}" for kind in kinds]
    text = run("explain", ABP, *everything).out
    assert "\n69 other transitions: contained in no fault mode\n" in text
    never = ("--transition", "(CHANNEL, CHANNEL),acks.put.0,(FULL[1], CHANNEL)")
    assert "no fault mode contains it" in refused("explain", ABP, *never)
    path = tmp_path / "result.json"
    path.write_text(run("compute", ABP, "--format", "json").out, encoding="utf-8")
    data = asked("explain", ABP, "--deviation", path, schema="explain")
    assert data["new"] == FORGIVEN
    assert "no set 2: the result has 1" in refused(
        "explain", ABP, "--deviation", f"{path}#2"
    )


def test_a_baseline_of_a_gate_is_of_the_same_modes(tmp_path):
    case_file(tmp_path, "good.toml")
    case_file(tmp_path, "bad.toml", controller=FORGETFUL)
    baseline = tmp_path / "baseline.json"
    policy = tmp_path / "policy.toml"

    def judged(case, data):
        baseline.write_text(json.dumps(data), encoding="utf-8")
        rule = '[[as_robust_as]]\nbaseline = "baseline.json"\n'
        policy.write_text(f'case = "{case}.toml"\n{rule}', encoding="utf-8")
        return run("gate", policy)

    good = json.loads(run("compute", ABP, "--format", "json").out)
    done = judged("good", good)
    assert done.code == 0
    assert "all sets of the baseline tolerated (1)" in done.out
    asked("gate", policy, schema="gate")
    proof = tmp_path / "gate.cert"
    assert run("gate", policy, "--certificate", proof).code == 0
    assert "claim: tolerates" in run("verify", proof).out
    done = judged("bad", good)
    assert done.code == 4
    assert "duplication violates a property" in done.out
    assert judged("good", {**good, "status": "limit"}).code == 3
    assert "vacuous: " in judged("good", {**good, "delta_modes": [[]]}).out
    renamed = json.loads(json.dumps(good).replace("acks.loss", "acks.lost"))
    assert "did you mean 'acks.loss'" in judged("good", renamed).err
    other = json.loads(json.dumps(good))
    other["modes"]["acks.loss"] = []
    assert "'acks.loss' differs from that of the case" in judged("good", other).err


KINDS = ("tolerated", "hazardous")


def test_pictures_of_modes(tmp_path):
    """Each transition as what the gravest of its modes amounts to alone."""
    dot = run("draw", ABP, "--verdicts", "--format", "dot").out
    edges = [
        line for line in dot.splitlines() if " -> " in line and "start" not in line
    ]
    of = {kind: "".join(e for e in edges if f's0-{kind}"' in e) for kind in KINDS}
    assert "acks.put.0" in of["tolerated"]
    assert "messages.get.0" in of["hazardous"]
    assert not any("get" in e and '"s0-s0-tolerated"' in e for e in edges)
    slips = "models/therac25/therac25_slips.toml"
    out = tmp_path / "classes.svg"
    assert run("draw", slips, "--classes", "--out", out).code == 0
    text = run("summary", slips, "--format", "csv").out
    rows = {row["fault mode"]: row for row in csv.DictReader(io.StringIO(text))}
    told = asked("summary", slips, schema="summary")
    for verdict, names in told["alone"].items():
        for name in names:
            assert rows.pop(name)["individual verdict"] == verdict
    assert not rows


def test_a_batch_compares_in_modes(tmp_path):
    text = 'title = "Alternating-bit protocol"'
    path = case_file(tmp_path, "case.toml")
    lines = path.read_text("utf-8").replace(text, f'{text}\ncompute = ["compare"]')
    against = '[against]\ncontroller = "forgetful.lts#PROTOCOL"\n'
    path.write_text(f"{lines}\n{against}", encoding="utf-8")
    out = tmp_path / "rows.jsonl"
    assert run("batch", path, "--out", out, "-j", 1).code == 0
    (row,) = map(json.loads, out.read_text("utf-8").splitlines())
    validate(row, "row")
    assert row["compare"]["verdict"] == "incomparable"


def test_seven_protocols_in_every_command(tmp_path):
    path = write_case(tmp_path, 7)
    hazardous = [f"line.{i}.{name}" for i in range(1, 8) for name in HAZARDOUS]
    summary = asked("summary", path, schema="summary")
    assert sorted(summary["alone"]["hazardous"]) == sorted(hazardous)
    assert "\n70 fault modes: 42 tolerated, 28 hazardous\n" in run("summary", path).out
    cuts = asked("cuts", path, schema="cuts")
    assert sorted(cut["modes"] for cut in cuts["cuts"]) == sorted(
        [m] for m in hazardous
    )
    both = ("--mode", "line.1.acks.loss", "--mode", "line.7.acks.spurious")
    data = asked("explain", path, *both, schema="explain")
    assert data["verdict"] == "hazardous"
    assert data["cut"]["modes"] == ["line.7.acks.spurious"]
    assert len(data["violations"]) == 1
    local = ("--transition", "line.3:acks:CHANNEL,line.3.acks.put.*,CHANNEL")
    data = asked("explain", path, *local, schema="explain")
    assert data["verdict"] == "tolerated"
    assert data["refused"][0]["name"] == "(CHANNEL, CHANNEL)"
    assert len(data["addable"]) == 41
    assert "the product of E's components is not computed" in refused(
        "explain", path, "--transition", "a,b,c"
    )
    data = asked("compare", path, path, schema="compare")
    assert data["verdict"] == "equal"
    result = tmp_path / "result.json"
    result.write_text(run("compute", path, "--format", "json").out, encoding="utf-8")
    done = run("verify", result, path)
    assert "for 28 fault modes left out" in done.out
    forged, data = tmp_path / "forged.json", json.loads(result.read_text("utf-8"))
    data["delta"] = [[[0, "nothing", 0]] for _ in data["delta_modes"]]
    forged.write_text(json.dumps(data), encoding="utf-8")
    assert "has 'delta', which the case lacks" in run("verify", forged, path).out
    policy = tmp_path / "policy.toml"
    policy.write_text(
        f'case = "{path.name}"\nresilience = 1\n[[as_robust_as]]\n'
        f'baseline = "result.json"\n[[forbids]]\nmodes = {json.dumps(hazardous[:2])}\n',
        encoding="utf-8",
    )
    done = run("gate", policy)
    assert "3 rules: 2 held, 1 failed" in done.out.splitlines()
    asked("gate", policy, schema="gate", code=4)
    assert "requires the product of E's components" in refused(
        "cuts", path, "--certificate", "x"
    )
    drawn = run("draw", path, "--verdicts", "--format", "dot").out
    assert drawn.count("  subgraph cluster_") == 14
    assert "(CHANNEL" not in drawn


def channel_of(blocked):
    """The state of the channel that has the action."""
    states = blocked["name"].strip("()").split(", ")
    return states[blocked["action"].startswith("acks")]


def test_a_mode_stands_beside_what_e_refuses_with_it(monkeypatch):
    """By its name; and what is not named is counted, not each action once."""
    monkeypatch.setitem(BUDGETS, "story", 600.0)
    forgetful = "models/two_phase_commit/two_phase_commit_forgetful.toml"
    story = asked("summary", forgetful, schema="summary")["story"]
    assert [b["added"] for b in story["refused_with"]] == [
        ["votes.loss"],
        ["decisions.loss"],
    ]
    text = run("summary", forgetful).out
    crash = "participant 2 crashes (power.2.crash) while power unit 2: on"
    assert f"\n  with votes.loss: {crash}, after 9 steps\n" in text
    assert "more; --all" not in text
    protocol = json.loads(run("summary", ABP, "--format", "json").out)["story"]
    # Those of one channel in one state are one line, whatever the other channel does.
    told = {(b["action"], channel_of(b)) for b in protocol["refused"]}
    text = run("summary", ABP).out
    assert len(protocol["refused"]) > len(told) == 8
    assert f"\n  … {len(told) - 5} more; --all lists them\n" in text
    assert "more; --all" not in run("summary", ABP, "--all").out


def test_the_contents_of_a_mode_end_with_the_option_that_lists_them():
    told = run("compute", "models/infusion/infusion.toml", "--details").out
    assert "more lines; --format json lists them" in told


def test_long_lists_of_modes(tmp_path):
    """Single transitions stand one a line, and --all prints all of them."""
    folder = shutil.copytree("models/therac25", tmp_path / "therac25")
    case = folder / "mixed.toml"
    back = '[faults]\nback = "MODE_CHOSEN,up,NO_MODE"\n'
    case.write_text((folder / "therac25.toml").read_text() + back)
    assert "more lines; --all lists them" in run("summary", case).out
    whole = run("summary", case, "--all").out
    assert "more lines" not in whole
    names = {*asked("summary", case, schema="summary")["modes"]}
    assert len(names) == 76
    lines = {line.strip() for line in whole.splitlines()}
    assert names - {"back"} <= lines


def test_names_of_modes_keep_to_the_width(tmp_path):
    case = write_case(tmp_path, 2)
    text = run("explain", case, "--mode", "line.1.acks.loss").out
    assert max(map(len, text.splitlines())) <= 100
