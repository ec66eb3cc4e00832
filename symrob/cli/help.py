"""The layout of `symrob COMMAND --help`.

A command's own options come first, then those that commands share, under headings.
typer has headings only with rich, which takes longer to import than most commands take
to run, so this module prints them.
"""

from __future__ import annotations

from functools import partial
from typing import Any

import typer
from typer.core import TyperCommand

# The order of the headings; what has none is a command's own.
SECTIONS = ("Models", "Selection", "Bounds", "Output")

# An option under each of them.
of_models, of_selection, of_bounds, of_output = (
    partial(typer.Option, rich_help_panel=section) for section in SECTIONS
)


class Command(TyperCommand):
    """A command whose help has sections."""

    def format_options(self, ctx: Any, formatter: Any) -> None:
        """Write arguments, then the options of each section."""
        sections: dict[str, list[Any]] = {"Arguments": [], "Options": []}
        sections |= {section: [] for section in SECTIONS}
        for param in self.get_params(ctx):
            record = param.get_help_record(ctx)
            if record is None:
                continue
            if param.param_type_name == "argument":
                section = "Arguments"
            elif param.name == "help":
                section = "Output"
            else:
                section = getattr(param, "rich_help_panel", None) or "Options"
            sections[section].append(record)
        for section, records in sections.items():
            if records:
                with formatter.section(section):
                    formatter.write_dl(records)
