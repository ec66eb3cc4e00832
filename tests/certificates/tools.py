"""Certificates made, changed with their trailer renewed, and checked."""

import copy
import json
from contextlib import suppress
from hashlib import sha256
from pathlib import Path

from symrob.api import analyse, load_roles
from symrob.api.certificates.answers import write_certificate
from symrob.case import load_case
from symrob.certify.certificate import Checker
from symrob.certify.format import RECORDS, encoded
from symrob.certify.reading import Certificate, WrongError
from symrob.certify.watching import CheckBudget
from symrob.options import Options
from tests.engines import roles_of

MODELS = Path(__file__).parents[2] / "models"


def certify(problem, path, **options):
    """Write the certificate of a problem; return the envelope."""
    roles = roles_of(problem)
    envelope = analyse(roles, Options(**options))
    write_certificate(str(path), roles, envelope)
    return envelope


def certify_case(name, path, **options):
    """Write the certificate of a shipped case; return the envelope."""
    case = load_case(str(MODELS / f"{name}.toml"))
    options = case.options(options)
    roles = load_roles(case, options.limits)
    envelope = analyse(roles, options)
    write_certificate(str(path), roles, envelope)
    return envelope


def records(path):
    """The records of a certificate, without the trailer."""
    return [json.loads(line) for line in Path(path).read_text().splitlines()[:-1]]


def groups(rows):
    """Each claim of a certificate, with the records that follow it."""
    found = []
    for row in rows:
        if "claim" in row:
            found.append([row])
        elif found:
            found[-1].append(row)
    return found


def clauses_of(group):
    """The records that have a number in a proof, in the order of these."""
    return [
        row for kind in ("unsafe", "deviation", "add") for row in group if kind in row
    ]


def linked(rows):
    """The same records, where steps name records instead of their numbers.

    So they may be changed and moved; those of `resilient` stay as they are.
    """
    rows = copy.deepcopy(rows)
    for group in groups(rows):
        named = clauses_of(group)
        if group[0]["claim"] == "resilient":
            continue
        for step in (row for row in named if "add" in row):
            step["by"] = [named[number] for number in step["by"]]
    return rows


def numbered(rows):
    """What `linked` gave with numbers again; records that are gone are left out."""
    found = {}
    for group in groups(rows):
        number = {id(row): n for n, row in reversed([*enumerate(clauses_of(group))])}
        for step in (
            r
            for r in clauses_of(group)
            if type(r) is dict and type(r.get("by")) is list
        ):
            hints = [number.get(id(h)) if type(h) is dict else h for h in step["by"]]
            found[id(step)] = {**step, "by": [h for h in hints if h is not None]}
    return [found.get(id(row), row) for row in rows]


def write(records, path):
    """Write records, perhaps `linked` ones, and a trailer that fits them."""
    records = numbered(records)
    write_lines([encoded(record) for record in records], path)


def write_lines(lines, path):
    """Write lines, whatever they are, and a trailer that fits them."""
    counts = dict.fromkeys(RECORDS, 0)
    for line in lines:
        with suppress(ValueError, TypeError, KeyError, StopIteration):
            kind = next(iter(json.loads(line)))
            counts[kind] += 1
    digest = sha256(b"".join(lines)).hexdigest()
    trailer = encoded({"end": {**counts, "sha256": digest}})
    Path(path).write_bytes(b"".join(lines) + trailer)


def read(path, most=1_000_000):
    """A certificate, its form checked."""
    return Certificate(str(path), CheckBudget(most))


def verdict(path, most=1_000_000):
    """`right`, or the word for why a certificate is refused.

    Raises:
        BoundHitError: It is not decided.
    """
    try:
        for _ in Checker(read(path, most)).lines():
            pass
    except WrongError as error:
        reason, message = error.args
        assert message
        return reason
    return "right"


def claims(path):
    """The kinds of what is claimed."""
    return [row["claim"] for row in records(path) if "claim" in row]
