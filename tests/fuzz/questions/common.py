"""What all questions share: how the product is asked, how answers are compared."""

from contextlib import contextmanager

from symrob.errors import LimitExceeded
from symrob.limits import Clock
from symrob.options import Options
from tests import engines
from tests.engines import roles_of  # noqa: F401
from tests.oracles import replay


class Difference(AssertionError):
    """The product and the reference differ."""


class Skip(Exception):
    """The question does not fit the problem."""


def same(what, found, expected):
    if found != expected:
        raise Difference(f"{what}: {_shown(found)}, and it is {_shown(expected)}")


def right(what, holds):
    if not holds:
        raise Difference(what)


def _shown(value):
    if isinstance(value, set | frozenset):
        value = sorted(value, key=repr)
    return f"{value!r:.400}"


class Watch(Clock):
    """A clock whose time is up at the nth look, whatever the machine.

    Attributes:
        left: How many looks are left; None for no end.
    """

    left = None

    def check(self):
        super().check()
        if self.left is not None and not self._suspended:
            self.left -= 1
            if self.left <= 0:
                raise LimitExceeded("time is up", reason="timeout")


def engine_of(problem, ticks=None, **options):
    """The engine; where it is to be stopped, only after its nominal check."""
    watch = Watch(Options(**options).limits)
    engine = engines.engine_of(problem, watch, **options)
    engine.clock.left = ticks
    return engine


def masks(reference, deviations):
    """Deviations as masks, in their order; each holds R_E and nothing foreign."""
    found = []
    for deviation in deviations:
        right("a deviation lacks R_E", set(reference.nominal) <= set(deviation))
        right(
            "a deviation holds what is not in A",
            all(tuple(t) in reference.number for t in deviation),
        )
        found.append(reference.mask(deviation))
    return found


def distinct(found):
    right("a deviation comes twice", len(set(found)) == len(found))


def is_maximal(reference, chosen):
    """By walking: safe, and with each candidate that is left not."""
    return reference.length(chosen) is None and all(
        chosen >> c & 1 or reference.length(chosen | 1 << c) is not None
        for c in range(len(reference.candidates))
    )


@contextmanager
def files(contents):
    """A folder with some files."""
    import tempfile
    from pathlib import Path

    with tempfile.TemporaryDirectory() as folder:
        for name, text in contents.items():
            Path(folder, name).write_text(text, encoding="utf-8")
        yield folder


def require_solved(reference):
    if not reference.solved:
        raise Skip


def check_trace(problem, reference, added, trace, verdict=None):
    """A shortest run with just these added, and one that can be made.

    What can hurt is shown by a run that breaks a property.
    """
    environment, controller, properties, constraints = problem
    members = reference.members(added)
    if verdict in ("hazardous", "excluded-unsafe"):
        same("length of the run", len(trace.steps), reference.harm(added))
        breaks = replay.breaks(environment, members, controller, properties, trace)
        right("the run breaks a property", breaks)
        return
    same("length of the run", len(trace.steps), reference.length(added))
    right(
        "the run can be made, and ends in ERROR",
        replay.breaks(environment, members, controller, properties, trace)
        or replay.breaks(environment, members, None, constraints, trace),
    )


def draw_stopped(rng, _reference):
    return {"ticks": rng.choice((None, None, rng.randint(1, 200)))}


def some_transitions(rng, reference, most=4):
    chosen = rng.sample(
        reference.transitions, min(len(reference.transitions), rng.randint(1, most))
    )
    if rng.random() < 0.5 and reference.alone:
        alone = sorted(reference.members(reference.alone))
        chosen = rng.sample(alone, min(len(alone), rng.randint(1, most)))
    return sorted(map(list, chosen))
