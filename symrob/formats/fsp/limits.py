"""Bounds on what a text may ask for, so that no input can exhaust the machine.

In:  nothing.
Out: `Limits`, passed through the whole front end.

Each bound has an option of the command line; messages name it.
"""

from __future__ import annotations

from symrob.record import Record


class Limits(Record):
    """Bounds on one FSP text.

    Attributes:
        max_states: States of one process, or of one product that the language
            itself demands (priority, `minimal`, …). Option `--max-states`.
        max_transitions: Transitions of one process. Option `--max-transitions`.
        max_expansion: Names that one label, set or range may stand for, and
            components of one composite. Option `--max-expansion`.
        max_nesting: Depth of brackets, of `then if` and of composites that
            refer to composites. Option `--max-nesting`.
        seconds: Time for reading all models of a problem. Option `--timeout`.
        memory: Memory of the process meanwhile, in MiB. Option `--memory`.
    """

    max_states: int = 1_000_000
    max_transitions: int = 2_000_000
    max_expansion: int = 100_000
    max_nesting: int = 100
    seconds: float | None = None
    memory: int | None = None


DEFAULT_LIMITS = Limits()
