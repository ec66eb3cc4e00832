"""`symrob.lts.product` against definitions spelled out with sets of tuples."""

from itertools import product as combinations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from symrob.errors import LimitExceeded
from symrob.lts import ERROR, TAU, Lts, Network
from symrob.lts.bisimulation import minimise
from symrob.lts.determinise import determinise
from symrob.lts.product import Priority, compose, drop_tau_only
from symrob.lts.reachability import reachable
from tests.oracles.equivalence import (
    isomorphism,
    side_by_side,
    strongly_bisimilar,
    weakly_bisimilar,
)

ACTIONS = ("a", "b", "c")


@st.composite
def systems(draw, max_states=4, tau=True, error=True):
    """A random system, nondeterministic, parts of it unreachable."""
    size = draw(st.integers(1, max_states))
    alphabet = draw(st.sets(st.sampled_from(ACTIONS), min_size=1))
    labels = sorted(alphabet) + ([TAU] if tau else [])
    targets = st.integers(ERROR if error else 0, size - 1)
    rows = st.tuples(st.integers(0, size - 1), st.sampled_from(labels), targets)
    end = draw(st.none() | st.integers(0, size - 1))
    moves = [r for r in draw(st.lists(rows, max_size=9)) if r[0] != end]
    return Lts(alphabet, size, moves, end=end)


# --- product ---------------------------------------------------------------


def product_by_definition(network):
    """Oracle: the product as sets of tuples, ERROR as a word of its own."""
    parts, hidden = network.components, network.hidden
    everything = {a for p in parts for a in p.alphabet}

    def step(state, action):
        if action == TAU:
            for i, p in enumerate(parts):
                for s, a, t in p.transitions:
                    if s == state[i] and a == TAU:
                        yield (*state[:i], t, *state[i + 1 :])
            return
        options = []
        for i, p in enumerate(parts):
            if action in p.alphabet:
                options.append(
                    [t for s, a, t in p.transitions if (s, a) == (state[i], action)]
                )
            else:
                options.append([state[i]])
        yield from combinations(*options)

    start = (0,) * len(parts)
    seen, todo, edges = {start}, [start], set()
    while todo:
        state = todo.pop()
        for action in everything | {TAU}:
            for after in step(state, action):
                if ERROR in after:
                    after = "ERROR"
                edges.add((state, TAU if action in hidden else action, after))
                if after != "ERROR" and after not in seen:
                    seen.add(after)
                    todo.append(after)
    return seen, edges


@st.composite
def networks(draw, end=False):
    parts = draw(st.lists(systems(max_states=3), min_size=1, max_size=3))
    if not end:
        parts = [Lts(p.alphabet, p.size, p.transitions) for p in parts]
    names = sorted({a for p in parts for a in p.alphabet})
    hidden = draw(st.sets(st.sampled_from(names))) if names else ()
    return Network(parts, hidden=hidden)


@given(networks())
def test_compose_is_the_product_by_definition(network):
    lts = compose(network)
    states, edges = product_by_definition(network)
    number = {}
    for i, name in enumerate(lts.names):
        key = (
            tuple(int(w) for w in name.strip("()").split(",")) if "(" in name else None
        )
        number[i] = key
    number[ERROR] = "ERROR"
    assert set(number.values()) - {"ERROR"} == states
    assert {(number[s], a, number[t]) for s, a, t in lts.transitions} == edges
    assert set(lts.alphabet) == set(network.alphabet)


@given(networks(end=True))
def test_product_ends_where_all_that_can_end_have_ended(network):
    """END states are merged; which ones they are follows the definition."""
    lts = compose(network)
    states, edges = product_by_definition(network)
    parts = network.components
    able = {
        i: p.end
        for i, p in enumerate(parts)
        if p.end not in (None, 0) and p.end in product_states(p)
    }
    covered = {a for i in able for a in parts[i].alphabet}
    everything = {a for p in parts for a in p.alphabet}
    busy = {s for s, _a, _t in edges}
    ends = {
        s
        for s in states
        if able
        and covered == everything
        and s not in busy
        and all(s[i] == e for i, e in able.items())
    }
    assert (lts.end is not None) == bool(ends)
    assert lts.size == len(states) - max(0, len(ends) - 1)


def product_states(lts):
    return {s[0] for s in product_by_definition(Network([lts]))[0]}


# Keep numbers as names, so that the oracle can read states back.
@pytest.fixture(autouse=True)
def _numbered_names(monkeypatch):
    monkeypatch.setattr(
        "symrob.lts.product._product_names",
        lambda _n, states: ["(" + ",".join(map(str, s)) + ")" for s in states],
    )


def test_compose_stops_at_the_limit():
    counter = Lts(["t"], 50, [(i, "t", i + 1) for i in range(49)])
    with pytest.raises(LimitExceeded, match="max_states="):
        compose(Network([counter, Lts(["u"], 2, [(0, "u", 1)])]), max_states=60)
    assert compose(Network([counter]), max_states=50).size == 50


def test_all_successful_ends_are_one_state():
    able = Lts("xy", 2, [(0, "x", 1), (0, "y", 1)], end=1)
    other = Lts("xy", 3, [(0, "x", 1), (0, "y", 2)])
    lts = compose(Network([able, other]))
    assert lts.transitions == ((0, "x", 1), (0, "y", 1))
    assert lts.end == 1


# --- traces: the subset construction ---------------------------------------


def runs(lts, length):
    """Oracle: the traces up to a length, and those that can end in ERROR."""
    traces, bad = set(), set()

    def closure(states):
        states = set(states)
        while True:
            more = {t for s, a, t in lts.transitions if a == TAU and s in states}
            if more <= states:
                return states
            states |= more

    def walk(states, trace):
        traces.add(trace)
        if len(trace) == length:
            return
        for action in lts.alphabet:
            after = {t for s, a, t in lts.transitions if a == action and s in states}
            if not after:
                continue
            after = closure(after)
            if ERROR in after:
                bad.add((*trace, action))
                traces.add((*trace, action))
            else:
                walk(after, (*trace, action))

    walk(closure({0}) - {ERROR}, ())
    return traces, bad


@given(systems())
def test_determinise_keeps_traces_and_errors(lts):
    result = determinise(lts)
    assert result.deterministic
    assert runs(result, 5) == runs(lts, 5)
    assert result.alphabet == lts.alphabet


def test_determinise_keeps_end_only_alone():
    moves = [(0, "a", 1), (0, "b", 1), (0, "b", 2), (2, "a", 0)]
    result = determinise(Lts("ab", 3, moves, end=1))
    assert {t for s, a, t in result.transitions if (s, a) == (0, "a")} == {result.end}


# --- equivalences ------------------------------------------------------------


def bisimilarity(lts, weak):
    """Oracle: the largest bisimulation, by throwing pairs out."""
    states = [*range(lts.size), ERROR]
    plain = {(s, a, t) for s, a, t in lts.transitions}
    if weak:
        silent = {(s, s) for s in states}
        while True:
            more = {
                (s, u) for s, t in silent for t2, a, u in plain if t2 == t and a == TAU
            }
            if more <= silent:
                break
            silent |= more
        steps = {(s, TAU, t) for s, t in silent}
        steps |= {
            (s, a, u)
            for s, m in silent
            for m2, a, t in plain
            if m2 == m
            for t2, u in silent
            if t2 == t
        }
    else:
        steps, silent = plain, {(s, s) for s in states}
    ends = {s for s, t in silent if t == lts.end}
    row = {s: {(a, t) for s2, a, t in steps if s2 == s} for s in states}
    pairs = {
        (x, y)
        for x in states
        for y in states
        if (x == ERROR) == (y == ERROR) and (x in ends) == (y in ends)
    }
    while True:
        kept = {
            (x, y)
            for x, y in pairs
            if all(
                any(b == a and (s, t) in pairs for b, t in row[y]) for a, s in row[x]
            )
            and all(
                any(b == a and (t, s) in pairs for b, t in row[x]) for a, s in row[y]
            )
        }
        if kept == pairs:
            return pairs
        pairs = kept


def test_oracle_tells_strong_from_weak():
    lts = Lts("a", 4, [(0, TAU, 1), (1, "a", 2), (3, "a", 2)])
    assert (0, 3) in bisimilarity(lts, weak=True)
    assert (0, 3) not in bisimilarity(lts, weak=False)


def test_long_chains_differ_at_their_end():
    def chain(length):
        return Lts("a", length + 1, [(i, "a", i + 1) for i in range(length)])

    assert minimise(chain(6)).size == 7
    assert not strongly_bisimilar(chain(6), chain(7))
    assert not weakly_bisimilar(chain(6), chain(7))


def test_an_isomorphism_merges_no_states():
    two = Lts("xy", 3, [(0, "x", 1), (0, "y", 2)])
    one = Lts("xy", 2, [(0, "x", 1), (0, "y", 1)])
    assert isomorphism(two, one) is None
    assert isomorphism(one, two) is None


def test_third_law_of_tau():
    """a.(c + tau.b) + a.b is a.(c + tau.b): silent moves count after an action too."""
    moves = [(0, "a", 1), (1, TAU, 2), (1, "c", 3), (2, "b", 3)]
    one, two = Lts("abc", 4, moves), Lts("abc", 4, [*moves, (0, "a", 2)])
    assert weakly_bisimilar(one, two)
    assert not strongly_bisimilar(one, two)
    assert same_by_oracle(one, two, weak=True)


@given(systems())
def test_minimise_is_the_weak_quotient(lts):
    lts = reachable(lts)
    result = minimise(lts)
    classes = {
        frozenset(y for x2, y in bisimilarity(lts, True) if x2 == x)
        for x in range(lts.size)
    }
    related = bisimilarity(lts, True)
    met = reached_classes(lts, related)
    assert result.size == len(met) <= len(classes)
    assert not any(a == TAU and s == t for s, a, t in result.transitions)
    assert weakly_bisimilar(result, lts)
    assert same_by_oracle(result, lts, weak=True)


def reached_classes(lts, related):
    """The classes that the quotient can reach, by edges between classes."""
    of = {s: frozenset(y for x, y in related if x == s) for s in range(lts.size)}
    seen, todo = {of[0]}, [of[0]]
    while todo:
        here = todo.pop()
        for s, _a, t in lts.transitions:
            if of[s] == here and t != ERROR and of[t] not in seen:
                seen.add(of[t])
                todo.append(of[t])
    return seen


def same_by_oracle(a, b, weak):
    shift = a.size
    both = side_by_side(a, b)
    # One END each: mark them by a move that nothing else has.
    marks = [
        (e, "end", e)
        for e in (a.end, None if b.end is None else b.end + shift)
        if e is not None
    ]
    both = Lts({*both.alphabet, "end"}, both.size, [*both.transitions, *marks])
    return a.alphabet == b.alphabet and (0, shift) in bisimilarity(both, weak)


@given(systems(max_states=3), systems(max_states=3))
def test_bisimilarity_agrees_with_the_oracle(a, b):
    b = Lts(
        a.alphabet,
        b.size,
        [t for t in b.transitions if t[1] in (*a.alphabet, TAU)],
        end=b.end,
    )
    assert strongly_bisimilar(a, b) == same_by_oracle(a, b, weak=False)
    assert weakly_bisimilar(a, b) == same_by_oracle(a, b, weak=True)


@given(systems(tau=False, error=True), st.randoms(use_true_random=False))
def test_isomorphism_survives_a_shuffle(lts, random):
    lts = determinise(Lts(lts.alphabet, lts.size, lts.transitions))
    rest = list(range(1, lts.size))
    random.shuffle(rest)
    place = dict(zip(range(lts.size), [0, *rest], strict=True)) | {ERROR: ERROR}
    moved = Lts(
        lts.alphabet, lts.size, [(place[s], a, place[t]) for s, a, t in lts.transitions]
    )
    assert isomorphism(lts, moved) == {s: place[s] for s in range(lts.size)}
    if lts.transitions:
        source, action, target = lts.transitions[0]
        other = ERROR if target != ERROR else 0
        changed = {*lts.transitions} - {lts.transitions[0]} | {(source, action, other)}
        assert isomorphism(lts, Lts(lts.alphabet, lts.size, changed)) is None


# --- what composites do to products --------------------------------------------


@given(systems(), st.sets(st.sampled_from(ACTIONS)), st.booleans())
def test_priority_by_definition(lts, favoured, high):
    lts = Lts(lts.alphabet, lts.size, lts.transitions)
    result = compose(lts, priority=Priority(frozenset(favoured), high))
    kept = set()
    for s, a, t in lts.transitions:
        here = {b for s2, b, _t in lts.transitions if s2 == s}
        liked = here & favoured
        loses = (
            a not in favoured and liked if high else a in favoured and here - favoured
        )
        if not loses:
            kept.add((s, a, t))
    result = Lts(result.alphabet, result.size, result.transitions)
    assert result == reachable(Lts(lts.alphabet, lts.size, kept))


@given(systems())
def test_dropping_tau_states_keeps_traces(lts):
    lts = Lts(lts.alphabet, lts.size, lts.transitions)
    result = drop_tau_only(lts)
    assert runs(result, 5) == runs(lts, 5)


def test_dropping_tau_states_leads_past_them():
    moves = [(0, "a", 1), (1, TAU, 2), (2, TAU, 3), (2, TAU, ERROR), (3, "b", 0)]
    result = drop_tau_only(Lts("ab", 4, moves))
    assert result == Lts("ab", 2, [(0, "a", 1), (0, "a", ERROR), (1, "b", 0)])


def test_reachable_renumbers_breadth_first():
    lts = Lts(
        "ab", 4, [(0, "a", 3), (3, "b", 0), (1, "a", 2)], names=list("wxyz"), end=3
    )
    result = reachable(lts)
    assert result == Lts("ab", 2, [(0, "a", 1), (1, "b", 0)], names=["w", "z"], end=1)
