"""Broken files: every problem is named, with its place, and nothing else happens."""

import pytest

from symrob.errors import EXIT_INPUT, LimitExceeded, SymrobError
from symrob.formats import Limits, read, write
from symrob.formats.text import MAX_PROBLEMS
from symrob.lts import ERROR, Lts


def problems(tmp_path, name, content, **options):
    """Read a broken file; returns (code, line, column) of each problem."""
    path = tmp_path / name
    path.write_bytes(content if isinstance(content, bytes) else content.encode())
    with pytest.raises(SymrobError) as caught:
        read(str(path), **options)
    assert caught.value.exit_code == EXIT_INPUT
    for diagnostic in caught.value.diagnostics:
        assert diagnostic.file == str(path)
        assert str(diagnostic).startswith(str(path))
    return [(d.code, d.line, d.column) for d in caught.value.diagnostics]


@pytest.mark.parametrize("suffix", [".aut", ".fsm", ".json"])
def test_files_that_are_no_text(tmp_path, suffix):
    name = f"x{suffix}"
    assert problems(tmp_path, name, "") == [("file-empty", None, None)]
    assert problems(tmp_path, name, " \n\n") == [("file-empty", None, None)]
    assert problems(tmp_path, name, b"ab\xe4\n\xff") == [("file-encoding", 1, 3)]


def test_missing_file_directory_and_suffix(tmp_path):
    for path, code in (
        (tmp_path / "none.aut", "file-missing"),
        (tmp_path, "format-suffix"),
        (tmp_path / "x.txt", "format-suffix"),
        (tmp_path / "x.puml", "format-suffix"),
    ):
        with pytest.raises(SymrobError) as caught:
            read(str(path))
        assert [d.code for d in caught.value.diagnostics] == [code]
    (tmp_path / "d.aut").mkdir()
    with pytest.raises(SymrobError, match="directory"):
        read(str(tmp_path / "d.aut"))
    with pytest.raises(SymrobError, match="Aldebaran has no named parts"):
        read(str(tmp_path / "none.aut"), process="P")
    with pytest.raises(SymrobError, match="are not written"):
        write(Lts([], 1, []), str(tmp_path / "x.svg"))
    with pytest.raises(SymrobError, match="No such file"):
        write(Lts([], 1, []), str(tmp_path / "none" / "x.aut"))


def test_name_that_is_no_text_is_no_name():
    with pytest.raises(SymrobError, match="lone surrogate"):
        Lts(["\ud800"], 1, [(0, "\ud800", 0)])


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("dse (0,0,1)\n", [("aut-header", 1, 1)]),
        ("des (0, 0)\n", [("aut-header", 1, 1)]),
        ("des (-1, 0, 1)\n", [("aut-header", 1, 1)]),
        ("des (2, 0, 2)\n", [("aut-first", 1, 6)]),
        ("des (0, 0, 0)\n", [("aut-first", 1, 6)]),
        ("des (0, 2, 1)\n(0, a, 0)\n", [("aut-count", 1, None)]),
        ("des (0, 0, 1)\n(0, a, 0)\n", [("aut-count", 1, None)]),
        (
            'des (0, 5, 2)\n(0, a)\n(0, a, 7)\n  (x, b, 1)\n(0, "a, 1)\n(-1, a, 0)\n',
            [
                ("aut-transition", 2, 1),
                ("aut-state", 3, 8),
                ("aut-state", 4, 4),
                ("aut-label", 5, 4),
                ("aut-state", 6, 2),
            ],
        ),
        (
            "des (0, 2, 1)\n(0, , 0)\n0, a, 0\n",
            [("aut-label", 2, 4), ("aut-transition", 3, 1)],
        ),
        ("des (0, 1, 1)\n(0, a, -2)\n", [("aut-state", 2, 8)]),
        ("des (0, 1, 1)\n(0, a, 00000000000000000000)\n", [("aut-state", 2, 8)]),
    ],
)
def test_broken_aut(tmp_path, text, expected):
    assert problems(tmp_path, "x.aut", text) == expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("three\n", [("fsm-header", 1, 1)]),
        ("0\n", [("fsm-header", 1, 1)]),
        ("2\n\nA\t0\t0\n", [("fsm-count", 1, None)]),
        ("1\nA\t2\t0\n", [("fsm-state", 2, 1), ("fsm-count", 1, None)]),
        ("1\nA 0 2\na A c o\n", [("fsm-count", 2, 5)]),
        ("1\nA 0 1\na B c o\n", [("fsm-target", 3, 3)]),
        ("1\nA 0 1\na A x o\n", [("fsm-transition", 3, 1)]),
        ("2\nA 0 0\nA 0 0\n", [("fsm-state", 3, 1), ("fsm-count", 1, None)]),
        ("1\nA 0 0\na A c o\n", [("fsm-state", 3, 1)]),
        ("1\nERROR 0 0\n", [("fsm-error", None, None)]),
        ("2\nA 0 0\nERROR 0 1\na A c o\n", [("fsm-error", None, None)]),
        (
            "2\nA\tno\t2\na\tA\tc\to\na\tA\tc\to\nB\t0\t1\nb\tC\tc\to\n",
            [("fsm-state", 2, 1), ("fsm-count", 1, None), ("fsm-target", 6, 3)],
        ),
    ],
)
def test_broken_fsm(tmp_path, text, expected):
    assert problems(tmp_path, "x.fsm", text) == expected


GOOD = '"alphabet": ["a"], "states": 2, "transitions": [[0, "a", 1]]'


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ('{"alphabet": ["a" "b"]}', [("json-syntax", 1, 19)]),
        ('{\n "states": 1\n "x": 2}', [("json-syntax", 3, 2)]),
        ("[1, 2]", [("json-model", 1, 1)]),
        ("NaN", [("json-value", None, None)]),
        ('{"states": 1, "states": 2}', [("json-value", None, None)]),
        ("[" * 100_000, [("json-syntax", None, None)]),
        ('{"states": ' + "9" * 5000 + "}", [("json-syntax", None, None)]),
        ("{}", [("json-model", 1, 1)] * 3),
        ("{" + GOOD + ', "end": 2}', [("json-model", 1, 71)]),
        (
            "{" + GOOD + ',\n "names": ["A"],\n "nmaes": 1}',
            [("json-model", 3, 11), ("json-model", 2, 11)],
        ),
        (
            '{"alphabet": ["a", 1, "tau"],\n "states": true,\n "transitions": {}}',
            [("json-model", 1, 20), ("json-model", 2, 12), ("json-model", 3, 17)],
        ),
        (
            '{"alphabet": ["a", "tau"], "states": 1, "transitions":\n'
            '[[0, "a", 0],\n [1, "b", -2],\n [0, "a"],\n [-1, "a", 0.5], [0, 7, 0]]}',
            [
                ("json-model", 1, 20),
                ("json-model", 3, 3),
                ("json-model", 3, 11),
                ("json-model", 3, 6),
                ("json-model", 4, 2),
                ("json-model", 5, 3),
                ("json-model", 5, 12),
                ("json-model", 5, 22),
            ],
        ),
        ('{"components": []}', [("json-model", 1, 16)]),
        (
            '{"components": [{' + GOOD + '}, 3],\n "names": ["A"], "hidden": ["z"]}',
            [("json-model", 1, 81), ("json-model", 2, 11)],
        ),
        (
            '{"components": [{' + GOOD + '}],\n "hidden": ["a", "z"]}',
            [("json-model", 2, 18)],
        ),
    ],
)
def test_broken_json(tmp_path, text, expected):
    assert problems(tmp_path, "x.json", text) == expected


def test_reading_stops_after_many_problems(tmp_path):
    text = "des (0, 1000, 1)\n" + "(0, a, 1)\n" * 1000
    found = problems(tmp_path, "x.aut", text)
    assert len(found) == MAX_PROBLEMS + 1
    assert found[-1][0] == "file-problems"


def test_caret_line_shows_the_place(tmp_path):
    path = tmp_path / "x.aut"
    path.write_text("des (0, 1, 1)\n(0, a, 12)\n")
    with pytest.raises(SymrobError) as caught:
        read(str(path))
    assert str(caught.value).splitlines() == [
        f"{path}:2:8: error: '12' is not a state in 0..0 [aut-state]",
        "  (0, a, 12)",
        "         ^^",
    ]


SMALL = Limits(max_states=3, max_transitions=2)


@pytest.mark.parametrize(
    ("name", "text", "option"),
    [
        ("x.aut", "des (0, 0, 4)\n", "max_states="),
        ("x.aut", "des (0, 3, 1)\n" + "(0, a, 0)\n" * 3, "max_transitions="),
        ("x.fsm", "4\nA 0 0\n", "max_states="),
        ("x.fsm", "1\nA 0 3\n" + "a A c o\n" * 3, "max_transitions="),
        (
            "x.json",
            '{"alphabet": [], "states": 4, "transitions": []}',
            "max_states=",
        ),
        (
            "x.json",
            '{"alphabet": [], "states": 1, "transitions": [1, 2, 3]}',
            "max_transitions=",
        ),
    ],
)
def test_limits_name_their_option(tmp_path, name, text, option):
    path = tmp_path / name
    path.write_text(text)
    with pytest.raises(LimitExceeded, match=option):
        read(str(path), limits=SMALL)


def test_aut_dialects(tmp_path):
    """First state other than 0, blanks, tau in four spellings, quotes, ERROR."""
    path = tmp_path / "x.aut"
    path.write_bytes(
        b'\xef\xbb\xbf\n  des(2,8,3)\r\n(2,i,1)\r\n( 1 , "tau" , 0 )\n(0, "i", 2)\n'
        b'(0,tau,0)\n(0, PUT !1 , 0)\n(1,"a, \\"b\\" \\\\ \\n",1)\n(1,"say "hi"",-1)\n'
        b"(1, a b, 2)"
    )
    lts = read(str(path)).network
    assert lts.names == ("2", "1", "0")
    assert set(lts.transitions) == {
        (0, "tau", 1),
        (1, 'a, "b" \\ \\n', 1),
        (1, "a b", 0),
        (1, 'say "hi"', ERROR),
        (1, "tau", 2),
        (2, "PUT !1", 2),
        (2, "tau", 0),
        (2, "tau", 2),
    }


def test_fsm_dialects(tmp_path):
    """Tabs or blanks, names with blanks, a probability, ERROR, what is ignored."""
    path = tmp_path / "x.fsm"
    path.write_text(
        "3\n\n{A, 1}\t1\t3\ngo on\tB\tuc\to\t0.5\ntau\tB\tuc\tuo\nfail\tERROR\tc\tuo\n"
        "\nB 0 1\nback B c o\n\nERROR 0 0\n"
    )
    model = read(str(path))
    assert model.name == "x"
    assert model.network == Lts(
        ["go on", "fail", "back"],
        2,
        [(0, "go on", 1), (0, "tau", 1), (0, "fail", ERROR), (1, "back", 1)],
        names=["{A, 1}", "B"],
    )
    (warning,) = model.warnings
    assert warning.severity == "warning"
    for word in ("marked", "uncontrollable", "unobservable", "probabilities"):
        assert word in warning.message


def test_fsp_imports_an_aldebaran_file(tmp_path):
    """`import` looks beside the FSP file, and the limits reach it."""
    (tmp_path / "x.aut").write_text("des (0, 1, 2)\n(0, a, 1)\n")
    path = tmp_path / "x.lts"
    path.write_text('import P = "x.aut"\n||S = (P || Q).\nQ = (a -> b -> Q).\n')
    model = read(str(path))
    assert [c.size for c in model.network.components] == [2, 2]
    with pytest.raises(LimitExceeded, match="max_states="):
        read(str(path), limits=Limits(max_states=1))
    (tmp_path / "x.aut").write_text("des (0, 1, 2)\n(0, a, 2)\n")
    with pytest.raises(SymrobError, match="'2' is not a state"):
        read(str(path))
