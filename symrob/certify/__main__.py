"""`python -m symrob.certify FILE [OTHER]`: the checker of certificates, alone."""

import sys
from argparse import ArgumentParser

from symrob.certify.certificate import Checker
from symrob.certify.export import export
from symrob.certify.reading import Certificate, WrongError
from symrob.certify.relation import relation
from symrob.certify.watching import MAX_STATES, BoundHitError, Budget


def main() -> int:
    """Check certificates; return 0, 4 where one is refused, 3 where a bound was hit."""
    parser = ArgumentParser("python -m symrob.certify")
    parser.add_argument("files", nargs="+", help="what --certificate wrote")
    parser.add_argument("--max-states", type=int, default=MAX_STATES, metavar="N")
    parser.add_argument("--dimacs", metavar="OUT", help="write the clauses, instead")
    parser.add_argument("--drat", metavar="OUT", help="write the proof, instead")
    asked = parser.parse_args()
    checked: list[Certificate] = []
    try:
        for file in asked.files:
            budget = Budget(asked.max_states)
            checker = Checker(Certificate(file, budget), budget)
            if asked.dimacs or asked.drat:
                export(checker, asked.dimacs, asked.drat)
                return 0
            for line in checker.lines():
                print(line, flush=True)
            checked.append(checker.given)
        print("not checked: that these are the models that are meant")
        for line in relation(*checked) if len(checked) == 2 else ():
            print(line)
    except WrongError as error:
        print("wrong ({}): {}".format(*error.args))
        return 4
    except (BoundHitError, OSError) as error:
        print(f"not decided: {error}", file=sys.stderr)
        return 3 if isinstance(error, BoundHitError) else 2
    return 0


sys.exit(main())
