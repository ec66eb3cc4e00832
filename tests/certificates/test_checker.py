"""The parts of the checker against other means, and that it stands alone."""

import ast
import io
import shutil
import subprocess
import sys
import tokenize
from itertools import product
from pathlib import Path
from random import Random

import pytest
from pysat.solvers import Solver

from symrob.certify.certificate import Checker
from symrob.certify.proof import first_flaw
from symrob.certify.watching import CheckBudget, Lts, Network, Required, Walked, Watcher
from symrob.envelope.effort import Effort
from symrob.envelope.solvers import EnumerationSolver
from symrob.limits import Clock, Limits
from symrob.lts import TAU
from symrob.lts import Lts as System
from tests.certificates.tools import (
    certify,
    certify_case,
    read,
    records,
    verdict,
    write,
)
from tests.fuzz import problems
from tests.oracles import definition
from tests.oracles.states import Asked, Stated

HOME = Path(__file__).parents[2] / "symrob" / "certify"
FILES = (
    "format",
    "watching",
    "counted",
    "proof",
    "reading",
    "goals",
    "certificate",
    "export",
    "relation",
    "alone",
    "__main__",
)


def network(model, budget):
    parts = [
        Lts(
            frozenset(part.alphabet),
            [{a: [*ts] for a, ts in row.items()} for row in part.successors],
        )
        for part in model.components
    ]
    return Network(parts, frozenset(model.hidden), budget)


def watchers(problem):
    environment, controller, properties, constraints = problem
    budget, actions = CheckBudget(10**6), frozenset(environment.alphabet)
    alone = Network([], frozenset(), budget)

    def watcher(of, watched, guards):
        if isinstance(watched, Stated):
            return Watcher(of, alone, actions, [*guards, required(watched)])
        return Watcher(of, network(watched, budget), actions, guards)

    guards = [required(p) for p in Asked(properties) if p.is_guard]
    machine = network(controller, budget)
    return [watcher(alone, c, []) for c in constraints] + [
        watcher(machine, p, guards)
        for p in properties
        if not (isinstance(p, Stated) and p.is_guard)
    ]


KINDS = {"never": "state", "only-while": "while", "enabled-only-while": "guard"}


def required(stated):
    """A requirement on states as a certificate has it."""
    kind, actions, condition = stated.requirement

    def read(part):
        operator, *parts = part
        if operator == "is":
            return [tuple(parts)]
        joined = 0 if operator == "not" else len(parts)
        return [*(row for each in parts for row in read(each)), (operator, joined, ())]

    return Required(KINDS.get(kind, kind), actions, read(condition))


def rows(environment, added):
    found = [{} for _ in range(environment.size)]
    for q, a, r in {*map(tuple, environment.transitions), *map(tuple, added)}:
        found[q].setdefault(a, []).append(r)
    return walked(found)


def walked(found):
    """An environment with one component."""
    return Walked(found, [(q,) for q in range(len(found))], [0])


@pytest.mark.parametrize(
    "kind",
    [
        *(problems.tiny, problems.wild, problems.small, problems.chain, problems.many),
        problems.stated,
    ],
    ids=lambda kind: kind.__name__,
)
def test_searches_against_the_definition(kind):
    verdicts = []
    for seed in range(60):
        rng = Random(seed)
        problem = kind(rng)
        environment = problem[0]
        several = watchers(problem)
        candidates = definition.candidates(environment)
        for _ in range(4):
            added = rng.sample(candidates, min(len(candidates), rng.randint(0, 4)))
            expected = definition.robust(environment, frozenset(added), *problem[1:])
            found = not any(w.fails(rows(environment, added)) for w in several)
            assert found == expected, (seed, added)
            verdicts.append(found)
    assert 10 < sum(verdicts) < len(verdicts)


@pytest.mark.parametrize(
    "kind", [problems.tiny, problems.wild], ids=lambda kind: kind.__name__
)
def test_runs_against_all_runs_of_an_environment_that_takes_them(kind):
    """An environment that can do nothing but the run, and stop anywhere on it."""
    met = 0
    for seed in range(40):
        rng = Random(seed)
        problem = kind(rng)
        alphabet = problem[0].alphabet
        for watcher, _ in product(watchers(problem), range(3)):
            actions = rng.choices(alphabet, k=rng.randint(0, 5)) if alphabet else []
            line = [{a: [i + 1]} for i, a in enumerate(actions)] + [{}]
            found = watcher.follows(actions)
            assert found == watcher.fails(walked(line)), (seed, actions)
            met += found
    assert met > 5


def by_another_solver(clauses, steps):
    """The first step that what it names does not imply; 0 if none is empty."""
    known = [*clauses]
    for number, (clause, hints) in enumerate(steps, 1):
        with Solver("minisat22", bootstrap_with=[known[h] for h in hints]) as solver:
            if solver.solve(assumptions=[-x for x in clause]):
                return number
        known.append(clause)
        if not clause:
            return None
    return 0


def refuted(seed):
    """Random clauses without a model, added bit by bit, and the logged proof."""
    rng = Random(seed)
    variables = rng.randint(4, 30)
    clauses = []
    solver = EnumerationSolver(Clock(Limits()), Effort(), proof=True)
    while solver.propose() is not None:
        for _ in range(rng.choice((1, 3, variables))):
            chosen = rng.sample(range(1, variables + 1), rng.choice((1, 3, 3, 3, 3)))
            clauses.append([rng.choice((1, -1)) * v for v in chosen])
            solver.add(clauses[-1])
    names = range(variables + 1)
    steps = solver.proof(names, range(len(clauses)), len(clauses))
    solver.close()
    return clauses, steps


def test_proofs_against_another_solver():
    """Right ones, and such as lack a hint or have another clause."""
    wrong = still = 0
    for seed in range(150):
        clauses, steps = refuted(seed)
        assert by_another_solver(clauses, steps) is None
        assert first_flaw(clauses, steps) is None
        rng = Random(seed)
        for _ in range(4):
            changed = [([*clause], [*hints]) for clause, hints in steps]
            part = rng.choice(rng.choice(changed))
            if part:
                part.pop(rng.randrange(len(part)))
            found = first_flaw(clauses, changed)
            flaw = by_another_solver(clauses, changed)
            # Hints are taken one after the other, so perhaps it is refused before.
            assert found == flaw or found in range(1, flaw or len(changed) + 1), seed
            wrong += flaw is not None
            still += found is None
    assert wrong > 100
    assert still > 20


def test_steps_of_a_proof():
    clauses = [[1, 2], [1, -2], [-1, 3], [-1, -3]]
    assert first_flaw(clauses, [([1], [0, 1]), ([], [4, 2, 3])]) is None
    assert first_flaw(clauses, [([1], [0, 1]), ([], [2, 3, 4])]) == 2
    assert first_flaw(clauses, [([1], [0]), ([], [4, 2, 3])]) == 1
    assert first_flaw(clauses, [([1], [0, 1]), ([], [5])]) == 2
    assert first_flaw(clauses, [([1], [0, 1])]) == 0
    assert first_flaw(clauses, []) == 0
    assert first_flaw([[]], []) is None
    assert first_flaw([[1], [-1]], [([], [0, 1])]) is None


def test_export(tmp_path):
    """What is written is refuted by another checker, step by step."""
    path, cnf, lrat = (tmp_path / name for name in ("c", "c.cnf", "c.lrat"))
    certify_case("token_ring/token_ring", path)
    command = [sys.executable, "-m", "symrob.certify.export", path]
    subprocess.run([*command, "--dimacs", cnf, "--lrat", lrat], check=True)
    head, *lines = cnf.read_text().splitlines()
    clauses = [[int(x) for x in line.split()][:-1] for line in lines]
    assert head == f"p cnf 112 {len(clauses)}"
    steps = []
    for place, line in enumerate(lrat.read_text().splitlines(), len(clauses) + 1):
        number, *rest = (int(x) for x in line.split())
        clause, hints = rest[: rest.index(0)], rest[rest.index(0) + 1 : -1]
        assert number == place
        steps.append((clause, [hint - 1 for hint in hints]))
    assert steps == read(path).claims[0].steps
    assert by_another_solver(clauses, steps) is None
    subprocess.run([*command, "--dimacs", cnf, "--drat", lrat], check=True)
    assert lrat.read_text().split("\n")[:-1] == [
        " ".join(map(str, [*clause, 0])) for clause, _ in steps
    ]
    with Solver("glucose4", bootstrap_with=clauses) as solver:
        assert not solver.solve()


def test_it_imports_the_standard_library_alone():
    for name in FILES:
        for node in ast.walk(ast.parse((HOME / f"{name}.py").read_text())):
            modules = []
            if isinstance(node, ast.Import):
                modules = [alias.name for alias in node.names]
            elif isinstance(node, ast.ImportFrom):
                assert node.level == 0
                modules = [node.module]
            for module in modules:
                own = module.removeprefix("symrob.certify.")
                assert (
                    own in FILES or module.partition(".")[0] in sys.stdlib_module_names
                )
                assert not own.startswith("symrob")


def test_it_is_small():
    """At most 985 lines of code; docstrings, comments and empty lines not counted."""
    assert sum(code_lines(HOME / f"{n}.py") for n in FILES if n not in BESIDE) <= 985


# What does something else than to check.
BESIDE = ("export", "relation", "alone")


def code_lines(path):
    source, lines = path.read_text(), set()
    silent = (tokenize.COMMENT, tokenize.NL, tokenize.NEWLINE, tokenize.INDENT)
    silent += (tokenize.DEDENT, tokenize.ENDMARKER)
    for token in tokenize.generate_tokens(io.StringIO(source).readline):
        if token.type not in silent:
            lines |= set(range(token.start[0], token.end[0] + 1))
    for node in ast.walk(ast.parse(source)):
        documented = ast.Module | ast.ClassDef | ast.FunctionDef
        if isinstance(node, documented) and ast.get_docstring(node):
            lines -= set(range(node.body[0].lineno, node.body[0].end_lineno + 1))
    return len(lines)


def test_it_runs_alone(tmp_path):
    """Its files in an empty package, by a Python that has nothing else."""
    package = tmp_path / "symrob" / "certify"
    package.mkdir(parents=True)
    for name in FILES:
        shutil.copy(HOME / f"{name}.py", package)
    path = tmp_path / "certificate"
    certify_case("oyster/oyster", path)
    run = subprocess.run(
        [sys.executable, "-I", "-S", "-c", MAIN, path],
        cwd=tmp_path,
        capture_output=True,
        text=True,
    )
    assert run.returncode == 0, run.stderr
    assert "4. none is missing" in run.stdout


MAIN = "import sys, runpy; sys.path.insert(0, '.'); runpy.run_module('symrob.certify')"


def test_an_environment_with_internal_moves(tmp_path):
    """A run takes them without saying so; where E lacks them it is refused."""
    environment = System(["a"], 2, [(0, TAU, 1)])
    controller = System(["a"], 1, [(0, "a", 0)])
    never = System(["a"], 1, [])
    path = tmp_path / "certificate"
    certify((environment, controller, [never], []), path)
    rows = records(path)
    runs = [r["run"] for r in rows if "run" in r]
    assert runs == [[0]] * 4
    assert verdict(path) == "right"
    rows[1]["environment"]["components"][0]["transitions"] = []
    write(rows, path)
    # In state 1, which is not reached now, the action is harmless.
    assert verdict(path) == "trace"


def test_names_decide_nothing(tmp_path):
    """A property without a name is a property."""
    path = tmp_path / "certificate"
    certify_case("oyster/oyster", path)
    rows = records(path)
    for row in rows:
        if "property" in row:
            row["property"]["name"] = ""
            row["property"]["components"][0]["transitions"] = [[0, TAU, -1]]
    write(rows, path)
    assert verdict(path) == "nominal"
    given = read(path)
    assert Checker(given).clauses(given.claims[0])
