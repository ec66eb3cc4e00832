"""Statecharts: what a chart is, and its transition system."""

from symrob.formats.charts.flatten import flattened
from symrob.formats.charts.model import Chart, Content, Edge, Node

__all__ = ["Chart", "Content", "Edge", "Node", "flattened"]
