"""How often each shortcut acted: a shortcut that never acts is not tested.

Functions of the engine are wrapped, by the object that owns them, to look at what
they return. What is gone from the engine is told, see `MISSING`.
"""

import importlib
from collections import Counter

from symrob.envelope import tuning

ACTED = Counter()
MISSING = []


def _owner(path):
    """The module or class that a path names."""
    module, _, name = path.partition(":")
    try:
        owner = importlib.import_module(f"symrob.{module}")
        return getattr(owner, name) if name else owner
    except (ImportError, AttributeError):
        return None


def _wrap(path, name, make):
    owner = _owner(path)
    usual = vars(owner).get(name) if owner is not None else None
    if usual is None:
        MISSING.append(f"{path} {name}")
        return
    setattr(owner, name, make(usual))


def counts(path, name, *outcomes):
    """Count calls by what they return.

    Args:
        outcomes: Pairs of a word and a test of (result, arguments).
    """

    def make(usual):
        def watched(*args, **kwargs):
            result = usual(*args, **kwargs)
            for word, holds in outcomes:
                if holds(result, *args):
                    ACTED[word] += 1
            return result

        return watched

    _wrap(path, name, make)


def counts_before(path, name, word, holds):
    """Count calls by what they are given, before they change it."""

    def make(usual):
        def watched(*args, **kwargs):
            if holds(*args):
                ACTED[word] += 1
            return usual(*args, **kwargs)

        return watched

    _wrap(path, name, make)


def counts_items(path, name, word, end=None, holds=lambda _item: True):
    """Count what a generator yields, and how often it comes to its end."""

    def make(usual):
        def watched(*args, **kwargs):
            for item in usual(*args, **kwargs):
                if holds(item):
                    ACTED[word] += 1
                yield item
            if end is not None:
                ACTED[end] += 1

        return watched

    _wrap(path, name, make)


def counts_raises(path, name, word, error):
    """Count calls that end with an error of this name."""

    def make(usual):
        def watched(*args, **kwargs):
            try:
                return usual(*args, **kwargs)
            except Exception as raised:
                if type(raised).__name__ == error:
                    ACTED[word] += 1
                raise

        return watched

    _wrap(path, name, make)


def install():
    """Watch the engine from now on, in this process."""
    from symrob.analyses.direction import WideDirection
    from symrob.borders import sat

    counts(
        "envelope.determinised:DeterminisedMonitor",
        "merge",
        (
            "states merged",
            lambda _r, _s, same, harmful: any(
                harmful >> p & 1 and q != p for p, q in enumerate(same)
            ),
        ),
        (
            "harmless states dropped",
            lambda _r, _s, same, harmful: harmful != (1 << len(same)) - 1,
        ),
    )
    counts("envelope.simulation", "explore", ("too many states to merge", _is(False)))
    counts("analyses.pairs", "explore", ("too many states to order", _is(False)))
    counts(
        "envelope.safe_sets",
        "screen",
        ("screening decided alone", lambda r, *_: len(r[0]) > 0 and not r[1]),
        ("screening left some, not all", lambda r, *_: bool(r[1])),
        ("constraints screened", lambda r, *_: any(map(len, r[2]))),
    )
    counts(
        "envelope.screening:Screen",
        "_survives",
        ("loop through a candidate: safe", _is(True)),
        ("loop through a candidate: unsafe", _is(False)),
    )
    counts(
        "envelope.loops:Loops",
        "safe",
        ("loops together: too many pairs", lambda r, *_: r is None),
        (
            "loops together: some are safe",
            lambda r, *_: r is not None and any(r),
        ),
    )
    counts(
        "envelope.loops:Loops",
        "_closed",
        ("loops together: unsafe", lambda r, *_: r != 0),
        (
            "loops together: unsafe, and some in several rounds",
            lambda r, _s, _d, back, _l: r and any(a is not None for _, a in back),
        ),
    )
    counts("symbolic.table:TableSystem", "__init__", ("C as a table", lambda *_: True))
    counts(
        "envelope.extension:MaximalExtension",
        "_lead_on",
        ("growing: new pairs, safe", _is(True)),
        ("growing: new pairs, unsafe", _is(False)),
    )
    counts(
        "envelope.maximal:UnitPropagation",
        "outside",
        ("units made a set maximal", lambda r, *_: r is not None),
        ("units do not tell", lambda r, units, *_: r is None and units._written),
    )
    counts_items("envelope.neighbours:Neighbours", "new", "neighbours that are new")
    counts(
        "envelope.maximal:UnitPropagation",
        "_write",
        ("too many clauses for units", _is(False)),
    )
    counts_before(
        "envelope.cache:Cache",
        "__missing__",
        "cache full",
        lambda cache, *_: 0 < len(cache) >= (cache._most or tuning.CACHED),
    )
    cadical = sat.cadical()
    solve, usual = cadical.solve_limited, cadical.configure

    def solve_limited(self, assumptions=()):
        answer = solve(self, assumptions)
        if answer is None:
            ACTED["solver came back for the clock"] += 1
        return answer

    def configure(self, options):
        if options == {"phase": 0}:
            ACTED["solver changed its phase"] += 1
        return usual(self, options)

    cadical.solve_limited, cadical.configure = solve_limited, configure
    counts(
        "envelope.solvers:MaxSatSolver",
        "propose",
        ("MaxSAT gave one", lambda r, *_: r is not None),
        ("MaxSAT gave none", lambda r, *_: r is None),
    )
    counts_raises(
        "envelope.solvers:ProofSolver", "_solve", "solver gave up", "Undecided"
    )
    counts_before(
        "analyses.candidate_summary:_Summariser",
        "_decide_always",
        "summary: all listed",
        lambda summariser: summariser._listed,
    )
    counts(
        "analyses.shortruns:Witnesses",
        "breaking",
        ("summary: a short run breaks", lambda r, *_: r is not None),
    )
    counts(
        "analyses.shortruns:Firings",
        "firing",
        ("summary: a short run fires", lambda r, *_: r is not None),
    )
    counts_items(
        "analyses.flow:FlowQuestion",
        "answers",
        "summary: the solver found one",
        "summary: the solver proved the rest",
    )
    counts_before(
        "analyses.candidate_summary:_Summariser",
        "_decide_firing_by_runs",
        "summary: firing is not plain",
        lambda *_: True,
    )
    counts(
        "analyses.direction",
        "breaks_too",
        ("compare: inclusion decided", _is(True)),
        ("compare: inclusion did not decide", _is(False)),
    )
    settle = WideDirection.settle

    def settled(self, *, smallest=True):
        settle(self, smallest=smallest)
        if self.alone:
            ACTED["compare: one transition decided"] += 1
        elif self.exists is False:
            ACTED["compare: settled that there is none"] += 1
        elif self.exists:
            ACTED["assumptions: guessed"] += 1

    WideDirection.settle = settled
    counts(
        "analyses.difference:DifferenceSearch",
        "_next",
        ("compare: search found one", lambda r, *_: r is not None),
        ("compare: search found none", lambda r, *_: r is None),
    )
    counts(
        "analyses.difference:DifferenceSearch",
        "_grown",
        ("compare: grown set escapes", lambda r, *_: r is not None),
        ("compare: grown set excluded", lambda r, *_: r is None),
    )
    counts_items(
        "analyses.difference",
        "closed_parts",
        "compare: circle broken",
        holds=lambda part: len(part) > 1,
    )
    counts(
        "analyses.difference:DifferenceSearch",
        "_smaller_than",
        ("compare: smaller ones looked for", lambda *_: True),
    )
    counts(
        "analyses.escape:Escapes",
        "_explore",
        ("compare: all runs explored", _is(True)),
        ("compare: not all runs explored", _is(False)),
    )
    counts(
        "parallel.board:Board",
        "note",
        (
            "spread: a set of another's cube",
            lambda _r, board, *_: any(board._news.values()),
        ),
    )
    counts_items(
        "analyses.unsafe:UnsafeSets",
        "_from_delta",
        "cuts: told by Δ",
        holds=lambda _: True,
    )
    counts(
        "analyses.direction",
        "least_beyond",
        ("compare: told by few deviations", lambda r, *_: r is not None),
    )
    counts(
        "analyses.unsafe:SetSearch",
        "_all_parts",
        ("cuts: all parts of a set", lambda *_: True),
    )
    counts(
        "analyses.unsafe:SetSearch",
        "_known_parts",
        ("cuts: known parts of a set", lambda *_: True),
    )
    counts(
        "analyses.unsafe:SetSearch",
        "_reached_by_all",
        ("cuts: a set matters to no larger one", lambda r, *_: r == 0),
        ("cuts: a set is unsafe", lambda r, *_: r == -1),
    )


def _is(value):
    return lambda result, *_: result is value
