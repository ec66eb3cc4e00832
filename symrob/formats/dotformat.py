"""Graphviz (`.dot`), written only: what `formats.dot` draws."""

from __future__ import annotations

from symrob.formats.dot import dot_lines
from symrob.formats.registry import Format, Text
from symrob.lts import Lts, Network


def _write(system: Lts | Network) -> Text:
    return list(dot_lines(system)), ()


FORMAT = Format("Graphviz", write=_write, networks=True)
