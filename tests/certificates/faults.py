"""Faults put into the engine, one at a time: do certificates find them?

    python -m tests.certificates.faults [NUMBER …]

Each fault is a change of the engine's text (`faults.toml`). On a copy of the tree with
one of them, random problems are answered; Δ, cuts and a comparison get certificates.
What can find it:

- `checker`: the checker refuses the certificate of Δ as the engine has it, written
  without any question;
- `maker`: whoever makes certificates refuses to write one, since its own search says
  otherwise;
- `contract`: an assertion of the engine itself.

Not in the suite: it takes a quarter of an hour.
"""

from __future__ import annotations

import os
import resource
import shutil
import subprocess
import sys
import tomllib
from collections import Counter
from pathlib import Path
from random import Random
from tempfile import TemporaryDirectory
from time import process_time

ROOT = Path(__file__).parents[2]
PROBLEMS, SECONDS = 300, 5
ORDER = ("checker", "maker", "contract")
_TEXT = Path(__file__).with_suffix(".toml").read_text("utf-8")
FAULTS = tomllib.loads(_TEXT)["fault"]


def written_as_told(path, roles, envelope):
    """Write what the engine says, with the evidence that a search happens to find."""
    from symrob.analyses.evidence import Evidence, KnownUnsafe, add_singles, prove
    from symrob.api.certificates.making import ClaimMade, Maker
    from symrob.api.certificates.sides import CertifiedSide

    side = CertifiedSide(roles, envelope.engine)
    maker, told = Maker(roles.title, [side]), [side.of(d) for d in envelope]
    evidence = Evidence(told)
    everything, known = frozenset(side.candidates), KnownUnsafe(told)
    alone = add_singles(side.search, everything - frozenset().union(*told), evidence)
    sets = {u.chosen: u for u in evidence.unsafe}
    for deviation in told:
        for unit in everything - deviation - alone:
            found = side.search.unsafe(deviation | {unit})
            if found is not None:
                found = side.search.minimal(found, known)
                sets.setdefault(found.chosen, found)
    evidence.unsafe = [*sets.values()]
    if side.search.unsafe(()) is None:
        solver = maker.solver()
        prove(side.search, side.candidates, evidence, solver, lambda _: None)
        solver.close()
    maker.claims.append(ClaimMade("all-deviations", 0, 0, evidence))
    maker.written(path, "")


def found_by(problem, rng, path):
    """Who finds something in the answers to a problem, and what; `None` if nobody."""
    from symrob.analyses.compare import compare
    from symrob.analyses.cuts import Cuts
    from symrob.analyses.evidence import BreachError
    from symrob.analyses.fault_mode_space import space_of
    from symrob.api import analyse
    from symrob.api.certificates import answers
    from symrob.errors import LimitExceeded, NominalViolation
    from symrob.options import Options
    from tests.certificates.tools import verdict
    from tests.engines import engine_of, roles_of
    from tests.fuzz import problems

    roles = roles_of(problem)
    try:
        envelope = analyse(roles, Options(limit=40, timeout=20))
        if not [*envelope] or envelope.status != "complete":
            return None
        written_as_told(path, roles, envelope)
        if (reason := verdict(path)) != "right":
            return "checker", reason
        answers.write_certificate(path, roles, envelope)
        engine, kept = engine_of(problem), []
        list(Cuts(space_of(engine), kept=kept))
        answers.write_cuts_certificate(path, roles, engine, kept, "", ())
        other = problems.varied(rng, problem)
        pair = {"a": problem, "b": other}
        sides = {n: (roles_of(p), engine_of(p)) for n, p in pair.items()}
        compared = compare(*(space_of(engine) for _, engine in sides.values()))
        if compared.status == "complete":
            least = {
                (1, 0): not compared.first.exists,
                (0, 1): not compared.second.exists,
            }
            answers.write_comparison_certificate(path, sides, least, {})
        if (reason := verdict(path)) != "right":
            return "checker", reason
    except (NominalViolation, LimitExceeded):
        return None
    except BreachError as error:
        return "maker", str(error)
    except AssertionError as error:
        return "contract", str(error)
    return None


def ask():
    """Ask about random problems with the engine as it is here; print who finds what."""
    from tests.fuzz import problems

    kinds = [getattr(problems, n) for n in ("small", "many", "wild", "chain", "tiny")]
    resource.setrlimit(resource.RLIMIT_CPU, (SECONDS + 2, SECONDS + 3))
    found = {}
    with TemporaryDirectory() as folder:
        for seed in range(PROBLEMS):
            rng = Random(seed)
            who = found_by(rng.choice(kinds)(rng), rng, f"{folder}/certificate")
            if who is not None and who[0] not in found:
                found[who[0]] = f"problem {seed}: {who[1]}"
                print(who[0], found[who[0]], sep="|", flush=True)
            if "checker" in found or process_time() > SECONDS:
                break


def asked(folder, *options):
    """Who finds something in the answers of the engine in a folder, as lines."""
    done = subprocess.run(
        [sys.executable, *options, "-m", "tests.certificates.faults", "--ask"],
        cwd=folder,
        env={**os.environ, "PYTHONPATH": folder},
        capture_output=True,
        text=True,
        check=False,
    )
    lines = done.stdout.splitlines()
    if not lines and done.returncode:
        lines = [f"ended|{done.returncode} {done.stderr.strip()[-80:]}"]
    return lines or ["nobody|"]


def main(numbers):
    """Try faults; by default all."""
    first = Counter()
    with TemporaryDirectory() as folder:
        for part in ("symrob", "tests"):
            shutil.copytree(ROOT / part, Path(folder, part))
        print("none", *asked(folder), sep="  ", flush=True)
        for number in numbers or range(len(FAULTS)):
            file, old, new = FAULTS[number].values()
            path = Path(folder, file)
            text = path.read_text("utf-8")
            places = text.count(old)
            assert places == 1, f"fault {number} fits {places} places of {file}"
            path.write_text(text.replace(old, new), "utf-8")
            lines = asked(folder, "-B")
            path.write_text(text, "utf-8")
            who = [line.partition("|")[0] for line in lines]
            best = next((w for w in ORDER if w in who), who[0])
            first[best] += 1
            print(number, file, *lines, sep="  ", flush=True)
    print(dict(first))


if __name__ == "__main__":
    if sys.argv[1:] == ["--ask"]:
        ask()
    else:
        main([int(word) for word in sys.argv[1:]])
