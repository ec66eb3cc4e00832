"""CIF as its users write it: the same in plain words, or refused by its name."""

import contextlib
import random

import pytest

import symrob
from symrob.api import open_engine
from symrob.errors import SymrobError
from symrob.formats import Limits, parts_of, read
from symrob.options import Options
from tests.formats.cif_meaning import Meaning

PLAIN = "controllable {0}c, {0}d;\nplant {0}p: location a: initial; edge {0}c goto b;"
PLAIN += " location b: edge {0}d goto a; end"


def written(tmp_path, text, name="m.cif"):
    path = tmp_path / name
    path.write_text(text, "utf-8")
    return str(path)


def said(tmp_path, text):
    """All that a specification says: its automata, its guards, its sentences."""
    parts = parts_of(written(tmp_path, text))
    network = read(written(tmp_path, text)).network
    systems = [
        (lts.initial, lts.names, lts.alphabet, sorted(lts.transitions))
        for lts in network.components
    ]
    names = getattr(network, "component_names", ())
    return systems, names, parts.guards, parts.sentences, parts.environment


P = "plant p: location a: initial; edge c goto b; location b: edge d goto a; end\n"
EVENTS = "controllable c, d, e;\n"
N = EVENTS + "plant p: disc int[0..3] n; location: initial; edge c when {} do {}; end\n"


@pytest.mark.parametrize(
    ("text", "plain"),
    [
        pytest.param(
            '@@controller:properties(confluence: true, f: (1, "x)"),)\n@doc("a", "b")\n'
            'plant p:\n  @doc("c")\n  controllable c, d;\n  @state(x: "On", y: {1})\n'
            "  location a: initial; edge c goto b;\n"
            "  @@note @doc location b: edge d goto a;\nend",
            "plant p: controllable c, d; location a: initial; edge c goto b;"
            "location b: edge d goto a; end",
            id="annotations",
        ),
        pytest.param(
            f"{EVENTS}enum Out = error, out, map;\n{P}"
            "plant new: disc Out from; location cross: initial; edge e when from = out;"
            " edge c do from := out; end",
            f"{EVENTS}enum T = error, out, map;\n{P}"
            "plant $new: disc T $from; location $cross: initial; edge e when $from = "
            "out; edge c do $from := out; end",
            id="words that are no keywords",
        ),
        pytest.param(
            f"{EVENTS}{P}requirement one: c needs p.a;\n"
            "requirement two: not p.b, three: p.b disables d, {c, d} needs true;",
            f"{EVENTS}{P}requirement invariant one: c needs p.a;\n"
            "requirement invariant two: not p.b;\n"
            "requirement invariant three: p.b disables d;",
            id="requirements with names",
        ),
        pytest.param(
            N.format("switch n: case 0: true case 1: n < 2 else false end", "n := n"),
            N.format("if n = 0: true elif n = 1: n < 2 else false end", "n := n"),
            id="switch over numbers",
        ),
        pytest.param(
            f"{EVENTS}enum E = A, B, C;\nplant p: disc E v; location: initial;"
            "edge c do v := switch v: case A: B case B: C case C: A end; end",
            f"{EVENTS}enum E = A, B, C;\nplant p: disc E v; location: initial;"
            "edge c do v := if v = A: B elif v = B: C else A end; end",
            id="switch without else",
        ),
        pytest.param(
            f"{EVENTS}{P}plant q: location x: initial; edge e when "
            "switch p: case b: true case a: false end goto y; location y: "
            "edge e when switch self: case y: p.a else true end; end",
            f"{EVENTS}{P}plant q: location x: initial; edge e when p.b goto y; "
            "location y: edge e when if q.y: p.a else true end; end",
            id="switch over the locations of an automaton",
        ),
        pytest.param(
            N.format(
                "if n > 0, n < 2: false else true end", "if n=1, true: n := 3 end"
            ),
            N.format("if n > 0 and n < 2: false else true end", "if n = 1: n := 3 end"),
            id="lists of conditions",
        ),
        pytest.param(
            f"{EVENTS}group g: plant p: disc int[0..3] n in any; location: initial; "
            "edge c do n := n + 1; end initial p.n > 1; end initial g.p.n != 3;",
            f"{EVENTS}group g: plant p: disc int[0..3] n in any; "
            "initial n > 1, n != 3; location: initial; edge c do n := n + 1; end end",
            id="what groups say of the start",
        ),
        pytest.param(
            "namespace x.y;\ncontrollable c, d; " + P,
            "group x: group y: controllable c, d; " + P + " end end",
            id="namespaces",
        ),
        pytest.param(
            f"{EVENTS}alg int s, t; equation s = 1, t = s + 1;\n"
            "plant p: alg bool f; location a: initial; equation f = t = 2;"
            " edge c when f goto b; location b: equation f = false; end",
            f"{EVENTS}plant p: location a: initial; edge c goto b; location b; end",
            id="lists of equations",
        ),
        pytest.param(
            'svgfile "p.svg"; const real R = 2.5e-3; const list string L = ["a", "b"];'
            f"{EVENTS}func string at(int x): return fmt('%d', x); end "
            "type pair = tuple(int a, b; real c); input real level; event int unused;\n"
            'func real f(real x): "lib.f"; cont now_ = 0.0 der 1.0, later der R;\n'
            "alg real h = time * R / 2;\n"
            "plant p: disc real r = 1; disc string last; disc list[2] int q = [0, 1];"
            "disc pair t = (1, 2, 3.0); disc dict(int: bool) k = {1: true}; cont x;"
            "disc set int s; disc dist real u = uniform(0.0, 1.0); disc int total;"
            "equation x' = r + 1;"
            "location a: initial; edge c do r := h, q[0] := q[1], t[a] := 2, total := "
            "total + 1, (r, u) := sample u, if L[0] = last: last := 'b' end goto b;"
            "location b: edge d do s := {}, x := 0.0 goto a;"
            'svgout id "a" attr "x" value fmt("%s", <string>t[0]) file "b.svg";'
            'svgin id "a" event if r > 0: c elif x\' < 1: d end;'
            ' svgcopy id "a" pre "x"; svgmove id "b" to 1, 2.0; print '
            'pre "x" post r for c, event, time when pre x < 1 file ":stdout"; end',
            f"{EVENTS}plant p: location a: initial; edge c goto b; location b: "
            "edge d goto a; end",
            id="data that decides nothing",
        ),
        pytest.param(
            f"{EVENTS}{P}automaton watch: disc bool seen; location: initial;"
            " edge c do seen := p.a; end",
            f"{EVENTS}{P}plant watch: disc bool seen; location: initial;"
            " edge c do seen := p.a; end",
            id="what only looks at plants is one of them",
        ),
    ],
)
def test_the_same_in_plain_words(tmp_path, text, plain):
    text = text.replace("'%d'", '"%d"').replace("'b'", '"b"')
    assert said(tmp_path, text) == said(tmp_path, plain)


def test_groups_of_several_files_are_one(tmp_path):
    written(tmp_path, f"group g: {EVENTS}{P} end", "one.cif")
    written(tmp_path, "namespace g; plant q: location: initial; edge e; end", "two.cif")
    both = 'import "one.cif", "two.cif";\ngroup g: requirement invariant q.e needs p.a;'
    with pytest.raises(SymrobError, match=r"'q\.e' is not declared"):
        read(written(tmp_path, f"{both} end"))
    both = both.replace("q.e", "e")
    network = read(written(tmp_path, f"{both} end")).network
    assert network.component_names == ("g.p", "g.q")
    assert parts_of(written(tmp_path, f"{both} end")).guards == (
        "g.e enabled only while g.p is a",
    )
    # In one file a name is declared once.
    with pytest.raises(SymrobError, match="another declaration has the name 'g'"):
        read(written(tmp_path, "group g: end group g: end " + EVENTS + P))


CHOICES = """controllable c, d; uncontrollable u, v;
enum Mode = Low, High;
plant lamp: location off: initial; edge u goto on; location on: edge v goto off; end
plant motor:
  disc Mode m;
  location slow: initial; edge v;
    edge c when switch lamp: case on: true case off: m = High end goto fast;
  location fast: edge v do m := switch m: case Low: AFTER case High: Low end goto slow;
    edge d when if lamp.on, m = Low: true else false end goto slow;
end
requirement limit: motor.fast => switch lamp: case off: false case on: true end;
"""


@pytest.mark.parametrize(("after", "safe"), [("Low", True), ("High", False)])
def test_choices_mean_what_their_states_say(tmp_path, after, safe):
    path = written(tmp_path, CHOICES.replace("AFTER", after))
    assert Meaning(path).safe() == safe
    case = symrob.load_case(path)
    if safe:
        assert case.compute().complete
    else:
        with pytest.raises(symrob.NominalViolation):
            case.compute()


@pytest.mark.parametrize(
    ("declared", "guard", "words"),
    [
        ("cont t der 1.0;", "t >= 5.0", "'t' is a continuous variable, which is not"),
        ("disc real r;", "r > 1", "'r' is a variable of the type 'real', which is not"),
        ("type a = b, b = real; disc a r;", "r > 1", "of the type 'real'"),
        ("disc list int q;", "size(q) > 0", "the function 'size' is not supported"),
        (
            "disc list int q;",
            "q[0] > 0",
            "the element 'q[…]' of a list or tuple is not",
        ),
        ("const real R = 2.5;", "1 < R", "the number '2.5' is not supported"),
        ('const string S = "s";', 'S = "t"', 'the string "s" is not supported'),
        ("", "time > 3", "the variable 'time' is not supported"),
        ("", "1 / 2 > 0", "the division '/', whose result is a real number, is not"),
        ("", "1 in {1, 2}", "the operator 'in' is not supported"),
        ("", "(1, 2) = (1, 2)", "a tuple is not supported"),
        ("", "[1] = [1]", "a list is not supported"),
        ("", "<int>true = 1", "a cast is not supported"),
        ("cont t;", "t' > 0", "the derivative of 't' is not supported"),
        ("disc dist int d;", "sample d = 1", "'sample' is not supported"),
        ("", "self", "'self' is supported only in 'switch self'"),
        ("disc int n = 1;", "n > 0 do (n, n) := (1, 2)", "an assignment to several"),
        ("event int e;", "? = 1", "the received value '?' is not supported"),
        ("event e;", "true; edge e!", "'e' has no type (such as 'void'), so it is"),
        ("event void e; alphabet e!;", "true", "expected ';', not '!'"),
        ("", "true; edge other.c", "'other.c' is not declared"),
        ("enum e = A;", "if A = A: else end", "expected an expression, not 'else'"),
        ("disc in n;", "true", "expected a type, not 'in'"),
        ("disc tuple(int a n;", "true", "expected ')', not 'n'"),
        ("@doc(", "true", "the annotation '@doc' has no ')'"),
    ],
)
def test_what_decides_something_is_refused_where_it_does(
    tmp_path, declared, guard, words
):
    text = f"plant p:\n{declared}\nlocation: initial;\nedge when {guard};\nend"
    with pytest.raises(SymrobError) as caught:
        read(written(tmp_path, text))
    found = caught.value.diagnostics
    assert [d for d in found if words in d.message and d.line in (2, 4)], found


def test_crystals_have_the_same_suffix(tmp_path):
    with pytest.raises(SymrobError) as caught:
        read(written(tmp_path, "# A.\ndata_1abc\n_cell.length_a 10.0\nloop_\n_x\n1"))
    (problem,) = caught.value.diagnostics
    assert "a crystal" in problem.message
    assert "ESCET" in problem.hint


def test_a_name_of_another_file_says_how_to_go_on(tmp_path):
    text = f"{EVENTS}{P}requirement c needs Gate.Closed;"
    with pytest.raises(SymrobError) as caught:
        read(written(tmp_path, text))
    (problem,) = caught.value.diagnostics
    assert problem.hint == "if another file declares 'Gate', import that file"


def test_a_function_ends(tmp_path):
    with pytest.raises(SymrobError, match="the function 'f' has no 'end'"):
        read(written(tmp_path, f"{EVENTS}{P}func int f(int x): y := 1;"))


def test_a_namespace_is_of_a_file(tmp_path):
    text = EVENTS + "group g: namespace x; end " + P
    with pytest.raises(SymrobError, match="is not allowed in a component"):
        read(written(tmp_path, text))


def test_types_that_define_each_other_end(tmp_path):
    text = "type a = b, b = a; plant p: disc a x; location: initial; end"
    with pytest.raises(SymrobError, match="the type is defined in terms of itself"):
        read(written(tmp_path, text))


def test_counters_that_nothing_reads_are_left_out(tmp_path):
    text = EVENTS + (
        "plant p: disc int n, m, k; location: initial; edge c do n := n + m; "
        "edge d do m := k + 1; edge e when {} do k := k - 1; end"
    )
    assert read(written(tmp_path, text.format("true"))).network.size == 1
    with pytest.raises(symrob.LimitExceeded, match=r"the integer 'p\.k'"):
        read(written(tmp_path, text.format("k < 1")))
    # What is read needs what it is computed from.
    with pytest.raises(symrob.LimitExceeded, match=r"'p' has more than 1000 states"):
        read(written(tmp_path, text.format("n > 1")), limits=Limits(max_states=1000))


def test_the_states_to_begin_in_are_found_piece_by_piece(tmp_path):
    feature = (
        "group def F(): plant a: disc bool here in any; location: initial; end end "
    )
    count = 16
    fields = "".join(f"f{n}: F(); " for n in range(count))
    chain = " and ".join(f"f{n}.a.here = f{n + 1}.a.here" for n in range(count - 1))
    text = EVENTS + feature + fields + f"initial {chain};"
    found = read(written(tmp_path, text), limits=Limits(max_states=200)).network
    assert [(lts.size, len(lts.initial)) for lts in found.components] == [(2, 2)]


@pytest.mark.parametrize(
    "declared", ["disc int[0..99] x in any, y in any, z in any; initial x = 0;"]
)
def test_too_many_states_to_begin_in(tmp_path, declared):
    text = f"{EVENTS}plant p: {declared} location: initial; edge c; end"
    with pytest.raises(
        symrob.LimitExceeded, match="1000 combinations of initial values"
    ):
        read(written(tmp_path, text), limits=Limits(max_states=1000))


def test_initial_predicates_without_a_value(tmp_path):
    text = "{}plant p: disc int[0..3] x in any; initial {}; location: initial; end"
    found = read(written(tmp_path, text.format(EVENTS, "x != 0 and 6 div x > 2")))
    assert len(found.network.components[0].initial) == 2
    with pytest.raises(SymrobError, match="division by zero"):
        read(written(tmp_path, text.format(EVENTS, "6 div x > 2")))


def test_rules_of_plants_are_part_of_the_plants(tmp_path):
    places = ["s.off", "s.on", "t.off", "t.on", "a.off", "a.on"]
    plants = "".join(
        f"plant {name}: {kind}controllable go, back; location off: initial; marked; "
        "edge go goto on; location on: edge back goto off; end\n"
        for name, kind in [("s", "un"), ("t", "un"), ("a", "")]
    )
    rng, verdicts = random.Random(31), []
    for _ in range(120):
        rules = ""
        for _ in range(rng.randint(1, 3)):
            event = f"{rng.choice('sta')}.{rng.choice(['go', 'back'])}"
            one, other, how = *rng.choices(places, k=2), rng.choice(["and", "or"])
            said = f"({one} {how} not {other})"
            two_ways = f"{event} needs {said}", f"{said} disables {event}"
            rules += f"plant {rng.choice(two_ways)};\n"
        bad = " and ".join(
            rng.choice([f"{name}.on", f"{name}.off"])
            for name in rng.sample("sta", rng.choice([2, 3]))
        )
        text = f"{plants}{rules}requirement a.go needs s.on;\n"
        path = written(tmp_path, f"{text}requirement invariant not ({bad});")
        expected = Meaning(path).safe()
        case = None
        with contextlib.suppress(SymrobError):
            case = symrob.load_case(path)
        if case is None:
            # All plants depend on C, or the property is one that E itself keeps.
            continue
        try:
            case.compute()
            found = True
        except symrob.NominalViolation:
            found = False
        assert found == expected, rules + bad
        verdicts.append(found)
    assert 10 < sum(verdicts) < 60 < len(verdicts)


@pytest.mark.parametrize(
    "of", ["initial {};\nlocation: initial", "location: initial {}"]
)
def test_a_supervisor_says_where_plants_begin(tmp_path, of):
    start = "p.b and (p.n = 1 or p.n > 2)"
    text = EVENTS + (
        "plant p: disc bool n0 in any, b in any; disc int[0..3] n in any; "
        "{} location: initial; edge c when n > 0 do n := n - 1; end "
        "supervisor s: alphabet c; {}; edge c when p.b; end"
    )
    moved = text.format("", of.format(start))
    own = text.format(f"initial {start};", of.format("true"))
    assert said(tmp_path, moved) == said(tmp_path, own)
    (first, _more) = read(written(tmp_path, moved)).network.components
    assert len(first.initial) == 4


def test_what_plants_read_is_a_plant(tmp_path):
    text = (
        "uncontrollable u; {} io: disc bool i; location: initial; "
        f"edge u do i := not i; end {EVENTS}"
        "plant p: location: initial; edge c when io.i; end "
        "{} other: location: initial; edge d; end"
    )
    found = said(tmp_path, text.format("automaton", "automaton"))
    assert found == said(tmp_path, text.format("plant", "automaton"))
    assert parts_of(written(tmp_path, text.format("automaton", "automaton"))).others


def test_channels_mean_what_their_states_say(tmp_path):
    rng, verdicts = random.Random(32), []
    for _ in range(80):
        count = [rng.randint(1, 2) for _each in "sr"]
        text = "uncontrollable int e; uncontrollable step; controllable c; plant w: "
        text += "location a: initial; edge step goto b; location b: edge step goto a; "
        text += f"edge {rng.choice('ec')} goto a; end\n"
        for n in range(count[0]):
            values = [rng.choice(["1", "2", "m", "m - 1"]) for _each in "ab"]
            text += f"plant s{n}: disc int[0..3] m = {rng.randint(0, 2)}; "
            text += f"location a: initial; edge e!{values[0]} when "
            text += f"{rng.choice(['w.a', 'w.b', 'm < 2'])} do m := {values[0]} goto b;"
            text += f" location b: edge e!{values[1]} goto a; edge step; end\n"
        for n in range(count[1]):
            text += f"plant r{n}: disc int[0..2] x; location a: initial; "
            text += f"edge e? when {rng.choice(['x < 2', 'w.a', 'true'])} do x := ? "
            text += f"goto {rng.choice('ab')}; location b: edge e?, step "
            text += "goto a; end\n"
        if rng.random() < 0.3:
            text += f"plant e {rng.choice(['needs w.a', 'needs r0.x = 0'])};\n"
        bad = f"r{rng.randrange(count[1])}.x = {rng.randint(1, 2)}"
        if rng.random() < 0.5:
            bad += f" and s{rng.randrange(count[0])}.m = {rng.randint(0, 3)}"
        text += "supervisor s: location: initial; edge c; end\n"
        path = written(tmp_path, f"{text}requirement invariant not ({bad});")
        expected = Meaning(path).safe()
        case = None
        with contextlib.suppress(SymrobError):
            case = symrob.load_case(path)
        found = True
        try:
            # What the plants never do is no property.
            if case is not None:
                open_engine(case.roles, Options())
        except symrob.NominalViolation:
            found = False
        assert found == expected, text + bad
        verdicts.append(found)
    assert 0 < sum(verdicts) < len(verdicts) - 5


def test_a_channel_has_a_sender_and_a_receiver(tmp_path):
    text = (
        "controllable {} m.e; plant s: location a: initial; edge e{} goto b; "
        "location b: edge c; end plant r: location a: initial; edge e{} goto b; "
        "location b: edge d; end plant t: location: initial; edge e; end"
    ).replace("m.e", "e") + " controllable c, d;"
    plain = said(tmp_path, text.format("", "", ""))
    assert said(tmp_path, text.format("void", "!", "?")) == plain
    assert said(tmp_path, text.format("int", "!3", "?")) == plain
    alone = read(written(tmp_path, text.format("void", "!", ""))).network.components
    assert not any(row.action == "e" for lts in alone for row in lts.transitions)
    assert not any("e" in lts.alphabet for lts in alone)


@pytest.mark.parametrize(
    ("sent", "words"),
    [
        ("e!", "'e' is sent without a value"),
        ("e!1; edge e!2", "'e' is sent with different values from one location"),
        ("e!true", "'r.x' does not support a value of this type"),
        ("e!'1'", "expected"),
    ],
)
def test_values_that_no_channel_passes(tmp_path, sent, words):
    text = f"event int e; plant s: location: initial; edge {sent}; end\n"
    text += "plant r: disc int[0..3] x; location: initial; edge e? do x := ?; end"
    with pytest.raises(SymrobError, match=words):
        read(written(tmp_path, text))


def test_channels_are_bounded(tmp_path):
    many = "".join(f"s{n}: S(); r{n}: R(); " for n in range(40))
    text = (
        "event void e; plant def S(): location: initial; edge e!; end "
        f"plant def R(): location: initial; edge e?; end {many}"
    )
    with pytest.raises(symrob.LimitExceeded, match="more than 1000 pairs"):
        read(written(tmp_path, text), limits=Limits(max_expansion=1000))
