"""`python -m symrob.certify FILE [OTHER]`: the checker of certificates, alone."""

import sys
from argparse import ArgumentParser

from symrob.certify.certificate import Checker
from symrob.certify.reading import Certificate, WrongError
from symrob.certify.relation import relation
from symrob.certify.watching import MAX_STATES, BoundHitError, Budget


def main() -> int:
    """Check certificates; return 0, 4 where one is refused, 3 where a bound was hit."""
    parser = ArgumentParser("python -m symrob.certify")
    parser.add_argument("files", nargs="+", help="what --certificate wrote")
    parser.add_argument("--max-states", type=int, default=MAX_STATES, metavar="N")
    asked = parser.parse_args()
    try:
        given = [Certificate(f, Budget(asked.max_states)) for f in asked.files]
        for certificate in given:
            for line in Checker(certificate).lines():
                print(line, flush=True)
        print("not checked: that these are the models that are meant")
        for line in relation(given):
            print(line)
    except WrongError as error:
        print("wrong ({}): {}".format(*error.args))
        return 4
    except (BoundHitError, OSError) as error:
        print(f"not decided: {error}", file=sys.stderr)
        return 3 if isinstance(error, BoundHitError) else 2
    return 0


sys.exit(main())
