"""CUDD through dd, with abortable operations and managers that are always freed.

In:  the arguments of `dd.cudd.BDD`, and a check that raises when the run must end.
Out: a `BDD`, which is a `dd.cudd.BDD`. An aborted operation changes nothing; dd raises
     an error, and `symrob.borders.why_given_up` returns the reason.

CUDD calls a function at intervals (every 2,048 misses of its cache, a fraction of a
millisecond), but dd has no way to register one. CUDD's own symbols are in dd's library,
and the address of its manager is the first field of dd's object.

dd frees a manager when no BDD refers to it. Python clears a cycle in any order: a
manager may be freed before its BDDs, and then dd complains and never frees the memory.
Cycles arise when an exception is stored, since its frames refer to the callers'
variables.
"""

from __future__ import annotations

import ctypes
from collections.abc import Callable, Generator, Iterable, Sequence
from contextlib import suppress
from functools import lru_cache
from typing import Any

import dd.cudd
from dd.cudd import Function
from dd.cudd import and_exists as and_exists

from symrob.borders import note

_WORD = ctypes.sizeof(ctypes.c_void_p)
# Behind a Python object and the table of its methods, the fields that dd declares.
MANAGER = object.__basicsize__ + _WORD
_VARIABLES = MANAGER + _WORD
_Asked = ctypes.CFUNCTYPE(ctypes.c_int, ctypes.c_void_p)
# Managers that Python is collecting from a cycle, together with BDDs of theirs.
_collected: list[BDD] = []


class BDD(dd.cudd.BDD):  # type: ignore[misc]
    """A CUDD manager.

    Args:
        check: Called during operations; raises to end them.
        options: Options of dd.

    Attributes:
        breakable: Whether operations can be aborted with this version of dd.
    """

    breakable: bool | None = None
    # Whether `and_exists` takes a cube in place of names; `None` until that is tried.
    takes_cubes: bool | None = None

    def __init__(self, *, check: Callable[[], None], **options: int) -> None:
        # The BDDs of these are gone by now.
        _collected.clear()
        super().__init__(**options)
        address, register = _address(self), _register(dd.cudd.__file__)
        self.breakable = address is not None and register is not None
        if self.breakable:
            asked = _answers(check)
            next(asked)
            # Kept for as long as CUDD may call it.
            self._asked = _Asked(asked.send)
            register(address, self._asked, None)

    def cube(self, literals: Iterable[Any]) -> Function:
        """Return a cube as dd does; a set that has a cube returns it."""
        given = next(iter(literals), None)
        return given if isinstance(given, Function) else super().cube(literals)

    def to_quantify(self, names: Sequence[str]) -> Iterable[Any]:
        """Return the argument of `and_exists` for some names.

        From names, dd builds a cube each time, which loops over all variables.
        """
        cube = self.cube(dict.fromkeys(names, True))
        if BDD.takes_cubes is None:
            BDD.takes_cubes = self._takes(cube)
        return (cube,) if BDD.takes_cubes else names

    def _takes(self, cube: Function) -> bool:
        with suppress(Exception):
            return bool(and_exists(cube, cube, (cube,)) == self.true)
        return False

    # Names of modules are gone when Python ends.
    def __del__(self, collected: list[BDD] = _collected) -> None:
        # Where dd's own constructor has failed, there is nothing to look at.
        if self.breakable is not None and len(self):
            collected.append(self)


def _address(manager: BDD) -> int | None:
    """Where CUDD's manager is; `None` if dd's object is not as expected."""
    place = id(manager)
    if dd.cudd.BDD.__basicsize__ < _VARIABLES + _WORD or _pointer(
        place + _VARIABLES
    ) != id(manager.vars):
        return None
    return _pointer(place + MANAGER)


def _answers(check: Callable[[], None]) -> Generator[int, object, None]:
    """Answer CUDD, each time that it asks: 1 if the operation must end.

    The handlers of signals run in here too, and raise. A function would lose what they
    raise before its first line; this goes on where everything is caught.
    """
    answer = 0
    while True:
        try:
            while True:
                yield answer
                check()
                answer = 0
                note(None)
        except GeneratorExit:
            return
        except BaseException as reason:
            note(reason)
            answer = 1


def _pointer(place: int) -> int | None:
    return ctypes.c_void_p.from_address(place).value


@lru_cache
def _register(library: str) -> Any:
    """Return CUDD's function that registers a callback; `None` if there is none."""
    with suppress(OSError, AttributeError):
        register = ctypes.CDLL(library).Cudd_RegisterTerminationCallback
        register.argtypes = (ctypes.c_void_p, _Asked, ctypes.c_void_p)
        register.restype = None
        return register
    return None
