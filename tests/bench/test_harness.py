"""The measuring itself: runner, charts, comparison."""

import copy
import json
import sys
import xml.etree.ElementTree as ET

import pytest

from bench import compare, runner
from bench.bench_bounds import ask, lack
from bench.bench_rates import line, rates
from bench.bench_scaling import charts, scaling
from bench.chart import Series, line_chart
from bench.families import FAMILIES
from bench.hard_inputs import Hard
from bench.runner import measure, run_worker
from bench.setting import setting

SVG = "{http://www.w3.org/2000/svg}"
RING = "models/token_ring/token_ring.toml"


def test_a_process_is_measured_alone():
    large = measure([sys.executable, "-c", "x = bytearray(80 * 2**20); print(7)"], 60)
    small = measure([sys.executable, "-c", "import sys; sys.exit(3)"], 60)
    assert (large.code, large.output) == (0, "7\n")
    assert small.code == 3
    assert 75 < large.peak - small.peak < 100
    slow = measure([sys.executable, "-c", "import time; time.sleep(0.3)"], 60)
    assert 0.3 < slow.wall < 10


def test_a_process_that_hangs_is_killed(monkeypatch):
    monkeypatch.setattr(runner, "GRACE", 0.1)
    assert measure([sys.executable, "-c", "while True: pass"], 0.1).code == -9


@pytest.mark.parametrize("tool", ["symbolic", "explicit", "literal"])
def test_the_tools_of_the_worker_agree(tool):
    record = run_worker(tool, "models/oyster/oyster.toml", timeout=60)
    assert record["status"] == "complete"
    assert (record["delta"], record["largest"]) == (1, 4)
    assert 0 < record["seconds"]["analysis"] < record["wall"]
    assert record["peak_mib"] > 5


def test_a_time_out_is_reported_as_one():
    for tool in ("symbolic", "explicit"):
        record = run_worker(tool, RING, ["N=8"], timeout=0.05)
        assert record["status"] == "timeout"


def test_scaling_stops_at_the_first_time_out_and_draws_it_hollow():
    (family,) = [f for f in FAMILIES if f.name == "token_ring"]
    records = scaling([family], timeout=0.1)
    for tool in ("symbolic", "explicit"):
        own = [r for r in records if r["tool"] == tool]
        assert [r["status"] for r in own[:-1]] == ["complete"] * (len(own) - 1)
        assert own[-1]["status"] == "timeout"
        assert [r["size"] for r in own] == list(family.sizes[: len(own)])
    files = charts(records, 0.1)
    assert set(files) == {"token_ring_time.svg", "token_ring_memory.svg"}
    circles = ET.fromstring(files["token_ring_time.svg"]).findall(f"{SVG}circle")
    assert len(circles) == len(records)
    assert [c.get("fill") for c in circles].count("white") == 2


def test_a_chart_places_powers_of_ten_at_equal_distances():
    text = line_chart(
        "a < b", "size", "s", [Series("x & y", ((1, 0.1), (2, 1.0), (3, 10.0)))]
    )
    root = ET.fromstring(text)
    ys = [float(c.get("cy")) for c in root.findall(f"{SVG}circle")]
    assert ys[0] > ys[1] > ys[2]
    assert abs((ys[0] - ys[1]) - (ys[1] - ys[2])) < 0.2
    assert root.find(f"{SVG}title").text == "a < b"


def test_a_chart_of_one_point_has_axes():
    root = ET.fromstring(line_chart("t", "size", "s", [Series("x", ((4, 1.0),))]))
    (circle,) = root.findall(f"{SVG}circle")
    assert float(circle.get("cx")) > 0


RESULTS = {
    "setting": setting(),
    "stages": {"case": {"parse": 0.1}},
    "table1": [{"row": "r", "process": 0.2, "engine": 0.001}],
    "random": [{"seed": 1, "status": "complete", "symbolic": 0.5}],
    "rates": [{"case": "voting", "first": 1, "last": 50, "rate": 4000.0}],
    "scaling": [
        {
            "family": "pump",
            "size": 2,
            "tool": "symbolic",
            "status": "complete",
            "wall": 1.0,
            "peak_mib": 50.0,
        }
    ],
}


def compared(tmp_path, change):
    new = copy.deepcopy(RESULTS)
    change(new)
    paths = []
    for name, data in (("old", RESULTS), ("new", new)):
        paths.append(tmp_path / f"{name}.json")
        paths[-1].write_text(json.dumps(data))
    return compare.main([str(p) for p in paths])


def test_comparing_finds_what_became_worse(tmp_path, capsys):
    assert compared(tmp_path, lambda new: None) == 0
    assert "no figure changed" in capsys.readouterr().out
    assert compared(tmp_path, lambda new: new["scaling"][0].update(wall=2.0)) == 1
    assert "2.00 x  pump 2: process: 1 -> 2 s" in capsys.readouterr().out
    assert compared(tmp_path, lambda new: new["scaling"][0].update(wall=0.5)) == 0
    assert "0.50 x" in capsys.readouterr().out


def test_comparing_finds_deviations_that_come_slower(tmp_path, capsys):
    assert compared(tmp_path, lambda new: new["rates"][0].update(rate=2000.0)) == 1
    assert "2.00 x  1000 deviations of voting 1-50" in capsys.readouterr().out


def test_rates_count_every_deviation():
    (part,) = rates(["therac25"])
    assert (part["first"], part["last"]) == (1, 398)
    assert part["rate"] > 100
    assert "1-398" in line(part)


def test_comparing_takes_a_new_time_out_for_worse(tmp_path, capsys):
    def stop(new):
        new["scaling"][0]["status"] = "timeout"

    assert compared(tmp_path, stop) == 1
    assert "lost   pump 2: process" in capsys.readouterr().out


def test_comparing_leaves_noise_alone(tmp_path):
    # Twice as long, but a thousandth of a second.
    assert compared(tmp_path, lambda new: new["table1"][0].update(engine=0.002)) == 0


def test_the_setting_says_what_a_figure_needs():
    where = setting()
    assert len(where["commit"]) in (0, 40)
    assert where["machine"]["cores"] >= 1
    assert "dd" in where["packages"]


def test_what_a_bound_leaves_is_measured():
    case = runner.ROOT / "models" / "voting" / "voting_all_unconstrained.toml"
    late = ask(Hard("voting", case, ()), "json", "timeout", 0.7)
    assert (late.code, late.problem) == (3, "")
    assert late.late > -0.5
    assert late.holds or late.cpu > 0.8


@pytest.mark.parametrize(
    ("output", "kind"),
    [
        ('{"schema": "symrob/result/3", "delta": [', "result"),
        ('{"schema": "symrob/check/2"}', "check"),
        ('{"deviation": []}\n', "result-lines"),
        ("a,b\r\n1,2\r\n3", "csv"),
        ("<svg><g></svg>", "xml"),
        ("<html><p>", "html"),
        ("def monitor(:", "python"),
    ],
)
def test_what_is_not_whole_is_told(output, kind):
    assert lack(output, "incomplete: stopped after 1 s", kind, stopped=True)
    assert lack("", "", kind, stopped=True)
    assert not lack("", "error: stopped after 1 s", kind, stopped=True)
