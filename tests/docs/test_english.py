"""How the product speaks, as far as a machine can tell; `cli/test_help.py` reads help.

    python -m tests.docs.test_english

prints every message with its place, so that they can be read as a whole.
"""

import ast
import re
from pathlib import Path

ROOT = Path(__file__).parents[2]
# Words that a technical editor would not write; see docs/decisions.md.
IDIOMS = re.compile(
    r"\b(is|are|was|were) told\b|\btold as\b|\b(is|are) said (of|to)\b"
    r"|\b(can|cannot|could|to) be had\b|\bAs of `|\bis (?-i:none)( of)?\b|\bso many\b"
    r"|\bmakes do\b|\banew\b|\blikewise\b|\bin its midst\b|\bhas? a say\b"
    r"|\bhurts? nobody\b|\bamounts? to\b|\bis no (matter|more|TOML|class)\b"
    r"|\bassumed away\b|\boutside the assumptions\b|\bcan hurt\b|\bas of\b"
    r"|\bmultipl(y|ied|ying) (\w+ )?out\b|\b(a|an \w+) text\b|\btexts\b",
    re.IGNORECASE,
)


def messages():
    """Every text of the package that is a sentence or a part of one, with its place."""
    for path in sorted((ROOT / "symrob").rglob("*.py")):
        tree = ast.parse(path.read_text("utf-8"))
        silent = {id(node) for node in _not_printed(tree)}
        for node in ast.walk(tree):
            if id(node) not in silent and (text := _text(node)) and " " in text.strip():
                yield f"{path.relative_to(ROOT)}:{node.lineno}", text


def _not_printed(tree):
    """Docstrings, assertions, and the pieces of f-strings, which come as a whole."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant):
            yield node.value
        elif isinstance(node, ast.Assert):
            yield from ast.walk(node)
        elif isinstance(node, ast.JoinedStr):
            yield from node.values


def _text(node):
    if isinstance(node, ast.Constant):
        return node.value if isinstance(node.value, str) else ""
    if isinstance(node, ast.JoinedStr):
        return "".join(
            part.value if isinstance(part, ast.Constant) else "…"
            for part in node.values
        )
    return ""


def test_no_message_has_an_idiom():
    found = [f"{at}: {text}" for at, text in messages() if IDIOMS.search(text)]
    assert not found, "\n".join(found)


def test_an_idiom_would_be_found():
    assert IDIOMS.search("which is told as such")
    assert not IDIOMS.search("5 hazardous, 46 excluded by assumptions")
    assert len(list(messages())) > 1000


if __name__ == "__main__":
    for at, text in messages():
        print(f"{at}: {text}")
