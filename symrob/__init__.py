"""symrob: safety envelopes of discrete systems.

    import symrob

    nurse = symrob.load("models/therac25/nurse.lts")
    controller = symrob.load("models/therac25/machines.lts", "THERAC25")
    safety = symrob.load("models/therac25/xflat.lts")
    for deviation in symrob.compute(nurse, controller, safety):
        print(len(deviation.new), "more transitions are tolerated")

The stages of a computation are in `symrob.api`. Importing this package imports
neither the BDD library nor the parser nor the solver; they come when needed.
"""

import sys as _sys

from symrob.api.front import compare, compute, load, network, product
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
from symrob.version import VERSION

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
    "compare",
    "compute",
    "load",
    "network",
    "parse_transitions",
    "product",
]

if "IPython" in _sys.modules:
    from symrob.notebook import register_in_shell

    register_in_shell()
