"""A separate program: Graphviz, from DOT on standard input to SVG on standard output.

In:  texts of DOT with a NUL between them; as argument the seconds for each of them.
Out: for each its SVG and a NUL, as soon as it is drawn. SIGALRM ends the process at the
     first text that takes longer.

`symrob.report.svg` runs this file, not the module: the process loads pygraphviz and
nothing of symrob. Its wheel contains Graphviz, so no program has to be installed.
"""

from __future__ import annotations

import os
import signal
import sys
from typing import IO


def main() -> None:
    """Draw graphs, one after the other."""
    from pygraphviz import AGraph

    seconds = float(sys.argv[1]) if sys.argv[1:] else 0.0
    for text in sys.stdin.buffer.read().split(b"\0"):
        if hasattr(signal, "setitimer"):
            signal.setitimer(signal.ITIMER_REAL, seconds)
        graph = AGraph()
        with in_memory() as file:
            file.write(text)
            file.seek(0)
            graph.read(file)
        sys.stdout.buffer.write(graph.draw(format="svg", prog="dot") + b"\0")
        sys.stdout.buffer.flush()


def in_memory() -> IO[bytes]:
    """A file in memory: Graphviz reads nothing else, and a folder may be full."""
    if hasattr(os, "memfd_create"):
        return os.fdopen(os.memfd_create("dot"), "w+b")
    from tempfile import TemporaryFile

    return TemporaryFile()


if __name__ == "__main__":
    main()
