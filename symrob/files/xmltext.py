"""Parsing XML texts, with located errors, without entities or external access.

In:  the bytes of a file.
Out: its elements, each with its location; or a problem with line and column.

The parser is expat. A file must not declare entities, so there is no expansion and no
external access; a document type is ignored. Depth and number of elements are bounded.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from xml.parsers import expat

from symrob.errors import Diagnostic, LimitExceeded, Span, SymrobError
from symrob.files.reading import encoding_hint
from symrob.limits import Limits, watched

# Bytes that the parser is given at once.
_CHUNK = 1 << 16


@dataclass(eq=False, slots=True)
class Element:
    """One element.

    Attributes:
        tag: Its name without the namespace.
        space: The namespace; empty for none.
        attributes: By name; those of other namespaces with these.
        line: Its first line, from 1.
        column: Its first column, from 1.
        children: The elements in it.
        text: The text in it, without that of its children.
    """

    tag: str
    space: str
    attributes: dict[str, str]
    line: int
    column: int
    children: Sequence[Element] = ()
    text: str = ""

    def __iter__(self) -> Iterator[Element]:
        return iter(self.children)

    def all(self, *tags: str) -> Iterator[Element]:
        """Yield the children with these names."""
        return (child for child in self.children if child.tag in tags)

    def first(self, tag: str) -> Element | None:
        """Return the first child with a name."""
        for child in self.children:
            if child.tag == tag:
                return child
        return None

    def get(self, name: str, default: str = "") -> str:
        """Return the value of an attribute."""
        return self.attributes.get(name, default)


def parsed(content: bytes, path: str, code: str, limits: Limits) -> Element:
    """Return the outermost element of a text.

    Args:
        content: The bytes of the file, in the encoding that it declares.
        path: The name of the file, for messages.
        code: Code of the diagnostic.
        limits: Depth (`max_nesting`) and number of elements (three times as many as
            states and transitions).

    Raises:
        SymrobError: It is not valid XML, or declares entities.
        LimitExceeded: There are too many elements.

    Cost: linear in the text; about 500 bytes of memory for each element.
    """
    return _XmlReader(content, path, code, limits).read()


class _Refused(Exception):
    """What the file holds is XML, but is not read."""


class _TooDeep(Exception):
    """The elements are nested more deeply than `max_nesting` allows."""


class _XmlReader:
    def __init__(self, content: bytes, path: str, code: str, limits: Limits) -> None:
        self.content, self.path, self.code, self.limits = content, path, code, limits
        self.most = 3 * (limits.max_states + limits.max_transitions)
        self.count = 0
        self.open: list[Element] = []
        # What was found in each of them; most elements end without any.
        self.inside: list[list[Element]] = []
        self.root: Element | None = None
        self.parser = parser = expat.ParserCreate(namespace_separator="}")
        parser.buffer_text = True
        parser.SetParamEntityParsing(expat.XML_PARAM_ENTITY_PARSING_NEVER)
        parser.StartElementHandler = self._start
        parser.EndElementHandler = self._end
        parser.CharacterDataHandler = self._text
        parser.EntityDeclHandler = self._entity
        parser.ExternalEntityRefHandler = self._outside
        parser.SkippedEntityHandler = self._skipped

    def read(self) -> Element:
        try:
            for place in watched(range(0, len(self.content), _CHUNK), 16):
                self.parser.Parse(self.content[place : place + _CHUNK], False)
            self.parser.Parse(b"", True)
        except _Refused as refused:
            raise SymrobError(self._problem(str(refused))) from None
        except _TooDeep:
            message = f"elements are nested more than {self.limits.max_nesting} deep"
            hint = "--bound max-nesting raises this limit"
            code = f"{self.code.partition('-')[0]}-limit"
            raise SymrobError(
                replace(self._problem(message), code=code, hint=hint)
            ) from None
        except expat.ExpatError as error:
            message = f"not valid XML: {expat.ErrorString(error.code)}"
            problem = self._problem(message, error.lineno, error.offset + 1)
            problem = replace(problem, hint=encoding_hint(self.content))
            raise SymrobError(problem) from None
        except (LookupError, ValueError):
            message = "the file declares an unknown encoding"
            raise SymrobError(self._problem(message)) from None
        assert self.root is not None
        return self.root

    def _start(self, name: str, attributes: dict[str, str]) -> None:
        space, _, tag = name.rpartition("}")
        element = Element(
            tag,
            space,
            attributes,
            self.parser.CurrentLineNumber,
            self.parser.CurrentColumnNumber + 1,
        )
        self.count += 1
        if self.count > self.most:
            raise LimitExceeded(
                f"{self.path} has more than {self.most} elements; "
                "raise --bound max-transitions to read it"
            )
        if len(self.open) >= self.limits.max_nesting:
            raise _TooDeep
        if self.open:
            self.inside[-1].append(element)
        else:
            self.root = element
        self.open.append(element)
        self.inside.append([])

    def _end(self, _name: str) -> None:
        element, children = self.open.pop(), self.inside.pop()
        if children:
            element.children = children

    def _text(self, text: str) -> None:
        if self.open and not text.isspace():
            self.open[-1].text += text

    def _entity(self, name: str, *_others: object) -> None:
        raise _Refused(f"entities are not supported: '{name:.40}' is declared")

    def _outside(self, *_others: object) -> int:
        raise _Refused("external entities are not supported")

    def _skipped(self, name: str, _is_parameter: bool) -> None:
        raise _Refused(f"unknown entity '{name:.40}'")

    def _problem(
        self, message: str, line: int | None = None, column: int | None = None
    ) -> Diagnostic:
        line = line or self.parser.CurrentLineNumber
        column = column or self.parser.CurrentColumnNumber + 1
        return Diagnostic(
            self.code,
            message,
            file=self.path,
            line=line,
            column=column,
            source=shown_line(self.content, line, column),
        )


# Longer lines are not shown.
_LONGEST_LINE = 200


def place(content: bytes, element: Element) -> Span:
    """Return the location of an element's start tag in the text it was read from."""
    source = shown_line(content, element.line, element.column)
    return Span(element.line, element.column, len(element.tag) + 1, source)


def shown_line(content: bytes, line: int, column: int) -> str | None:
    """Return the text of a line for a message; `None` if it is too long."""
    lines = re.split(rb"\r\n?|\n", content, maxsplit=line)
    text = lines[line - 1] if line <= len(lines) else b""
    if len(text) > _LONGEST_LINE or column > len(text) + 1:
        return None
    return text.decode("utf-8", "replace").rstrip("\r")
