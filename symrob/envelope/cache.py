"""Bounded caches of function values.

In:  a function of one hashable argument.
Out: a dictionary that computes missing values, and is emptied when it is full.
"""

from __future__ import annotations

from collections.abc import Callable
from types import MethodType
from typing import TypeVar
from weakref import WeakMethod

from symrob.envelope import tuning

Key = TypeVar("Key")
Value = TypeVar("Value")


class Cache(dict[Key, Value]):
    """The known values of a function; `cache[key]` computes what is missing.

    Args:
        compute: The function. A bound method is referenced weakly, since its object
            owns the cache: a reference cycle would keep both alive, with their BDDs.
        most: Maximum number of values, by default `tuning.CACHED`; beyond that, all
            others are discarded.

    Cost: a known value costs one look-up in a dictionary, and no call.
    """

    def __init__(
        self, compute: Callable[[Key], Value], most: int | None = None
    ) -> None:
        super().__init__()
        bound = isinstance(compute, MethodType)
        self._compute = WeakMethod(compute) if bound else lambda: compute
        self._most = most

    def __missing__(self, key: Key) -> Value:
        compute = self._compute()
        assert compute is not None, "the owner of the cache is gone"
        value = compute(key)
        if len(self) >= (tuning.CACHED if self._most is None else self._most):
            self.clear()
        self[key] = value
        return value
