"""Where paths of a stranger's file may lead.

In:  a path, and the folder that it must not leave.
Out: whether it stays inside.
"""

from __future__ import annotations

import os

ANYWHERE = os.sep
"""The folder that no path leaves."""


def is_inside(path: str, folder: str) -> bool:
    """Whether a path stays in a folder, `..` and symbolic links followed.

    Args:
        path: Relative to the working folder, or absolute; need not exist.
        folder: Likewise; empty for the working folder.
    """
    home = os.path.realpath(folder or os.curdir)
    return os.path.commonpath([home, os.path.realpath(path)]) == home


def beside(file: str, name: str) -> str:
    """Return the path of what a file names: relative to the file's folder.

    Nothing is normalised: `a/../b` is what the system says it is, which is not `b`
    where `a` is a link. And a name that means something else on the command line,
    such as `-`, is a file here.

    Args:
        file: The path of the file that names it.
        name: What stands in the file.
    """
    path = os.path.join(os.path.dirname(file), name)
    return os.path.join(os.curdir, path) if path.startswith("-") else path
