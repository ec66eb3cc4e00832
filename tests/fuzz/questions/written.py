"""What goes through files: JSON, verify, batch."""

from contextlib import closing

from symrob.limits import Clock
from symrob.lts import Transition
from tests.engines import said
from tests.fuzz import problems
from tests.fuzz.questions.common import (
    Skip,
    distinct,
    engine_of,
    files,
    masks,
    require_solved,
    same,
)
from tests.oracles import definition
from tests.oracles.reference import Reference

# More deviations take long to verify.
MOST_VERIFIED = 60


def draw_nothing(_rng, _reference):
    return {}


def check_json(problem, reference):
    """Models and Δ written and read again are the same."""
    import symrob
    from symrob.case.results import load_result, read_deviations
    from symrob.formats import write
    from symrob.report.json import dumps
    from symrob.report.result import result_dict, result_pieces

    require_solved(reference)
    with files({}) as folder:
        environment, controller, *lists = said(problem)
        models = [environment, controller, *lists[0], *lists[1]]
        read = []
        for i, model in enumerate(models):
            if isinstance(model, str):
                read.append(model)
                continue
            path = f"{folder}/{i}.json"
            write(model, path)
            read.append(symrob.load(path))
        count = len(lists[0])
        found = symrob.compute(read[0], read[1], read[2 : 2 + count], read[2 + count :])
        path = f"{folder}/result.json"
        with open(path, "w", encoding="utf-8") as file:
            file.write(dumps(result_dict(found, "case")))
        deviations = read_deviations(load_result(path), environment, path)
        with open(path, "w", encoding="utf-8") as file:
            file.writelines(result_pieces(found, "case", compact=True))
        again = read_deviations(load_result(path), environment, path)
    same("Δ read again", set(masks(reference, deviations)), reference.maximal)
    same(
        "Δ read again, compact",
        sorted(map(sorted, again)),
        sorted(map(sorted, deviations)),
    )


def draw_verify(rng, reference):
    return {
        "damage": rng.choice((None, "less", "more", "missing", "twice")),
        "which": rng.randrange(100),
        "what": rng.randrange(100),
    }


def check_verify(problem, reference, damage, which, what):
    from symrob.certify.check import MOST_CANDIDATES, ExplicitTransitions, verify

    require_solved(reference)
    count = len(reference.candidates)
    if len(reference.maximal) > MOST_VERIFIED or count > 40:
        raise Skip
    complete = count <= min(8, MOST_CANDIDATES)
    claimed = sorted(reference.maximal)
    which %= len(claimed)
    if damage in ("less", "more"):
        if not count:
            raise Skip
        bit = 1 << what % count
        chosen = claimed[which]
        claimed[which] = chosen & ~bit if damage == "less" else chosen | bit
    elif damage == "missing":
        del claimed[which]
    elif damage == "twice":
        claimed.append(claimed[which])
    good = len(set(claimed)) == len(claimed) and set(claimed) <= reference.maximal
    if complete:
        good = good and set(claimed) == reference.maximal
    nominal = {Transition(*t) for t in reference.nominal}
    deviations = [
        frozenset(nominal | {Transition(*t) for t in reference.members(d)})
        for d in claimed
    ]
    engine = engine_of(problem)
    space = ExplicitTransitions(engine.problem)
    found = verify(space, deviations, Clock(), complete=complete)
    same("correct", found.correct, good)
    if not damage:
        same("deviations", found.deviations, len(claimed))
        for (number, transition), trace in [*found.certificates.items()][:5]:
            added = claimed[number - 1] | reference.mask([transition])
            same(
                "length of a run",
                len(trace.steps),
                length_in_order(problem, reference, added),
            )


def length_in_order(problem, reference, added):
    """Of a shortest run that breaks the constraints, else the properties."""
    environment, controller, properties, constraints = problem
    members = reference.members(added)
    length = definition.violation(environment, members, None, constraints)
    if length is None:
        length = definition.violation(environment, members, controller, properties)
    return length


def draw_batch(rng, reference):
    return {
        "others": [problems.to_dict(problems.tiny(rng)) for _ in range(2)],
        "done": rng.randrange(4),
        "torn": rng.randrange(200),
    }


def check_batch(problem, reference, others, done, torn):
    """A batch that was killed in the middle of a row, and resumed."""
    from pathlib import Path

    from symrob.batch.rows import read_rows
    from symrob.batch.run import open_rows, pack
    from symrob.batch.work import answer
    from tests.batch.tools import write_case

    require_solved(reference)
    cases = [problem, *map(problems.from_dict, others)]
    references = [reference, *(Reference(c) for c in cases[1:])]
    if any(not r.undefined and not r.solved for r in references):
        raise Skip
    with files({}) as folder:
        paths = [str(write_case(Path(folder), f"c{i}", c)) for i, c in enumerate(cases)]
        jobs = pack(paths, {})
        out = Path(folder, "rows.jsonl")
        lines = [answer(job).encode() for job in jobs[:done]]
        content = b"".join(line + b"\n" for line in lines)
        # The kill came while the last row was being written.
        out.write_bytes(content[: max(0, len(content) - torn)] if lines else b"")
        with closing(open_rows(str(out), jobs, resume=True)) as rows:
            for job in jobs:
                if job.key not in rows.kept:
                    rows.append(answer(job))
        rows = {Path(row["case"]).stem: row for row in read_rows(str(out))}
    same("cases", set(rows), {f"c{i}" for i in range(len(cases))})
    for i, reference in enumerate(references):
        row = rows[f"c{i}"]
        if reference.undefined:
            same("status", row["status"], "nominal")
            continue
        same("status", row["status"], "complete")
        delta = row["result"]["delta"]
        found = masks(reference, (frozenset(map(tuple, d)) for d in delta))
        distinct(found)
        same("Δ in a row", set(found), reference.maximal)
