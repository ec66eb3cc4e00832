"""The base class of syntax trees.

In:  nothing.
Out: `Node`, a frozen data class whose methods are shared.

There are so many kinds of nodes that `@dataclass(frozen=True)`, which compiles six
methods for each class, would cost a start 10 ms.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import FrozenInstanceError
from typing import Any, ClassVar, NoReturn, dataclass_transform


@dataclass_transform(frozen_default=True)
class _Frozen:
    """Frozen, and equal to what is of the same class and has equal values.

    Arguments are given by position, all of them: the fields of the base first.
    """

    __match_args__: ClassVar[tuple[str, ...]] = ()

    def __init_subclass__(cls) -> None:
        own = vars(cls).get("__annotations__", ())
        type.__setattr__(cls, "__match_args__", (*cls.__match_args__, *own))

    def __init__(self, *values: Any) -> None:
        self.__dict__.update(zip(self.__match_args__, values, strict=True))

    def __setattr__(self, name: str, value: object) -> NoReturn:
        raise FrozenInstanceError(f"{type(self).__name__} is frozen")

    def __delattr__(self, name: str) -> NoReturn:
        self.__setattr__(name, None)

    def _values(self) -> tuple[object, ...]:
        # Not all of the dictionary: cached properties are in there as well.
        return tuple(map(self.__dict__.__getitem__, self.__match_args__))

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, _Frozen) or type(self) is not type(other):
            return NotImplemented
        return self._values() == other._values()

    def __hash__(self) -> int:
        return hash(self._values())

    def __repr__(self) -> str:
        named = zip(self.__match_args__, self._values(), strict=True)
        shown = ", ".join(f"{name}={value!r}" for name, value in named)
        return f"{type(self).__qualname__}({shown})"


class Node(_Frozen):
    """A node, with the place that a diagnostic about it points at."""

    pos: int

    def children(self) -> Iterator[Node]:
        """Yield the nodes that this one is made of, in the order of its fields."""
        return _nodes_in(self._values())


def _nodes_in(values: tuple[object, ...]) -> Iterator[Node]:
    for value in values:
        if isinstance(value, Node):
            yield value
        elif isinstance(value, tuple):
            yield from _nodes_in(value)
