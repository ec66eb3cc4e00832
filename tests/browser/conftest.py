"""A real Chromium, and pages opened in it that must stay quiet.

Every page is watched: a message on the console, an error, or a request to anywhere but
the page's own file fails the test.
"""

import re
import shutil
from types import SimpleNamespace

import pytest
from playwright.sync_api import sync_playwright

from symrob.cli import run

CHROMIUM = next(
    filter(None, map(shutil.which, ("chromium", "chromium-browser", "google-chrome"))),
    None,
)
# As root Chromium wants no sandbox; it shall not look for updates either.
ARGUMENTS = [
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
]


def answered(page):
    """Wait for the verdict; not by a condition in JavaScript: the page forbids eval."""
    page.locator("#verdicts[aria-busy=false]").wait_for()


def whole(path, link):
    """A link that is the page's own: its models before it, a checksum behind it."""
    if not link or "m=" in link:
        return link
    mark = re.search(r'"fingerprint":"(\w+)"', path.read_text(encoding="utf-8"))[1]
    body = f"m={mark}&{link.removeprefix('#')}"
    return f"#{body}&sum={checksum(body)}"


def checksum(text):
    """FNV-1a with 32 bits, in base 36."""
    value = 0x811C9DC5
    for byte in text.encode():
        value = (value ^ byte) * 0x01000193 & 0xFFFFFFFF
    digits = ""
    while value or not digits:
        value, digit = divmod(value, 36)
        digits = "0123456789abcdefghijklmnopqrstuvwxyz"[digit] + digits
    return digits


@pytest.fixture(scope="session")
def browser():
    with sync_playwright() as playwright:
        chromium = playwright.chromium.launch(executable_path=CHROMIUM, args=ARGUMENTS)
        yield chromium
        chromium.close()


@pytest.fixture(scope="session")
def made(tmp_path_factory):
    """Pages by the arguments of `symrob explore`, each made once."""
    folder, known = tmp_path_factory.mktemp("pages"), {}

    def make(*arguments):
        if arguments not in known:
            path = folder / f"{len(known)}.html"
            assert run(["explore", *arguments, "--out", str(path)]) == 0
            known[arguments] = path
        return known[arguments]

    return make


@pytest.fixture
def opened(browser):
    """Open a page: `opened(path, link="", width=1280, scheme="light")`.

    A link gets the page's fingerprint and its checksum, unless `complete` is false.
    """
    contexts, noise = [], []

    def open_page(
        path, link="", *, width=1280, height=900, scheme="light", complete=True
    ):
        context = browser.new_context(
            viewport={"width": width, "height": height}, color_scheme=scheme
        )
        contexts.append(context)
        page = context.new_page()
        page.set_default_timeout(10_000)
        page.on("console", lambda m: noise.append(f"{m.type}: {m.text}"))
        page.on("pageerror", lambda error: noise.append(f"error: {error}"))
        own = f"file://{path}"
        page.on(
            "request",
            lambda r: (
                noise.append(r.url)
                if not r.url.startswith((own, "blob:", "data:"))
                else None
            ),
        )
        page.goto(f"{own}{whole(path, link) if complete else link}")
        answered(page)
        return page

    yield open_page
    for context in contexts:
        context.close()
    assert noise == []


@pytest.fixture
def therac(made, opened):
    path = made("models/therac25/therac25.toml")
    return lambda link="", **how: opened(path, link, **how)


@pytest.fixture
def look():
    """What a page says: verdict, chips, the position in the run."""

    def read(page):
        answered(page)
        return SimpleNamespace(
            verdicts=page.eval_on_selector_all(
                ".verdict", "all => all.map(v => v.dataset.verdict)"
            ),
            chips=page.locator(".chip .words").all_inner_texts(),
            step=page.locator(".controls .quiet").inner_text(),
            run=page.locator("#run h2 .quiet").inner_text(),
        )

    return read
