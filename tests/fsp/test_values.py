"""Expressions and labels against an evaluator by the rules of the language."""

import ctypes
import operator as py

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from symrob.errors import SymrobError
from symrob.formats.fsp import load_text

# Loosest first; all binary operators associate to the left.
LEVELS = ("||", "&&", "|", "^", "&", "== !=", "< <= > >=", "<< >>", "+ -", "* / %")
LEVEL = {op: i for i, row in enumerate(LEVELS) for op in row.split()}


PYTHON = {
    "+": py.add,
    "-": py.sub,
    "*": py.mul,
    "&": py.and_,
    "^": py.xor,
    "|": py.or_,
    "==": py.eq,
    "!=": py.ne,
    "<": py.lt,
    "<=": py.le,
    ">": py.gt,
    ">=": py.ge,
}


@st.composite
def expressions(draw, depth=4):
    """A tree: a number, ("sign", tree) or (left, operator, right)."""
    if depth == 0 or draw(st.booleans()):
        return draw(st.sampled_from([0, 1, 2, 3, 7, 31, 33, 2147483647]))
    if draw(st.integers(0, 3)) == 0:
        return (draw(st.sampled_from("+-!")), draw(expressions(depth=depth - 1)))
    operator = draw(st.sampled_from(sorted(LEVEL)))
    left, right = draw(expressions(depth=depth - 1)), draw(expressions(depth=depth - 1))
    return (left, operator, right)


def spell(tree, outer=-1):
    """Write a tree with as few brackets as precedence allows."""
    if isinstance(tree, int):
        return str(tree)
    if len(tree) == 2:
        sign, inner = tree
        text = spell(inner)
        return sign + (text if isinstance(inner, int) else f"({text})")
    left, operator, right = tree
    level = LEVEL[operator]
    text = f"{spell(left, level - 1)} {operator} {spell(right, level)}"
    return f"({text})" if level <= outer else text


def value(tree):
    """Oracle: 32-bit arithmetic by the C library's integers."""
    if isinstance(tree, int):
        return tree
    if len(tree) == 2:
        inner = value(tree[1])
        return {"+": inner, "-": int32(-inner), "!": int(inner <= 0)}[tree[0]]
    left, operator, right = value(tree[0]), tree[1], value(tree[2])
    if operator in ("/", "%"):
        quotient = int(ctypes.c_int64(abs(left) // abs(right)).value)
        if left * right < 0:
            quotient = -quotient
        return int32(quotient if operator == "/" else left - right * quotient)
    if operator == "<<":
        return int32(left * 2 ** (right % 32))
    if operator == ">>":
        return int32(left // 2 ** (right % 32))
    if operator in ("&&", "||"):
        test = all if operator == "&&" else any
        return int(test([left != 0, right != 0]))
    return int32(int(PYTHON[operator](left, right)))


def int32(number):
    return ctypes.c_int32(number).value


def symrob_value(text):
    (action,) = load_text(f"P = (a[{text}] -> P).").network.alphabet
    return int(action.removeprefix("a."))


@given(expressions())
@example(((3, ">", 2), ">", 1))
@example((("-", 7), "/", 2))
def test_expressions(tree):
    text = spell(tree)
    try:
        expected = value(tree)
    except ZeroDivisionError:
        with pytest.raises(SymrobError, match="division by zero"):
            symrob_value(text)
    else:
        assert symrob_value(text) == expected


def alphabet(text):
    return load_text(text).network.alphabet


@pytest.mark.parametrize(
    ("label", "names"),
    [
        ("a[0..1][0..1]", "a.0.0 a.0.1 a.1.0 a.1.1"),
        ("a[i:0..1][i+5]", "a.0.5 a.1.6"),
        ("{a,b}.{x,y}", "a.x a.y b.x b.y"),
        ("{a,b,c}\\{b}", "a c"),
        ("a[{x,y}\\{y}]", None),
        ("a[{{x,y}\\{y}}]", "a.x"),
        ("a[#{x,y,z}]", "a.3"),
        ("a[@({x,y},1)]", "a.y"),
        ("a[@({x,y},2)]", "a.y"),
        ("a[-3..-2]", "a.-2 a.-3"),
        ("[7]", "7"),
        ("a.[7]", "a.7"),
        ("a[0x10][010]", "a.16.8"),
        ("a['x=='x]['x!='y]['x==1]", "a.1.1.0"),
    ],
)
def test_labels(label, names):
    text = f"P = ({label} -> P)."
    if names is None:
        with pytest.raises(SymrobError):
            alphabet(text)
    else:
        assert list(alphabet(text)) == names.split()


def test_constants_and_ranges_can_be_overridden():
    text = "const N = 1 range R = 0..N set S = {a[R]} P = (S -> b[N] -> P)."
    model = load_text(text, constants={"N": 2, "M": 7})
    assert model.network.alphabet == ("a.0", "a.1", "a.2", "b.2")
    assert model.used_constants == {"N"}
    model = load_text(text, constants={"R": (5, 6)})
    assert model.network.alphabet == ("a.5", "a.6", "b.1")
    with pytest.raises(SymrobError, match="two bounds"):
        load_text(text, constants={"R": 5})
    with pytest.raises(SymrobError, match="one number"):
        load_text(text, constants={"N": (1, 2)})
