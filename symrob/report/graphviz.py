"""A program of its own: Graphviz, from DOT on standard input to SVG on standard output.

`symrob.report.svg` runs this file, not the module: the process loads pygraphviz and
nothing of symrob. Its wheel contains Graphviz, so no program has to be installed.
"""

from __future__ import annotations

import sys


def main() -> None:
    """Draw one graph."""
    from pygraphviz import AGraph

    graph = AGraph()
    graph.read(sys.stdin.buffer)
    sys.stdout.buffer.write(graph.draw(format="svg", prog="dot"))


if __name__ == "__main__":
    main()
