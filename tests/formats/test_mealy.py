"""Mealy machines in `.dot`: generated files against an explicit reading of them."""

import html
from random import Random

import pytest
from hypothesis import given

from symrob.errors import LimitExceeded, SymrobError
from symrob.formats import Limits, read, write
from tests.cli.tools import ROOT, run
from tests.oracles import mealy
from tests.oracles.equivalence import isomorphism, strongly_bisimilar
from tests.strategies import rngs

STATES = ("s0", "s1", "s2", "s3", "7", "a b", 'say "x"', "ERROR", "node", "é", "s0/a")
INPUTS = ("HELLO", "a", "ACK+RST(V,V,0)", "ACK_RST(V,V,0)", "1", "?x!", "in & out", "+")
OUTPUTS = (
    *("SERVER & CERT", "A|B|C", "Empty", "NO_RESPONSE", "-", "TIMEOUT", "false", "0"),
    *("Alert Fatal (Unexpected message)", "silence!", "x < y", "é", "è", "!", "-+"),
)


def learnlib(rng, start, moves):
    """As LearnLib writes: blanks around the slash, `__start0` at the end."""
    yield "digraph g {\n"
    for number, state in enumerate(sorted({q for m in moves for q in (m[0], m[3])})):
        yield f'\t{quoted(state)} [shape="circle" label="{number}"];'
    for source, i, o, target in moves:
        yield f"\t{quoted(source)} -> {quoted(target)} [label={quoted(f'{i} / {o}')}];"
    yield '\n__start0 [label="" shape="none" width="0" height="0"];'
    yield f"__start0 -> {quoted(start)};\n\n}}"


def aalpy(rng, start, moves):
    """As AALpy writes: no blanks, a label at the start's edge, too."""
    yield "digraph learned {"
    for state in {q: None for m in moves for q in (m[0], m[3])}:
        yield f"{quoted(state)} [label={quoted(state)}];"
    for source, i, o, target in moves:
        yield f"{quoted(source)} -> {quoted(target)}  [label={quoted(f'{i}/{o}')}];"
    yield '__start0 [label="", shape=none];'
    yield f'__start0 -> {quoted(start)}  [label=""];'
    yield "}"


def wiki(rng, start, moves):
    """As the wiki has it: the first edge begins, tables, several on an edge."""
    yield "// learned\ndigraph G {"
    yield 'label=""\n# states\n/* several\n   lines */'
    edges = {}
    for source, i, o, target in sorted(moves, key=lambda m: m[0] != start):
        edges.setdefault((source, target), []).append((i, o))
    for (source, target), pairs in edges.items():
        head = f"{quoted(source)} -> {quoted(target)}"
        kind = rng.randrange(3)
        if kind == 0:
            lines = "\\n".join(quoted(f"{i} / {o}")[1:-1] for i, o in pairs)
            yield f'{head} [color="#00ff00" label="{lines}"]'
        elif kind == 1:
            slash = rng.choice(["", "<td>/</td>"])
            rows = "".join(
                f"<tr><td>{html.escape(i)}</td>{slash}<TD><b>{html.escape(o)}</b></TD></tr>"
                for i, o in pairs
            )
            yield f'{head} [label=<<table border="0" cellpadding="1">{rows}</table>>];'
        else:
            lines = "<br/>".join(html.escape(f"{i} / {o}") for i, o in pairs)
            yield f"{head} [label=<{lines}>, fontsize=8]"
    yield "}"


def anything(rng, start, moves):
    """What the language allows beside: chains, ports, subgraphs, defaults, `+`."""
    yield rng.choice(["strict digraph", "DiGraph 'x'", "digraph <b>"]).replace("'", '"')
    yield "{ rankdir=LR; node [shape=box]; edge [color=red]"
    yield f"{{ __start0 [label=x] }} -> {quoted(start)}:p:n"
    rest = list(moves)
    while rest:
        source, i, o, target = rest.pop(0)
        label = f'{quoted(i)} + " / " + {quoted(o)}'
        kind = rng.randrange(4)
        if kind == 0 and rest and rest[0][:3] == (target, i, o):
            last = quoted(rest.pop(0)[3])
            yield f"{quoted(source)}->{quoted(target)}->{last} [a=b; c][label={label}]"
        elif kind == 1:
            yield f"subgraph cluster_1 {{ edge [label={label}]; label=x"
            yield f"  {{ {quoted(source)} }} -> {{ {quoted(target)}; }} }}"
        elif kind == 2:
            yield f"subgraph {{ {{ {quoted(source)} }} }} -> {quoted(target)}"
            yield f"  [label={label}];"
        else:
            # A separator that is not needed.
            yield f"{quoted(source)}:w -> {quoted(target)}:e:s [label={label},]; ;"
    yield "}"


def quoted(text):
    escaped = text.replace("\\", "\\\\").replace('"', '\\"')
    return f'"{escaped}"'


def random_moves(rng):
    states = rng.sample(STATES, rng.randint(1, 4))
    inputs = rng.sample(INPUTS, rng.randint(1, 3))
    outputs = rng.sample(OUTPUTS, rng.randint(1, 4))
    found = {}
    for _ in range(rng.randint(1, 9)):
        triple = [rng.choice(part) for part in (inputs, outputs, states)]
        found[(states[0] if not found else rng.choice(states), *triple)] = None
    return states[0], list(found)


def expected(start, moves):
    """The transitions by names, two for each of the machine."""
    inputs, outputs = mealy.actions(moves)
    for source, i, o, target in moves:
        yield f"{source}", inputs[i], f"{source}/{i}"
        yield f"{source}/{i}", outputs[o], f"{target}"


def bare(name):
    """A name without the number that tells it from a state of the same name."""
    return name.removesuffix("~2")


def agree(path):
    start, moves = mealy.machine(path.read_text("utf-8"))
    lts = read(str(path)).network
    found = {(lts.state_name(s), a, lts.state_name(t)) for s, a, t in lts.transitions}
    assert lts.state_name(0) == start
    assert {(bare(s), a, bare(t)) for s, a, t in found} == set(expected(start, moves))
    between = {(source, i) for source, i, _o, _t in moves}
    states = {q for m in moves for q in (m[0], m[3])}
    assert lts.size == len(states | {start}) + len(between)
    return moves


@pytest.mark.parametrize("style", [learnlib, aalpy, wiki, anything])
@given(rngs())
def test_generated_files_are_read_as_by_hand(tmp_path_factory, style, rng):
    start, moves = random_moves(rng)
    path = tmp_path_factory.getbasetemp() / f"{style.__name__}.dot"
    path.write_text("\n".join(style(rng, start, moves)) + "\n", "utf-8")
    found = agree(path)
    # The reference itself reads what was written.
    assert sorted(found) == sorted(moves)


@pytest.mark.parametrize("style", [learnlib, aalpy])
def test_many_lines_in_the_manner_of_the_tools(tmp_path, style):
    """A machine of the size of a learned server."""
    rng = Random(style.__name__)
    names = [f"s{n}" for n in range(60)]
    inputs, outputs = INPUTS[:5], OUTPUTS[:8]
    moves = [
        (q, i, rng.choice(outputs), rng.choice(names)) for q in names for i in inputs
    ]
    path = tmp_path / "x.dot"
    path.write_text("\n".join(style(rng, "s7", moves)) + "\n", "utf-8")
    assert len(agree(path)) == 300


def problems(tmp_path, text):
    path = tmp_path / "x.dot"
    path.write_text(text, "utf-8")
    with pytest.raises(SymrobError) as caught:
        read(str(path))
    return [(d.code, d.line, d.column, d.message) for d in caught.value.diagnostics]


NO_SLASH = "no label has the form 'input/output'; the first is"


@pytest.mark.parametrize(
    ("text", "wanted"),
    [
        ("graph { a -- b }", [("syntax", 1, 1, "undirected graph")]),
        ("hello", [("syntax", 1, 1, "expected 'digraph'")]),
        ("// nothing", [("syntax", 1, 11, "expected 'digraph'")]),
        ("digraph { a -> b [label=x] }", [("machine", 1, 25, f"{NO_SLASH} 'x'")]),
        ("digraph { a -> b; a -> a }", [("machine", 1, 1, "no edge has a label")]),
        ("digraph { a; b }", [("machine", 1, 1, "no edge has a label")]),
        (
            'digraph { a -> b [label="i/o"] }\nDiGraph {}',
            [("syntax", 2, 1, "second graph")],
        ),
        (
            'digraph { a -> b [label="i/o"] } }',
            [("syntax", 1, 34, "expected the end of the file, not '}'")],
        ),
        (
            'digraph {\n a -> b [label="i/o"]\n a -> a\n b -> b [label=x]\n'
            ' b -> b [label="/o"]\n a -- b [label="i/o"]\n a -> [label=x]\n',
            [
                ("label", 3, 2, "no label"),
                ("label", 4, 16, "the label 'x' has no '/'"),
                ("label", 5, 16, "the label '/o' has no input before '/'"),
                ("syntax", 6, 4, "edges '->', not '--'"),
                ("syntax", 7, 7, "expected a statement, not '['"),
                ("syntax", 7, 16, "the file ends where '}' is expected"),
            ],
        ),
        (
            'digraph { a -> b [label="i/o] }',
            [("syntax", 1, 25, "this quote is not closed")],
        ),
        ("digraph { a -> b [label=<i/o] }", [("syntax", 1, 25, "bracket is not")]),
        ("digraph { /* a -> b }", [("syntax", 1, 11, "this comment is not closed")]),
        (
            'digraph { __start0 -> a; __start1 -> b; a -> b [label="i/o"] }',
            [("start", 1, 26, "starts in 'b' and in 'a'")],
        ),
        (
            'digraph { x -> a; y -> b; a -> b [label="i/o"] }',
            [("start", 1, 19, "starts in 'b' and in 'a'")],
        ),
        (
            'digraph { __start0 -> a; x -> b; a -> b [label="i/o"] }',
            [("label", 1, 26, "this edge has no label")],
        ),
        (
            'digraph { a -> b [label="i" + o, c=d] }',
            [("syntax", 1, 31, "expected a quoted string after '+', not 'o'")],
        ),
        (
            'digraph { a -> b [label="i/o" : "x"]\n c -> [x]\n}',
            [("syntax", 1, 31, "not ':'"), ("syntax", 2, 7, "not '['")],
        ),
    ],
)
def test_what_is_no_machine_is_refused_with_its_places(tmp_path, text, wanted):
    found = problems(tmp_path, text)
    assert [(f"dot-{code}", line, at) for code, line, at, _ in wanted] == [
        each[:3] for each in found
    ]
    for (*_, words), (*_, message) in zip(wanted, found, strict=True):
        assert words in message


def warnings_of(tmp_path, text):
    path = tmp_path / "x.dot"
    path.write_text(text, "utf-8")
    model = read(str(path))
    return model.network, [(w.code, w.message) for w in model.warnings]


def test_names_that_differ_in_signs_are_told(tmp_path):
    lts, found = warnings_of(
        tmp_path, 'digraph { a -> a [label="x+/y"]; a -> a [label="x-/silence!"] }'
    )
    assert lts.alphabet == ("in_x", "in_x_2", "out_silence_2", "out_y")
    assert found == [
        (
            "dot-names",
            "labels that differ only in special characters are numbered: "
            "'x-' is 'in_x_2', 'silence!' is 'out_silence_2'",
        )
    ]


def test_a_strict_graph_whose_edges_graphviz_would_merge(tmp_path):
    edges = 'a -> a [label="x/y"]; a -> a [label="z/y"]'
    assert warnings_of(tmp_path, f"digraph {{ {edges} }}")[1] == []
    lts, found = warnings_of(tmp_path, f"strict digraph {{ {edges} }}")
    assert [code for code, _ in found] == ["dot-strict"]
    assert lts.size == 3


def test_an_input_with_several_outputs_is_a_choice_of_the_machine(tmp_path):
    lts, _ = warnings_of(
        tmp_path, 'digraph { a -> a [label="x/y"]; a -> b [label="x/z"]; b; c }'
    )
    assert lts.names == ("a", "a/x", "b")
    assert lts.deterministic
    assert lts.transitions == ((0, "in_x", 1), (1, "out_y", 0), (1, "out_z", 2))


def test_silence_of_every_tool_is_one_action(tmp_path):
    words = ("-", "NO_RESPONSE", "Empty", "TIMEOUT", "No response", "", "ε", "None")
    edges = "".join(f'a -> a [label="i{n}/{w}"];' for n, w in enumerate(words))
    lts, found = warnings_of(tmp_path, f"digraph {{ {edges} }}")
    assert {a for a in lts.alphabet if a.startswith("out_")} == {"out_silence"}
    assert (lts.size, found) == (9, [])


@pytest.mark.parametrize(
    ("label", "pair"),
    [
        ('"GET /a/b / 200"', ("GET_a_b", "200")),
        ('"a/b/c"', ("a", "b_c")),
        ('"a /\\nb"', ("a", "b")),
        ("<a &amp; b / c>", ("a_b", "c")),
        ('"a &lt; b/c&d"', ("a_b", "c_d")),
        (
            "<<table><tr><td>a</td></tr><tr><td>/</td><td>b</td></tr></table>>",
            ("a", "b"),
        ),
    ],
)
def test_labels_that_could_be_read_otherwise(tmp_path, label, pair):
    lts, _ = warnings_of(tmp_path, f"digraph {{ a -> a [label={label}] }}")
    assert lts.alphabet == (f"in_{pair[0]}", f"out_{pair[1]}")


def words_of(lts, length):
    """The words of a length that a deterministic system has from its start."""
    found = {(): 0}
    for _ in range(length):
        found = {
            (*word, action): target
            for word, state in found.items()
            for action, targets in lts.successors[state].items()
            for target in targets
        }
    return set(found)


@pytest.mark.parametrize("kind", ["dfa", "moore", "labels"])
@given(rng=rngs())
def test_outputs_of_states_follow_the_inputs_that_lead_there(
    kind, tmp_path_factory, rng
):
    """Acceptors and Moore machines of LearnLib and AALpy: run with a dict."""
    # Of three states two have the same output, so it is not a name.
    names = STATES[: rng.randint(3, 4)]
    outputs = {
        name: rng.choice(["accept", "reject"] if kind == "dfa" else ["x", "y y"])
        for name in names
    }
    moves = {
        (q, i): rng.choice(names) for q in names for i in "ab" if rng.random() < 0.9
    }
    moves |= {(names[0], "a"): names[1], (names[1], "a"): names[2]}
    # Somewhere it accepts, else nothing says that it is an acceptor.
    outputs[names[0]] = "accept" if kind == "dfa" else outputs[names[0]]
    lines = []
    for name in names:
        label, shape = name, "doublecircle"
        if kind == "moore":
            label, shape = f"{name}|{outputs[name]}", "record"
        elif kind == "labels":
            label, shape = outputs[name], "circle"
        elif outputs[name] == "reject":
            shape = rng.choice(["circle", "octagon"])
        lines.append(f"{quoted(name)} [shape={shape} label={quoted(label)}];")
    lines += [
        f"{quoted(q)} -> {quoted(target)} [label={i}];"
        for (q, i), target in moves.items()
    ]
    start = f'__start0 [label="" shape="none"]; __start0 -> {quoted(names[0])};'
    path = tmp_path_factory.getbasetemp() / f"{kind}.dot"
    path.write_text("digraph {" + "\n".join([*lines, start]) + "}", "utf-8")
    expected = {((), names[0])}
    for _ in range(3):
        expected = {
            ((*word, f"in_{i}", f"out_{outputs[t].replace(' ', '_')}"), t)
            for word, q in expected
            for i in "ab"
            if (t := moves.get((q, i)))
        }
    lts = read(str(path)).network
    assert words_of(lts, 6) == {word for word, _state in expected}


def test_a_blank_can_be_an_input(tmp_path):
    path = tmp_path / "x.dot"
    path.write_text('digraph { a [shape=doublecircle]; a -> a [label=" "]; }')
    assert read(str(path)).network.alphabet == ("in_x20", "out_accept")
    path.write_text('digraph { a [shape=doublecircle]; a -> a [label=""]; }')
    with pytest.raises(SymrobError, match="no edge has a label"):
        read(str(path))


def test_probabilities_are_refused_as_such(tmp_path):
    path = tmp_path / "x.dot"
    path.write_text('digraph { a [label=N]; b [label=N]; a -> b [label="press:0.9"]; }')
    with pytest.raises(SymrobError, match=r"'press:0\.9' gives a probability"):
        read(str(path))


def test_pictures_of_symrob_are_known_as_such(tmp_path):
    for number, args in enumerate(
        (
            ("draw", "models/press/press.toml"),
            ("draw", "models/press/press.lts#DOOR"),
            (
                "draw",
                "models/press/press.toml",
                "--compare",
                "models/press/press_door.toml",
            ),
            ("repair", "models/press/press.toml", "--tolerate", "*,pedal,*"),
        )
    ):
        path = tmp_path / f"{number}.dot"
        args = [str(ROOT / a) if a.startswith("models") else a for a in args]
        # A guard that loses a goal of the plan ends with 4, its picture is drawn.
        assert run(*args, "--out", path).code in (0, 4)
        done = run("show", path)
        assert done.code == 2
        assert (
            "1:1: error: this is a picture that symrob drew, not a machine" in done.err
        )
        assert done.err.count("error:") == 1


def test_bounds(tmp_path):
    path = tmp_path / "x.dot"
    path.write_text('digraph { {a b c} -> {d e f} [label="x/y"] }')
    assert read(str(path)).network.size == 9
    for bound in ("max_states", "max_transitions"):
        with pytest.raises(LimitExceeded, match=bound):
            read(str(path), limits=Limits(**{bound: 8}))
    inner = 'a -> a [label="x/y"]'
    path.write_text("digraph {" + "{" * 5000 + inner + "}" * 5000 + "}")
    with pytest.raises(LimitExceeded, match="nested more than 100 deep"):
        read(str(path))
    path.write_text(
        "digraph {" + "{" * 5000 + 'a -> a [label="x/y"]' + "}" * 5000 + "}"
    )
    assert read(str(path), limits=Limits(max_nesting=10_000)).network.size == 2


LEARNED = ROOT / "tests/data/formats/tls_server.dot"


def test_the_learned_server_is_the_server_before_the_fix():
    learned = read(str(LEARNED)).network
    model = read(str(ROOT / "models/tls/server.lts"), process="BEFORE").network
    assert strongly_bisimilar(learned, model)
    after = read(str(ROOT / "models/tls/server.lts"), process="AFTER").network
    assert not strongly_bisimilar(learned, after)


@pytest.mark.parametrize("suffix", [".lts", ".aut", ".fsm", ".json", ".wmod", ".cif"])
def test_a_machine_is_written_in_other_formats_with_its_names(tmp_path, suffix):
    learned = read(str(LEARNED)).network
    path = tmp_path / f"x{suffix}"
    write(learned, str(path))
    back = read(str(path)).network
    assert isomorphism(learned, back) is not None


def test_standard_input():
    done = run("show", "--from", "dot", "-", stdin=LEARNED.read_text("utf-8"))
    assert done.code == 0
    assert "states, " in done.out.splitlines()[0]
