"""What notebooks show, seen and clicked in a real JupyterLab."""

import json
import os
import re
import socket
import subprocess
import sys
import time
from pathlib import Path
from urllib.error import URLError
from urllib.request import urlopen

import pytest

ROOT = Path(__file__).parents[2]
MODELS = (ROOT / "models" / "therac25").as_posix()
CELLS = [
    "import symrob\n"
    f"nurse = symrob.load('{MODELS}/nurse.lts')\n"
    f"machine = symrob.load('{MODELS}/machines.lts', 'THERAC25')\n"
    f"safety = symrob.load('{MODELS}/xflat.lts')\n"
    f"rules = symrob.load('{MODELS}/one_treatment.lts')\n"
    "envelope = symrob.compute(nurse, machine, safety, [rules])",
    "symrob.product(nurse)",
    "machine",
    "next(iter(envelope))",
    "envelope",
    "envelope.explore()",
]


@pytest.fixture(scope="module")
def jupyter(tmp_path_factory):
    """The address of a notebook whose cells are `CELLS`."""
    folder = tmp_path_factory.mktemp("notebooks")
    cells = [
        {
            "cell_type": "code",
            "id": f"cell{i}",
            "execution_count": None,
            "metadata": {},
            "outputs": [],
            "source": source,
        }
        for i, source in enumerate(CELLS)
    ]
    kernel = {"display_name": "Python 3", "language": "python", "name": "python3"}
    notebook = {
        "cells": cells,
        "metadata": {"kernelspec": kernel},
        "nbformat": 4,
        "nbformat_minor": 5,
    }
    (folder / "symrob.ipynb").write_text(json.dumps(notebook), encoding="utf-8")
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    arguments = ["--no-browser", "--allow-root", f"--port={port}", "--ip=127.0.0.1"]
    arguments += ["--IdentityProvider.token=", "--ServerApp.password="]
    arguments += [f"--ServerApp.root_dir={folder}", "--ServerApp.port_retries=0"]
    arguments += ["--LabApp.news_url=", "--LabApp.check_for_updates_class="]
    arguments[-1] += "jupyterlab.NeverCheckForUpdate"
    environment = {
        **os.environ,
        "PYTHONPATH": str(ROOT),
        "JUPYTER_CONFIG_DIR": str(folder / ".config"),
        "JUPYTER_DATA_DIR": str(folder / ".data"),
        "JUPYTER_RUNTIME_DIR": str(folder / ".runtime"),
        "JUPYTERLAB_SETTINGS_DIR": str(folder / ".settings"),
        "JUPYTERLAB_WORKSPACES_DIR": str(folder / ".workspaces"),
    }
    with open(folder / "log", "wb") as log:
        server = subprocess.Popen(
            [sys.executable, "-m", "jupyterlab", *arguments],
            cwd=folder,
            env=environment,
            stdout=log,
            stderr=log,
        )
        try:
            _wait_for(f"http://127.0.0.1:{port}/api", server)
            yield f"http://127.0.0.1:{port}/lab/tree/symrob.ipynb"
        finally:
            server.terminate()
            server.wait(timeout=30)


def _wait_for(address, server):
    end = time.monotonic() + 60
    while time.monotonic() < end:
        assert server.poll() is None, "JupyterLab has ended"
        try:
            with urlopen(address, timeout=5):
                return
        except (URLError, OSError):
            time.sleep(0.3)
    raise AssertionError("JupyterLab does not answer")


@pytest.fixture(scope="module")
def notebook(browser, jupyter):
    context = browser.new_context(viewport={"width": 1400, "height": 1000})
    page = context.new_page()
    page.set_default_timeout(60_000)
    page.goto(jupyter)
    page.locator(".jp-Notebook .jp-Cell").first.wait_for()
    # What is run before there is a kernel is lost.
    page.get_by_text("| Idle").wait_for()
    page.get_by_role("menuitem", name="Run", exact=True).click()
    page.get_by_role("menuitem", name="Run All Cells", exact=True).click()
    # Cells out of sight may have no place in the page.
    page.locator(".jp-Notebook .jp-Cell").first.click()
    page.keyboard.press("Escape")
    for _ in CELLS:
        page.keyboard.press("ArrowDown")
    page.locator("iframe[sandbox]").wait_for()
    yield page
    context.close()


def output(page, number):
    cell = page.locator(".jp-Notebook .jp-Cell").nth(number)
    cell.scroll_into_view_if_needed()
    return cell.locator(".jp-OutputArea-output").first


def test_models_and_deviations_are_pictures(notebook):
    for number in (1, 2, 3):
        picture = output(notebook, number)
        picture.wait_for()
        # SVG stands in an image or in the page itself, as the front end likes.
        seen = picture.locator("svg, img").first
        seen.wait_for()
        box = seen.bounding_box()
        assert box["width"] > 50
        assert box["height"] > 50


def test_an_envelope_is_a_text_with_tables(notebook):
    shown = output(notebook, 4)
    assert "|Δ| = 4" in shown.inner_text()
    details = shown.locator("details").first
    assert not details.locator("table").is_visible()
    details.locator("summary").click()
    assert details.locator("table").is_visible()
    assert "state" in details.locator("th").first.inner_text()


def test_the_page_answers_inside_its_cell(notebook):
    output(notebook, 5)
    frame = notebook.frame_locator("iframe[sandbox]")
    frame.locator("#verdicts[aria-busy=false]").wait_for()
    frame.locator("#panel .set", has_text="up: CONFIRMED → NO_MODE").click()
    frame.locator("[data-verdict=hazardous]").wait_for()
    assert frame.locator(".steps li").count() == 10
    frame.get_by_label("To the start").click()
    frame.get_by_role("tab", name="Classes").click()
    frame.locator(".cell").first.click()
    frame.locator("#undo").click()
    frame.locator("[data-verdict=hazardous]").wait_for()


def test_the_page_cannot_reach_the_notebook(notebook):
    sandbox = notebook.locator("iframe[sandbox]").get_attribute("sandbox")
    assert sorted(re.split(r"\s+", sandbox)) == ["allow-downloads", "allow-scripts"]
    frame = notebook.locator("iframe[sandbox]").element_handle().content_frame()
    reached = frame.evaluate(
        """() => {
          for (const look of [() => parent.document.cookie, () => document.cookie,
              () => localStorage.length, () => parent.location.href]) {
            try { look(); return String(look); } catch { /* refused */ }
          }
          return "nothing";
        }"""
    )
    assert reached == "nothing"
