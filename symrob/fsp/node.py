"""The base class of syntax tree nodes.

In:  nothing.
Out: `Node`, which makes its subclasses frozen data classes.
"""

from __future__ import annotations

from typing import Any, NoReturn, dataclass_transform


@dataclass_transform(frozen_default=True)
class Node:
    """A frozen data class, made without generating code.

    `dataclasses` would compile five methods for each of the classes of `ast`, which
    costs 20 ms at every start. Arguments are given by position, all of them.
    """

    __match_args__: tuple[str, ...] = ()

    def __init_subclass__(cls) -> None:
        type.__setattr__(cls, "__match_args__", tuple(cls.__annotations__))

    def __init__(self, *values: Any) -> None:
        self.__dict__.update(zip(self.__match_args__, values, strict=True))

    def __setattr__(self, name: str, value: object) -> NoReturn:
        raise AttributeError(f"{type(self).__name__} is frozen")

    def __eq__(self, other: object) -> bool:
        return type(self) is type(other) and self.__dict__ == other.__dict__

    def __hash__(self) -> int:
        return hash(tuple(self.__dict__.values()))

    def __repr__(self) -> str:
        fields = ", ".join(f"{k}={v!r}" for k, v in self.__dict__.items())
        return f"{type(self).__name__}({fields})"
