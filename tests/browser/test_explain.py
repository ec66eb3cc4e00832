"""The page against the command line, by the command that the page copies."""

import json
import re
import shlex
from math import prod
from pathlib import Path
from random import Random

import pytest

from tests.browser.conftest import answered, whole
from tests.cli.tools import run
from tests.explorer.test_page import data_of
from tests.states import Asked

# Cases with a budget of deviated steps: of the trace, or of fault modes.
BUDGETED = [
    ("models/therac25/therac25.toml", "--at-most", "1"),
    ("models/press/press.toml", "--at-most", "1"),
    ("models/two_sensors/two_sensors_once.toml",),
    ("models/two_sensors/two_sensors.toml", "--at-most", "2"),
    ("models/token_ring/token_ring_latched.toml", "--at-most", "1"),
    ("models/abp/abp.toml", "--at-most", "2"),
]
TWO = "models/two_sensors/two_sensors_once.toml"


def base36(number):
    digits = "0123456789abcdefghijklmnopqrstuvwxyz"
    found = ""
    while number or not found:
        number, digit = divmod(number, 36)
        found = digits[digit] + found
    return found


def link_of(items):
    return f"#on={'.'.join(map(base36, sorted(items)))}" if items else ""


def switch(page, path, items):
    """Have exactly these on."""
    page.goto(f"file://{path}{whole(path, link_of(items)) or '#'}")
    answered(page)


def all_items(data):
    """What can be switched on."""
    environment = data["environment"]
    letters = data["designs"][0]["answers"]["alone"]
    single = len(environment["states"]) ** 2 * environment["actions"]
    first = single if data["modes"] else 0
    return [first + i for i, letter in enumerate(letters) if letter != "-"]


def chosen(data, rng, count):
    """Random sets, and unions of minimal ones: large ones are mostly hazardous."""
    items, known = all_items(data), data["designs"][0]["answers"]["sets"]["found"]
    for number in range(count):
        found = set(rng.sample(items, min(len(items), rng.randint(1, 3))))
        if number % 3 == 1 and known:
            found = set(rng.choice(known)["items"])
        elif number % 3 == 2 and known:
            found |= set(rng.choice(known)["items"])
        yield sorted(found)


def copied(page):
    """The command that the page copies, as arguments."""
    page.get_by_role("button", name="Copy as command").click()
    page.get_by_text("The command is copied").wait_for()
    text = page.evaluate("navigator.clipboard.readText()")
    name, *arguments = shlex.split(text)
    assert name == "symrob"
    return arguments


def explained(page, case, monkeypatch):
    """What that command answers, in the folder of the case."""
    with monkeypatch.context() as patch:
        patch.chdir(Path(case).parent)
        return json.loads(run(*copied(page), "--format", "json").out)


@pytest.mark.parametrize("arguments", BUDGETED, ids=" ".join)
def test_a_budget_means_the_same(made, opened, arguments, monkeypatch):
    path = made(*arguments)
    data = data_of(path.read_text(encoding="utf-8"))
    page = opened(path)
    page.context.grant_permissions(["clipboard-read", "clipboard-write"])
    verdicts = set()
    for items in chosen(data, Random(1), 12):
        switch(page, path, items)
        right = explained(page, arguments[0], monkeypatch)
        found = page.locator(".verdict").get_attribute("data-verdict")
        assert found == right["verdict"], items
        verdicts.add(found)
        told = page.locator(".verdict .meaning").inner_text()
        lengths = [int(n) for n in re.findall(r"\((\d+) steps?\)", told)]
        want = [len(run["steps"]) for run in right["violations"] or ()]
        assert sorted(lengths) == sorted(want)[: len(lengths)] or len(want) > 3
        if lengths:
            # No trace takes more deviated steps than there are.
            assert page.locator(".steps .is-added").count() <= data["at_most"]
            page.get_by_text("No smaller part suffices").or_(
                page.get_by_text("suffice")
            ).or_(page.locator(".chips:not(:has(.chip:nth-of-type(2)))")).wait_for()
    assert len(verdicts) > 1 or arguments == (TWO,)


@pytest.mark.parametrize(
    "arguments",
    [
        ("models/therac25/therac25.toml",),
        ("models/pca_pump/pca_pump.toml",),
        ("models/infusion/infusion.toml",),
        ("models/therac25/therac25.toml", "--at-most", "1"),
    ],
    ids=" ".join,
)
def test_the_same_goals_are_lost(made, opened, arguments, monkeypatch):
    path = made(*arguments)
    data = data_of(path.read_text(encoding="utf-8"))
    goals = data["designs"][0]["answers"]["progress"]["goals"]
    page = opened(path)
    page.context.grant_permissions(["clipboard-read", "clipboard-write"])
    page.get_by_role("tab", name="Requirements").click()
    count = 0
    for items in chosen(data, Random(2), 12):
        switch(page, path, items)
        page.get_by_role("tab", name="Requirements").click()
        rows = page.locator("#panel .facts").last.locator("li")
        right = explained(page, arguments[0], monkeypatch)
        if right["lost_goals"] is None:
            continue  # The command line had too little time for them.
        assert rows.count() == len(goals) + len(right["lost_by_plan"])
        told = rows.all_inner_texts()[: len(goals)]
        lost = [
            g["name"] for g, text in zip(goals, told, strict=True) if "lost" in text
        ]
        assert lost == [one["goal"]["name"] for one in right["lost_goals"]]
        assert all("kept" in text for text in told if "lost" not in text)
        if not lost:
            continue
        # Its trace ends where the goal is impossible, as soon as can be.
        count += 1
        links = page.locator("#panel .facts").last.locator(".link")
        want = [len(one["traces"][0]["steps"]) for one in right["lost_goals"]]
        titles = [link.get_attribute("title") for link in links.all()]
        found = [int(re.search(r"\((\d+) step", title)[1]) for title in titles]
        assert found == want
        links.first.click()
        assert page.locator(".steps li:not(:has(.lost))").count() == want[0] + 1
        page.locator(".steps .broken.lost").wait_for()
    assert count > 0 or "infusion" in arguments[0]


def test_a_lost_goal_is_in_the_link_and_in_the_text(made, opened):
    path = made("models/two_phase_commit/two_phase_commit.toml")
    data = data_of(path.read_text(encoding="utf-8"))
    items = all_items(data)
    loss = items[data["modes"].index("votes.loss")]
    page = opened(path, f"{link_of([loss])}&run=g3")
    assert page.locator("#warning").is_hidden()
    page.get_by_text("are impossible").wait_for()
    page.context.grant_permissions(["clipboard-read", "clipboard-write"])
    page.get_by_role("button", name="Copy as text").click()
    page.get_by_text("The trace is copied").wait_for()
    text = page.evaluate("navigator.clipboard.readText()")
    assert "impossible from here on: participant 1" in text
    # Lanes tell it as well; a goal that is kept has no trace.
    page.get_by_role("button", name="Lanes").click()
    page.locator(".lanes .broken.lost").wait_for()
    page = opened(path, "#run=g3")
    page.get_by_text("run=g3").wait_for()


@pytest.mark.parametrize("arguments", [BUDGETED[1], BUDGETED[3]], ids=" ".join)
def test_the_minimal_sets_are_those_within_the_budget(made, opened, arguments):
    path = made(*arguments)
    data = data_of(path.read_text(encoding="utf-8"))
    sets = data["designs"][0]["answers"]["sets"]["found"]
    page = opened(path, link_of(sets[0]["items"]))
    for number, known in enumerate(sets):
        answered(page)
        assert page.locator(".chip").count() == min(4, len(known["items"]))
        found = page.locator(".verdict").get_attribute("data-verdict")
        assert found == known["verdict"], number
        if len(sets) > 1:
            page.get_by_role("button", name="Next minimal set").click()


def test_the_simulator_spends_the_budget(made, opened):
    """It says how many deviated steps are left, and offers none beyond."""
    path = made(TWO)
    page = opened(path, link_of(all_items(data_of(path.read_text(encoding="utf-8")))))
    assert (
        "at most 1 deviated step in a trace" in page.locator("header.top").inner_text()
    )
    page.get_by_role("button", name="Walk from the start").click()
    left = page.locator(".controls .budget")
    assert left.inner_text() == "1 of 1 deviated step left"
    for _ in range(12):
        added = page.locator(".option:has(.added)")
        if added.count():
            break
        page.locator(".option").first.click()
    added.first.click()
    assert left.inner_text() == "0 of 1 deviated step left"
    blocked = ""
    for _ in range(12):
        assert page.locator(".option:has(.added)").count() == 0
        blocked += "".join(page.locator("details.blocked").all_text_contents())
        if page.get_by_text("a deadlock").count():
            break
        page.locator(".option").first.click()
    assert ", blocked by the budget of deviated steps" in blocked
    page.get_by_label("To the start").click()
    assert left.inner_text() == "1 of 1 deviated step left"


def test_a_mode_says_how_often_it_may_be_used(made, opened, tmp_path):
    case = tmp_path / "once.toml"
    folder = Path("models/two_sensors").resolve()
    for file in folder.iterdir():
        (tmp_path / file.name).write_bytes(file.read_bytes())
    text = (folder / "two_sensors.toml").read_text(encoding="utf-8")
    left = text[text.index("a_wrong = ") : text.index("b_wrong = ")]
    table = left.replace("a_wrong = ", "[faults.a_wrong]\nat_most = 1\ntransitions = ")
    case.write_text(text.replace(left, "") + table, encoding="utf-8")
    path = made(str(case))
    data = data_of(path.read_text(encoding="utf-8"))
    mode = data["modes"].index("a_wrong")
    assert data["bounds"] == [[mode, 1]]
    (item,) = (i for i in all_items(data) if (i - mode) == min(all_items(data)))
    page = opened(path, link_of([item]))
    page.get_by_label("To the start").click()
    assert (
        "1 of 1 deviated step left for a_wrong"
        in page.locator(".controls").inner_text()
    )
    assert "at most 1 step of a trace" in page.locator("#panel").inner_text()


def test_several_initial_states(made, opened, tmp_path, monkeypatch):
    """A trace says in which it begins; a walk can begin in each of them."""
    rng, cases = Random(3), 0
    for seed in range(400):
        problem = Asked(Random(seed), several=True)
        parts = (*problem.e, *problem.c)
        if not any(len(part.get("initial", ())) > 1 for part in parts):
            continue
        folder = tmp_path / str(seed)
        folder.mkdir()
        case = problem.write(folder)
        if run("check", case).code != 0:
            continue
        path = made(str(case))
        data = data_of(path.read_text(encoding="utf-8"))
        (design,) = data["designs"]
        system = [data["environment"], *design["components"]]
        page = opened(path)
        page.context.grant_permissions(["clipboard-read", "clipboard-write"])
        for items in chosen(data, rng, 3):
            switch(page, path, items)
            right = explained(page, case, monkeypatch)
            found = page.locator(".verdict").get_attribute("data-verdict")
            assert found == right["verdict"], (seed, items)
            alone = page.get_by_text("of the environment alone").count()
            there = system[:1] if alone else system
            if prod(len(part["initial"]) for part in there) == 1:
                continue
            shown = page.locator(".steps li").first.locator(".change")
            states = [text.partition(": ")[2] for text in shown.all_inner_texts()]
            # Components that differ in a number and say the same stand in one entry.
            count = len(there) if len(states) == len(there) else 1
            for name, part in zip(states[:count], there[:count], strict=True):
                assert name in [part["states"][q] for q in part["initial"]]
        starts = prod(len(part["initial"]) for part in system)
        page.get_by_role("button", name="Walk from the start").click()
        other = page.locator(".options button[data-key^=start]")
        assert other.count() == starts - 1
        before = page.locator(".steps li").first.inner_text()
        other.last.click()
        after = page.locator(".steps li").first.inner_text()
        assert before != after
        # The link has the state to begin in, and Back leaves it.
        link = f"#{page.url.partition('#')[2]}"
        again = opened(path, link, complete=False)
        assert again.locator(".steps li").first.inner_text() == after
        page.go_back()
        assert page.locator(".steps li").first.inner_text() == before
        cases += 1
        if cases == 5:
            break
    assert cases == 5
