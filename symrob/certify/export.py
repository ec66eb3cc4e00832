"""The clauses of a certificate and its proof, for other checkers of proofs.

In:  a `Checker`, whose certificate claims that none is missing.
Out: files in the formats DIMACS and DRAT, as drat-trim reads them.
"""

from __future__ import annotations

from symrob.certify.certificate import Checker


def export(checker: Checker, dimacs: str | None, drat: str | None) -> None:
    """Write the clauses and the proof.

    Args:
        checker: Its certificate is not checked but for its form.
        dimacs: Where the clauses go, if anywhere.
        drat: Where the proof goes, likewise.

    Raises:
        OSError: A file cannot be written.
    """
    given = checker.given
    if dimacs:
        clauses = checker.clauses()
        with open(dimacs, "w", encoding="ascii") as file:
            file.write(f"p cnf {given.transitions} {len(clauses)}\n")
            file.writelines(_line(clause) for clause in clauses)
    if drat:
        with open(drat, "w", encoding="ascii") as file:
            file.writelines("d " * deletion + _line(c) for deletion, c in given.steps)


def _line(clause: list[int]) -> str:
    return " ".join(map(str, [*clause, 0])) + "\n"
