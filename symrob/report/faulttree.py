"""Fault trees for the tools of safety engineers: Open-PSA MEF, Galileo, Graphviz.

In:  an `Assessment`.
Out: a document as text. Each property is a tree: its top gate is an "or" of its minimal
     hazardous sets, each an "and" of its events.

Names come from untrusted files, and the formats have different rules for names, so an
event is called `e1`, `e2`, … in all of them, with its own name as a label.

Sources: docs/sources.md [MEF] (Open-PSA), [Galileo].
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from xml.etree.ElementTree import Element, SubElement, indent, tostring

from symrob.errors import LimitExceeded
from symrob.report.chances import bounds_text, figure
from symrob.report.text import plural, printable
from symrob.risk.assessment import Assessment, RiskPart
from symrob.risk.decision import Set
from symrob.risk.figures import nearest
from symrob.words import PLAIN, Words

MOST_DRAWN = 20
"""Maximum number of sets in a picture; the others are one box with their number."""


def trees(risk: Assessment) -> list[tuple[str, RiskPart]]:
    """Return the tree of each property, and, if there are several, one for all."""
    named = [(f"property{n}", part) for n, part in enumerate(risk.parts, 1)]
    return named if len(named) == 1 else [*named, ("together", risk.together)]


def event_id(number: int) -> str:
    """Return the name of an event in trees."""
    return f"e{number + 1}"


def ordered(family: Sequence[Set]) -> list[list[int]]:
    """Return the sets of a family as lists, the smallest first."""
    return sorted((sorted(one) for one in family), key=lambda s: (len(s), s))


def open_psa(risk: Assessment, title: str, words: Words = PLAIN) -> str:
    """Return the trees in the Open-PSA Model Exchange Format.

    Args:
        risk: The risk to report.
        title: Human-readable title; may be empty.
        words: Words for properties and classes.
    """
    root = Element("opsa-mef")
    if title:
        SubElement(root, "label").text = printable(title)
    used: set[int] = set()
    for name, part in trees(risk):
        tree = SubElement(root, "define-fault-tree", name=name)
        said = words.property(part.name) if part.name else "all properties together"
        SubElement(tree, "label").text = printable(said)
        known = words.identity(part.name)
        _attributes(tree, {} if known is None else known._asdict())
        sets = ordered(part.family)
        used.update(n for one in sets for n in one)
        top = SubElement(tree, "define-gate", name=f"{name}-top")
        kinds = [
            ("basic-event", event_id(one[0]))
            if len(one) == 1
            else ("gate", f"{name}-set{place}")
            for place, one in enumerate(sets, 1)
        ]
        _gate(top, "or", kinds)
        for (kind, gate), one in zip(kinds, sets, strict=True):
            if kind == "gate":
                define = SubElement(tree, "define-gate", name=gate)
                _gate(define, "and", [("basic-event", event_id(n)) for n in one])
    data = SubElement(root, "model-data")
    for number in sorted(used):
        event = risk.event(number)
        define = SubElement(data, "define-basic-event", name=event_id(number))
        SubElement(define, "label").text = printable(event.called)
        kinds_told = ", ".join(map(words.kind, risk.classes_of(number)))
        facts = {"class": kinds_told, "said": event.said}
        facts |= {} if event.identity is None else event.identity._asdict()
        _attributes(define, facts)
        SubElement(define, "float", value=repr(nearest(event.chance)))
    indent(root)
    head = '<?xml version="1.0" encoding="UTF-8"?>\n'
    return head + tostring(root, encoding="unicode") + "\n"


def _attributes(parent: Element, facts: Mapping[str, str]) -> None:
    """Write what is known of an element; a value may not be empty."""
    told = {key: printable(value).strip() for key, value in facts.items()}
    if not any(told.values()):
        return
    attributes = SubElement(parent, "attributes")
    for key, value in told.items():
        if value:
            SubElement(attributes, "attribute", name=key, value=value)


def _gate(parent: Element, kind: str, inputs: Sequence[tuple[str, str]]) -> None:
    """Write a gate; with one input it is that, with none it is false."""
    if not inputs:
        SubElement(parent, "constant", value="false")
        return
    gate = SubElement(parent, kind) if len(inputs) > 1 else parent
    for tag, name in inputs:
        SubElement(gate, tag, name=name)


def galileo(risk: Assessment, title: str, words: Words = PLAIN) -> str:
    """Return the tree of all properties in the textual format of Galileo.

    Args:
        risk: The risk to report.
        title: Human-readable title; may be empty.
        words: Words for properties.
    """
    return "\n".join(_galileo_lines(risk, title, words)) + "\n"


def _galileo_lines(risk: Assessment, title: str, words: Words) -> Iterator[str]:
    def comment(text: str) -> str:
        return "// " + printable(text)

    if title:
        yield comment(title)
    yield 'toplevel "top";'
    gates = [(name, part) for name, part in trees(risk) if part.name]
    if any(part.family for _, part in gates):
        inputs = " ".join(f'"{name}"' for name, part in gates if part.family)
        yield f'"top" or {inputs};'
    else:
        # The format has no constant: an event that cannot happen.
        yield '"top" or "never";'
        yield '"never" prob=0.0 dorm=0.0;'
    used: set[int] = set()
    for name, part in gates:
        sets = ordered(part.family)
        if not sets:
            continue
        used.update(n for one in sets for n in one)
        yield comment(words.property(part.name))
        places = " ".join(f'"{name}_set{place}"' for place in range(1, len(sets) + 1))
        yield f'"{name}" or {places};'
        for place, one in enumerate(sets, 1):
            events = " ".join(f'"{event_id(n)}"' for n in one)
            yield f'"{name}_set{place}" and {events};'
    for number in sorted(used):
        event = risk.event(number)
        yield comment(event.called)
        yield f'"{event_id(number)}" prob={nearest(event.chance)!r} dorm=0.0;'


def tree_dot(risk: Assessment, title: str, words: Words = PLAIN) -> str:
    """Return the trees as DOT: the most probable sets of each, and how many more.

    Args:
        risk: The risk to report.
        title: Human-readable title; may be empty.
        words: Words for properties.
    """
    return "\n".join(_dot_lines(risk, title, words)) + "\n"


def _dot_lines(risk: Assessment, title: str, words: Words) -> Iterator[str]:
    def node(name: str, label: str, shape: str) -> str:
        told = printable(label).replace("\\", "\\\\").replace('"', '\\"')
        told = told.replace("\\\\n", "\\n")
        return f'  "{name}" [label="{told}", shape={shape}];'

    yield "digraph fault_tree {"
    yield '  node [fontname="Helvetica", fontsize=10]; rankdir=LR;'
    yield node("title", title or "Fault tree", "plaintext")
    used: set[int] = set()
    rank = {one: place for place, (one, _, _) in enumerate(risk.contributions)}
    for name, part in trees(risk):
        if not part.name:
            continue
        told = words.property(part.name)
        yield node(name, f"{told}: {bounds_text(part.bounds)}", "invhouse")
        yield f'  "title" -> "{name}" [style=invis];'
        family = sorted(part.family, key=lambda s: rank.get(s, -1))
        for place, one in enumerate(family[:MOST_DRAWN], 1):
            used.update(one)
            if len(one) == 1:
                yield f'  "{name}" -> "{event_id(min(one))}" [dir=none];'
                continue
            gate = f"{name}-set{place}"
            yield node(gate, f"and {figure(risk.tree.chance(one))}", "house")
            yield f'  "{name}" -> "{gate}" [dir=none];'
            for number in sorted(one):
                yield f'  "{gate}" -> "{event_id(number)}" [dir=none];'
        if len(family) > MOST_DRAWN:
            more = plural(len(family) - MOST_DRAWN, "more set")
            yield node(f"{name}-more", more, "triangle")
            yield f'  "{name}" -> "{name}-more" [dir=none];'
    for number in sorted(used):
        event = risk.event(number)
        label = f"{event.called}  {figure(event.chance)}"
        yield node(event_id(number), label, "ellipse")
    yield "}"


def drawn(dot: str, risk: Assessment) -> str:
    """Return a tree in DOT, of an assessment, as SVG.

    Raises:
        LimitExceeded: Graphviz takes too long.
        SymrobError: It is not installed.
    """
    from symrob.report.svg import laid_out

    (text,) = laid_out([dot])
    if text is None:
        # A run that is stopped leaves little time for it.
        told = "Graphviz took too long for the tree; write DOT instead"
        reason = "limit" if risk.status == "complete" else risk.status
        raise LimitExceeded("; ".join(filter(None, (risk.reason, told))), reason=reason)
    return text


WRITERS = {
    "openpsa": open_psa,
    "galileo": galileo,
    "dot": tree_dot,
    "svg": tree_dot,
}
