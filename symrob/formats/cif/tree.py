"""The syntax tree of CIF; `syntax` builds it, `scopes` resolves its names.

In:  nothing.
Out: the types of its declarations.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

from symrob import files
from symrob.files.jsontext import spanned
from symrob.formats.text import Problems


class CifText:
    """A file: its text and its problems.

    Args:
        path: The file.
        problems: Its problems.
    """

    def __init__(self, path: str, problems: Problems) -> None:
        self.path, self.problems = path, problems
        self.text = files.read_text(path)

    def note(
        self, token: CifToken, message: str, code: str = "cif-model", hint: str = ""
    ) -> None:
        """Note a problem at a token."""
        span = spanned(self.text, token.place, token.end)
        self.problems.error(code, message, span, hint or None)


class CifToken(NamedTuple):
    """A word of a text, and its place."""

    text: str
    place: int
    end: int
    origin: CifText

    @property
    def name(self) -> str:
        """The word as a name, without the mark that distinguishes it from keywords."""
        return self.text.replace("$", "")

    def note(self, message: str, hint: str = "") -> None:
        """Note a problem of it."""
        self.origin.note(self, message, hint=hint)


class CifTree(NamedTuple):
    """An expression: an operator and its operands.

    Attributes:
        kind: `name`, `number`, `true`, `false`, `if` (condition, value, …, value),
            `switch` (subject, value, result, …, result), `call` of a built-in function,
            `apply` of a function in the file, `self`, `unvalued` for an expression that
            is an error if its value matters, or an operator; `neg` is the unary minus.
        token: Its first token; the name or number.
        parts: The operands.
        what: The description of an unvalued expression, for messages.
    """

    kind: str
    token: CifToken
    parts: tuple[CifTree, ...] = ()
    what: str = ""


class CifType(NamedTuple):
    """A type: its first word, and the bounds of `int`."""

    token: CifToken
    bounds: tuple[CifTree, CifTree] | None = None


@dataclass(frozen=True)
class CifEvents:
    """A declaration of events; `kind` is `event`, or whether they are controllable.

    Events with data are channels.
    """

    names: Sequence[CifToken]
    kind: str
    channel: bool = False


@dataclass(frozen=True)
class CifEnum:
    """An enumeration: its values, in order."""

    name: CifToken
    values: Sequence[CifToken]


@dataclass(frozen=True)
class TypeName:
    """Another name of a type."""

    name: CifToken
    type: CifType


@dataclass(frozen=True)
class CifValue:
    """A constant or algebraic variable; without a value, an equation defines it."""

    name: CifToken
    type: CifType
    value: CifTree | None


@dataclass(frozen=True)
class CifFunction:
    """A function: its parameters and its value, or why it is not supported."""

    name: CifToken
    parameters: Sequence[CifToken] = ()
    value: CifTree | None = None
    why: str = ""


@dataclass(frozen=True)
class CifVariable:
    """A discrete, continuous (of the type `cont`) or input variable.

    Attributes:
        name: Its name.
        type: Its type.
        first: Its initial values; empty for the default of its type, `None` for any.
        given: Whether it is an input.
    """

    name: CifToken
    type: CifType
    first: Sequence[CifTree] | None
    given: bool = False


@dataclass(frozen=True)
class CifEquation:
    """The value of an algebraic variable."""

    name: CifToken
    value: CifTree


@dataclass(frozen=True)
class Invariant:
    """An invariant.

    Attributes:
        kind: `plant`, `requirement`, `supervisor`, or empty.
        form: `holds`, `needs` or `disables`.
        events: The events of `needs` and `disables`.
        condition: A condition on states.
        token: Its first token.
        name: Its name, if any.
    """

    kind: str
    form: str
    events: Sequence[CifToken]
    condition: CifTree
    token: CifToken
    name: str = ""


@dataclass(frozen=True)
class CifAssignment:
    """An update: of a variable, or conditional updates.

    Attributes:
        name: The variable, or the first token of the update.
        value: The assigned value.
        branches: Conditions, and the updates under them.
        parts: The variables, for an assignment to several or to parts of one.
    """

    name: CifToken
    value: CifTree | None = None
    branches: Sequence[tuple[CifTree | None, Sequence[CifAssignment]]] = ()
    parts: Sequence[CifToken] = ()


@dataclass
class CifEdge:
    """An edge of a location.

    Attributes:
        uses: By the number of an event that is a channel, `!` or `?`: whether the edge
            sends or receives; and the value that it sends, if one is given.
    """

    token: CifToken
    events: list[CifToken]
    guards: list[CifTree] = field(default_factory=list)
    updates: list[CifAssignment] = field(default_factory=list)
    target: CifToken | None = None
    uses: dict[int, tuple[str, CifTree | None]] = field(default_factory=dict)


@dataclass
class CifLocation:
    """A location of an automaton, with its edges."""

    name: str
    token: CifToken
    initial: CifTree | bool = False
    edges: list[CifEdge] = field(default_factory=list)
    invariants: list[Invariant] = field(default_factory=list)
    equations: list[CifEquation] = field(default_factory=list)


@dataclass(frozen=True)
class CifImport:
    """An import of a file."""

    token: CifToken


@dataclass
class CifParameter:
    """A parameter of a definition: an event, a value, a location or a component."""

    kind: str
    name: CifToken


@dataclass
class CifBody:
    """The body of a component.

    Attributes:
        kind: `group`, or the role of an automaton.
        name: Its name.
        parts: Declarations, components, definitions and instances, in order.
        locations: The locations of an automaton.
        alphabet: Its alphabet, if specified.
        monitored: The events that it monitors; empty for all of its alphabet.
        initial: The initial condition.
        parameters: The parameters of a definition; `None` for a component.
        namespace: The names of the groups around all of a file.
    """

    kind: str
    name: CifToken
    parts: list[Declared] = field(default_factory=list)
    locations: list[CifLocation] = field(default_factory=list)
    alphabet: list[CifToken] | None = None
    monitored: list[CifToken] | None = None
    initial: list[CifTree] = field(default_factory=list)
    parameters: list[CifParameter] | None = None
    namespace: CifToken | None = None


@dataclass(frozen=True)
class CifInstance:
    """An instance of a definition, with its arguments."""

    name: CifToken
    of: CifToken
    given: Sequence[CifTree]


Declared = (
    CifEvents
    | CifEnum
    | TypeName
    | CifValue
    | CifFunction
    | CifVariable
    | CifEquation
    | Invariant
    | CifImport
    | CifInstance
    | CifBody
)
