"""Δ and the minimal unsafe sets of a problem, from the definition on a product.

- Of few candidates all sets are looked at, and all at once: for each state of the
  product the sets that lead to it, as bits of one number (`_by_all_sets`).
- Of more, what a SAT solver proposes is grown and shrunk until it proposes nothing
  (`_by_duality`).

Candidates are numbered as in `definition.candidates`, and sets of them are masks.
"""

from functools import cached_property

from symrob.lts import TAU
from tests.oracles.definition import candidates
from tests.oracles.product import BAD, Loop, TooLargeError

# Of more candidates that matter not all sets are looked at.
MOST_AT_ONCE = 13
# Of steps that growing and shrinking look at: about a tenth of a second.
MOST_STEPS = 700_000


class Reference:
    """What is right about a problem.

    Attributes:
        candidates: A without R_E, as triples.
        nominal: The transitions of R_E that are no tau, as triples.
        undefined: Whether the nominal system is unsafe.
        alone: The candidates that are safe when added alone.
        matters: Those of them with a part in some run into ERROR.
        maximal: The maximal safe sets.
        cuts: The minimal unsafe sets.
    """

    def __init__(self, problem, steps=MOST_STEPS):
        environment, controller, properties, constraints = problem
        self.problem = problem
        self.candidates = candidates(environment)
        self.nominal = [t for t in map(tuple, environment.transitions) if t[1] != TAU]
        self.transitions = [*self.candidates, *self.nominal]
        self.number = {t: i for i, t in enumerate(self.transitions)}
        internal = len(self.transitions)
        self.every = (1 << len(self.candidates)) - 1
        # R_E and what needs no transition of E.
        self._fixed = (1 << internal + 1) - 1 & ~self.every
        self._steps = steps
        self._unsolved = False
        self._closed = Loop(environment, self.number, internal, controller, properties)
        self._loops = [self._closed]
        if constraints:
            alone = Loop(environment, self.number, internal, None, constraints)
            self._loops.insert(0, alone)
        self.undefined = self.length(0) is not None
        if not self.undefined:
            self.alone = self.of(c for c in range(internal) if self._is_safe_alone(c))

    def of(self, numbers):
        return sum(1 << c for c in numbers)

    def mask(self, transitions):
        """The candidates among some transitions."""
        return self.of({self.number[tuple(t)] for t in transitions}) & self.every

    def members(self, mask):
        """The candidates of a mask as triples."""
        return frozenset(t for i, t in enumerate(self.candidates) if mask >> i & 1)

    def _is_safe_alone(self, candidate):
        return self.every >> candidate & 1 and self.length(1 << candidate) is None

    def length(self, chosen):
        """The length of a shortest run by which a set breaks something, or None."""
        present = chosen | self._fixed
        lengths = [loop.length(present) for loop in self._loops]
        return min((n for n in lengths if n is not None), default=None)

    def is_safe(self, chosen):
        if "maximal" in self.__dict__:
            return any(chosen & ~d == 0 for d in self.maximal)
        return self.length(chosen) is None

    def harm(self, chosen):
        """The length of a shortest run by which a set breaks P, or None."""
        return self._closed.length(chosen | self._fixed)

    def verdict(self, chosen):
        """What a set amounts to: P and P_env apart."""
        present = chosen | self._fixed
        rules = [loop for loop in self._loops if loop is not self._closed]
        kept = all(loop.length(present) is None for loop in rules)
        if self.harm(chosen) is None:
            return "tolerated" if kept else "excluded-safe"
        return "hazardous" if kept else "excluded-unsafe"

    @cached_property
    def without_constraints(self):
        """The same problem without its constraints."""
        return Reference((*self.problem[:3], []), self._steps)

    def taken(self, chosen):
        """The transitions that some run of the closed loop takes."""
        return self._closed.taken(chosen | self._fixed)

    def deadlocks(self, chosen):
        """The deadlocks of the closed loop with a safe set, as pairs of states."""
        return self._closed.stuck(chosen | self._fixed)

    @property
    def solved(self):
        """Whether Δ is known, or can be found in the time that there is."""
        try:
            return bool(self.maximal)
        except TooLargeError:
            return False

    def __getattr__(self, name):
        if name not in ("matters", "maximal", "cuts"):
            raise AttributeError(name)
        if self._unsolved:
            raise TooLargeError
        self._unsolved = True
        self._solve()
        self._unsolved = False
        return getattr(self, name)

    def _solve(self):
        present = self.alone | self._fixed
        graphs = [loop.mattering(present) for loop in self._loops]
        graphs = [g for g in graphs if g]
        used = {by for g in graphs for steps in g.values() for by, _ in steps}
        names = sorted(c for c in used if self.every >> c & 1)
        place = {c: i for i, c in enumerate(names)}
        graphs = [
            {s: [(place.get(by), t) for by, t in steps] for s, steps in g.items()}
            for g in graphs
        ]
        solve = _by_all_sets if len(names) <= MOST_AT_ONCE else _by_duality
        maximal, cuts = solve(graphs, len(names), self._steps)

        def named(small):
            return self.of(names[i] for i in range(len(names)) if small >> i & 1)

        self.matters = self.of(names)
        harmless = self.alone & ~self.matters
        self.maximal = {named(d) | harmless for d in maximal}
        single = {1 << c for c in range(len(self.candidates))}
        self.cuts = {s for s in single if not s & self.alone} | set(map(named, cuts))


def _by_all_sets(graphs, count, _steps):
    """For each state of a graph all sets that lead to it, as bits of a number."""
    every = (1 << (1 << count)) - 1
    holding = {None: every}
    for c in range(count):
        period = 1 << c + 1
        block = ((1 << (1 << c)) - 1) << (1 << c)
        holding[c] = block * (every // ((1 << period) - 1))
    unsafe = 0
    for graph in graphs:
        reached = dict.fromkeys(graph, 0)
        reached[0] = every
        fresh = {0: every}
        while fresh:
            state = next(iter(fresh))
            sets = fresh.pop(state)
            for by, target in graph[state]:
                leading = sets & holding[by]
                if target == BAD:
                    unsafe |= leading
                elif new := leading & ~reached[target]:
                    reached[target] |= new
                    fresh[target] = fresh.get(target, 0) | new
    safe = every & ~unsafe
    maximal, cuts = safe, unsafe
    for c in range(count):
        maximal &= holding[c] | unsafe >> (1 << c)
        cuts &= ~holding[c] | safe << (1 << c)
    return _bits(maximal), _bits(cuts)


def _bits(mask):
    while mask:
        low = mask & -mask
        yield low.bit_length() - 1
        mask ^= low


def _by_duality(graphs, count, steps):
    """Grow and shrink what a solver proposes, until it proposes nothing."""
    from pysat.solvers import Solver

    left = steps

    def is_safe(chosen):
        nonlocal left
        if left < 0:
            raise TooLargeError
        for graph in graphs:
            seen, todo = {0}, [0]
            while todo:
                ways = graph[todo.pop()]
                left -= len(ways)
                for by, target in ways:
                    if by is None or chosen >> by & 1:
                        if target == BAD:
                            return False
                        if target not in seen:
                            seen.add(target)
                            todo.append(target)
        return True

    maximal, cuts = [], []
    with Solver(name="glucose4", bootstrap_with=[[-1, 1]]) as solver:
        solver.set_phases(range(1, count + 1))
        while solver.solve():
            model = set(solver.get_model())
            chosen = sum(1 << c for c in range(count) if -(c + 1) not in model)
            if is_safe(chosen):
                for c in range(count):
                    if not chosen >> c & 1 and is_safe(chosen | 1 << c):
                        chosen |= 1 << c
                maximal.append(chosen)
                solver.add_clause([c + 1 for c in range(count) if not chosen >> c & 1])
            else:
                for c in range(count):
                    if chosen >> c & 1 and not is_safe(chosen & ~(1 << c)):
                        chosen &= ~(1 << c)
                cuts.append(chosen)
                solver.add_clause([-c - 1 for c in range(count) if chosen >> c & 1])
    return maximal, cuts
