"""Local processes that were taken for others, or for STOP, without a word."""

import pytest

from symrob.errors import SymrobError
from symrob.formats.fsp import load_text

PORT = """range M = 0..1  set S = {[M],[M][M]}
PORT = (send[x:M] -> PORT[x]),
PORT[h:M] = (send[x:M] -> PORT[x][h] | receive[h] -> PORT),
PORT[t:S][h:M] = (send[x:M] -> PORT[x][t][h] | receive[h] -> PORT[t])."""


def test_labels_as_indices_stand_for_as_many_indices_as_they_have_parts():
    """A queue of up to three; the fourth message is ERROR, with a warning."""
    model = load_text(PORT)
    lts = model.network
    queues = ["".join(f"[{m}]" for m in bits) for bits in all_queues()]
    assert sorted(lts.names) == sorted(f"PORT{queue}" for queue in queues)
    full = [s for s, name in enumerate(lts.names) if name.count("[") == 3]
    assert {t.source for t in lts.transitions if t.target < 0} == set(full)
    assert [w.code for w in model.warnings] == ["fsp-index-outside"]
    place = {name: s for s, name in enumerate(lts.names)}
    first = lts.successors[place["PORT[0][0][1]"]]
    assert first["receive.1"] == (place["PORT[0][0]"],)
    assert "receive.0" not in first


def all_queues():
    found, todo = [], [()]
    for queue in todo:
        found.append(queue)
        if len(queue) < 3:
            todo += [(0, *queue), (1, *queue)]
    return found


def test_a_number_and_the_label_of_its_digits_are_one_index():
    text = "set S = {[0..1]} P = Q[0], Q[v:S] = (a -> Q[1] | b[v] -> Q[0])."
    lts = load_text(text).network
    assert lts.size == 2
    assert all(t.target >= 0 for t in lts.transitions)
    with pytest.raises(SymrobError, match="defined twice"):
        load_text(text.replace(").", "), Q[1] = STOP."))


def test_a_wrong_number_of_indices_is_still_a_slip():
    with pytest.raises(SymrobError, match="has 1 index, not 2"):
        load_text("set S = {a, b} P = Q['a], Q[v:S] = (x -> Q['a][1]).")


@pytest.mark.parametrize("last", ["Q = E; Q", "Q = E; R, R = E; Q", "Q = E; E; Q"])
def test_a_cycle_of_aliases_through_processes_that_only_end(last):
    with pytest.raises(SymrobError) as caught:
        load_text(f"E = END. B = (a -> Q | b -> STOP), {last}.", process="B")
    (problem,) = caught.value.diagnostics
    assert (problem.code, problem.column) == ("fsp-alias-cycle", 36)


@pytest.mark.parametrize(
    "text",
    [
        "P = Q[0][0], Q[i:0..1][«i:0..1] = (a -> P).",
        "P = (a -> P). ||C = forall [i:0..1][«i:0..1] x[i]:P.",
        "P = (a[0] -> P) / {forall [i:0..1][«i:0..1] {b/a[i]}}.",
        "P = (a -> P). progress G[i:0..1][«i:0..1] = {a}",
        "P = (a -> P). fluent F[i:0..1][«i:0..1] = <a, b>",
        "P = (a -> P). assert A = forall [i:0..1][«i:0..1] a",
    ],
)
def test_a_variable_that_a_row_of_indices_binds_twice(text):
    with pytest.raises(SymrobError) as caught:
        load_text(text.replace("«", ""))
    (problem,) = caught.value.diagnostics
    assert (problem.code, problem.column) == (
        "fsp-variable-rebound",
        text.index("«") + 1,
    )
