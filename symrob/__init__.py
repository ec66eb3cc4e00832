"""symrob: safety envelopes of discrete systems.

    import symrob

    nurse = symrob.load("models/therac25/nurse.lts")
    controller = symrob.load("models/therac25/machines.lts", "THERAC25")
    safety = symrob.load("models/therac25/xflat.lts")
    for deviation in symrob.compute(nurse, controller, safety):
        print(len(deviation.new), "more transitions are tolerated")

The stages of a computation are in `symrob.api`. Importing this package is cheap, so
that the command can install its signal handlers first. The public names are imported
on first access; the BDD library, the parser and the solver when they are needed.
"""

import sys as _sys
from types import ModuleType as _Module

from symrob.version import VERSION

# Type checkers know the name; importing it from `typing` takes as long as all else.
TYPE_CHECKING = False
if TYPE_CHECKING:
    from symrob.api.cases import load_case
    from symrob.api.functions import compute, from_machine, load, network, product
    from symrob.case.transitions import parse_transitions
    from symrob.errors import (
        Diagnostic,
        LimitExceeded,
        NominalViolation,
        SymrobError,
        Trace,
        TraceStep,
    )
    from symrob.lts import ERROR, TAU, Lts, Network, Transition
    from symrob.problem.modes import FaultMode, LocalTransition
    from symrob.questions.calls import ask, assume, compare, repair, risk
    from symrob.shown import Shown

__version__ = VERSION

__all__ = [
    "ERROR",
    "TAU",
    "Diagnostic",
    "FaultMode",
    "LimitExceeded",
    "LocalTransition",
    "Lts",
    "Network",
    "NominalViolation",
    "SymrobError",
    "Trace",
    "TraceStep",
    "Transition",
    "ask",
    "assume",
    "compare",
    "compute",
    "from_machine",
    "load",
    "load_case",
    "network",
    "parse_transitions",
    "product",
    "repair",
    "risk",
]

_HOMES = (
    "symrob.api.cases",
    *("symrob.api.functions", "symrob.case.transitions", "symrob.errors", "symrob.lts"),
    *("symrob.problem.modes", "symrob.questions.calls"),
)


def __getattr__(name: str) -> object:
    """Import all names of `__all__` on first access to one of them."""
    from importlib import import_module

    # A submodule that is imported for the first time asks here, too: not for these.
    if name in __all__:
        for home in map(import_module, _HOMES):
            # The first home counts: `symrob.lts` has a module called `product`.
            wanted = {*__all__} - globals().keys()
            globals().update({n: getattr(home, n) for n in wanted if hasattr(home, n)})
        import_module("symrob.shown").register(text=_text, html=_html)
    if name in globals():
        return globals()[name]
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})


def _text(answer: "Shown") -> str:
    from symrob.report.answers import text

    return text(answer)


def _html(answer: "Shown") -> str | None:
    from symrob.notebook import view

    return view(answer)


class _Package(_Module):
    """Keeps `symrob.risk` and `symrob.repair` calls: rooms have these names, too."""

    def __setattr__(self, name: str, value: object) -> None:
        if not (name in __all__ and isinstance(value, _Module)):
            super().__setattr__(name, value)


_sys.modules[__name__].__class__ = _Package


if "IPython" in _sys.modules:
    from symrob.notebook import register_in_shell

    register_in_shell()
