"""Mealy machines in DOT, read by hand: character by character, without any checks.

Shares no code with symrob. A file that is right gives `(start, transitions)`, where a
transition is (state, input, output, state) with the texts of the file; `actions` gives
the names by which symrob's actions go.
"""

from html.parser import HTMLParser
from itertools import groupby, pairwise

WORD = set("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_.")


def tokens(text):
    """The pieces as (kind, text): `id`, `quoted`, `html` and `sign`."""
    found, at, fresh = [], 0, True
    while at < len(text):
        c = text[at]
        if c in " \t\r\n":
            fresh = fresh or c == "\n"
            at += 1
            continue
        if text.startswith("//", at) or (c == "#" and fresh):
            at = text.index("\n", at)
            continue
        fresh = False
        if text.startswith("/*", at):
            at = text.index("*/", at) + 2
        elif c == '"':
            at, word = at + 1, ""
            while text[at] != '"':
                if text[at] == "\\":
                    pair = text[at : at + 2]
                    word += {'\\"': '"', "\\\n": ""}.get(pair, pair)
                    at += 1
                else:
                    word += text[at]
                at += 1
            at += 1
            found.append(("quoted", word))
        elif c == "<":
            begin, depth, at = at + 1, 1, at + 1
            while depth:
                depth += {"<": 1, ">": -1}.get(text[at], 0)
                at += 1
            found.append(("html", text[begin : at - 1]))
        elif text.startswith("->", at):
            found.append(("sign", "->"))
            at += 2
        elif c in WORD or ord(c) > 127:
            begin = at
            while text[at] in WORD or ord(text[at]) > 127:
                at += 1
            found.append(("id", text[begin:at]))
        else:
            found.append(("sign", c))
            at += 1
    return found


class Reader:
    def __init__(self, text):
        self.rest = tokens(text)[::-1]
        self.edges = []

    def take(self, *wanted):
        if self.rest and (not wanted or self.rest[-1] in [("sign", w) for w in wanted]):
            return self.rest.pop()
        return None

    def name(self):
        kind, text = self.take()
        while kind == "quoted" and self.take("+"):
            text += self.take()[1]
        return kind, text

    def attributes(self):
        found = {}
        while self.take("["):
            while not self.take("]"):
                key = self.name()[1]
                found[key] = self.name() if self.take("=") else ("id", "true")
                self.take(",", ";")
        return found

    def block(self, defaults):
        inside = []
        self.take("{")
        while not self.take("}"):
            if not self.take(";"):
                inside += self.statement(defaults)
        return inside

    def statement(self, defaults):
        if self.rest[-1][0] == "id" and self.rest[-1][1] in ("node", "edge", "graph"):
            word, found = self.take()[1], self.attributes()
            if word == "edge":
                defaults.update(found)
            return []
        sides = [self.side(defaults)]
        if self.take("="):
            self.name()
            return []
        while self.take("->"):
            sides.append(self.side(defaults))
        found = {**defaults, **self.attributes()}
        for left, right in pairwise(sides):
            self.edges += [(a, b, found.get("label")) for a in left for b in right]
        return [node for side in sides for node in side]

    def side(self, defaults):
        if self.rest[-1] == ("id", "subgraph"):
            self.take()
            if self.rest[-1] != ("sign", "{"):
                self.name()
        if self.rest[-1] == ("sign", "{"):
            return list(dict.fromkeys(self.block(dict(defaults))))
        node = self.name()[1]
        while self.take(":"):
            self.name()
        return [node]


class Html(HTMLParser):
    def __init__(self, text):
        super().__init__()
        self.rows, self.plain, self.cell = [], "", False
        self.feed(text)
        self.close()

    def handle_starttag(self, tag, _attributes):
        if tag == "tr":
            self.rows.append([])
        elif tag == "td":
            self.rows[-1].append("")
        elif tag == "br":
            self.handle_data("\n")

    def handle_startendtag(self, tag, attributes):
        self.handle_starttag(tag, attributes)

    def handle_data(self, text):
        self.plain += text
        if self.rows and self.rows[-1]:
            self.rows[-1][-1] += text


def tidy(text):
    return " ".join(text.split())


def cut(line):
    sign = " / " if " / " in line else "/"
    left, right = line.split(sign, 1)
    return tidy(left), tidy(right)


def pairs(label):
    kind, text = label
    if kind == "html":
        html = Html(text)
        cells = [[tidy(c) for c in row if tidy(c) != "/"] for row in html.rows]
        if cells:
            return [(row[0], row[1] if row[1:] else "") for row in cells]
        text = html.plain
    elif kind == "quoted":
        out, chars = "", iter(text)
        for c in chars:
            if c == "\\":
                c = next(chars)
                c = "\n" if c in "nlr" else c
            out += c
        text = out
    lines = [line.strip() for line in text.split("\n") if line.strip()]
    if len(lines) > 1 and not all("/" in line for line in lines):
        lines = [" ".join(lines)]
    return [cut(line) for line in lines]


def machine(text):
    reader = Reader(text)
    reader.take()
    while reader.rest[-1] != ("sign", "{"):
        reader.take()
    reader.block({})
    start = [b for a, b, _ in reader.edges if a.startswith("__start")]
    edges = [edge for edge in reader.edges if not edge[0].startswith("__start")]
    found = [(a, *pair, b) for a, b, label in edges for pair in pairs(label)]
    return (start or [edges[0][0]])[0], found


SILENT = {
    *("", "noresponse", "noresp", "noreply", "nooutput", "empty", "timeout", "silence"),
    *("none", "null", "nil", "quiescence", "epsilon", "ε", "ϵ", "λ", "∅"),
}


def actions(transitions):
    """The actions of all inputs and outputs, as (inputs, outputs)."""
    both, taken = ({}, {}), [{"tau"}, {"out_silence"}]
    for _source, *texts, _target in transitions:
        for side, text in enumerate(texts):
            if text in both[side]:
                continue
            bare = "".join(c for c in text.lower() if c not in " \t_-")
            if side and bare in SILENT:
                both[side][text] = "out_silence"
                continue
            groups = groupby(text, lambda c: c.isascii() and (c.isalnum() or c == "_"))
            word = "".join("".join(g) if good else "_" for good, g in groups).strip("_")
            word = word or "x" + "".join(format(ord(c), "x") for c in text)
            name, count = f"{('in', 'out')[side]}_{word}", 2
            while name in taken[side]:
                name, count = f"{('in', 'out')[side]}_{word}_{count}", count + 1
            taken[side].add(name)
            both[side][text] = name
    return both
