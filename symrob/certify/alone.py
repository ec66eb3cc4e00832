"""Running a part of the checker as a program: its bounds, output and exit code.

In:  a parser of options, and work that yields lines.
Out: the lines, escaped; an exit code, and never a traceback. Standard library only.
"""

import os
import sys
from argparse import ArgumentParser, Namespace
from collections.abc import Callable, Iterator
from threading import Timer

from symrob.certify.reading import WrongError
from symrob.certify.watching import (
    MAX_SIZE,
    MAX_STATES,
    MEMORY,
    BoundHitError,
    CheckBudget,
)

# The time is thirty times what the largest certificate in docs took.
BOUNDS = {
    "max-states": (MAX_STATES, "Stop at this many states and moves."),
    "max-size": (MAX_SIZE, "Stop at this many MiB of unpacked certificate."),
    "memory": (MEMORY, "Stop at this many MiB of memory."),
    "timeout": (600.0, "Stop after this many seconds."),
}


def run(
    parser: ArgumentParser,
    work: Callable[[Namespace, Callable[[], CheckBudget]], Iterator[str]],
) -> int:
    """Do the work within bounds, for which options are added to the parser.

    Args:
        parser: The parser with the options of the work.
        work: Called with the options, and a function that creates a budget for a
            certificate.

    Returns:
        0; 4 if a certificate is refused; 3 if a bound was hit; 2 if a file cannot be
        read or written; 130 after Ctrl-C.
    """
    for name, (usual, what) in BOUNDS.items():
        parser.add_argument(
            f"--{name}", type=type(usual), default=usual, metavar="N", help=what
        )
    asked = parser.parse_args()
    # By a thread that ends the process: it interrupts whatever goes on, everywhere.
    timer = Timer(min(asked.timeout, 1e6), _time_is_up, [asked.timeout])
    timer.daemon = True
    timer.start()
    _bound_memory(asked.memory)
    try:
        for line in work(
            asked, lambda: CheckBudget(asked.max_states, asked.max_size, asked.memory)
        ):
            print(_escaped(line), flush=True)
    except WrongError as error:
        print(_escaped("wrong ({}): {}".format(*error.args)), flush=True)
        return 4
    except BoundHitError as error:
        return _undecided(str(error), 3)
    except (MemoryError, RecursionError):
        return _undecided(f"more than {asked.memory} MiB of memory; {_MORE}", 3)
    except BrokenPipeError:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 2
    except (OSError, ValueError) as error:
        return _undecided(str(error), 2)
    except KeyboardInterrupt:
        return _undecided("interrupted", 130)
    finally:
        # What ends a thread, or the process, needs some memory itself.
        _bound_memory(None)
        timer.cancel()
    return 0


_MORE = "raise --memory to continue"


def _escaped(line: str) -> str:
    """In ASCII, on one line: what a certificate names cannot steer a terminal."""
    return line.encode("unicode_escape").decode("ascii")


def _undecided(why: str, code: int) -> int:
    print("not decided:", _escaped(why), file=sys.stderr, flush=True)
    return code


def _time_is_up(seconds: float) -> None:
    os._exit(_undecided(f"more than {seconds:g} s; raise --timeout to continue", 3))


def _bound_memory(mebibytes: int | None) -> None:
    """Have the system refuse more, where it can: searches take what nobody counts."""
    try:
        import resource

        _, most = resource.getrlimit(resource.RLIMIT_AS)
        bound = most if mebibytes is None else mebibytes << 20
        resource.setrlimit(resource.RLIMIT_AS, (bound, most))
    except (ImportError, ValueError, OverflowError, OSError):
        return
