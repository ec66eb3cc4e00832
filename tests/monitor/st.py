"""A small interpreter of Structured Text: one function block, no call of another.

It knows what IEC 61131-3 says of declarations, expressions, IF and FOR, and nothing of
monitors.
"""

import re

_TOKEN = re.compile(
    r"\(\*.*?\*\)|\s+|(?P<number>\d+)|(?P<word>[A-Za-z_]\w*)"
    r"|(?P<sign>:=|<=|>=|<>|\.\.|[-+*/()\[\],;:=<>])",
    re.DOTALL,
)
_TYPES = {"BOOL": False, "UINT": 0, "UDINT": 0}
_BITS = {"UINT": 16, "UDINT": 32}


def tokens(text):
    place, found = 0, []
    while place < len(text):
        match = _TOKEN.match(text, place)
        assert match, f"no token of Structured Text: {text[place : place + 30]!r}"
        if match.lastgroup:
            word = match[0].upper() if match.lastgroup == "word" else match[0]
            found.append(word)
        place = match.end()
    return [*found, ""]


class Block:
    """A function block; variables are kept from call to call."""

    def __init__(self, text):
        self._tokens = tokens(text)
        self._at = 0
        self.types, self.values, self.constants = {}, {}, set()
        self._take("FUNCTION_BLOCK")
        self.name = self._word()
        while self._peek().startswith("VAR"):
            self._declarations()
        self._body = self._statements("END_FUNCTION_BLOCK")
        self._take("END_FUNCTION_BLOCK")
        assert self._peek() == "", "something stands behind the block"

    def __call__(self, **inputs):
        for name, value in inputs.items():
            assert name.upper() in self.inputs
            self.values[name.upper()] = value
        self._run(self._body)
        return {name: self.values[name] for name in self.outputs}

    # --- reading ----------------------------------------------------------

    def _peek(self):
        return self._tokens[self._at]

    def _word(self):
        word = self._peek()
        self._at += 1
        return word

    def _take(self, *expected):
        word = self._word()
        assert word in expected, f"expected {expected}, not {word!r}"
        return word

    def _declarations(self):
        kind = self._take("VAR", "VAR_INPUT", "VAR_OUTPUT")
        constant = self._peek() == "CONSTANT" and self._word()
        names = []
        while self._peek() != "END_VAR":
            name = self._word()
            assert re.fullmatch(r"[A-Z](_?[A-Z0-9])*", name), name
            assert name not in self.types, f"{name} twice"
            names.append(name)
            self._take(":")
            self._variable(name)
            self._take(";")
        self._take("END_VAR")
        if constant:
            self.constants.update(names)
        setattr(
            self,
            {"VAR_INPUT": "inputs", "VAR_OUTPUT": "outputs"}.get(kind, "own"),
            names,
        )

    def _variable(self, name):
        first = last = None
        if self._peek() == "ARRAY":
            self._take("ARRAY")
            self._take("[")
            first = int(self._word())
            self._take("..")
            last = int(self._word())
            self._take("]")
            self._take("OF")
        kind = self._take(*_TYPES)
        self.types[name] = kind
        value = _TYPES[kind]
        if first is not None:
            assert first == 0
            value = [value] * (last + 1)
        if self._peek() == ":=":
            self._word()
            if first is None:
                value = self._literal(kind)
            else:
                value = []
                self._take("[")
                while True:
                    value.append(self._literal(kind))
                    if self._take(",", "]") == "]":
                        break
                assert len(value) == last + 1, f"{name} has {len(value)} values"
        self.values[name] = value

    def _literal(self, kind):
        word = self._word()
        if kind == "BOOL":
            return {"TRUE": True, "FALSE": False}[word]
        assert int(word) < 1 << _BITS[kind]
        return int(word)

    def _statements(self, *ends):
        found = []
        while self._peek() not in (*ends, ""):
            if self._peek() == "IF":
                self._word()
                condition = self._expression()
                self._take("THEN")
                body = self._statements("END_IF")
                self._take("END_IF")
                found.append(("if", condition, body))
            elif self._peek() == "FOR":
                self._word()
                name = self._word()
                self._take(":=")
                low = self._expression()
                self._take("TO")
                high = self._expression()
                self._take("DO")
                body = self._statements("END_FOR")
                self._take("END_FOR")
                found.append(("for", name, low, high, body))
            else:
                name, index = self._word(), None
                if self._peek() == "[":
                    self._word()
                    index = self._expression()
                    self._take("]")
                self._take(":=")
                assert name in {*self.types} - self.constants
                found.append(("set", name, index, self._expression()))
            self._take(";")
        return found

    _LEVELS = (
        ("OR",),
        ("AND",),
        ("=", "<>"),
        ("<", ">", "<=", ">="),
        ("+", "-"),
        ("*",),
    )

    def _expression(self, level=0):
        if level == len(self._LEVELS):
            return self._primary()
        left = self._expression(level + 1)
        while self._peek() in self._LEVELS[level]:
            left = (self._word(), left, self._expression(level + 1))
        return left

    def _primary(self):
        word = self._word()
        if word == "(":
            inner = self._expression()
            self._take(")")
            return inner
        if word == "NOT":
            return ("NOT", self._primary())
        if word.isdigit():
            return ("number", int(word))
        assert word in self.types, f"{word} is not declared"
        if self._peek() == "[":
            self._word()
            index = self._expression()
            self._take("]")
            return ("at", word, index)
        return ("get", word)

    # --- running ----------------------------------------------------------

    def _run(self, body):
        for statement in body:
            if statement[0] == "if":
                if self._value(statement[1]) is True:
                    self._run(statement[2])
            elif statement[0] == "for":
                _, name, low, high, inner = statement
                for number in range(self._value(low), self._value(high) + 1):
                    self.values[name] = number
                    self._run(inner)
            else:
                _, name, index, expression = statement
                value = self._value(expression)
                kind = self.types[name]
                assert (kind == "BOOL") == isinstance(value, bool)
                if kind != "BOOL":
                    assert 0 <= value < 1 << _BITS[kind], f"{name} overflows"
                if index is None:
                    self.values[name] = value
                else:
                    place = self._value(index)
                    assert 0 <= place < len(self.values[name])
                    self.values[name][place] = value

    def _value(self, node):
        match node:
            case ("number", value):
                return value
            case ("get", name):
                return self.values[name]
            case ("at", name, index):
                place = self._value(index)
                assert 0 <= place < len(self.values[name]), f"{name}[{place}]"
                return self.values[name][place]
            case ("NOT", inner):
                value = self._value(inner)
                assert isinstance(value, bool)
                return not value
            case (sign, left, right):
                return _OPERATORS[sign](self._value(left), self._value(right))


_OPERATORS = {
    "OR": lambda a, b: a or b,
    "AND": lambda a, b: a and b,
    "=": lambda a, b: a == b,
    "<>": lambda a, b: a != b,
    "<": lambda a, b: a < b,
    ">": lambda a, b: a > b,
    "<=": lambda a, b: a <= b,
    ">=": lambda a, b: a >= b,
    "+": lambda a, b: a + b,
    "-": lambda a, b: a - b,
    "*": lambda a, b: a * b,
}
