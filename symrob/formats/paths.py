"""Where paths of a stranger's file may lead.

In:  a path, and the folder that it must not leave.
Out: whether it stays inside.
"""

from __future__ import annotations

import os


def is_inside(path: str, folder: str) -> bool:
    """Whether a path stays in a folder, `..` and symbolic links followed.

    Args:
        path: Relative to the working folder, or absolute; need not exist.
        folder: Likewise; empty for the working folder.
    """
    home = os.path.realpath(folder or os.curdir)
    return os.path.commonpath([home, os.path.realpath(path)]) == home
