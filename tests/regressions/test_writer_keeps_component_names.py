"""The FSP writer called a state like the process that it was a state of."""

import pytest

from symrob.formats import render
from symrob.formats.fsp import load_text
from symrob.lts.product import product
from tests.oracles.equivalence import isomorphism


@pytest.mark.parametrize("name", ["S0", "S1", "S_0", "S", "S00", "SYSTEM"])
def test_components_called_like_states(name):
    text = f"{name} = (a -> STOP). ||C = ({name} || x:{name})."
    network = load_text(text).network
    lines, _warnings = render(network, ".lts")
    again = load_text("\n".join(lines)).network
    assert isomorphism(product(again), product(network))
