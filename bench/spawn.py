"""Runs one command and measures it; a process of its own, and a small one.

In:  files for the command's output and errors; seconds after which it is killed;
     seconds after which it is looked at, and the signal that it is sent then, 0 for
     none; the command.
Out: exit code, seconds of wall time, most resident memory (in the units of the
     system), seconds of processor time after the look and of all, on one line.

Linux lets a new process inherit the memory mark of the one that it was started
from, so that nothing smaller than that one can be measured. This one imports next
to nothing, and any Python that does anything is larger.
"""

import os
import signal
import sys
from time import perf_counter


def used(pid: int) -> float:
    """Processor time of a process and all below it so far; 0 where none is told."""
    try:
        with open(f"/proc/{pid}/stat", encoding="utf-8", errors="replace") as file:
            fields = file.read().rpartition(")")[2].split()
        with open(f"/proc/{pid}/task/{pid}/children", encoding="utf-8") as file:
            below = file.read().split()
    except OSError:
        return 0.0
    ticks = sum(map(int, fields[11:15]))
    return ticks / os.sysconf("SC_CLK_TCK") + sum(used(int(child)) for child in below)


def main() -> None:
    """Run, wait, and print what the system says about the process."""
    output, errors, bound, look, number, *command = sys.argv[1:]
    start = perf_counter()
    flags = os.O_WRONLY | os.O_TRUNC
    pid = os.posix_spawn(
        command[0],
        command,
        os.environ,
        file_actions=[
            (os.POSIX_SPAWN_OPEN, 1, output, flags, 0o600),
            (os.POSIX_SPAWN_OPEN, 2, errors, flags, 0o600),
        ],
        setpgroup=0,
        # What runs in the background ignores some, and its children would too.
        setsigdef=[signal.SIGINT, signal.SIGTERM, signal.SIGHUP],
    )
    seen: list[float] = []

    def ring(_number: int, _frame: object) -> None:
        ends = signal.SIGKILL if seen else int(number)
        if not seen:
            seen.append(used(pid))
        if ends:
            try:
                # As a terminal does: to all that it has started, too.
                os.killpg(pid, ends)
            except ProcessLookupError:
                return  # It has ended just now.
        signal.setitimer(signal.ITIMER_REAL, max(float(bound) - float(look), 0.001))

    signal.signal(signal.SIGALRM, ring)
    signal.setitimer(signal.ITIMER_REAL, float(look))
    _, status, usage = os.wait4(pid, 0)
    wall = perf_counter() - start
    signal.setitimer(signal.ITIMER_REAL, 0)
    spent = usage.ru_utime + usage.ru_stime
    late = spent - seen[0] if seen else 0.0
    print(os.waitstatus_to_exitcode(status), wall, usage.ru_maxrss, late, spent)


if __name__ == "__main__":
    main()
