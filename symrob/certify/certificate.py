"""Checks a certificate: does what it claims follow from the models in it?

In:  a certificate. Out: what was checked, in words and figures, or `WrongError`.

Conditions 0 to 4 of docs/certificates.md, on the raw models: searches that try all
runs, runs that are followed, and a proof that is checked step by step. Standard library
only, and nothing of the engine.
"""

from __future__ import annotations

from argparse import ArgumentParser
from collections.abc import Iterable, Iterator

from symrob.certify.proof import refutes
from symrob.certify.reading import Certificate, Number, Run, WrongError
from symrob.certify.watching import BoundHitError, Budget, Network, Rows, Watcher


MAX_STATES = 1_000_000


class Checker:
    """Checks the conditions, in order, with what is known of the watchers."""

    def __init__(self, certificate: Certificate, budget: Budget) -> None:
        self.given, self._budget = certificate, budget
        actions = frozenset(certificate.alphabet)
        alone = Network([], frozenset())
        self._watchers = [
            Watcher(name, alone if rule else certificate.controller, watched, actions, budget)
            for name, rule, watched in certificate.watched
        ]

    def lines(self) -> Iterator[str]:
        """Yield what was checked, each line as soon as that is done.

        Raises:
            WrongError: Something does not follow.
            BoundHitError: There is too much to search.
        """
        given = self.given
        complete, about = given.claim.startswith("all-"), given.claim.split("-")[-1]
        rules = sum(rule for _, rule, _ in given.watched)
        counts = f"{len(given.deviations):,} deviations, {len(given.unsafe):,} unsafe sets"
        yield (
            f"{given.claim}: {counts}; {len(given.candidates):,} candidates, "
            f"{len(given.watched) - rules} properties, {rules} constraints"
        )
        self._well_formed()
        yield "0. the nominal system is safe; every set lies within K, none comes twice"
        for number, deviation in enumerate(given.deviations, 1):
            self._require_safe("unsafe", f"deviation {number}", deviation)
        yield "1. each deviation is safe: all runs were tried"
        for number, entry in enumerate(given.unsafe, 1):
            if not self._breaks(*entry):
                raise WrongError("run", f"the run of unsafe set {number} does not break it")
        yield "2. each unsafe set is unsafe: its run was followed into ERROR"
        if about == "deviations":
            self._maximal()
            yield "3. each deviation is maximal: one candidate more makes an unsafe set"
        else:
            self._minimal()
            yield "3. each unsafe set is minimal: all runs were tried with one member less"
        if not complete:
            yield "not claimed, and not checked: that none is missing"
            return
        clauses = self.clauses()
        wrong = refutes(given.transitions, clauses, given.steps)
        if wrong == 0:
            raise WrongError("missing", "the proof ends before the empty clause follows")
        if wrong is not None:
            raise WrongError("proof", f"step {wrong} of the proof does not follow")
        yield f"4. none is missing: {len(clauses):,} clauses are refuted in {len(given.steps):,} steps"

    def clauses(self) -> list[list[int]]:
        """What a set beside those given would satisfy: variable t + 1 is "t is in it"."""
        candidates = self.given.candidates
        clauses = [[-t - 1 for t in chosen] for chosen, _, _ in self.given.unsafe]
        for deviation in self.given.deviations:
            inside = set(deviation)
            clauses.append([t + 1 for t in candidates if t not in inside])
        return clauses

    def _well_formed(self) -> None:
        self._require_safe("nominal", "the nominal system", [])
        known = set(self.given.candidates)
        for what, sets in (
            ("deviation", self.given.deviations),
            ("unsafe set", [chosen for chosen, _, _ in self.given.unsafe]),
        ):
            for number, chosen in enumerate(sets, 1):
                if not known.issuperset(chosen):
                    raise WrongError("foreign", f"{what} {number} is not within K")
            if len(set(map(tuple, sets))) < len(sets):
                raise WrongError("twice", f"some {what} comes twice")

    def _with(self, added: Iterable[Number]) -> Rows:
        """The transitions of E with some more."""
        given = self.given
        rows = [{a: [*targets] for a, targets in row.items()} for row in given.rows]
        for number in added:
            rest, target = divmod(number, given.size)
            source, action = divmod(rest, len(given.alphabet))
            rows[source].setdefault(given.alphabet[action], []).append(target)
        return rows

    def _require_safe(self, reason: str, what: str, added: Iterable[Number]) -> None:
        rows = self._with(added)
        for watcher in self._watchers:
            if watcher.fails(rows):
                raise WrongError(reason, f"{what} violates {watcher.name}")

    def _breaks(self, chosen: list[Number], breaks: int, run: Run) -> bool:
        """Whether a run uses only R_E and the chosen, and leads into ERROR."""
        given, here = self.given, 0
        allowed = given.nominal | set(chosen)
        actions = []
        for step in run:
            if isinstance(step, list):
                if step[0] not in given.rows[here].get("tau", ()):
                    return False
                here = step[0]
                continue
            rest, target = divmod(step, given.size)
            source, action = divmod(rest, len(given.alphabet))
            if step not in allowed or source != here:
                return False
            here = target
            actions.append(given.alphabet[action])
        return self._watchers[breaks].follows(actions)

    def _maximal(self) -> None:
        unsafe = [frozenset(chosen) for chosen, _, _ in self.given.unsafe]
        alone = {t for chosen in unsafe if len(chosen) == 1 for t in chosen}
        unsafe = [chosen for chosen in unsafe if len(chosen) > 1]
        for number, deviation in enumerate(self.given.deviations, 1):
            rests = (chosen.difference(deviation) for chosen in unsafe)
            completed = {t for rest in rests if len(rest) == 1 for t in rest}
            for t in set(self.given.candidates).difference(deviation, alone, completed):
                message = f"deviation {number} is not shown to be maximal: {t} is left out"
                raise WrongError("maximal", message)

    def _minimal(self) -> None:
        for number, (chosen, _, _) in enumerate(self.given.unsafe, 1):
            for left_out in chosen:
                part = [t for t in chosen if t != left_out]
                self._require_safe("minimal", f"a part of unsafe set {number}", part)


def main(arguments: list[str]) -> int:
    """Check a file; return 0, 4 where it is refused, 3 where a bound was hit."""
    parser = ArgumentParser("python -m symrob.certify", description="Check a certificate.")
    parser.add_argument("file")
    parser.add_argument("--max-states", type=int, default=MAX_STATES, metavar="N")
    parser.add_argument("--dimacs", metavar="OUT", help="write the clauses, then end")
    parser.add_argument("--drat", metavar="OUT", help="write the proof, then end")
    given = parser.parse_args(arguments)
    try:
        budget = Budget(given.max_states)
        checker = Checker(Certificate(given.file, budget), budget)
        if given.dimacs or given.drat:
            export(checker, given.dimacs, given.drat)
            return 0
        for line in checker.lines():
            print(line, flush=True)
    except WrongError as error:
        print(f"wrong ({error.reason}): {error.message}")
        return 4
    except BoundHitError as error:
        print(f"not decided: {error}; --max-states allows more")
        return 3
    except OSError as error:
        print(f"cannot read or write: {error}")
        return 2
    return 0
