"""The picture of the page in the README: `python -m tests.browser.screenshot`."""

from pathlib import Path
from tempfile import TemporaryDirectory

from playwright.sync_api import sync_playwright

from symrob.cli import run
from tests.browser.conftest import ARGUMENTS, CHROMIUM, answered, whole

OUT = Path("docs/pictures/explore.png")
CASE = "models/therac25/therac25.toml"


def main():
    with TemporaryDirectory() as folder, sync_playwright() as playwright:
        path = Path(folder, "page.html")
        run(["explore", CASE, "--out", str(path)])
        browser = playwright.chromium.launch(executable_path=CHROMIUM, args=ARGUMENTS)
        page = browser.new_page(viewport={"width": 1280, "height": 760})
        page.goto(f"{path.as_uri()}{whole(path, '#on=1g')}")
        answered(page)
        page.screenshot(path=OUT)
        browser.close()


if __name__ == "__main__":
    main()
