"""Where paths of a untrusted file may lead.

In:  a path, and the folder that it must not leave.
Out: whether it stays inside.
"""

from __future__ import annotations

import os

ANYWHERE = os.sep
"""The folder that no path leaves."""


def is_inside(path: str, folder: str) -> bool:
    """Whether a path stays in a folder, following `..` and symbolic links.

    Args:
        path: Relative to the working folder, or absolute; need not exist.
        folder: The folder; empty for the working folder.
    """
    home = os.path.realpath(folder or os.curdir)
    return os.path.commonpath([home, os.path.realpath(path)]) == home


def beside(file: str, name: str) -> str:
    """Return the path of a name in a file, relative to the file's folder.

    Nothing is normalised: `a/../b` may differ from `b` if `a` is a link. A name with a
    special meaning on the command line, such as `-`, is an ordinary file here.

    Args:
        file: The path of the file that names it.
        name: The name in the file.
    """
    path = os.path.join(os.path.dirname(file), name)
    return os.path.join(os.curdir, path) if path.startswith("-") else path
