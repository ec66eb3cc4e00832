"""Names of strangers in a real browser: they are shown, never obeyed."""

import json

import pytest

HOSTILE = [
    "</script><script>document.title='owned'</script>",
    "<img src=x onerror=document.title='owned'>",
    "__proto__",
    "constructor",
    "toString",
    "a\u202egnp.exe\u2066",
    "\u200f\u200f",
    "' onclick='owned",
    '" autofocus onfocus="owned',
    "${owned}",
    "$title",
    "&lt;b&gt;",
    "javascript:owned",
    "]]>-->",
    "\u2028\u2029",
    "x" * 500,
    "tau ",
    "-1",
    "😀 é 漢字",
]


@pytest.fixture(scope="module")
def hostile(tmp_path_factory):
    """A case in which everything has a hostile name, the files' own too."""
    folder = tmp_path_factory.mktemp("hostile")

    def write(name, alphabet, states, transitions):
        data = {
            "alphabet": alphabet,
            "states": len(states),
            "names": states,
            "transitions": transitions,
        }
        (folder / name).write_text(json.dumps(data), encoding="utf-8")

    count = len(HOSTILE)
    steps = [[i, HOSTILE[i], i + 1] for i in range(count - 1)]
    write("e.json", HOSTILE, HOSTILE, steps)
    write(
        "c.json",
        HOSTILE,
        HOSTILE,
        [[i, a, (i + 1) % count] for i, a in enumerate(HOSTILE)],
    )
    # The last action must never come.
    write("p.json", HOSTILE, ["p"], [[0, a, 0] for a in HOSTILE[:-1]])
    write(
        "a.json",
        HOSTILE[:2],
        HOSTILE[:2],
        [[q, a, 0] for q in (0, 1) for a in HOSTILE[:2]],
    )
    title = json.dumps(
        "</title><script>document.title='owned'</script> $policy __proto__"
    )
    words = json.dumps("<b onclick=owned>words</b>")
    (folder / "case.toml").write_text(
        f'title = {title}\nenvironment = "e.json"\ncontroller = "c.json"\n'
        f'properties = ["p.json"]\nconstraints = ["a.json"]\n'
        f'[words.actions]\n"__proto__" = {words}\n'
        f'[words.properties]\n"p.json" = {words}\n',
        encoding="utf-8",
    )
    return str(folder / "case.toml")


def test_hostile_names_are_shown_as_they_are(made, opened, look, hostile):
    page = opened(made(hostile))
    assert "owned" not in page.title() or page.title().startswith("Tolerated")
    assert page.locator("h1").inner_text().startswith("</title><script>")
    assert page.locator("img, b[onclick], script:not([id])").count() == 1
    for tab in page.get_by_role("tab").all():
        tab.click()
        assert page.locator("#panel").inner_text()
    page.get_by_role("tab", name="Candidates").click()
    page.locator("#search").fill("__proto__")
    assert page.locator(".candidates tbody tr").count() > 10
    page.locator(".candidates .switch").first.click()
    assert "__proto__" in look(page).chips[0]
    page.get_by_role("button", name="Clear").click()
    page.get_by_role("tab", name="Hazards").click()
    page.locator("#panel .set").first.click()
    assert look(page).verdicts[0] in ("hazardous", "excluded-unsafe")
    assert page.locator(".steps li").count() > 1
    page.get_by_label("To the start").click()
    page.locator(".choices > summary").click()
    page.locator(".option").first.click()
    # No name has turned the direction of a line or left an attribute behind.
    assert "\u202e" not in page.content()
    assert page.evaluate("typeof window.owned") == "undefined"
    assert page.evaluate("({}).owned") is None
    assert page.locator("[onclick], [onerror], [onfocus], [autofocus]").count() == 0


def test_nothing_else_may_run_in_the_page(therac, browser):
    """The policy holds: a script that is smuggled in does not run."""
    page = browser.new_page()
    said = []
    page.on("console", lambda message: said.append(message.text))
    source = therac().url
    page.goto(source)
    page.evaluate(
        """() => {
          const script = document.createElement("script");
          script.textContent = "document.title = 'owned'";
          document.body.append(script);
          const image = document.createElement("img");
          image.src = "http://127.0.0.1:9/owned.png";
          document.body.append(image);
        }"""
    )
    page.wait_for_timeout(300)
    assert page.title() != "owned"
    assert sum("Content Security Policy" in text for text in said) == 2
    page.close()
