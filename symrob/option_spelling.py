"""How messages spell options: as on the command line, or as in Python.

In:  messages, which name options as the command line does: `--timeout`.
Out: the same messages in the user's interface: `timeout=` in Python.

`symrob.errors.Diagnostic` calls this module for every message; code that builds a
reason outside of a diagnostic calls it directly.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import contextmanager

# What Python calls otherwise than `--some-name` becomes `some_name=`.
OTHERS = {
    "--bound": "",
    "--constraint": "env_constraints",
    "--controller": "controller",
    "--ctrl": "controller",
    "--const": "constants",
    "--dask": "cluster",
    "--env": "environment",
    "--env-prop": "env_constraints",
    "--environment": "environment",
    "--jobs": "processes",
    "-j": "processes",
    "--memory": "max_memory",
    "--prop": "properties",
    "--property": "properties",
    "--sorted": "in_order",
    "--top": "largest",
}
# What is True where it is given.
FLAGS = {
    *("--allow-outside", "--by-probability", "--compact", "--delta", "--details"),
    *("--force", "--outside", "--resilience", "--sorted", "--stats", "--strict"),
    *("--suggest", "--traces"),
}
# Only a program or a person at a terminal gives these.
ONLY_THERE = {
    *("--all", "--complete", "--format", "--from", "--hide-inert", "--product"),
    *("--resume", "--table", "--without-constraints"),
}
# Commands that are calls in Python.
_CALL = re.compile(r"symrob (assume|compare|compute|repair|risk) CASE")
_OPTION = re.compile(
    r"(?<![\w=-])(?:--bound (?P<bound>max-[a-z]+)|(?P<option>--[a-z][a-z-]*[a-z]|-j)\b)"
    r"(?:=| (?P<value>(?:[A-Z]+|\d+|(?<=--by )(?:action|class|component))\b))?"
)

_in_commands: list[str] = []


@contextmanager
def command_line() -> Iterator[None]:
    """Within the block, spell options in messages as on the command line."""
    _in_commands.append("command line")
    try:
        yield
    finally:
        _in_commands.pop()


def spelled(text: str) -> str:
    """Return a message with its options as the user writes them.

    Args:
        text: The message, with options and commands as on the command line.
    """
    if _in_commands:
        return text
    text = _CALL.sub(r"symrob.\1(...)", text) if "CASE" in text else text
    return _OPTION.sub(_in_python, text) if "-" in text else text


def _in_python(found: re.Match[str]) -> str:
    option, value = found["option"], found["value"]
    if option in ONLY_THERE:
        return found[0]
    name = (found["bound"] or OTHERS.get(option, option)).strip("-").replace("-", "_")
    if option in FLAGS:
        return f"{name}=True" if value is None else f"{name}=True {value}"
    shown = repr(value) if value and value.islower() else value or ""
    return f"{name}={shown}"
