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
from symrob.certify.watching import Budget, Lts, Network, Watcher
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

HOME = Path(__file__).parents[2] / "symrob" / "certify"
FILES = (
    "watching",
    "proof",
    "reading",
    "certificate",
    "export",
    "relation",
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
    budget = Budget(10**6)
    alone = Network([], frozenset(), budget)
    return [
        Watcher(of, network(watched, budget), frozenset(environment.alphabet))
        for of, several in (
            (alone, constraints),
            (network(controller, budget), properties),
        )
        for watched in several
    ]


def rows(environment, added):
    found = [{} for _ in range(environment.size)]
    for q, a, r in {*map(tuple, environment.transitions), *map(tuple, added)}:
        found[q].setdefault(a, []).append(r)
    return found


@pytest.mark.parametrize(
    "kind",
    [problems.tiny, problems.wild, problems.small, problems.chain, problems.many],
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
            assert found == watcher.fails(line), (seed, actions)
            met += found
    assert met > 5


def by_another_solver(clauses, steps):
    """Each step by the unit propagation of a solver, without deletions."""
    with Solver("minisat22", bootstrap_with=clauses) as solver:
        for number, (deletion, clause) in enumerate(steps, 1):
            if deletion:
                continue
            consistent, _ = solver.propagate(assumptions=[-x for x in clause])
            if consistent:
                return number
            if not clause:
                return None
            solver.add_clause(clause)
        return None if not solver.propagate()[0] else 0


def refuted(seed):
    rng = Random(seed)
    variables = rng.randint(4, 30)
    clauses = [
        [rng.choice((1, -1)) * v for v in rng.sample(range(1, variables + 1), 3)]
        for _ in range(7 * variables)
    ]
    with Solver("cadical153", with_proof=True) as solver:
        for clause in clauses:
            solver.add_clause(clause)
        if solver.solve():
            return None
        lines = [line.split() for line in solver.get_proof()]
    steps = [(w[0] == "d", [int(x) for x in w if x != "d"][:-1]) for w in lines]
    return variables, clauses, steps


def test_proofs_against_another_solver():
    """Right ones, and such as lack a step or have another literal."""
    checked, wrong = 0, 0
    for seed in range(60):
        found = refuted(seed)
        if found is None:
            continue
        variables, clauses, steps = found
        assert first_flaw(variables, clauses, steps) is None
        rng = Random(seed)
        kept = [step for step in steps if not step[0]]
        for _ in range(6):
            changed = list(kept)
            place = rng.randrange(len(changed))
            if rng.random() < 0.5:
                del changed[place]
            else:
                clause = changed[place][1]
                changed[place] = (False, clause[:-1])
            expected = by_another_solver(clauses, changed)
            assert first_flaw(variables, clauses, changed) == expected, seed
            checked += 1
            wrong += expected is not None
    assert checked > 100
    assert 20 < wrong < checked


def test_a_deletion_that_is_heeded():
    """Without the clause the step does not follow; a unit is never forgotten."""
    clauses = [[1, 2], [1, -2], [-1, 3], [-1, -3]]
    assert first_flaw(3, clauses, [(False, [1]), (False, [])]) is None
    assert first_flaw(3, clauses, [(True, [2, 1]), (False, [1])]) == 2
    assert first_flaw(3, clauses, [(True, [7]), (False, [1]), (True, [1])]) is None
    assert first_flaw(3, clauses, []) == 0
    assert first_flaw(1, [[]], []) is None
    assert first_flaw(1, [[1], [-1]], []) is None


def test_export(tmp_path):
    """What is written is refuted by another checker, step by step."""
    path, cnf, drat = (tmp_path / name for name in ("c", "c.cnf", "c.drat"))
    certify_case("token_ring/token_ring", path)
    command = [sys.executable, "-m", "symrob.certify.export", path]
    subprocess.run([*command, "--dimacs", cnf, "--drat", drat], check=True)
    head, *lines = cnf.read_text().splitlines()
    clauses = [[int(x) for x in line.split()][:-1] for line in lines]
    assert head == f"p cnf 112 {len(clauses)}"
    steps = [line.split() for line in drat.read_text().splitlines()]
    steps = [(w[0] == "d", [int(x) for x in w if x != "d"][:-1]) for w in steps]
    assert steps == read(path).claims[0].steps
    assert by_another_solver(clauses, steps) is None
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
    """At most 500 lines of code; docstrings, comments and empty lines not counted."""
    assert sum(code_lines(HOME / f"{n}.py") for n in FILES if n not in BESIDE) <= 500


# What does something else than to check.
BESIDE = ("export", "relation")


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
    assert verdict(path) == "run"


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
