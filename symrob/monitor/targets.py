"""The languages that a monitor can be written in.

In:  a `RuntimeMonitor`, the name of a language, a name for what is defined.
Out: a text.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping

from symrob.errors import Diagnostic, SymrobError, did_you_mean
from symrob.monitor.build import RuntimeMonitor
from symrob.monitor.c import c_lines
from symrob.monitor.mermaid import mermaid_lines
from symrob.monitor.names import identifier
from symrob.monitor.python import python_lines
from symrob.monitor.st import st_lines

_TARGETS: Mapping[str, Callable[[RuntimeMonitor, str], Iterator[str]]] = {
    "python": python_lines,
    "c": c_lines,
    "st": st_lines,
    "mermaid": mermaid_lines,
}
TARGETS = tuple(_TARGETS)


def require_target(target: str) -> None:
    """Require a known language.

    Raises:
        SymrobError: It is not one of `TARGETS`.
    """
    if target not in _TARGETS:
        raise SymrobError(
            Diagnostic(
                "monitor-target",
                f"--target must be one of {', '.join(TARGETS)}, not '{target:.40}'",
                hint=did_you_mean(target, TARGETS),
            )
        )


def text_of(monitor: RuntimeMonitor, target: str, name: str = "monitor") -> str:
    """Write a monitor in a language.

    Args:
        monitor: The monitor.
        target: One of `TARGETS`.
        name: The name of the definitions; converted to an identifier.

    Returns:
        ASCII text.

    Raises:
        SymrobError: The target is unknown, or cannot express the monitor.
    """
    require_target(target)
    lines = _TARGETS[target](monitor, identifier(name))
    return "".join(f"{line}\n" for line in lines)
