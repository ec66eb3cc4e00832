"""Priority was applied to the full product, which could be far too large."""

import pytest

from symrob.errors import LimitExceeded
from symrob.formats.fsp import Limits, load_text
from symrob.lts.product import compose


def test_states_that_must_wait_are_never_built():
    text = "P = (a -> b -> P). ||C = (forall [i:0..20] p[i]:P) << {p[0].{a,b}}."
    lts = load_text(text, limits=Limits(max_states=50)).network
    assert lts.transitions == ((0, "p.0.a", 1), (1, "p.0.b", 0))
    assert len(lts.alphabet) == 42
    network = load_text(text.replace(" << {p[0].{a,b}}", "")).network
    with pytest.raises(LimitExceeded):
        compose(network, max_states=1000)
