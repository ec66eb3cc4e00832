"""The parser left exceptions whose frames kept alive what its callers held.

BDDs among it were then freed after their manager, and dd complained.
"""

import gc
import weakref

from symrob.formats.fsp import load_text


class Held:
    """Something that a caller of the parser holds."""


def hold_something_while_parsing(text):
    held = Held()
    assert load_text(text).network.size == 2
    return weakref.ref(held)


def test_what_a_caller_held_is_freed_with_the_call():
    gc.disable()
    try:
        reference = hold_something_while_parsing("P = (a -> Q | b -> P), Q = (c -> P).")
        assert reference() is None
    finally:
        gc.enable()


def test_collections_go_on_as_before():
    for usual in (True, False):
        try:
            (gc.enable if usual else gc.disable)()
            load_text("P = (a -> P).")
            assert gc.isenabled() == usual
        finally:
            gc.enable()
