"""What somebody sees who opens a page for the first time, on each kind of screen."""

import json
import re

import pytest
from playwright.sync_api import expect

HAZARD = "the nurse goes back with 'up': confirmed → no mode chosen"
LINK = "#on=1g"


def inside(page, selector):
    """Whether all of an element is in the window."""
    box = page.locator(selector).first.bounding_box()
    size = page.viewport_size
    return (
        box["x"] >= 0
        and box["y"] >= 0
        and box["x"] + box["width"] <= size["width"]
        and box["y"] + box["height"] <= size["height"]
    )


def test_the_first_screen_counts_the_hazards_and_replays_the_worst(therac, look):
    page = therac()
    card = page.locator(".verdict.plan")
    text = card.inner_text()
    assert "As planned: safe" in text
    worst = "5 single changes are hazardous; the most plausible: the nurse"
    assert worst in text
    page.get_by_role("button", name="Replay it").click()
    page.wait_for_selector("[data-verdict=hazardous]")
    page.get_by_role("button", name="Pause").wait_for()
    page.get_by_text("step 1 of 7").wait_for()
    # From one minimal set to the next.
    page.get_by_role("button", name="Next minimal set").click()
    expect(page.locator(".chip .words")).to_have_text(HAZARD)


def test_without_hazards_the_first_screen_names_what_assumptions_exclude(made, opened):
    page = opened(made("models/link/link.toml"))
    text = page.locator(".verdict.plan").inner_text()
    assert (
        "Safe only while the assumptions hold: 298 single changes violate an "
        "assumption and a property" in text
    )
    assert (
        "114 changes are tolerated individually; 164 violate only an assumption" in text
    )
    page = opened(made("models/therac25/therac20.toml"))
    assert "No set of changes violates a property" in page.locator(".plan").inner_text()


def test_a_fault_mode_says_what_it_adds(made, opened):
    page = opened(made("models/abp/abp.toml"))
    # The one with which the summary begins.
    spurious = "message channel: empty (unchanged)"
    assert spurious in page.locator(".verdict.plan").inner_text()
    adds = "a message with bit 1 arrives: message channel: holds bit 0 → empty"
    mode = page.locator("#panel .set", has_text="messages.corruption")
    assert adds in mode.inner_text()
    assert (
        "6 fault modes are tolerated individually"
        in page.locator(".verdict.plan").inner_text()
    )
    # Of many steps none is named, since the trace may take another one.
    plan = opened(made("models/infusion/infusion.toml")).locator(".verdict.plan")
    assert "nurse.omission [FM-1] (adds 17 kinds of step)" in plan.inner_text()
    # A search finds what is added.
    page.locator("#search").fill("messages. holds bit 0 → empty")
    expect(page.locator("#panel .set")).to_have_count(1)


def test_a_violated_assumption_is_told_from_a_violated_property(made, opened):
    page = opened(made("models/link/link.toml"))
    page.get_by_role("button", name="Replay it").click()
    rows = page.locator(".steps .broken")
    expect(rows).to_have_count(2)
    assert "assumed" in rows.nth(0).get_attribute("class")
    assert "violates the assumption a message arrives" in rows.nth(0).inner_text()
    assert "assumed" not in rows.nth(1).get_attribute("class")


def test_states_with_equal_words_show_their_names(made, opened):
    page = opened(made("models/pca_pump/pca_pump_2.toml"))
    page.get_by_role("button", name="Table").click()
    names = page.locator("table.states th .raw").all_inner_texts()
    assert {"DISPENSING[1]", "DISPENSING[2]"} <= {name.strip() for name in names}
    assert "ON" not in names


@pytest.mark.parametrize(("width", "height"), [(1280, 720), (1920, 1080)])
@pytest.mark.parametrize("case", ["therac25/therac25", "link/link", "abp/abp"])
def test_trace_environment_and_controller_are_in_sight_together(
    made, opened, case, width, height
):
    page = opened(made(f"models/{case}.toml"), width=width, height=height)
    page.get_by_role("button", name="Replay it").click()
    page.locator(".steps .is-added").wait_for()
    for part in ("#run", "#environment", "#controller", ".verdict", ".controls"):
        assert inside(page, part), part
    # The component that moves shows where it is, and no text is too small to be read.
    page.get_by_label("To the end").click()
    page.get_by_label("One step back").click()
    for lit in page.locator("g.here").all():
        assert lit.is_visible()
    small = page.evaluate(
        """() => [...document.querySelectorAll(".see svg text")].map((text) =>
          [parseFloat(getComputedStyle(text).fontSize) * text.getScreenCTM().a,
           text.textContent]).filter(([size]) => size < 10.95)"""
    )
    assert small == []


def test_words_come_first_and_names_second(therac):
    page = therac(LINK)
    hazard = page.locator("#panel .set", has_text=HAZARD)
    assert hazard.locator(".raw").inner_text() == "up: CONFIRMED → NO_MODE"
    texts = page.locator("#environment svg text").all_text_contents()
    assert "no mode chosen" in texts
    assert "CONFIRMED" not in texts
    # A search finds words and names, in the list that is looked at.
    for text, sets in (("electrons", 3), ("up confirmed", 1), ("nonsense", 0)):
        page.locator("#search").fill(text)
        expect(page.locator("#panel .set")).to_have_count(sets)
    page.get_by_role("tab", name="Candidates").click()
    page.locator("#search").fill("electrons treatment over")
    expect(page.locator(".candidates tbody tr").first).to_contain_text("electrons")
    # The verdict is in sight without scrolling sideways.
    area = page.locator("#panel")
    assert area.evaluate("e => e.scrollWidth <= e.clientWidth")


def test_lanes_have_a_column_for_each_part(therac):
    page = therac(LINK)
    page.get_by_role("button", name="Lanes", exact=True).click()
    heads = page.locator(".lanes thead th").all_inner_texts()
    assert heads == ["step", "nurse", "terminal", "beam", "turntable"]
    added = page.locator(".lanes tr.is-added")
    assert added.locator("td").all_inner_texts() == [
        "no mode chosen",
        "editing",
        "│",
        "│",
    ]
    assert "violates X-rays" in page.locator(".lanes .broken").inner_text()
    page.locator(".lanes .row").nth(1).click()
    expect(page.locator(".controls .quiet")).to_have_text("step 1 of 9")


def test_a_trace_is_saved_loaded_and_copied_as_a_command(therac, tmp_path, look):
    page = therac(LINK + "&at=2")
    with page.expect_download() as download:
        page.get_by_role("button", name="Save", exact=True).click()
    file = tmp_path / "trace.json"
    download.value.save_as(file)
    saved = json.loads(file.read_text(encoding="utf-8"))
    assert saved["added"] == ["up: CONFIRMED → NO_MODE"]
    assert [step["action"] for step in saved["steps"]][:2] == ["e", "rotate"]
    assert saved["steps"][-1]["violates"][0].startswith("X-rays are fired only")
    page.context.grant_permissions(["clipboard-read", "clipboard-write"])
    page.get_by_role("button", name="Copy as command").click()
    page.get_by_text("The command is copied").wait_for()
    assert page.evaluate("navigator.clipboard.readText()") == (
        "symrob explain therac25.toml --transition 'CONFIRMED,up,NO_MODE'"
    )
    page.get_by_role("button", name="Clear").click()

    def load(path):
        with page.expect_file_chooser() as chooser:
            page.get_by_role("button", name="Load", exact=True).click()
        chooser.value.set_files(path)

    load(file)
    expect(page.locator(".chip")).to_have_count(1)
    assert look(page).chips == [HAZARD]
    assert look(page).step == "step 2 of 9"
    file.write_text(json.dumps(saved | {"schema": "something else"}))
    load(file)
    expect(page.locator("#warning-text")).to_contain_text("is not a trace")
    saved["link"] = saved["link"].replace(saved["models"], "0123456789")
    file.write_text(json.dumps(saved))
    load(file)
    expect(page.locator("#warning-text")).to_contain_text("other models")
    assert look(page).chips == []


def test_each_verdict_has_a_sign_and_fault_modes_their_own(made, opened, look):
    """Where a mode is hazardous, its lines are not drawn as something tolerated."""
    page = opened(made("models/therac25/therac25_slips.toml"))
    signs = {
        row.locator(".quiet:not(.brought)").inner_text(): row.locator(
            ".sign"
        ).inner_text()
        for row in page.locator("#panel .set").all()
    }
    assert signs["Hazardous"] == "✖\ufe0e"
    assert signs["Tolerated"] == "✔\ufe0e"
    page.locator("#panel .set", has_text="Hazardous").first.click()
    page.wait_for_selector("[data-verdict=hazardous]")
    line = page.locator("#environment g.line").first
    assert "hazardous" in line.get_attribute("class")
    assert line.locator("text").text_content().startswith("✖")
    assert page.locator(".chip .sign").inner_text() == "✖\ufe0e"


def test_components_of_e_are_drawn_as_components(made, opened):
    page = opened(made("models/abp/abp.toml"))
    cards = page.locator("#environment .component")
    assert [c.split("\n")[0] for c in cards.locator("b").all_inner_texts()] == [
        "message channel",
        "acknowledgement channel",
    ]
    page.locator("#panel .set", has_text="messages.corruption").click()
    page.wait_for_selector("[data-verdict=hazardous]")
    # What the mode adds stands in the component that it changes.
    assert cards.nth(0).locator("g.line").count() > 0
    assert cards.nth(1).locator("g.line").count() == 0
    expect(page.locator(".steps .is-added").first).to_contain_text("message channel:")
    page.get_by_role("button", name="Picture", exact=True).click()
    assert page.locator("#environment svg").count() == 1


def test_hazards_are_grouped_by_class_action_or_equal_part(made, opened):
    page = opened(made("models/token_ring/token_ring.toml"))

    def groups(by):
        page.get_by_role("button", name=by, exact=True).click()
        return page.locator("#panel .group summary").all_inner_texts()

    assert any("work at station 1 begins" in g for g in groups("Action"))
    assert any("Hazardous" in g for g in groups("Class"))
    alike = groups("Equal part")
    assert any(
        re.search(r"work at station \* begins: .* on each of 2", g) for g in alike
    )


def test_pictures_are_zoomed_moved_and_have_the_whole_window(therac):
    page = therac()
    picture = page.locator("#environment svg.picture")
    area = page.locator("#environment .drawing")

    def width():
        return picture.bounding_box()["width"]

    before = width()
    page.get_by_label("Larger: Environment").click()
    page.get_by_label("Larger: Environment").click()
    assert width() == pytest.approx(before * 1.25**2, rel=0.02)
    page.get_by_label("Fit: Environment").click()
    box, frame = picture.bounding_box(), area.bounding_box()
    assert box["height"] <= frame["height"] + 1
    page.get_by_label("Full screen: Environment").click()
    assert page.locator("#environment").bounding_box()["width"] == 1280
    page.get_by_label("Larger: Environment").click(click_count=4)
    page.mouse.move(640, 450)
    page.mouse.down()
    page.mouse.move(600, 350)
    page.mouse.up()
    assert area.evaluate("e => e.scrollTop") > 0
    page.keyboard.press("Escape")
    assert page.locator("#environment").bounding_box()["width"] < 700


def test_a_long_search_shows_its_time_and_can_be_stopped(therac):
    page = therac()
    page.add_init_script(
        """window.Worker = class {
          postMessage({ type, question }) {
            const data = { question, design: 0, stage: "searched", states: 1234 };
            if (type === "judge") this.onmessage({ data });
          }
        };"""
    )
    page.reload()
    progress = page.locator(".progress")
    expect(progress).to_contain_text(
        re.compile("Searching: [12] seconds?, 1,234 states")
    )
    progress.get_by_role("button", name="Stop").click()
    expect(progress).to_have_text("The search was stopped.")
    assert page.locator(".verdict").get_attribute("data-verdict") == "undecided"
    # The page asks again.
    page.locator("#panel .set").first.click()
    expect(progress).to_contain_text("Searching")


def test_the_verdict_shrinks_and_covers_nothing_that_has_the_focus(therac):
    page = therac("#on=1e.1g.24", width=390, height=844)
    high = page.locator(".verdict").bounding_box()["height"]
    page.evaluate("window.scrollTo(0, 900)")
    page.locator("#verdicts.slim").wait_for()
    assert page.locator(".verdict").bounding_box()["height"] < min(45, high / 2)
    for _ in range(25):
        page.keyboard.press("Shift+Tab")
        covered = page.evaluate(
            """() => {
              const at = document.activeElement.getBoundingClientRect();
              const bar = document.querySelector("#verdicts");
              return !bar.contains(document.activeElement) && at.height < 200 &&
                bar.classList.contains("slim") &&
                at.top < bar.getBoundingClientRect().bottom - 1;
            }"""
        )
        assert not covered


def test_on_a_phone_the_trace_is_one_tap_away(therac):
    page = therac(LINK, width=390, height=844)
    page.locator("#to-trace").click()
    page.wait_for_timeout(200)
    top = page.locator("#run").bounding_box()["y"]
    assert -5 < top < 200
    assert not therac().locator("#to-trace").is_visible()


def test_paper_says_which_models_and_when(therac):
    page = therac(LINK)
    page.emulate_media(media="print")
    head = page.locator("body > footer")
    assert re.search(
        r"symrob [\d.]+, \d{4}-\d\d-\d\d, models \w{10}", head.inner_text()
    )
    assert head.bounding_box()["y"] < page.locator(".verdict").bounding_box()["y"]
    assert page.locator(".chip .words").inner_text() == HAZARD
    assert page.locator(".steps .broken").is_visible()


def test_colours_of_the_system_leave_verdicts_apart(therac):
    """With forced colours: signs, dashes and outlines say what colours do else."""
    page = therac("#on=1e.1g.24")
    page.emulate_media(forced_colors="active")
    dashes = page.eval_on_selector_all(
        "#environment g.line .stroke",
        """all => all.map((line) => { const s = getComputedStyle(line);
          return [s.strokeDasharray, s.strokeWidth].join(" "); })""",
    )
    kinds = page.eval_on_selector_all(
        "#environment g.line", "all => all.map((line) => line.classList[1])"
    )
    looks = dict(zip(kinds, dashes, strict=True))
    assert len(set(looks.values())) == len(looks) > 1
    for line in page.locator("#environment g.line text").all():
        assert re.match("[✖⚠✔○⊘?]", line.text_content())
    pressed = page.locator("#tabs [aria-selected=true]")
    assert pressed.evaluate("e => getComputedStyle(e).outlineStyle") == "solid"


def test_verdict_words_and_sides_are_explained(therac):
    page = therac()
    page.locator("#help").click()
    text = page.locator("#keys").inner_text()
    assert "On the left you choose" in text
    assert "✖" in text
    assert "A property is violated, and the environment keeps every assumption." in text


def test_roles_are_sound(therac):
    """What axe-core found once: names hold the visible text, images hold no buttons."""
    page = therac(LINK)
    for tab in page.get_by_role("tab").all():
        tab.click()
        wrong = page.evaluate(
            """() => {
              const plain = (text) => text.replace(/[\\s\\u2716\\ufe0e]+/g, " ").trim();
              const named = [...document.querySelectorAll("[role=button][aria-label]")]
                .filter((e) => !plain(e.getAttribute("aria-label")).includes(
                  plain(e.querySelector("text")?.textContent ?? "")));
              const inside = [...document.querySelectorAll(
                "[role=img] [tabindex], button button, button [role=button]")];
              const ids = [...document.querySelectorAll("[id]")].map((e) => e.id);
              const heads = [...document.querySelectorAll("h1, h2, h3")]
                .filter((e) => e.checkVisibility()).map((e) => Number(e.tagName[1]));
              return [named.length, inside.length, ids.length - new Set(ids).size,
                heads.filter((level, i) => i && level > heads[i - 1] + 1).length];
            }"""
        )
        # A state's name says more than its text, which it holds.
        assert wrong == [0, 0, 0, 0]


def steps_of(page):
    return page.locator(".steps").inner_text()


def test_a_trace_says_who_lets_it_happen(made, opened):
    """The trace names the state in which C takes part; where C takes none, that too."""
    page = opened(made("models/abp/abp.toml"))
    page.locator("#panel .set", has_text="messages.corruption").click()
    steps = page.locator(".steps")
    accepts = steps.locator("li.is-added .changes").last
    expect(accepts).to_have_text("Accepted by receiver in “waits for bit 1”.")
    end = steps.locator(".broken")
    expect(end).to_contain_text("; made possible by added step 6")
    expect(end.locator(".why")).to_have_text(
        "Done by receiver in “has received bit 1”."
    )
    page = opened(made("models/infusion/infusion.toml"))
    modes = page.locator("#panel .set.excluded-unsafe")
    told = ""
    for mode in modes.all():
        mode.click()
        page.locator("[data-verdict=excluded-unsafe]").wait_for()
        told += steps_of(page)
        mode.click()
        page.locator(".verdict.plan").wait_for()
    assert "No component of the controller takes part, so none can refuse" in told


def test_a_printed_first_screen_tells_the_first_hazard(made, opened):
    page = opened(made("models/token_ring/token_ring.toml"))
    story = page.locator(".printed")
    expect(story).to_be_hidden()
    page.emulate_media(media="print")
    expect(story).to_contain_text("at most one station is in use at a time")
    expect(page.get_by_role("button", name="Replay it")).to_be_hidden()


def test_on_a_phone_a_replay_shows_the_trace(made, opened):
    page = opened(made("models/token_ring/token_ring.toml"))
    page.set_viewport_size({"width": 390, "height": 844})
    expect(page.locator("#to-trace")).to_be_visible()
    page.get_by_role("button", name="Replay it").click()
    expect(page.locator("#run h2")).to_be_in_viewport()
    expect(page.locator("#to-trace")).to_be_hidden()
