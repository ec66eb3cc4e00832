"""How many random examples a test takes: few in CI, many where they are asked for."""

from hypothesis import settings


def examples(few, many=20_000):
    """`few`, and with `HYPOTHESIS_PROFILE=thorough` so `many`."""
    return many if settings.default.max_examples > 1000 else few
