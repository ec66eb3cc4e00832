"""One case: a problem, how constants are set, and one question; and how it fails."""

import json
import signal
import traceback
from random import Random

from tests.fuzz import problems
from tests.fuzz.knobs import random_settings, turned
from tests.fuzz.questions import OF_UNSAFE_PLANS, QUESTIONS, Skip, check
from tests.oracles.product import TooLargeError
from tests.oracles.reference import Reference

# Processor seconds that a question may take, and one of a case that is shrunk.
SECONDS = 20
SHRINKING = 5


class Hung(BaseException):
    """The question took too long. Nobody catches it on the way."""


def _alarm(_number, _frame):
    raise Hung


class bounded:  # noqa: N801
    """A block that may take so much time of the processor."""

    def __init__(self, seconds):
        self._seconds = seconds

    def __enter__(self):
        signal.signal(signal.SIGPROF, _alarm)
        signal.setitimer(signal.ITIMER_PROF, self._seconds)

    def __exit__(self, *_):
        signal.setitimer(signal.ITIMER_PROF, 0)


def cases(seed, asked=None, kinds=None):
    """Yield the cases of a seed: one problem, one to three questions.

    Args:
        seed: The seed.
        asked: Names of the questions to choose from; None for all.
        kinds: Names of the kinds of problems to choose from; None for all.

    Yields:
        The case as a dictionary, the problem and the reference.
    """
    rng = Random(seed)
    problem, reference = problems.judged_problem(rng, kinds)
    names = asked or list(QUESTIONS)
    weights = [QUESTIONS[name][0] for name in names]
    for name in rng.choices(
        names, weights, k=1 if reference.undefined else rng.choice((1, 2, 2, 3))
    ):
        settings = random_settings(rng)
        try:
            drawn = not reference.undefined or name in OF_UNSAFE_PLANS
            asked = QUESTIONS[name][1](rng, reference) if drawn else {}
        except (Skip, TooLargeError):
            continue
        case = {
            "seed": seed,
            "question": name,
            "asked": asked,
            "settings": settings,
            "problem": problem,
        }
        yield case, problem, reference


def failure(case, problem=None, reference=None, seconds=SECONDS):
    """Ask, and return what is wrong: a word for its kind and the whole story.

    `None` where the answer is right.

    Raises:
        Skip: The question does not fit.
    """
    problem = problem or problems.from_dict(case["problem"])
    try:
        with bounded(seconds), turned(case["settings"]):
            check(
                case["question"],
                problem,
                reference or Reference(problem),
                case["asked"],
            )
    except Skip:
        raise
    except TooLargeError:
        raise Skip from None
    except Hung:
        return "hangs", f"no answer after {seconds} s of the processor"
    except Exception as error:
        kind = type(error).__name__
        what = str(error).partition(":")[0] if kind == "Difference" else ""
        return f"{kind} {what}".strip(), traceback.format_exc()
    return None


def to_json(case):
    """A case as text; of its problem a dictionary is made."""
    problem = case["problem"]
    if not isinstance(problem, dict):
        problem = problems.to_dict(problem)
    return json.dumps({**case, "problem": problem}, ensure_ascii=False)
