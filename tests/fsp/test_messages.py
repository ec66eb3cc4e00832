"""Each diagnostic: a text that brings it out, and where it points.

The mark in a text is the place: `«` stands before the token that is blamed.
"""

import pytest

from symrob.errors import SymrobError
from symrob.formats import lint_file, read
from symrob.formats.fsp import lint_text, load_text
from symrob.lts.product import product

ERRORS = {
    "fsp-syntax": [
        "P = (a -> b «).",
        "P = (a -> «-> P).",
        "P = (a -> P«",
        "P = (a -> P) «P2 = (b -> P2).",
        "P = («Up -> P).",
        "P = («set -> P).",
        "P = (a -> «minimal -> P).",
        "P = (a.«1 -> P).",
        "P = (a«[] -> P).",
        "P = «((a -> P)).".replace("«((", "(«("),
        "minimal«",
        "P = (a -> P) / {b/a} «+ {c}.",
        "P = (a -> P) «\\ X.".replace("«\\ X", "\\ «X"),
    ],
    "fsp-character": ["P = (a «? b -> P)."],
    "fsp-number": ["P = (a[«99999999999] -> P)."],
    "fsp-limit-nesting": ["P = (a[" + "(" * 98 + "«(1" + ")" * 99 + "] -> P)."],
    "fsp-reserved": ["«STOP = (a -> STOP).", "P = (a -> P), «END = (b -> P)."],
    "fsp-duplicate-process": ["P = (a -> P). «P = (b -> P)."],
    "fsp-duplicate-constant": ["const N = 1 const «N = 2 P = (a[N] -> P)."],
    "fsp-duplicate-parameter": ["P(N=1, «N=2) = (a[N] -> P)."],
    "fsp-duplicate-local": ["P = Q[0], Q[i:0..1] = (a -> P), «Q[1] = (b -> P)."],
    "fsp-undefined-constant": ["P = (a[«N] -> P).", "const M = «N P = (a[M] -> P)."],
    "fsp-undefined-variable": [
        "P = (a -> P). Q = (a[i:0..1][j:«i..1] -> Q). ||S = P.",
        "P = (a[«i] -> P).",
        "P = (a[i:0..1] -> P | b[«i] -> P).",
    ],
    "fsp-undefined-local": ["P = (a -> «Q)."],
    "fsp-undefined-process": ["P = (a -> P). ||S = (P || «Q).", "P = «Q; P."],
    "fsp-undefined-fluent": ["P = (a -> P). assert A = [] «F"],
    "fsp-variable-rebound": ["P = (a[i:0..1] -> b[«i:0..1] -> P)."],
    "fsp-tau": ["P = («tau -> P).", "P = (a.«tau -> P)."],
    "fsp-arguments": ["P(N=1) = (a -> P). ||S = («P(1,2))."],
    "fsp-local-arguments": ["P = (a -> «P(1))."],
    "fsp-index-count": ["P = Q[0], Q[i:0..1] = (a -> «Q)."],
    "fsp-index": ["P = Q[0], Q[i:0..1] = (a -> Q«[0..1])."],
    "fsp-division": ["P = (a[1«/0] -> P).", "P = (a[1«%0] -> P)."],
    "fsp-empty-range": [
        "P = (a[«3..1] -> P).",
        "P = (a -> P). progress G = a[«3..1]",
    ],
    "fsp-empty-set": ["P = («{a}\\{a} -> P)."],
    "fsp-label-arithmetic": ["P = (a[v:{x,y}] -> b[v«+1] -> P)."],
    "fsp-label-value": ["P = (a[«'b[0..1]] -> P)."],
    "fsp-element": ["P = (a[«@({x},5)] -> P)."],
    "fsp-alias-cycle": ["P = A, «A = B, B = A."],
    "fsp-not-sequential": ["L = (a -> L). P = «L; P."],
    "fsp-recursion": ["P = (a -> P). ||S = (P || «S).", "P = (a -> «P; END)."],
    "fsp-property": [
        "property P = (a -> P | «a -> STOP).",
        "property P = (a -> «t -> P) \\ {t}.",
        "property P = (x[i:0..3] -> P | b -> P | «x[2] -> STOP).",
        "property P = (a -> S), S = (b -> P | «{a, b} -> STOP).",
        "property P = (a -> P | «b -> STOP) / {a/b}.",
        "W = (a -> END | a -> b -> END). property P = «W; P.",
        "property P(N=2) = S[0], S[i:0..N] = (when (i < N) a -> S[i+1] | «a -> P).",
    ],
    "fsp-ambiguous": ["P = (a -> P). ||«S = P. ||T = P."],
    "fsp-empty-composition": ["P = (a -> P). ||«S = if 0 then P."],
    "fsp-fluent": ["P = (a -> b -> P). fluent F = <{a,b}, «{b,c}>"],
    "fsp-import": ['import «P = "p.aut"'],
}
WARNINGS = {
    "fsp-comment": ["P = (a -> P). «/* no end"],
    "fsp-guard-false": ["P = (when «(1>2) a -> P | b -> P)."],
    "fsp-index-outside": ["P = Q[0], Q[i:0..1] = (a -> «Q[i+1])."],
    "fsp-relabel-nothing": [
        "P = (a -> P) / {«c/b}.",
        "P = (a -> P). ||S = (x:P/{«b/a}).",
    ],
    "fsp-unreachable": ["P = (a -> P), «Q = (b -> P)."],
    "fsp-unused": [
        "const «N = 1 P = (a -> P).",
        "range «R = 0..1 P = (a -> P).",
        "set «S = {b} P = (a -> P).",
        "P = (a -> P). «Q = (b -> Q). ||S = P.",
    ],
    "fsp-lonely-action": ["P = (a -> P). property «M = (a -> b -> M). ||S = (P || M)."],
    "fsp-property-determinised": ["P = (a -> P | a -> b -> P). property ||«S = P."],
}


def cases(table):
    return [(code, text) for code, texts in table.items() for text in texts]


def split(text):
    assert text.count("«") == 1
    return text.replace("«", ""), text.index("«") + 1


@pytest.mark.parametrize(("code", "marked"), cases(ERRORS))
def test_error(code, marked):
    text, column = split(marked)
    with pytest.raises(SymrobError) as caught:
        load_text(text, file="m.lts")
    problems = caught.value.diagnostics
    assert [(p.code, p.line, p.column) for p in problems] == [(code, 1, column)]
    assert problems[0].severity == "error"
    assert str(problems[0]).startswith(f"m.lts:1:{column}: error: ")
    found = [p for p in lint_text(text) if p.severity == "error"]
    if code != "fsp-ambiguous":
        assert [(p.code, p.column) for p in found] == [(code, column)]


@pytest.mark.parametrize(("code", "marked"), cases(WARNINGS))
def test_warning(code, marked):
    text, column = split(marked)
    found = [(w.code, w.line, w.column) for w in load_text(text).warnings]
    assert found == [(code, 1, column)]
    assert [(w.code, w.column) for w in lint_text(text)] == [(code, column)]


def test_clean_texts_have_no_warnings():
    text = "const N = 1 P(K=N) = (a[K] -> P). ||S = (x:P(2) || P)."
    assert load_text(text).warnings == ()
    assert lint_text(text) == ()


def test_composites_that_only_use_each_other_are_built_too():
    (problem,) = lint_text("P = (a -> P). ||S = P. ||A = B. ||B = A.")
    assert (problem.code, problem.column) == ("fsp-recursion", 39)
    ends = "P = (a -> P). ||A(N=1) = if N > 0 then (P || B(N-1)). "
    assert lint_text(ends + "||B(N=1) = if N > 0 then (P || A(N-1)).") == ()


def test_all_problems_at_once_in_reading_order():
    text = """const N = 4/0
P = (a -> b[z] -> Q).
C = (a => C).
||S = (P || C || D).
E = (a -> E
F = (b[1/0] -> F).
"""
    expected = [
        ("fsp-division", 1, 12),
        ("fsp-undefined-variable", 2, 13),
        ("fsp-undefined-local", 2, 19),
        ("fsp-syntax", 3, 8),
        ("fsp-undefined-process", 4, 18),
        ("fsp-syntax", 6, 1),
        ("fsp-division", 6, 9),
    ]
    with pytest.raises(SymrobError) as caught:
        load_text(text)
    assert [(p.code, p.line, p.column) for p in caught.value.diagnostics] == expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("P = (a[..1] -> P).", "a value, a range or a set"),
        ("P = (a[i:] -> P).", "a range or a set"),
        ("P = (a -> P). progress G = P", "a label, a set or 'if'"),
        ("P = if 1 then STOP else .", "a process name, '(' or 'if'"),
    ],
)
def test_what_was_expected_is_said_in_words(text, expected):
    with pytest.raises(SymrobError) as caught:
        load_text(text)
    (problem,) = caught.value.diagnostics
    assert problem.message.startswith(f"expected {expected}, found ")


def test_a_duplicate_names_the_line_of_the_first():
    with pytest.raises(SymrobError, match="already defined on line 2"):
        load_text("// one\nP = (a -> P).\nP = (b -> P).")


def test_faults_of_all_components():
    with pytest.raises(SymrobError) as caught:
        load_text("P = (a[1/0] -> P). Q = (b[1/0] -> Q). ||S = (P || Q).")
    assert [p.column for p in caught.value.diagnostics] == [9, 28]


@pytest.mark.parametrize(
    ("text", "hint"),
    [
        ("P = (a -> RUNNIN), RUNNING = (b -> P).", "RUNNING"),
        ("P = (a -> Q). Q = (b -> Q).", "separate process"),
        ("NURSE = (a -> NURSE). ||S = NURS.", "NURSE"),
        ("const LINES = 1 P = (a[LINE] -> P).", "LINES"),
        ("P = (a[count:0..1] -> b[cont] -> P).", "count"),
        ("P = (S -> P). set S = {a}", "declared before"),
        ("P = (a.1 -> P).", "[1]"),
        ("P = (set -> P).", "keyword"),
        ("P = (a[] -> P).", "empty"),
        ("P = a -> P.", "parentheses"),
        ("p = (a -> p).", "capital"),
        ("P[i:0..1] = (a -> P[i]).", "begin with P = Q[0]"),
        ("P = (a -> Q) Q = (b -> P).", "',' before a local process"),
        ("P = (a -> Q[0]) Q[i:0..1] = (b -> P).", "',' before a local process"),
        ("P = Q; Q = (b -> P).", "',' before a local process"),
        ("P = (a -> Q); Q = (b -> P).", "separated by ','"),
        ("P = Q[0], Q[i:0..1] = (when (i = 1) a -> P).", "'=='"),
        ("const N = 1 P = (when N = 1 a -> P).", "'=='"),
        ("P = (a -> B -> P).", "lower-case"),
        ("P = (a -> P). q = (b -> P).", "capital"),
        ("P = (a -> P), q = (b -> P).", "capital"),
        ("P (a -> P).", "write '=' after the name 'P'"),
        ("P = Q, Q (a -> P).", "write '=' after the name 'Q'"),
        ("const N 3", "write '=' after the name 'N'"),
        ("set SOME {a}", "write '=' after the name 'SOME'"),
        ("set S = {a, b,} P = (S -> P).", "leave out the ','"),
    ],
)
def test_hints(text, hint):
    with pytest.raises(SymrobError) as caught:
        load_text(text)
    assert any(hint in (p.hint or "") for p in caught.value.diagnostics)


@pytest.mark.parametrize(
    "marked",
    [
        "P = (a -> Q) «Q = (b -> P). ||S = P.",
        "P = (a -> Q)«; Q = (b -> R), R = (c -> P). X = (a -> X). ||S = (P || X).",
        "A = (a -> Q) «Q = (b -> A). C = (c -> Q), Q = (d -> C). ||S = (A || C).",
        "Q = (q -> Q). A = (a -> Q) «Q = (b -> A). ||S = (A || Q).",
        "P = Q[0] «Q[i:0..1] = (a -> P). ||S = P.",
        "P = (a -> «B -> P). ||S = P.",
        "P = (a -> P | b -> «B[1] -> P). ||S = P.",
        "P = (a -> P). «q = (b -> P). ||S = P.",
        "P «(a -> P). ||S = P.",
        "L = (a -> END). R «(b -> END). ||B = (L || R). M = B; Q, Q = (c -> M).",
        "minimal «deterministic P = (a -> P). ||S = P.",
        "set S = {a, b,«} P = (S -> P). ||T = P.",
        "range R = «3..1 P = (a[R] -> P). ||S = (P || x:P).",
    ],
)
def test_one_mistake_is_one_message(marked):
    text, column = split(marked)
    with pytest.raises(SymrobError) as caught:
        load_text(text)
    assert [p.column for p in caught.value.diagnostics] == [column]
    found = [p.column for p in lint_text(text) if p.severity == "error"]
    assert found == [column]


def test_a_range_that_nothing_uses_may_be_empty():
    assert [w.code for w in load_text("range R = 3..1 P = (a -> P).").warnings] == [
        "fsp-unused"
    ]


def test_caret_stands_under_the_token_behind_tabs():
    with pytest.raises(SymrobError) as caught:
        load_text("P =\r\n\t(a -> GHOST).\r\n")
    lines = str(caught.value).split("\n")
    assert lines[1] == "  \t(a -> GHOST)."
    assert lines[2] == "  \t" + " " * 6 + "^" * 5


def test_which_composite():
    text = "P = (a -> P). ||IN = x:P. ||OUT = (IN || y:P)."
    assert load_text(text).name == "OUT"
    assert load_text(text, process="IN").network.alphabet == ("x.a",)
    assert load_text(text, process="P").network.alphabet == ("a",)
    assert load_text("P = (a -> P). Q = (b -> Q).").name == "DEFAULT"
    with pytest.raises(SymrobError) as caught:
        load_text(text, process="OUTT")
    assert caught.value.diagnostics[0].code == "fsp-no-process"
    assert "OUT" in caught.value.diagnostics[0].hint


def test_a_composite_used_through_processes():
    text = "A = (a -> END). ||IN = A. B = (b -> IN; END). C = (c -> B; END). "
    assert load_text(text + "||OUT = C.").name == "OUT"


def test_a_flood_of_problems_is_cut_short():
    """Errors stay errors, and warnings alone still are no error."""
    text = (
        "P = (a -> P" + "".join(f" | when (0) b[{i}] -> P" for i in range(300)) + ")."
    )
    warnings = load_text(text).warnings
    assert len(warnings) == 201
    assert warnings[-1].severity == "warning"
    assert "100 more" in warnings[-1].message
    with pytest.raises(SymrobError) as caught:
        load_text("P = (a -> P" + " | a -> X" * 300 + ").")
    assert len(caught.value.diagnostics) == 201


@pytest.mark.parametrize("text", ["", "// nothing", "const N = 1", "\ufeff"])
def test_a_text_without_processes(text):
    with pytest.raises(SymrobError):
        load_text(text)


def test_files(tmp_path):
    path = tmp_path / "m.lts"
    path.write_bytes(b"\xef\xbb\xbfP = (a -> P).\n")
    assert read(str(path)).name == "P"
    assert lint_file(str(path)) == ()
    path.write_bytes(b"P = (\xff -> P).")
    for bad in (path, tmp_path / "missing.lts", tmp_path):
        with pytest.raises(SymrobError) as caught:
            read(str(bad))
        assert caught.value.diagnostics[0].file == str(bad)
        assert lint_file(str(bad)) == caught.value.diagnostics


def test_declarations_are_kept():
    from symrob.formats.fsp import ast

    text = "P = (a -> P). progress G = {a} menu M = {a}"
    text += "assert A = []<>a fluent F = <a, {b}>"
    model = load_text(text)
    kinds = (ast.ProgressDef, ast.Menu, ast.Assert, ast.FluentDef)
    kept = [d.name.text for d in model.declarations if isinstance(d, kinds)]
    assert kept == ["G", "M", "A", "F"]


def test_import_reads_through_the_importer():
    from symrob.lts import Lts

    text = 'import P = "p.aut"\n||S = (x:P || x:Q). Q = (a -> Q).'
    seen = []

    def importer(file):
        seen.append(file)
        return Lts(["a"], 2, [(0, "a", 1)])

    lts = product(load_text(text, importer=importer).network)
    assert lts.transitions == ((0, "x.a", 1),)
    assert seen == ["p.aut"]


def test_an_imported_action_must_not_look_hidden():
    """It would have been spared by prefixes and relabels, without a word."""
    from symrob.lts import Lts

    text = 'import P = "p.aut"\n||S = x:P.'
    with pytest.raises(SymrobError, match="'a#1'") as caught:
        load_text(text, importer=lambda _file: Lts(["a#1"], 1, [(0, "a#1", 0)]))
    assert caught.value.diagnostics[0].code == "fsp-import"
