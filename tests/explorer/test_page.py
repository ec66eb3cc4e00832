"""The page as a text: what it holds, what it allows, how large it is."""

import json
import re
import shutil
import subprocess
from base64 import b64encode
from hashlib import sha256
from math import prod

import pytest

from symrob.cli import run
from symrob.explorer.page import embedded, policy
from symrob.explorer.pictures import System, pictures
from symrob.explorer.scripts import FOLDER, joined, modules, read
from tests.explorer.javascript import NODE
from tests.explorer.problems import case_engine

THERAC = "models/therac25/therac25.toml"


@pytest.fixture(scope="module")
def therac(tmp_path_factory):
    path = tmp_path_factory.mktemp("page") / "page.html"
    assert run(["explore", THERAC, "--out", str(path)]) == 0
    return path.read_text(encoding="utf-8")


def data_of(html):
    return json.loads(re.search(r'id="data">(.*?)</script>', html, re.S)[1])


def test_it_allows_its_own_script_and_nothing_else(therac):
    allowed = re.search(r'Content-Security-Policy" content="([^"]*)"', therac)[1]
    script = re.search(r"<script>(.*?)</script>", therac, re.S)[1]
    style = re.search(r"<style>(.*?)</style>", therac, re.S)[1]

    def hashed(text):
        return f"'sha256-{b64encode(sha256(text.encode()).digest()).decode()}'"

    rules = dict(rule.split(" ", 1) for rule in allowed.split("; "))
    assert rules["default-src"] == "'none'"
    assert rules["script-src"] == hashed(script)
    assert rules["style-src"] == hashed(style)
    assert rules["worker-src"] == "blob:"
    assert "unsafe" not in allowed
    assert policy(script, style) == allowed


def test_it_has_no_handlers_styles_or_addresses_in_its_markup(therac):
    markup = re.sub(r"<(script|style)\b[^>]*>.*?</\1>", "", therac, flags=re.S)
    assert not re.search(r"<[^>]*\s(on\w+|style|src|xlink:href)=", markup)
    assert re.findall(r'href="([^"]*)"', markup) == ["data:,"]


@pytest.mark.parametrize(
    "case",
    [
        "two_phase_commit/two_phase_commit_forgetful",
        "voting/voting_all_unconstrained",
    ],
)
def test_the_largest_pages_of_table_1_are_small(tmp_path, case):
    path = tmp_path / "page.html"
    assert run(["explore", f"models/{case}.toml", "--out", str(path)]) == 0
    assert path.stat().st_size < 350_000


def test_sizes_are_bounded(therac):
    assert len(therac.encode()) < 250_000
    for file in FOLDER.iterdir():
        lines = file.read_text(encoding="utf-8").splitlines()
        assert len(lines) <= 400, file


def test_it_says_what_the_engine_says_of_each_candidate(therac):
    data = data_of(therac)
    letters = data["designs"][0]["answers"]["alone"]
    assert {c: letters.count(c) for c in "-thwo"} == {
        "-": 4,
        "t": 20,
        "h": 5,
        "w": 5,
        "o": 46,
    }
    assert len(data["designs"][0]["answers"]["deviations"]["left_out"]) == 4
    assert data["classes"]["of"].count("-") == 4


@pytest.mark.skipif(NODE is None, reason="node is not installed")
def test_it_tells_how_likely_items_and_sets_are(tmp_path):
    """Each set by its items; empty where one of them has no chance."""
    chances, path = tmp_path / "chances.toml", tmp_path / "page.html"
    chances.write_text('[probability]\n"*,x,*" = 0.25\n"NO_MODE,up,*" = 1e-7\n')
    asked = ["explore", THERAC, "--probability", str(chances), "--out", str(path)]
    assert run(asked) == 0
    data = data_of(path.read_text(encoding="utf-8"))
    known = dict(data["chances"])
    assert set(known.values()) == {0.25, 1e-7}
    sets = [s["items"] for s in data["designs"][0]["answers"]["sets"]["found"]]
    sets += [[], list(known)[:2], [i for i, p in known.items() if p < 0.1][:2]]
    script = joined("names").rstrip().removesuffix("})();") + (
        f"const names = new Names({json.dumps(data)});"
        f"console.log(JSON.stringify({sets}.map((items) => names.chance(items))));"
        "})();"
    )
    done = subprocess.run([NODE, "--eval", script], capture_output=True, text=True)
    assert not done.stderr
    for items, told in zip(sets, json.loads(done.stdout), strict=True):
        if not items or not known.keys() >= set(items):
            assert told == ""
        else:
            assert float(told) == pytest.approx(prod(known[i] for i in items), rel=1e-3)


def test_nothing_is_said_of_chances_where_nobody_gave_any(therac):
    assert data_of(therac)["chances"] == []


def test_fault_modes_of_two_designs_have_one_number(tmp_path):
    """Also where the second case declares them in another order."""
    folder = tmp_path / "therac25"
    shutil.copytree("models/therac25", folder)
    turned = folder / "therac25_slips.toml"
    lines = turned.read_text(encoding="utf-8").splitlines()
    start = lines.index("only = true") + 1
    lines[start:] = reversed(lines[start:])
    turned.write_text("\n".join(lines), encoding="utf-8")

    def page(other):
        out = tmp_path / "page.html"
        one = "models/therac25/therac20_slips.toml"
        sides = ("explore", one, "--compare", str(other), "--without-constraints")
        assert run([*sides, "--out", str(out)]) == 0
        return data_of(out.read_text(encoding="utf-8"))

    pages = page("models/therac25/therac25_slips.toml"), page(turned)
    names, other = (each["modes"] for each in pages)
    assert names == other
    told = []
    for each in pages:
        answers = [design["answers"] for design in each["designs"]]
        sets = [sorted(map(str, a["sets"]["found"])) for a in answers]
        told.append([each["comparison"], [a["alone"] for a in answers], sets])
        told[-1].append([sorted(a["deviations"]["left_out"]) for a in answers])
    assert told[0] == told[1]
    letters = told[0][1]
    assert letters[0] != letters[1]
    assert letters[1] != letters[1][::-1]


def test_data_ends_no_script():
    hostile = {"name": "</script><!--<script>&\u2028\u2029"}
    text = embedded(hostile)
    assert not set("<>&\u2028\u2029") & set(text)
    assert json.loads(text) == hostile


def test_names_of_modules_are_unique():
    """They end up in one scope."""
    names = [
        name
        for module in modules("main")
        for name in re.findall(
            r"^(?:export )?(?:const|let|class|function\*?) (\w+)",
            read(f"{module}.js"),
            re.M,
        )
    ]
    assert len(names) == len(set(names))


def test_joined_modules_have_no_imports():
    for name in ("main", "beside", "judge"):
        assert not re.search(r"^(import|export) ", joined(name), re.M)
    order = modules("main")
    assert order.index("machine") < order.index("search") < order.index("judge")


@pytest.mark.skipif(not NODE, reason="there is no node")
def test_what_of_a_link_means_nothing_is_known():
    """Also of one that is damaged as a whole, which would open as the plan."""
    links = ["on=1.2&tab=b", "on=2.1.2", "", "on=zz.1&tab=x", "%%%&foo=1", "to=-5"]
    asking = f"""
const store = new Store((item) => item < 9, ["a", "b"]);
const asked = (link) => (store.read("#" + link), [store.state.on, store.lost]);
console.log(JSON.stringify({json.dumps(links)}.map(asked)));
"""
    script = joined("store").removesuffix("})();\n") + asking + "})();"
    done = subprocess.run([NODE, "--eval", script], capture_output=True, text=True)
    assert not done.stderr
    assert json.loads(done.stdout) == [
        [[1, 2], []],
        [[1, 2], []],
        [[], []],
        [[1], ["1 of the changes", "tab=x"]],
        [[], ["%%%=", "foo=1"]],
        [[], ["to=-5"]],
    ]


def test_no_picture_of_what_cannot_be_followed():
    engine = case_engine("models/link/link_2.toml")
    component = engine.problem.controller.components[0]
    assert pictures([System(component, "large")]) == [None]


def test_a_bound_leaves_no_page(tmp_path, capsys):
    path = tmp_path / "page.html"
    arguments = ["explore", THERAC, "--timeout", "0.000001", "--out", str(path)]
    assert run(arguments) == 3
    assert not path.exists()
    assert "time" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("arguments", "code", "said"),
    [
        (["models/none.toml"], 2, "none.toml"),
        ([THERAC, "--compare", "models/voting/voting_all.toml"], 2, "environment"),
        ([THERAC, "--out", "no/such/folder/page.html"], 2, "no/such/folder"),
    ],
)
def test_bad_input(arguments, code, said, capsys):
    assert run(["explore", *arguments]) == code
    assert said in capsys.readouterr().err
