"""Runs one command and measures it; a process of its own, and a small one.

In:  a file for the command's output, a bound in seconds, the command.
Out: exit code, seconds of wall time and most resident memory (in the units of the
     system), on one line.

Linux lets a new process inherit the memory mark of the one that it was started
from, so that nothing smaller than that one can be measured. This one imports next
to nothing, and any Python that does anything is larger.
"""

import os
import signal
import sys
from time import perf_counter


def main() -> None:
    """Run, wait, and print what the system says about the process."""
    path, bound, *command = sys.argv[1:]
    start = perf_counter()
    pid = os.posix_spawn(
        command[0],
        command,
        os.environ,
        file_actions=[
            (os.POSIX_SPAWN_OPEN, 1, path, os.O_WRONLY | os.O_TRUNC, 0o600),
            (os.POSIX_SPAWN_OPEN, 2, os.devnull, os.O_WRONLY, 0o600),
        ],
    )
    signal.signal(signal.SIGALRM, lambda *_: os.kill(pid, signal.SIGKILL))
    signal.setitimer(signal.ITIMER_REAL, float(bound))
    _, status, usage = os.wait4(pid, 0)
    wall = perf_counter() - start
    print(os.waitstatus_to_exitcode(status), wall, usage.ru_maxrss)


if __name__ == "__main__":
    main()
