"""What [S1] says of its case studies in Sect. 2, 4 and 6, and whether it is so.

In:  the models of the project.
Out: `CLAIMS`, each with a check that computes its answer when it is asked.

A claim is told in our words. Its check returns what was found, and whether the
claim holds; nothing here knows the answer beforehand.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass

from bench.table1 import COLUMNS, run_table, table_cases
from docs.scenarios import (
    allowing,
    any_nurse_can,
    envelope,
    is_safe_as_planned,
    transitions,
)
from symrob import Transition, compare
from symrob.report.text import plural

RUNNING = "running_example/running_example"
THERAC25, THERAC25_FIX = "therac25/therac25", "therac25/therac25_fix"
THERAC20 = "therac25/therac20"
CFM, ALL = "voting/voting_cfm", "voting/voting_all"
OYSTER, PUMP = "oyster/oyster", "pca_pump/pca_pump"


@dataclass(frozen=True)
class Finding:
    """What the check of a claim gave.

    Attributes:
        holds: Whether the claim is so; `None` where it depends on the reading.
        words: What was found.
    """

    holds: bool | None
    words: str


@dataclass(frozen=True)
class Claim:
    """One claim of the paper.

    Attributes:
        study: The heading that it stands under.
        place: The section of [S1].
        says: The claim.
        check: Computes the finding.
    """

    study: str
    place: str
    says: str
    check: Callable[[], Finding]


# --- running example --------------------------------------------------------


def three_deviations() -> Finding:
    """Δ has three elements."""
    count = len(envelope(RUNNING))
    return Finding(count == 3, f"|Δ| = {count}")


def two_transitions_with_a() -> Finding:
    """How many transitions with `a` can fire, and how often `a` happens in a run."""
    found = envelope(RUNNING)
    counts = set()
    for deviation in found:
        idle = found.never_firing(deviation)
        counts.add(sum(t.action == "a" and t not in idle for t in deviation))
    words = f"up to {max(counts)} of them can fire with one deviation"
    thrice = allowing(RUNNING, "a a a", with_machine=True)
    if max(counts) <= 2:
        return Finding(True, words)
    if thrice.startswith("0 "):
        return Finding(None, f"{words}, but no trace has more than two `a`")
    return Finding(False, f"{words}, and a trace can have three `a`")


# --- Therac-25 --------------------------------------------------------------


def both_machines_are_safe() -> Finding:
    """The preconditions."""
    safe = is_safe_as_planned(THERAC25, THERAC20, THERAC25_FIX)
    return Finding(safe, "the repaired machine is safe too")


def keys_may_be_repeated() -> Finding:
    """`enter` and `up` pressed again after the mode was chosen."""
    again = transitions(
        THERAC25,
        "MODE_CHOSEN,enter,MODE_CHOSEN",
        "MODE_CHOSEN,up,MODE_CHOSEN",
        "CONFIRMED,enter,CONFIRMED",
    )
    holding = sum(again <= d for d in envelope(THERAC25))
    return Finding(
        holding > 0,
        f"{holding} of {len(envelope(THERAC25))} deviations contain all three "
        "transitions that this requires",
    )


def older_is_more_robust() -> Finding:
    """Def. 6, strictly."""
    found = compare(envelope(THERAC20), envelope(THERAC25))
    alone = len(found.first.alone)
    return Finding(
        found.verdict == "more", f"{alone} transitions are tolerated only by it"
    )


def scenario_is_not_tolerated() -> Finding:
    """e, perhaps enter, up, x: which deviations of which machine allow it."""
    short, whole = "e up x", "e up x enter b"
    counts = {
        (name, run): allowing(name, run, with_machine=False)
        for name in (THERAC25, THERAC20)
        for run in (short, whole)
    }
    words = (
        f"`e`, `up`, `x` is in {counts[THERAC25, short]} deviations of the Therac-25 "
        f"and {counts[THERAC20, short]} of the Therac-20; with `enter`, `b` it is in "
        f"{counts[THERAC25, whole]} and {counts[THERAC20, whole]}"
    )
    none = f"0 of {len(envelope(THERAC25))}"
    if counts[THERAC25, short] == none:
        return Finding(True, words)
    if counts[THERAC25, whole] == none:
        return Finding(None, f"{words}. The claim holds only with `enter`, `b`")
    return Finding(False, words)


def race() -> Finding:
    """The shortest run that breaks the Therac-25 where the Therac-20 is safe."""
    found = compare(envelope(THERAC20), envelope(THERAC25)).first.witness
    if found is None:
        return Finding(False, "nothing tells the two machines apart")
    nurse = envelope(THERAC25).environment.alphabet
    keys = ", ".join(f"`{a}`" for a in found.trace.actions if a in nurse)
    turning = found.trace.steps[-1].components[-1] == "TO_FLATTENER"
    fired = found.trace.actions[-1] == "fireXray"
    return Finding(
        turning and fired,
        f"{plural(len(found.units), 'added transition')} and the keys {keys} are "
        "enough to fire the X-ray while the turntable turns",
    )


def repair_is_more_robust() -> Finding:
    """Def. 6, strictly."""
    verdict = compare(envelope(THERAC25_FIX), envelope(THERAC25)).verdict
    return Finding(verdict == "more", f"verdict of `compare`: {verdict}")


def repair_equals_older() -> Finding:
    """Def. 6, both ways."""
    verdict = compare(envelope(THERAC25_FIX), envelope(THERAC20)).verdict
    return Finding(verdict == "equal", f"verdict of `compare`: {verdict}")


def interlock_only_delays() -> Finding:
    """Which machines take `x` after `e` at all, from any nurse."""
    machines = {
        "Therac-20": THERAC20,
        "repaired machine": THERAC25_FIX,
        "Therac-25": THERAC25,
    }

    def takes(keys: str) -> str:
        doing = [n for n, case in machines.items() if any_nurse_can(case, keys)]
        return " and ".join(f"the {name}" for name in doing) or "no machine"

    keys, later = "e up x", "e enter b x"
    older = [any_nurse_can(THERAC20, each) for each in (keys, later)]
    none = "" if any(older) else "; with the Therac-20 no nurse can do either"
    return Finding(
        older[0],
        f"some nurse can do `e`, `up`, `x` with {takes(keys)}; "
        f"`e`, `enter`, `b`, `x` with {takes(later)}{none}",
    )


# --- voting -----------------------------------------------------------------


def voting_is_equally_robust() -> Finding:
    """Def. 7, both ways, with P_env and without."""
    verdicts = [
        compare(envelope(ALL + more), envelope(CFM + more)).verdict
        for more in ("", "_unconstrained")
    ]
    return Finding(
        verdicts[0] == "equal",
        f"verdict of `compare`: {verdicts[0]}; without P_env: {verdicts[1]}",
    )


def voting_has_one_deviation() -> Finding:
    """|Δ| = 1 for each property, and it is the same one."""
    deltas = [list(envelope(name)) for name in (CFM, ALL)]
    return Finding(
        len(deltas[0]) == 1 and deltas[0] == deltas[1],
        f"|Δ| = {len(deltas[0])} and {len(deltas[1])}, "
        f"{len(deltas[0][0].new)} added transitions",
    )


def no_early_exit() -> Finding:
    """Leaving between password and confirmation, in any deviation."""
    early = [f"{state},v.exit,*" for state in ("LOGGED_IN", "SELECTED", "VOTED")]
    bare = f"{CFM}_unconstrained"
    moves = transitions(CFM, *early)
    tolerated = sum(not moves.isdisjoint(d) for n in (CFM, ALL) for d in envelope(n))
    unsafe = sum(not envelope(bare).explain([t]).tolerated for t in moves)
    return Finding(
        tolerated == 0,
        f"P_env alone excludes {broken_by_constraint(CFM, moves)} of {len(moves)} "
        f"such transitions; without P_env {unsafe} violate P_cfm individually",
    )


def broken_by_constraint(name: str, moves: Iterable[Transition]) -> int:
    """Count the transitions that already break P_env when added alone."""
    verdicts = [envelope(name).explain([t]).verdict for t in moves]
    return sum(v in ("excluded-unsafe", "excluded-safe") for v in verdicts)


# --- Oyster -----------------------------------------------------------------


def oyster_tolerates_nothing() -> Finding:
    """Δ = {R_E}."""
    delta = list(envelope(OYSTER))
    free = list(envelope(f"{OYSTER}_unconstrained"))
    return Finding(
        len(delta) == 1 and not delta[0].new,
        f"|Δ| = {len(delta)}, with {len(delta[0].new)} added transitions; "
        f"without P_env {len(free[0].new)} could be added",
    )


# --- PCA pump ---------------------------------------------------------------


def pump_tolerates_four() -> Finding:
    """One deviation with four new transitions."""
    (deviation,) = envelope(PUMP)
    changes = {"change_settings", "clear_rate", "erase_and_unlock_line"}
    new = sorted(t.action.removeprefix("line.1.") for t in deviation.new)
    before = {*changes, "turn_off"}
    return Finding(
        len(new) == 4 and set(new) == before,
        "they are " + ", ".join(f"`{a}`" for a in new),
    )


def pump_must_not_be_unplugged() -> Finding:
    """No new transition on unplug, and why."""
    unplug = {t for d in envelope(PUMP) for t in d.new if t.action == "unplug"}
    words = "DISPENSING[1],unplug,UNPLUGGED"
    planned = envelope(PUMP).explain(transitions(PUMP, words))
    free = f"{PUMP}_unconstrained"
    anyone = envelope(free).explain(transitions(free, words))
    assert planned.violations
    assert anyone.trace is not None
    property_ = anyone.trace.violated
    rules = [t.violated for t in planned.violations if t.violated != property_]
    return Finding(
        not unplug,
        f"{len(rules)} assumptions exclude it, such as `{rules[0]}`; without P_env it "
        f"violates `{property_}` in {len(anyone.trace.steps)} steps",
    )


# --- all --------------------------------------------------------------------


def table_is_reproduced() -> Finding:
    """Every figure of Table 1 but the times."""
    rows = [*run_table(table_cases(["models"]), ["maximal"])]
    wrong = [key for row in rows for key in COLUMNS.values() if row.differs(key)]
    figures = len(rows) * len(COLUMNS)
    return Finding(
        len(rows) == 8 and not wrong,
        f"{figures} figures in {len(rows)} rows, {len(wrong)} different",
    )


CLAIMS = (
    Claim("Running example", "4.3", "Δ has three deviations", three_deviations),
    Claim(
        "Running example",
        "4.3",
        "each deviation allows at most two transitions with `a`",
        two_transitions_with_a,
    ),
    Claim(
        "Therac-25",
        "2, 6.2",
        "Therac-25 and Therac-20 are safe with the nurse as planned",
        both_machines_are_safe,
    ),
    Claim(
        "Therac-25",
        "2",
        "the Therac-25 tolerates `enter` and `up` pressed repeatedly once a mode is "
        "chosen",
        keys_may_be_repeated,
    ),
    Claim(
        "Therac-25",
        "6.2",
        "the Therac-20 is strictly more robust than the Therac-25",
        older_is_more_robust,
    ),
    Claim(
        "Therac-25",
        "6.2",
        "no maximal deviation of the Therac-25 allows `e`, `up`, `x`; the Therac-20 "
        "tolerates it",
        scenario_is_not_tolerated,
    ),
    Claim(
        "Therac-25",
        "6.2",
        "the cause is a race: the X-ray is fired before the flattener is in place",
        race,
    ),
    Claim(
        "Therac-25",
        "6.2",
        "the repaired Therac-25 is strictly more robust than the original",
        repair_is_more_robust,
    ),
    Claim(
        "Therac-25",
        "6.2",
        "the repaired Therac-25 and the Therac-20 are equally robust",
        repair_equals_older,
    ),
    Claim(
        "Therac-25",
        "6.2",
        "after `e`, `up`, `x` the Therac-20 only waits with the beam until the "
        "flattener is in place",
        interlock_only_delays,
    ),
    Claim(
        "Electronic voting",
        "6.3",
        "the machine is equally robust for P_all and P_cfm, though P_cfm is weaker",
        voting_is_equally_robust,
    ),
    Claim(
        "Electronic voting",
        "6.3",
        "each property has one maximal deviation",
        voting_has_one_deviation,
    ),
    Claim(
        "Electronic voting",
        "6.3",
        "no deviation lets the voter leave between password and confirmation",
        no_early_exit,
    ),
    Claim(
        "Oyster card",
        "6.4",
        "it tolerates no deviation",
        oyster_tolerates_nothing,
    ),
    Claim(
        "PCA pump",
        "6.5",
        "the pump tolerates four more actions: three that change settings before the "
        "treatment, and turning it off early",
        pump_tolerates_four,
    ),
    Claim(
        "PCA pump",
        "6.5",
        "it tolerates no deviation in which it is unexpectedly unplugged",
        pump_must_not_be_unplugged,
    ),
    Claim("Table 1", "6.6", "the figures of Table 1", table_is_reproduced),
)
