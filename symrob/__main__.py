"""`python -m symrob`, and the command `symrob`.

Only the signal handling is imported before the signal handlers are installed.
"""

import os
import signal
import sys
from time import monotonic
from types import FrameType

from symrob.ended import document, due

_INTERRUPTED = 130
_STARTED = monotonic()


def _quit(_number: int, _frame: FrameType | None) -> None:
    try:
        if due(sys.argv):
            os.write(1, document("interrupted", '"interrupted"').encode())
    finally:
        os._exit(_INTERRUPTED)


def main() -> None:
    """Run the command line; until a command has begun, signals end it at once.

    A signal during an import may surface as another exception, and no result can be
    lost yet. If the command line asks for JSON, a document reports the end.
    """
    hangup = getattr(signal, "SIGHUP", signal.SIGTERM)
    for number in (signal.SIGINT, signal.SIGTERM, hangup):
        # Who ignores them, as shells do for what runs in the background, goes on.
        if signal.getsignal(number) is not signal.SIG_IGN:
            signal.signal(number, _quit)
    from symrob.cli import main as command
    from symrob.cli.ending import own_process

    own_process()
    command(_STARTED)


if __name__ == "__main__":
    main()
