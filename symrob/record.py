"""The base classes of frozen data classes in `formats.fsp`; all else has plain ones.

In:  nothing.
Out: `Record`, which is used like `@dataclass(frozen=True)`; `Node`, the part of it
     that syntax trees need.

`@dataclass(frozen=True)` compiles six methods for each class, which costs a start
of symrob a millisecond for each. The methods here are the same for all classes.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import (
    MISSING,
    Field,
    FrozenInstanceError,
    dataclass,
    field,
    fields,
)
from typing import Any, ClassVar, NoReturn, dataclass_transform


@dataclass_transform(frozen_default=True, field_specifiers=(field,))
class Node:
    """Frozen, and equal to what is of the same class and has equal values.

    Arguments are given by position, all of them.
    """

    __match_args__: ClassVar[tuple[str, ...]] = ()

    def __init_subclass__(cls) -> None:
        type.__setattr__(cls, "__match_args__", tuple(cls.__annotations__))

    def __init__(self, *values: Any) -> None:
        self.__dict__.update(zip(self.__match_args__, values, strict=True))

    def __setattr__(self, name: str, value: object) -> NoReturn:
        raise FrozenInstanceError(f"{type(self).__name__} is frozen")

    def __delattr__(self, name: str) -> NoReturn:
        raise FrozenInstanceError(f"{type(self).__name__} is frozen")

    def _values(self) -> tuple[object, ...]:
        # Not all of the dictionary: cached properties are in there as well.
        return tuple(map(self.__dict__.__getitem__, self.__match_args__))

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Node) or type(self) is not type(other):
            return NotImplemented
        return self._values() == other._values()

    def __hash__(self) -> int:
        return hash(self._values())

    def __repr__(self) -> str:
        named = zip(self.__match_args__, self._values(), strict=True)
        shown = ", ".join(f"{name}={value!r}" for name, value in named)
        return f"{type(self).__qualname__}({shown})"


class Record(Node):
    """A data class in every respect: defaults, `fields`, `replace`, `asdict`.

    All fields are arguments, and all of them are compared and shown.
    """

    __dataclass_fields__: ClassVar[dict[str, Field[Any]]]

    def __init_subclass__(cls) -> None:
        dataclass(init=False, repr=False, eq=False)(cls)

    def __init__(self, *values: Any, **named: Any) -> None:
        if named or len(values) != len(self.__match_args__):
            self.__dict__.update(self._completed(values, named))
        else:
            self.__dict__.update(zip(self.__match_args__, values, strict=True))
        self.__post_init__()

    def __post_init__(self) -> None:
        """Check what was given; for subclasses."""

    def _completed(
        self, values: tuple[Any, ...], named: Mapping[str, Any]
    ) -> dict[str, Any]:
        """Add the names of the values, and the defaults."""
        names: tuple[str, ...] = self.__match_args__
        given = {**dict(zip(names, values, strict=False)), **named}
        for each in fields(self):
            if each.name not in given:
                if each.default is not MISSING:
                    given[each.name] = each.default
                elif each.default_factory is not MISSING:
                    given[each.name] = each.default_factory()
        twice = [name for name in names[: len(values)] if name in named]
        if twice or len(values) > len(names) or given.keys() != set(names):
            title = type(self).__qualname__
            raise TypeError(f"{title} takes {', '.join(names)}, each of them once")
        return given
