"""Every constant that the engine is tuned by, settable.

A tuning constant decides how an answer is found, never which: so the fuzzer sets
each to its least value, to one more, and to its default. One that is new in
`symrob.envelope.tuning` is found without anybody listing it here.
"""

from contextlib import contextmanager

from symrob.envelope import tuning

# Where 0 means nothing, or two that take turns would both get no time at all.
LEAST = {
    "CALLS_WATCHED": 1,
    "FIRST_CONFLICTS": 1,
    "GROWN_AT_FIRST": 1,
    "GROWN_TOGETHER": 1,
    "NEIGHBOURS": 1,
    # A part has a literal and two variables at least, or there is no end of parts.
    "LONG_CLAUSE": 3,
    # Below, determinised forms of 10^4 states and more are asked for in vain.
    "PRODUCT_STATES": 500,
    "TURN_CONFLICTS": 1,
    "TURN_DEVIATIONS": 1,
}

KNOBS = {name: value for name, value in vars(tuning).items() if name.isupper()}


def choices(name):
    """The values to try for a constant."""
    least = LEAST.get(name, 0)
    return (least, least + 1, KNOBS[name])


@contextmanager
def turned(settings):
    """Within the block constants have other values; unknown ones are passed over."""
    known = {name: value for name, value in settings.items() if name in KNOBS}
    for name, value in known.items():
        setattr(tuning, name, value)
    try:
        yield
    finally:
        for name in known:
            setattr(tuning, name, KNOBS[name])


def random_settings(rng):
    """Defaults, a few others, or all of them at random."""
    share = rng.choice((0, 0, 0.1, 0.3, 0.6, 1))
    return {
        name: value
        for name, default in KNOBS.items()
        if rng.random() < share and (value := rng.choice(choices(name))) != default
    }
