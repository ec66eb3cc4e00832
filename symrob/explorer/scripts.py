"""The scripts of a page: modules of JavaScript, joined in the order of their imports.

In:  the files in `page/`, each an ES module that a browser or node could load.
Out: one script, in strict mode and in a separate scope, without imports: a page that is
     opened from the disk must not load modules from files.

Names at the top of a module are unique among all of them; `tests/explorer` checks it.
"""

from __future__ import annotations

import re
from functools import reduce
from pathlib import Path

FOLDER = Path(__file__).parent / "page"

_IMPORT = re.compile(r'^import [^;]*? from "\./(\w+)\.js";\n', re.MULTILINE)
# Whole lines only, so that no text of a script is taken for one.
_COMMENT = re.compile(r"^ *(?:/\*\*.*?\*/|//[^\n]*)\n", re.M | re.S)
_EXPORT = re.compile(r"^export (?=(?:async )?(?:function|const|let|class)\b)", re.M)


def read(name: str) -> str:
    """Return a file of the page."""
    return (FOLDER / name).read_text(encoding="utf-8")


def modules(*names: str) -> list[str]:
    """Return modules and all their imports, each after its own imports."""
    order: list[str] = []

    def visit(module: str) -> None:
        if module not in order:
            for needed in _IMPORT.findall(read(f"{module}.js")):
                visit(needed)
            order.append(module)

    for name in names:
        visit(name)
    return order


def joined(*names: str) -> str:
    """Return modules with all that they import as one script, without comments."""
    drop = (_COMMENT, _IMPORT, _EXPORT)
    parts = (
        reduce(lambda text, what: what.sub("", text), drop, read(f"{module}.js"))
        for module in modules(*names)
    )
    return '"use strict";\n(() => {\n' + "\n".join(parts) + "})();\n"
