"""Runs the search of the page: in node where there is one."""

import json
import re
import shutil
import subprocess
from pathlib import Path

from symrob.explorer.scripts import joined

NODE = shutil.which("node")

_DRIVER = (Path(__file__).parent / "driver.js").read_text(encoding="utf-8")
_READ = """
import { readFileSync } from "node:fs";
const questions = JSON.parse(readFileSync(0, "utf8"));
process.stdout.write(JSON.stringify(questions.map(globalThis.ANSWER)));
"""


def script():
    """The modules that the driver imports, and the driver, as one script."""
    modules = joined("judge", "replay", "walk").rstrip().removesuffix("})();")
    return f"{modules}\n{re.sub('^import .*$', '', _DRIVER, flags=re.M)}\n}})();"


def ask(questions, answer="asked"):
    """Answers to questions `{problem, sets}`, one list for each, from node.

    answer: the function of `driver.js` that is asked.
    """
    done = subprocess.run(
        [
            NODE,
            "--input-type=module",
            "--eval",
            script() + _READ.replace("ANSWER", answer),
        ],
        input=json.dumps(questions),
        capture_output=True,
        text=True,
        timeout=600,
    )
    assert not done.stderr, done.stderr
    return json.loads(done.stdout)
