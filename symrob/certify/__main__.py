"""`python -m symrob.certify FILE [OTHER]`: the checker of certificates, alone."""

import sys
from argparse import ArgumentParser, Namespace
from collections.abc import Callable, Iterator

from symrob.certify.alone import run
from symrob.certify.certificate import Checker
from symrob.certify.reading import Certificate
from symrob.certify.relation import relation
from symrob.certify.watching import CheckBudget


def _checked(asked: Namespace, budget: Callable[[], CheckBudget]) -> Iterator[str]:
    files = [asked.file, *([] if asked.other is None else [asked.other])]
    given = []
    for letter, file in zip("AB", files, strict=False):
        if len(files) > 1:
            yield f"{letter}: {file}"
        given.append(Certificate(file, budget()))
        yield from Checker(given[-1]).lines()
    yield "not checked: whether these are the intended models"
    yield from relation(given)


def main() -> int:
    """Check certificates; return 0, 4 if one is refused, 3 if a bound was hit."""
    parser = ArgumentParser("python -m symrob.certify")
    parser.add_argument("file", help="Check this certificate.")
    parser.add_argument("other", nargs="?", help="Compare it with this certificate.")
    return run(parser, _checked)


sys.exit(main())
