"""Statecharts: what a chart is, its dialects' rules, and its transition system."""

from symrob.formats.charts.flatten import flattened
from symrob.formats.charts.model import (
    Chart,
    Configuration,
    Content,
    Edge,
    Node,
    Rules,
    exclusive,
    preorder,
)

__all__ = [
    "Chart",
    "Configuration",
    "Content",
    "Edge",
    "Node",
    "Rules",
    "exclusive",
    "flattened",
    "preorder",
]
