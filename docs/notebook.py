"""Runs the cells of docs/first-repair.ipynb and keeps what they print and show.

    python -m docs.notebook

In:  the notebook; its cells run in its folder, one after the other.
Out: the same file with the outputs of today. Outputs that differ in times only stay.

Pictures are kept as SVG, which is the same on every machine; values without a picture
as text.
"""

from __future__ import annotations

import ast
import io
import json
from contextlib import chdir, redirect_stdout
from pathlib import Path
from typing import Any

from IPython.core.formatters import DisplayFormatter

from docs.case_studies import without_times
from symrob.notebook import register

PATH = Path(__file__).with_name("first-repair.ipynb")

Cell = dict[str, Any]


def read() -> Cell:
    """Return the notebook as it stands."""
    notebook: Cell = json.loads(PATH.read_text("utf-8"))
    return notebook


def executed(notebook: Cell) -> Cell:
    """Return the notebook with the outputs of its cells.

    Raises:
        Exception: What a cell raises.
    """
    names: dict[str, Any] = {}
    show = DisplayFormatter()
    register(show.formatters)
    cells, count = [], 0
    with chdir(PATH.parent):
        for cell in notebook["cells"]:
            if cell["cell_type"] == "code":
                count += 1
                new = _outputs("".join(cell["source"]), names, show, count)
                if _same(cell["outputs"], new):
                    new = cell["outputs"]
                cell = {**cell, "execution_count": count, "outputs": new}
            cells.append(cell)
    return {**notebook, "cells": cells}


def _outputs(
    source: str, names: dict[str, Any], show: DisplayFormatter, count: int
) -> list[Cell]:
    """Run a cell; give what it prints, then its last expression."""
    tree = ast.parse(source)
    text, value = io.StringIO(), None
    with redirect_stdout(text):
        match tree.body:
            case [*before, ast.Expr(value=last)]:
                tree.body = before
                exec(compile(tree, PATH.name, "exec"), names)
                expression = ast.Expression(last)
                value = eval(compile(expression, PATH.name, "eval"), names)
            case _:
                exec(compile(tree, PATH.name, "exec"), names)
    found: list[Cell] = []
    if text.getvalue():
        lines = text.getvalue().splitlines(keepends=True)
        found.append({"name": "stdout", "output_type": "stream", "text": lines})
    if value is not None:
        data, _ = show.format(value)  # type: ignore[no-untyped-call]
        picture = data.get("image/svg+xml")
        kept = {"image/svg+xml": picture} if picture else data
        found.append(
            {
                "data": {k: v.splitlines(keepends=True) for k, v in kept.items()},
                "execution_count": count,
                "metadata": {},
                "output_type": "execute_result",
            }
        )
    return found


def _same(old: list[Cell], new: list[Cell]) -> bool:
    return without_times(json.dumps(old)) == without_times(json.dumps(new))


def main() -> None:
    """Write the notebook with the outputs of today."""
    text = json.dumps(executed(read()), indent=1, ensure_ascii=False, sort_keys=True)
    PATH.write_text(text + "\n", "utf-8")


if __name__ == "__main__":
    main()
