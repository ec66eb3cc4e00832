"""CIF as people write it: data, definitions, conditions on states, roles."""

import re
from itertools import product
from pathlib import Path
from random import Random

import pytest

import symrob
from symrob.errors import LimitExceeded, SymrobError
from symrob.formats import Limits, parts_of, read
from tests.formats import cif_random
from tests.formats.cif_meaning import Meaning

# Of each model: E if the file does not decide it, whether the plan is safe, and the
# transitions of E that are hazardous alone.
MODELS = {
    "agv": (True, {("Outside", "step_out", "Inside")}),
    "bridge": (True, {("Away", "leave", "OnBridge")}),
    "cell": (True, {("Outside", "withdraw", "Inside")}),
    "conveyor": (True, set()),
    "doors": (True, set()),
    "ferry": (True, set()),
    "heating": (True, None),
    "lift": (True, None),
    "lock": (True, None),
    "mutex": (True, set()),
    "tower": (False, None),
    "valve": (True, None),
}


@pytest.mark.parametrize("name", MODELS)
def test_models_mean_what_their_states_say(name):
    path = f"models/cif/{name}.cif"
    meaning, (safe, expected) = Meaning(path), MODELS[name]
    assert meaning.safe() == safe
    case = symrob.load_case(path)
    if not safe:
        with pytest.raises(symrob.NominalViolation):
            case.compute()
        return
    envelope = case.compute()
    environment = parts_of(path).environment or ()
    if expected is None or len(environment) != 1:
        # E has data, or several automata: the plan is compared and no deviation.
        assert envelope.complete
        return
    (mine,) = environment
    e = envelope.environment
    tolerated = frozenset().union(*envelope)
    found = set()
    for source, action, target in product(range(e.size), e.alphabet, range(e.size)):
        if (source, action, target) not in e.transitions:
            each = e.names[source], action, e.names[target]
            hazardous = not meaning.safe({mine: [each]})
            assert hazardous == ((source, action, target) not in tolerated), each
            found |= {each} if hazardous else set()
    assert found == expected


@pytest.mark.parametrize("start", range(0, 160, 80))
def test_random_specifications_mean_what_their_states_say(tmp_path, start):
    seen = set()
    for seed in range(start, start + 80):
        rng = Random(seed)
        spec = cif_random.random_spec(rng)
        path = tmp_path / "r.cif"
        path.write_text(cif_random.text(spec), "utf-8")
        several = any(machine.name == "F" for machine in spec.machines)
        try:
            case = symrob.load_case(path, environment=None if several else "E")
            envelope = case.compute()
        except symrob.NominalViolation:
            assert not cif_random.safe(spec), seed
            seen.add("unsafe")
            continue
        except SymrobError as error:
            # All that the requirements say is a guard of C.
            codes = [d.code for d in error.diagnostics]
            seen |= {*codes} - {"case-role"}
            continue
        assert cif_random.safe(spec), seed
        if not several:
            seen |= set(_compared(spec, envelope, rng, seed))
    assert {"unsafe", True} <= seen <= {"unsafe", True, False}


def _compared(spec, envelope, rng, seed):
    """Yield whether sets of new transitions are safe, which both say alike."""
    e, mine = envelope.environment, spec.machines[0]
    every = product(range(mine.locations), mine.alphabet, range(mine.locations))
    have = {(s, a, t) for s, (a,), _guard, _update, t in mine.edges}
    candidates = [each for each in every if each not in have]
    delta = [frozenset(d.new) for d in envelope]
    number = {i: e.names.index(f"L{i}") for i in range(mine.locations)}
    several = [rng.sample(candidates, min(3, len(candidates))) for _ in range(4)]
    for added in ([c] for c in candidates), several:
        for some in added:
            meant = {(number[s], a, number[t]) for s, a, t in some}
            expected = cif_random.safe(spec, some)
            assert any(meant <= d for d in delta) == expected, (seed, some)
            yield expected


def written(tmp_path, text, name="m.cif"):
    path = tmp_path / name
    path.write_text(text, "utf-8")
    return str(path)


def problems(tmp_path, text, limits=None):
    with pytest.raises(SymrobError) as caught:
        read(written(tmp_path, text), limits=limits or Limits())
    return [(d.line, d.message) for d in caught.value.diagnostics]


PLANT = (
    "plant p:\n  location a: initial; marked;\n    edge c goto b;\n  location b;\nend\n"
)


def test_requirements_become_guards_properties_and_a_part_of_c(tmp_path):
    text = """controllable c, d; uncontrollable u, v;
plant e: location x: initial; edge u goto y; location y: edge u goto x; end
plant p:
  disc int[0..1] n;
  location a: initial; edge c do n := 1 - n; edge d when e.y goto b;
  location b: edge v when e.x goto a;
end
requirement c needs e.x;
requirement v needs p.n = 1 or e.y;
requirement e.y disables d;
requirement invariant p.b => p.n != 0;
requirement r: location l: initial; edge c goto m; location m: edge d goto l; end
"""
    parts = parts_of(written(tmp_path, text))
    assert (parts.environment, parts.plants) == (("e",), ("e", "p"))
    assert (parts.controllers, parts.specifications) == (("supervisor(r)",), ("r",))
    assert parts.guards == (
        "d enabled only while e is y",
        "v enabled only while e is x",
        "c enabled only while e is x",
        "d enabled only while not e is y",
    )
    assert parts.sentences == (
        "v only while (p is a.n=1 or b.n=1) or e is y",
        "never p is b.n=0",
    )


def test_what_reads_data_of_another_is_one_system(tmp_path):
    text = """controllable c; uncontrollable u;
plant s: disc int[0..1] n; location: initial; edge u do n := 1 - n; end
plant p: disc int[0..1] m; location: initial; edge c do m := s.n; end
requirement invariant p.m = 0 or s.n = 0;
"""
    parts = parts_of(written(tmp_path, text))
    assert parts.plants == ("s+p",)
    assert parts.environment is None
    lts = read(written(tmp_path, text)).network
    assert (lts.size, len(lts.transitions)) == (4, 8)
    assert lts.names == ("0+0", "1+0", "1+1", "0+1")


def test_definitions_are_instantiated_inside_each_other(tmp_path):
    text = """group def Cell(controllable event go; alg int[0..9] n):
  plant def Arm(controllable event move):
    disc int[0..9] x = n;
    location: initial; edge move when x < n + 1 do x := x + 1;
  end
  left: Arm(go);
  right: Arm(go);
end
controllable c; const int TWO = 2;
cell: Cell(c, TWO * 2);
"""
    network = read(written(tmp_path, text)).network
    assert network.component_names == ("cell.left", "cell.right")
    assert network.components[0].names == ("4", "5")
    assert network.components[0].alphabet == ("c",)


FUNCTIONS = """controllable c; const int HOME = 1;
func int distance(int x, y): return abs(x - y); end
func bool far(int[0..9] x; bool sure):
  if x = 5: if sure: return true; end
  elif x > 6: return x - HOME > 6;
  else return distance(x, HOME) > 2 and sure; end
  return false;
end
plant p: disc int x; location: initial;
  edge c when not far(x, x > 2) and x < 9 do x := x + 1; end
"""


def test_functions_are_inserted(tmp_path):
    lts = read(written(tmp_path, FUNCTIONS)).network
    assert lts.names == ("0", "1", "2", "3", "4")
    again = FUNCTIONS.replace("far(x, x > 2)", "far(x + 5, x > 2)")
    assert read(written(tmp_path, again)).network.names == ("0", "1", "2", "3")


@pytest.mark.parametrize(
    ("old", "new", "words"),
    [
        ("far(x, x > 2)", "far(x)", "'far' takes 2 parameters, not 1"),
        ("far(x, x > 2)", "near(x)", "'near' is not declared"),
        ("far(x, x > 2)", "HOME(x)", "'HOME' is not a function"),
        ("abs(x - y)", "distance(y, x)", "'distance' calls itself"),
        ("  return false;\n", "", "'far' does not always return a value"),
        ("return abs", "int z; return abs", "line 2: only 'return' and 'if' are"),
        ("abs(x", "<int>(x", "a cast is not supported"),
        (
            "return abs",
            "x := y; return abs",
            "the function 'distance' is not supported",
        ),
    ],
)
def test_functions_that_are_not_read(tmp_path, old, new, words):
    found = problems(tmp_path, FUNCTIONS.replace(old, new))
    assert [message for _, message in found if words in message], found


def test_functions_of_drawings_are_not_looked_at(tmp_path):
    text = """func string at(int x): int y = 2 * x; while y > 9: y := y - 1; end
  if y > 3: y := 3; end return fmt("translate(%d)", y);
end
svgout id "p" attr "transform" value at(3);
"""
    assert read(written(tmp_path, text + PLANT.replace("edge c", "edge"))).network.size


def test_integers_without_bounds_are_followed(tmp_path):
    """As far as they go."""
    text = "controllable c; plant p: disc int n = 3; location: initial; edge c{}; end"
    few = written(tmp_path, text.format(" when n > -1 do n := n - 2"))
    assert read(few).network.names == ("3", "1", "-1")
    endless = written(tmp_path, text.format(" when n > 0 do n := n + 1"))
    with pytest.raises(LimitExceeded, match=r"'p.n' has no bounds and takes more than"):
        read(endless)


def test_files_are_imported_and_do_not_leave_their_folder(tmp_path):
    (tmp_path / "in").mkdir()
    written(tmp_path, "controllable c;\n", "in/events.cif")
    main = written(tmp_path, f'import "events.cif";\n{PLANT}', "in/main.cif")
    assert read(main).network.alphabet == ("c",)
    written(tmp_path, "controllable c;\n", "outside.cif")
    out = written(tmp_path, f'import "../outside.cif";\n{PLANT}', "in/out.cif")
    case = f"""environment = "{out}#p"\ncontroller = "x.lts"\nproperties = ["no c"]"""
    (tmp_path / "in/case.toml").write_text(case)
    with pytest.raises(SymrobError) as caught:
        symrob.load_case(out, environment="p", controller="p", properties=["never c"])
    (problem,) = caught.value.diagnostics
    assert "outside" in problem.message
    assert "allow_outside" in problem.hint
    # Where it is allowed, the models are read like the roles.
    text = f"{PLANT.replace('p:', 'q:')}requirement p.c needs q.a;"
    both = f'import "../outside.cif";\n{PLANT}{text}'.replace("p.c", "c")
    path = written(
        tmp_path,
        f"{both}plant e: uncontrollable u; location: initial; end",
        "in/both.cif",
    )
    case = symrob.load_case(path, allow_outside=True, properties=["never c"])
    assert case.controller.component_names == ("p", "q")


def test_an_input_changes_at_any_time(tmp_path):
    text = """controllable c; input bool hot;
plant p: location a: initial; edge c when hot goto b; location b; end
requirement invariant p.b => hot;
"""
    parts = parts_of(written(tmp_path, text))
    assert parts.environment == ("hot",)


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("plant p: disc int x in any; location: initial; end", "an integer without"),
        ("plant p: location: initial; edge nix; end", "'nix' is not declared"),
        ("plant p: location a: initial; edge tau goto z; end", "has no location 'z'"),
        ("q: Q();", "'Q' is not declared"),
        ("plant def Q(): location: initial; end q: Q(1);", "takes 0 parameters, not 1"),
        (
            "alg int a = b, b = a; plant p: location: initial; edge when a = 1; end",
            "is defined in terms of itself",
        ),
        ("plant p: location: initial; edge when 1; end", "expected a condition"),
        (
            "plant p: location: initial; edge when 1 = true; end",
            "does not support values of these types",
        ),
        (
            "plant p: disc int[0..1] x = 2; location: initial; end",
            "is outside the range of the variable",
        ),
        ("plant p: location a; end", "has no initial location"),
        ("plant p: location: initial; edge do x := 1; end", "'x' is not declared"),
        ("enum e = A, A;", "another declaration has the name 'A'"),
        ('import "nix.cif";', "nix.cif"),
    ],
)
def test_what_is_wrong_has_a_place(tmp_path, text, words):
    found = problems(tmp_path, f"// One.\n{text}\n")
    assert any(line == 2 and words in message for line, message in found), found


def test_all_problems_come_at_once(tmp_path):
    text = """func int f(int x): while x > 0: x := x - 1; end return 0; end
controllable c;
plant p:
  location a: initial; edge c when if c: true else false end;
end
cont real t;
requirement"""
    found = problems(tmp_path, text)
    assert [line for line, _ in found] == [4, 6, 7]
    assert "expected the name of an automaton" in found[2][1]


def test_damage_gives_few_problems_and_no_traceback(tmp_path):
    texts = [Path(f"models/cif/{name}.cif").read_text("utf-8") for name in MODELS]
    counts = []
    for seed in range(150):
        rng = Random(seed)
        words = re.findall(r"\w+|\s+|[^\w\s]", rng.choice(texts))
        for _ in range(rng.randint(1, 3)):
            place = rng.randrange(len(words))
            kept = rng.random() < 0.3
            words[place] = "" if kept else f" {rng.choice(words)} "
        try:
            parts_of(written(tmp_path, "".join(words)))
        except SymrobError as error:
            counts.append(len(error.diagnostics))
    assert 75 < len(counts) < 150
    assert max(counts) < 30


def test_bounds_name_themselves(tmp_path):
    deep = f"controllable c; plant p: location: initial; edge c when {'(' * 400}true"
    assert any(
        "max-nesting" in str(p) or "deeply" in p[1] for p in problems(tmp_path, deep)
    )
    wide = "plant p: disc int[0..99999999] x; location: initial; end"
    assert any("range of 100000000 values" in p[1] for p in problems(tmp_path, wide))
    endless = "group def G(): g: G(); end g: G();"
    assert any("nested too deeply" in p[1] for p in problems(tmp_path, endless))
    twice = "group def G(): a: G(); b: G(); end g: G();"
    few = Limits(max_expansion=1000)
    assert any("1000 instances" in p[1] for p in problems(tmp_path, twice, few))
    states = "controllable c; plant p: disc int[0..99] x, y; location: initial;" + (
        " edge c do x := x + 1; edge c do y := y + 1; end"
    )
    with pytest.raises(LimitExceeded, match=r"max.states"):
        read(written(tmp_path, states), limits=Limits(max_states=50))
