"""CUDD asks whether it may go on, in the midst of one operation.

In:  a manager of dd.cudd, and the clock of its run.
Out: an operation that must not go on gives up; dd complains of a null pointer, and
     `why_given_up` has the reason.

CUDD calls a function now and then (2,048 misses of its cache, a fraction of a
millisecond), but dd has no way to name one. CUDD's own symbols are in dd's library,
and the address of its manager is the first field of dd's object: that this is so is
checked, and where it is not, operations run to their end.
"""

from __future__ import annotations

import ctypes
from contextlib import suppress
from functools import lru_cache
from itertools import count
from typing import Any
from weakref import WeakValueDictionary

from symrob.limits import Clock
from symrob.memory import memory_exceeded

_WORD = ctypes.sizeof(ctypes.c_void_p)
# A Python object, the table of its methods, and the fields that dd declares.
_MANAGER, _VARIABLES = 3 * _WORD, 4 * _WORD
_asked = ctypes.CFUNCTYPE(ctypes.c_int, ctypes.c_void_p)
_numbers = count(1)
# Of managers that live; a manager can outlive its `Context`, and its clock.
_clocks: WeakValueDictionary[int, Clock] = WeakValueDictionary()
_reasons: list[BaseException] = []


def make_breakable(manager: Any, library: str, clock: Clock) -> bool:
    """Let operations of a manager end when the clock says so.

    Args:
        manager: A `dd.cudd.BDD`.
        library: The file of `dd.cudd`.
        clock: Asked now and then; what it raises is the reason.

    Returns:
        Whether that is possible with this version of dd.
    """
    register = _register(library)
    if register is None or type(manager).__basicsize__ < _VARIABLES + _WORD:
        return False
    place = id(manager)
    if ctypes.c_void_p.from_address(place + _VARIABLES).value != id(manager.vars):
        return False
    number = next(_numbers)
    _clocks[number] = clock
    address = ctypes.c_void_p.from_address(place + _MANAGER).value
    register(ctypes.c_void_p(address), _callback, ctypes.c_void_p(number))
    return True


def why_given_up(error: BaseException) -> BaseException | None:
    """Return why an operation gave up; `None` if the error is about something else.

    Where CUDD has used up the memory that it may use, dd complains likewise, or that
    it failed to add a variable.
    """
    if isinstance(error, MemoryError):
        return memory_exceeded()
    text = str(error) if isinstance(error, ValueError | RuntimeError) else ""
    if "NULL" in text or text.startswith("failed to add var"):
        return _reasons.pop() if _reasons else memory_exceeded()
    return None


def _may_not_go_on(number: int) -> int:
    """What CUDD calls. What is raised in here would be printed and forgotten."""
    clock = _clocks.get(number)
    try:
        # The handlers of signals run in here too, and raise.
        if clock is not None:
            clock.check()
    except BaseException as reason:
        _reasons[:] = [reason.with_traceback(None)]
        return 1
    return 0


_callback = _asked(_may_not_go_on)


@lru_cache
def _register(library: str) -> Any:
    with suppress(OSError, AttributeError):
        register = ctypes.CDLL(library).Cudd_RegisterTerminationCallback
        register.argtypes = (ctypes.c_void_p, _asked, ctypes.c_void_p)
        register.restype = None
        return register
    return None
