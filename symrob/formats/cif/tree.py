"""What a CIF specification says, as a tree; `syntax` reads it, `scopes` looks names up.

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
    """One file: its text, and what is wrong with it.

    Args:
        path: The file.
        problems: Where they are noted.
    """

    def __init__(self, path: str, problems: Problems) -> None:
        self.path, self.problems = path, problems
        self.text = files.read_text(path)

    def note(
        self, token: CifToken, message: str, code: str = "cif-model", hint: str = ""
    ) -> None:
        """Note what is wrong at a token."""
        span = spanned(self.text, token.place, token.end)
        self.problems.error(code, message, span, hint or None)


class CifToken(NamedTuple):
    """A word of a text, and where it stands."""

    text: str
    place: int
    end: int
    origin: CifText

    @property
    def name(self) -> str:
        """The word as a name: without the mark that tells it from keywords."""
        return self.text.replace("$", "")

    def note(self, message: str, hint: str = "") -> None:
        """Note what is wrong with it."""
        self.origin.note(self, message, hint=hint)


class CifTree(NamedTuple):
    """An expression: an operator and its operands.

    Attributes:
        kind: `name`, `number`, `true`, `false`, `if` (condition, value, …, value),
            `switch` (subject, value, result, …, result), `call` of a function of CIF's,
            `apply` of the file's, `self`, `unvalued` for what is an error if its value
            matters, or an operator; `neg` is a sign.
        token: Where it begins; the name or number.
        parts: The operands.
        what: What a tree without a value is, for messages.
    """

    kind: str
    token: CifToken
    parts: tuple[CifTree, ...] = ()
    what: str = ""


class CifType(NamedTuple):
    """A type by its first word; of `int` also its bounds."""

    token: CifToken
    bounds: tuple[CifTree, CifTree] | None = None


@dataclass(frozen=True)
class CifEvents:
    """A declaration of events; `kind` is `event` or says who controls them.

    Events with data are channels.
    """

    names: Sequence[CifToken]
    kind: str
    channel: bool = False


@dataclass(frozen=True)
class CifEnum:
    """A type by its values, in order."""

    name: CifToken
    values: Sequence[CifToken]


@dataclass(frozen=True)
class TypeName:
    """Another name of a type."""

    name: CifToken
    type: CifType


@dataclass(frozen=True)
class CifValue:
    """A constant or an algebraic variable; without a value an equation has it."""

    name: CifToken
    type: CifType
    value: CifTree | None


@dataclass(frozen=True)
class CifFunction:
    """A function: what it is given, and its value; or why it has none."""

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
        first: The values that it may begin with: none for that of its type; `None` for
            any.
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
    """What must hold.

    Attributes:
        kind: `plant`, `requirement`, `supervisor`, or empty.
        form: `holds`, `needs` or `disables`.
        events: Of the last two.
        condition: A condition on states.
        token: Where it begins.
        name: Its name, if it has one.
    """

    kind: str
    form: str
    events: Sequence[CifToken]
    condition: CifTree
    token: CifToken
    name: str = ""


@dataclass(frozen=True)
class CifAssignment:
    """One update: of a variable, or of others where a condition holds.

    Attributes:
        name: The variable, or where the update begins.
        value: What it gets.
        branches: Conditions, and the updates under them.
        parts: The variables, where several or parts of one get values.
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
    """A file that is read as if it stood here."""

    token: CifToken


@dataclass
class CifParameter:
    """What a definition is given: of an event, a value, a location or a component."""

    kind: str
    name: CifToken


@dataclass
class CifBody:
    """What stands in a component.

    Attributes:
        kind: `group`, or the role of an automaton.
        name: Its name.
        parts: Declarations, components, definitions and instances, in order.
        locations: Of an automaton.
        alphabet: Its alphabet, if it lists one.
        monitored: The events that it watches; empty for all of its alphabet.
        initial: What must hold at the start.
        parameters: Of a definition; `None` for a component.
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
    """An instance of a definition, with what it is given."""

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
