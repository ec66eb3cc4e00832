"""Certificates whose structure is changed at random: what is accepted is true.

    python -m tests.certificates.structure [COUNT [SEED]]

The changes follow the table of records in `symrob.certify.format`: keys are added,
removed, doubled, renamed or moved; values get another type; orders are permuted;
records are repeated, lost and moved; lines are written in another form. Each gets
counts and a hash that fit. What the checker accepts is judged by an oracle that knows
nothing of the table: keys as symrob writes them, none twice, and the claims by all sets
of units of the models, as the definition has it. What `verify FILE CASE` accepts is
judged by the models of the case, units being read by the names in the certificate.
"""

import copy
import json
import sys
from collections import Counter
from functools import cache
from itertools import product
from pathlib import Path
from random import Random
from tempfile import TemporaryDirectory

from symrob.analyses.compare import compare
from symrob.analyses.cuts import Cuts
from symrob.analyses.fault_mode_space import space_of
from symrob.api import Roles, analyse, load_roles
from symrob.api.certificates import answers
from symrob.api.certificates.confirmation import confirm
from symrob.case import load_case
from symrob.case.faults import Faults
from symrob.certify.format import CLAIM, RECORDS, SCHEMA, Either, Rising, encoded
from symrob.certify.reading import WrongError
from symrob.certify.watching import BoundHitError
from symrob.errors import LimitExceeded, NominalViolation, SymrobError
from symrob.limits import DEFAULT_LIMITS
from symrob.lts import Lts, Network
from symrob.options import Options
from symrob.problem import Role
from tests import composed
from tests.certificates.tools import groups, records, verdict, write_lines
from tests.engines import engine_of, roles_of
from tests.fuzz import problems
from tests.fuzz.questions.claims import Known, is_true
from tests.oracles import definition

MOST_UNITS, MOST_STATES = 7, 20_000
FROM = Options()


# What the table says.


def places(value, shape, found):
    """Each value of a record with where it stands and its shape."""
    if isinstance(shape, Either):
        fits = [s for s in shape.shapes if isinstance(s, list | Rising)]
        shape = fits[0] if fits and isinstance(value, list) else shape.shapes[0]
    if isinstance(shape, dict):
        inside = [(key, shape[key]) for key in value if key in shape]
    elif isinstance(value, list):
        several = isinstance(shape, list | Rising)
        inside = [
            (i, shape[0] if several else shape[min(i, len(shape) - 1)])
            for i in range(len(value))
        ]
    else:
        return found
    for key, each in inside:
        found.append((value, key, each))
        places(value[key], each, found)
    return found


def all_places(rows):
    """Of all records."""
    found = []
    for row in rows:
        places(row, RECORDS.get(next(iter(row), ""), {}), found)
    return found


def objects(value):
    """Each object in a value."""
    if isinstance(value, dict):
        yield value
        value = [*value.values()]
    if isinstance(value, list):
        for each in value:
            yield from objects(each)


def lists(value):
    """Each list in a value."""
    if isinstance(value, dict):
        value = [*value.values()]
    elif isinstance(value, list):
        yield value
    if isinstance(value, list):
        for each in value:
            yield from lists(each)


def keys_of(shape):
    """Each key in a shape."""
    if isinstance(shape, dict):
        yield from shape
        shape = tuple(shape.values())
    if isinstance(shape, Either):
        shape = shape.shapes
    if isinstance(shape, tuple | list):
        for each in shape:
            yield from keys_of(each)


KEYS = [*sorted({*keys_of(tuple(RECORDS.values()))}), "end", "x", ""]
ODD = [None, True, False, 0, 1, -1, 2, 1.0, 1e300, 10**30, "", "0", "all", "tau"]
ODD += [[], [0], [[]], {}, {"claim": "tolerates"}, "\ud800", "\n", SCHEMA]


def any_value(rng, rows):
    """An odd value, or one that stands somewhere."""
    if rng.random() < 0.4:
        return copy.deepcopy(rng.choice(ODD))
    container, key, _ = rng.choice(all_places(rows))
    return copy.deepcopy(container[key])


# Changes of records.


def put_key(thing, rng, key, value):
    """Set a key that comes at any place among the others."""
    items = [(k, v) for k, v in thing.items() if k != key]
    items.insert(rng.randint(0, len(items)), (key, value))
    thing.clear()
    thing.update(items)


def add_key(rows, rng):
    put_key(rng.choice([*objects(rows)]), rng, rng.choice(KEYS), any_value(rng, rows))


def add_last_key(rows, rng):
    """As a forger would: what a record is, is what its first key says."""
    row = rng.choice(rows)
    key = rng.choice([*keys_of(tuple(RECORDS.values()))])
    row[key] = any_value(rng, rows)


def remove_key(rows, rng):
    thing = rng.choice([t for t in objects(rows) if t])
    del thing[rng.choice([*thing])]


def rename_key(rows, rng):
    thing = rng.choice([t for t in objects(rows) if t])
    old, new = rng.choice([*thing]), rng.choice(KEYS)
    items = [(new if k == old else k, v) for k, v in thing.items()]
    thing.clear()
    thing.update(items)


def move_key(rows, rng):
    one, other = rng.choice([t for t in objects(rows) if t]), rng.choice(rows)
    key = rng.choice([*one])
    put_key(other, rng, key, copy.deepcopy(one[key]))
    if rng.random() < 0.5 and one is not other:
        one.pop(key, None)


def permute_keys(rows, rng):
    thing = rng.choice([t for t in objects(rows) if len(t) > 1])
    items = [*thing.items()]
    rng.shuffle(items)
    thing.clear()
    thing.update(items)


def retype(rows, rng):
    container, key, _ = rng.choice(all_places(rows))
    container[key] = rng.choice(
        [*map(copy.deepcopy, ODD), [container[key]], {"x": container[key]}]
    )


def exchange(rows, rng):
    """A value in the place of another one of its shape."""
    container, key, shape = rng.choice(all_places(rows))
    same = [(c, k) for c, k, s in all_places(rows) if s == shape]
    other, there = rng.choice(same)
    if rng.random() < 0.5:
        container[key] = copy.deepcopy(other[there])
    else:
        container[key], other[there] = other[there], container[key]


def nudge(rows, rng):
    """A number that is one more or less, or a text that is another one."""
    container, key, _ = rng.choice(all_places(rows))
    if type(container[key]) is int:
        container[key] += rng.choice((1, -1))
    elif type(container[key]) is str:
        container[key] += "'"


def permute(rows, rng):
    several = [thing for thing in lists(rows) if len(thing) > 1]
    thing = rng.choice([rows, *several])
    if rng.random() < 0.3:
        rng.shuffle(thing)
    else:
        i, j = rng.sample(range(len(thing)), 2)
        thing[i], thing[j] = thing[j], thing[i]


def repeat(rows, rng):
    """An item of a list, once more beside it or elsewhere."""
    thing = rng.choice([t for t in lists(rows) if t])
    item = copy.deepcopy(rng.choice(thing))
    thing.insert(rng.randint(0, len(thing)), item)


def repeat_record(rows, rng):
    rows.insert(rng.randint(0, len(rows)), copy.deepcopy(rng.choice(rows)))


def lose_record(rows, rng):
    del rows[rng.randrange(len(rows))]


def move_record(rows, rng):
    row = rows.pop(rng.randrange(len(rows)))
    rows.insert(rng.randint(0, len(rows)), row)


def lose(rows, rng):
    thing = rng.choice([t for t in lists(rows) if t])
    del thing[rng.randrange(len(thing))]


def sort_lists(rows, rng):
    """What another change has left unsorted, sorted, so that it is well-formed."""
    for thing in lists([row for row in rows if not {"add", "run"} & row.keys()]):
        unique = {json.dumps(each): each for each in thing}
        if thing and {*map(type, thing)} in ({int}, {list}) and len(thing[0:1]):
            try:
                thing[:] = sorted(unique.values())
            except TypeError:
                continue


def rename_actions(rows, rng):
    """Two names change places in an alphabet, or everywhere in E; numbers follow."""
    environment = next((r["environment"] for r in rows if "environment" in r), None)
    part = environment["components"][0]
    if len(part["alphabet"]) < 2:
        return
    i, j = rng.sample(range(len(part["alphabet"])), 2)
    one, other = part["alphabet"][i], part["alphabet"][j]
    if rng.random() < 0.5:
        part["alphabet"][i], part["alphabet"][j] = other, one
    if rng.random() < 0.7:
        for step in part["transitions"]:
            step[1] = {one: other, other: one}.get(step[1], step[1])
        part["transitions"].sort()


def other_claim(rows, rng):
    """Claim something else, with what shows it, perhaps, and no more."""
    heads = [i for i, row in enumerate(rows) if "claim" in row]
    place = rng.choice(heads)
    # Those about budgets and goals are judged in test_rules.
    kinds = [k for k in CLAIM["claim"].shapes if not k.endswith(("-within", "-goals"))]
    row = rows[place]
    row["claim"] = rng.choice(kinds)
    if rng.random() < 0.5:
        row["sides"] = [rng.choice(row["sides"] + [1 - row["sides"][0]]) for _ in "ab"]
    row["most"] = rng.randint(0, 3) if row["claim"] == "resilient" else 0
    kept = set(rng.sample(("deviation", "unsafe", "add"), rng.randint(0, 3)))
    end = next((i for i in heads if i > place), len(rows))
    inside = [r for r in rows[place + 1 : end] if kept & r.keys()]
    rows[place + 1 : end] = inside


CHANGES = [add_key, add_last_key, remove_key, rename_key, move_key, permute_keys]
CHANGES += [retype, exchange, exchange, nudge, permute, repeat, repeat_record]
CHANGES += [lose_record, move_record, lose, rename_actions, other_claim, other_claim]


# Changes of lines.


def double_key(line, rng):
    """A key twice in a record, with another value."""
    record = json.loads(line)
    key = rng.choice([*record])
    text = json.dumps({key: rng.choice(ODD)}, separators=(",", ":")).encode()[1:-1]
    return (
        line[:-2] + b"," + text + b"}\n"
        if rng.random() < 0.5
        else b"{" + text + b"," + line[1:]
    )


def spaced(line, rng):
    return line.replace(b",", b", ", 1) if rng.random() < 0.5 else b" " + line


def escaped(line, rng):
    at = rng.choice([i for i, c in enumerate(line) if chr(c).isalpha()])
    return line[:at] + b"\\u%04x" % line[at] + line[at + 1 :]


def number_form(line, rng):
    digits = [i for i, c in enumerate(line) if chr(c).isdigit()]
    at = rng.choice(digits or [0])
    return line[: at + 1] + rng.choice((b".0", b"e0", b"E+0", b"_0")) + line[at + 1 :]


def other_end(line, rng):
    return line[:-1] + rng.choice((b"\r\n", b"\n\n", b" \n", b"\0\n", b""))


def marked(line, rng):
    return rng.choice((b"\xef\xbb\xbf", b"//\n", b"null\n", b"[]\n", b"{}\n")) + line


FORMS = [double_key, double_key, spaced, escaped, number_form, other_end, marked]


def mutant(rows, rng):
    """Lines of a certificate that was changed, and the names of the changes."""
    rows, done, before = copy.deepcopy(rows), [], rows
    for _ in range(rng.choice((1, 1, 1, 2, 3))):
        change = rng.choice(CHANGES)
        try:
            change(rows, rng)
        except (KeyError, IndexError, TypeError, ValueError, AttributeError):
            continue  # What it changes was changed before.
        done.append(change.__name__)
    if rng.random() < 0.4:
        sort_lists([row for row in rows if isinstance(row, dict)], rng)
    lines = [encoded(row) for row in rows]
    if rng.random() < 0.15 or rows == before:
        place = rng.randrange(len(lines))
        form = rng.choice(FORMS)
        try:
            lines[place] = form(lines[place], rng)
            done.append(form.__name__)
        except (IndexError, ValueError, TypeError, AttributeError):
            pass
    return lines, done


# The oracle.


class FalseError(Exception):
    """What was accepted does not follow, or is none."""


def once(pairs):
    found = dict(pairs)
    if len(found) < len(pairs):
        raise FalseError("a key twice")
    return found


def skeleton(value):
    """The keys in a value."""
    if isinstance(value, dict):
        return tuple((k, skeleton(v)) for k, v in value.items())
    if isinstance(value, list):
        return frozenset(s for s in map(skeleton, value) if s) or ()
    return ()


def plain_model(network):
    parts = [
        Lts(p["alphabet"], p["states"], p["transitions"]) for p in network["components"]
    ]
    return Network(parts, hidden=network["hidden"])


SIDE = ("constraint", "controller", "property")


@cache
def known_of(text):
    """What is true of each side of a problem, and the place of each unit."""
    rows = json.loads(text)
    environment = rows[1]["environment"]
    parts, hidden = environment["components"], environment["hidden"]
    modes = [row["changes"] for row in rows if "mode" in row]
    chosen = [row["candidates"] for row in rows if "candidates" in row]
    if modes:
        numbers = [*range(len(modes))]
    else:
        (part,), (wanted,) = parts, chosen
        numbered = {
            n: (0, q, a, r)
            for n, (q, a, r) in enumerate(
                product(range(part["states"]), part["alphabet"], range(part["states"]))
            )
            if [q, a, r] not in part["transitions"]
        }
        numbers = [*numbered] if wanted == "all" else wanted
        if not numbered.keys() >= {*numbers} or hidden:
            raise FalseError("a candidate is in R_E")
    if len(numbers) > MOST_UNITS + 5:
        raise OverflowError
    sides, side = [], ([], [], [])
    for row in rows[2:]:
        kind = next(iter(row))
        if kind not in SIDE:
            break
        if kind != "property" and side[2]:
            sides.append(side)
            side = ([], [], [])
        side[SIDE.index(kind)].append(plain_model(row[kind]))
    sides.append(side)

    @cache
    def deviated(mask):
        held = [n for i, n in enumerate(numbers) if mask >> i & 1]
        changes = (
            [t for n in held for t in modes[n]] if modes else map(numbered.get, held)
        )
        more = {}
        for i, *step in changes:
            more.setdefault(i, []).append(step)
        changed = [
            Lts(p["alphabet"], p["states"], [*p["transitions"], *more.get(i, ())])
            for i, p in enumerate(parts)
        ]
        if len(changed) == 1 and not hidden:
            return changed[0]
        return definition.multiply(Network(changed, hidden=hidden))

    def judged(constraints, controller, properties):
        return lambda mask: (
            definition.violation(deviated(mask), (), None, constraints) is None,
            definition.violation(deviated(mask), (), *controller, properties) is None,
        )

    known = [Known.of_all(len(numbers), judged(*side)) for side in sides]
    return known, {n: i for i, n in enumerate(numbers)}


def judge(path, shapes):
    """Judge a certificate that was accepted.

    Raises:
        FalseError: Something in it is false, or it has other keys than symrob writes.
        OverflowError: It has too many units.
    """
    lines = Path(path).read_text("ascii").splitlines()[:-1]
    rows = [json.loads(line, object_pairs_hook=once) for line in lines]
    for row in rows:
        kind = next(iter(row))
        if not any(_within(skeleton(row), each) for each in shapes[kind]):
            raise FalseError(f"keys of {kind}: {skeleton(row)}")
    first = next(i for i, row in enumerate(rows) if "claim" in row)
    known, place = known_of(json.dumps(rows[:first]))
    for side in known:
        if not side.safe(0):
            raise FalseError("the nominal system is unsafe")
    for group in groups(rows):
        try:
            true = is_true(group, known, place)
        except KeyError:
            true = False
        if not true:
            raise FalseError(f"{group[0]}")
    return rows


def _within(one, other):
    """Whether keys are those of another value, where lists may have less."""
    if one == () or isinstance(one, frozenset):
        return {*one} <= {*other}
    return len(one) == len(other) and all(
        a == b and _within(x, y) for (a, x), (b, y) in zip(one, other, strict=True)
    )


def named(rows):
    """The claims, with sets of names in place of numbers."""
    modes = [row["mode"] for row in rows if "mode" in row]
    (part, *_) = rows[1]["environment"]["components"]
    names = part["names"] or [*map(str, range(part["states"]))]
    units = modes or [*product(names, part["alphabet"], names)]
    kinds = ("deviation", "unsafe")
    return [
        (
            group[0]["claim"],
            *(
                frozenset(frozenset(units[n] for n in r[k]) for r in group if k in r)
                for k in kinds
            ),
        )
        for group in groups(rows)
    ]


# Certificates to be changed.


def with_names(rng, problem):
    """The same, with names for the states of E, in no order."""
    environment, *rest = problem
    names = rng.sample("qrstuvw", environment.size)
    return Lts(
        environment.alphabet, environment.size, environment.transitions, names=names
    ), *rest


def genuine(folder):
    """Certificates of all kinds of small problems; with a case where there is one."""
    path, kinds = str(Path(folder, "genuine")), (problems.tiny, problems.small)
    for seed in range(40):
        rng = Random(seed)
        problem = with_names(rng, rng.choice(kinds)(rng))
        units = definition.candidates(problem[0])
        if not 2 <= len(units) <= MOST_UNITS:
            continue
        try:
            engine = engine_of(problem)
        except NominalViolation:
            continue
        roles, kept = roles_of(problem), []
        answers.write_certificate(path, roles, analyse(roles, FROM))
        case = written(Path(folder, f"case{seed}"), problem)
        answers.write_certificate(path, *asked(case))
        yield records(path), case
        list(Cuts(space_of(engine), kept=kept))
        answers.write_cuts_certificate(path, roles, engine, kept, "", ())
        yield records(path), None
        other = problems.varied(rng, problem)
        try:
            pair = {"a": (roles, engine), "b": (roles_of(other), engine_of(other))}
            found = compare(*(space_of(engine) for _, engine in pair.values()))
            least = {
                (1, 0): not found.first.exists,
                (0, 1): not found.second.exists,
            }
            answers.write_comparison_certificate(path, pair, least, {})
            yield records(path), None
        except (NominalViolation, SymrobError):
            continue
    for seed in range(12):
        rng = Random(seed)
        problem = composed.random_composed(rng, components=2, states=2)
        modes = problem and composed.random_modes(rng, problem, most=4)
        if not modes or not any(modes.values()):
            continue
        roles = Roles(
            Role(composed.network(problem), "E"),
            Role(Lts.from_dict(problem["controller"]), "C"),
            tuple(Role(Lts.from_dict(p), "P") for p in problem["properties"]),
            tuple(Role(Lts.from_dict(p), "R") for p in problem["env_constraints"]),
            faults=Faults(modes=tuple(composed.fault_modes(modes)), only=True),
        )
        answers.write_certificate(path, roles, analyse(roles, FROM))
        yield records(path), None


def written(folder, problem):
    """A problem as a case in a folder."""
    folder.mkdir()
    environment, controller, properties, constraints = problem
    models = {"E": environment, "C": controller}
    models |= {f"P{i}": p for i, p in enumerate(properties)}
    models |= {f"R{i}": r for i, r in enumerate(constraints)}
    for name, model in models.items():
        text = json.dumps(definition.multiply(model).to_dict())
        Path(folder, f"{name}.json").write_text(text)
    files = {
        "environment": "E.json",
        "controller": "C.json",
        "properties": [f"P{i}.json" for i in range(len(properties))],
        "constraints": [f"R{i}.json" for i in range(len(constraints))],
    }
    path = Path(folder, "case.toml")
    path.write_text("".join(f"{k} = {json.dumps(v)}\n" for k, v in files.items()))
    return load_case(str(path))


def asked(case):
    roles = load_roles(case, DEFAULT_LIMITS)
    return roles, analyse(roles, FROM)


def main(count=10_000, seed=0):
    """Change certificates so often; return the figures.

    Raises:
        FalseError: Something was accepted that does not follow.
    """
    figures, accepted = Counter(), Counter()
    with TemporaryDirectory() as folder:
        bases = [*genuine(folder)]
        path, shapes = str(Path(folder, "mutant")), {}
        for rows, _ in bases:
            for row in rows:
                shapes.setdefault(next(iter(row)), set()).add(skeleton(row))
        for number in range(count):
            rng = Random(seed * 1_000_003 + number)
            rows, case = rng.choice(bases)
            lines, done = mutant(rows, rng)
            what = " ".join(done)
            write_lines(lines, path)
            try:
                reason = verdict(path, MOST_STATES)
            except BoundHitError:
                figures["not decided"] += 1
                continue
            if reason != "right":
                figures[reason] += 1
                continue
            try:
                changed = judge(path, shapes)
            except OverflowError:
                figures["accepted, not judged"] += 1
                continue
            except FalseError as error:
                raise FalseError(f"mutant {number} ({what}): {error}") from error
            same = changed == rows
            figures["accepted and true" + ", unchanged" * same] += 1
            accepted.update(set(done) if not same else ())
            if case is None or same:
                continue
            try:
                list(confirm(path, None, [case], [FROM]))
            except (WrongError, LimitExceeded):
                figures["of these not the case's"] += 1
                continue
            figures["of these the case's"] += 1
            if changed[1] != rows[1] or not true_of(changed, rows):
                raise FalseError(f"mutant {number} ({what}): not of the case")
    return figures, accepted


def true_of(changed, rows):
    """Whether claims, read by their names, are true of the genuine problem."""
    first = next(i for i, row in enumerate(rows) if "claim" in row)
    known, place = known_of(json.dumps(rows[:first]))
    part = rows[1]["environment"]["components"][0]
    names = part["names"]
    number = {unit: n for n, unit in enumerate(product(names, part["alphabet"], names))}

    def bits(sets):
        return {sum(1 << place[number[unit]] for unit in each) for each in sets}

    heads = [group[0] for group in groups(changed)]
    for (kind, safe, unsafe), head in zip(named(changed), heads, strict=True):
        again = [head, *({"deviation": [*s]} for s in map(_bits, bits(safe)))]
        again += [{"unsafe": [*s]} for s in map(_bits, bits(unsafe))]
        if kind != head["claim"] or not is_true(again, known, _SAME):
            return False
    return True


class _Same(dict):
    def __missing__(self, key):
        return key


_SAME = _Same()


def _bits(mask):
    return [i for i in range(mask.bit_length()) if mask >> i & 1]


if __name__ == "__main__":
    found, accepted = main(*map(int, sys.argv[1:]))
    print(dict(found))
    print("changes of what was accepted:", dict(accepted.most_common()))
