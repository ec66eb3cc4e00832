"""CUDD as dd gives it, but operations can end in their midst, managers in any order.

In:  what `dd.cudd.BDD` takes, and a clock.
Out: a `BDD`, which is one. An operation that must not go on gives up, and leaves all
     as it was; dd complains, and `interrupts.why_given_up` has the reason.

CUDD calls a function now and then (every 2,048 misses of its cache, a fraction of a
millisecond), but dd has no way to name one. CUDD's own symbols are in dd's library,
and the address of its manager is the first field of dd's object. That this is so is
checked, and where it is not, operations run to their end.

dd frees a manager when no BDD holds it. What Python collects from a cycle lets go of
its parts in any order: then BDDs are there still, dd complains, and never gives the
memory back. Cycles are there where an exception is kept, since its frames hold all
that the callers have.
"""

from __future__ import annotations

import ctypes
from collections.abc import Callable, Generator, Iterable
from contextlib import suppress
from functools import lru_cache
from sys import getrefcount
from typing import Any

import dd.cudd
from dd.cudd import Function
from dd.cudd import and_exists as and_exists

from symrob.interrupts import give_up
from symrob.limits import Clock

_WORD = ctypes.sizeof(ctypes.c_void_p)
# A Python object, the table of its methods, and the fields that dd declares.
_MANAGER, _VARIABLES = 3 * _WORD, 4 * _WORD
_Asked = ctypes.CFUNCTYPE(ctypes.c_int, ctypes.c_void_p)
# Managers that Python is collecting from a cycle, and BDDs of theirs.
_collected: list[BDD] = []


class BDD(dd.cudd.BDD):  # type: ignore[misc]
    """A manager of CUDD.

    Args:
        clock: Asked in the midst of operations whether they may go on.
        options: Those of dd.

    Attributes:
        breakable: Whether operations can end in their midst with this version of dd.
    """

    def __init__(self, *, clock: Clock, **options: int) -> None:
        # The BDDs of these are gone by now.
        _collected.clear()
        super().__init__(**options)
        register = _register(dd.cudd.__file__)
        place = id(self)
        self.breakable = (
            register is not None
            and dd.cudd.BDD.__basicsize__ >= _VARIABLES + _WORD
            and _pointer(place + _VARIABLES) == id(self.vars)
        )
        if self.breakable:
            asked = _answers(clock)
            next(asked)
            # Kept for as long as CUDD may call it.
            self._asked = _Asked(asked.send)
            register(_pointer(place + _MANAGER), self._asked, None)

    def cube(self, literals: Iterable[Any]) -> Function:
        """Return a cube as dd does; one that is given, and nothing else, is itself.

        To quantify, dd asks for the cube of some variables each time, and looks at all
        that the manager has.
        """
        given = next(iter(literals), None)
        return given if isinstance(given, Function) else super().cube(literals)

    # Names of modules are gone when Python ends.
    def __del__(
        self,
        known: Callable[[object], int] = getrefcount,
        collected: list[BDD] = _collected,
    ) -> None:
        # More than this frame, its variable, and the argument of the call.
        if known(self) > 3:
            collected.append(self)


def _answers(clock: Clock) -> Generator[int, object, None]:
    """Answer CUDD, each time that it asks: 1 if the operation must end.

    The handlers of signals run in here too, and raise. A function would lose what they
    raise before its first line; this goes on where everything is caught.
    """
    answer = 0
    while True:
        try:
            while True:
                yield answer
                clock.check()
                answer = 0
        except GeneratorExit:
            return
        except BaseException as reason:
            give_up(reason)
            answer = 1


def _pointer(place: int) -> int | None:
    return ctypes.c_void_p.from_address(place).value


@lru_cache
def _register(library: str) -> Any:
    """Return CUDD's function that names who is asked; `None` where there is none."""
    with suppress(OSError, AttributeError):
        register = ctypes.CDLL(library).Cudd_RegisterTerminationCallback
        register.argtypes = (ctypes.c_void_p, _Asked, ctypes.c_void_p)
        register.restype = None
        return register
    return None
