"""The common base of readers of XML: elements, and problems with places."""

from __future__ import annotations

from symrob import files
from symrob.files import xmltext
from symrob.files.xmltext import Element
from symrob.formats.text import FileReader


class XmlReader(FileReader):
    """Reads an XML file.

    Attributes:
        kind: The prefix of its diagnostic codes.
    """

    kind = ""
    _bytes = b""

    def top(self, tag: str) -> Element:
        """Return the root element.

        Raises:
            SymrobError: It has another name than `tag`, or the file is not XML.
        """
        self._bytes = files.read_bytes(self.path)
        syntax = f"{self.kind}-syntax"
        top = xmltext.parsed(self._bytes, self.path, syntax, self.limits)
        if top.tag != tag:
            self.error(top, f"expected the element {tag}, not '{top.tag}'")
            self.problems.check()
        return top

    def error(
        self,
        element: Element,
        message: str,
        hint: str | None = None,
        what: str = "model",
    ) -> None:
        """Note a problem of an element."""
        place = xmltext.place(self._bytes, element)
        self.problems.error(f"{self.kind}-{what}", message, place, hint)
