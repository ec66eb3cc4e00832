"""Monitors as each language runs them: from the text to the answers to traces.

An answer is (deviated since or 0, number of the kind, at risk by, assumptions kept).
"""

import re
import subprocess

from symrob.monitor.targets import text_of
from tests.monitor.st import Block

KINDS = ("safe", "at risk", "doomed", "violated", "unmodelled")


def by_python(monitor, traces):
    text = text_of(monitor, "python", "Watcher")
    text.encode("ascii")
    names = {}
    exec(compile(text, "monitor.py", "exec"), names)
    watcher = names["Watcher"]()
    for trace in traces:
        watcher.reset()
        answers = [watcher.observe(action) for action in trace]
        yield [
            (since or 0, KINDS.index(danger), risks, kept)
            for since, danger, risks, kept in answers
        ]


def numbers(monitor, trace):
    """Actions by number; what is not observed gets numbers that mean nothing."""
    known = {action: number for number, action in enumerate(monitor.actions, 1)}
    odd = (0, len(known) + 1, 2**32 - 1)
    return [known.get(a, odd[i % 3]) for i, a in enumerate(trace)]


def by_st(monitor, traces):
    block = Block(text_of(monitor, "st", "Watcher"))
    assert block.name == "FB_WATCHER"
    for trace in traces:
        block(Observed=0, Restart=True)
        found = []
        for number in numbers(monitor, trace):
            out = block(Observed=number, Restart=False)
            risks = zip(monitor.actions, out["ATRISKBY"][1:], strict=True)
            found.append(
                (
                    out["DEVIATEDSINCE"],
                    out["DANGER"],
                    tuple(a for a, risky in risks if risky),
                    out["ASSUMPTIONSKEPT"],
                )
            )
        yield found


# --- C ----------------------------------------------------------------------

_DRIVER = """
#include <inttypes.h>
#include <stdio.h>
static void run_NAME(void)
{
    NAME_monitor_t monitor;
    uint32_t number = 0U;
    NAME_init(&monitor);
    while ((scanf("%" SCNu32, &number) == 1) && (number != 4000000000U))
    {
        if (number == 4000000001U)
        {
            NAME_init(&monitor);
        }
        else
        {
            NAME_observe(&monitor, number);
            printf("%" PRIu32 " %d %d ", monitor.deviated_since,
                   (int)NAME_danger(&monitor), (int)NAME_assumptions_kept(&monitor));
            for (uint32_t a = 0U; a <= BIG_ACTIONS + 1U; a++)
            {
                printf("%d", (int)NAME_at_risk_by(&monitor, a));
            }
            printf("\\n");
        }
    }
    for (uint32_t a = 0U; a <= BIG_ACTIONS + 1U; a++)
    {
        const char *const text = NAME_action_name(a);
        for (const char *c = text; (c != NULL) && (*c != '\\0'); c++)
        {
            printf("%02x", (unsigned)(unsigned char)*c);
        }
        printf(".\\n");
    }
}
"""
_FLAGS = ("-std=c99", "-pedantic", "-Wall", "-Wextra", "-Werror", "-Wconversion")


def by_c(folder, monitors, traces, compiler="cc"):
    """Compile several monitors into one program; yield the answers of each.

    Args:
        folder: Where to compile.
        monitors: The monitors.
        traces: For each a list of traces.
        compiler: What compiles C.
    """
    main = ["int main(void)", "{"]
    source = []
    for i, monitor in enumerate(monitors):
        text = text_of(monitor, "c", f"w{i}")
        (folder / f"w{i}.h").write_text(text, "ascii")
        source.append(f'#include "w{i}.h"')
        source.append(_DRIVER.replace("NAME", f"w{i}").replace("BIG", f"W{i}"))
        main.append(f"run_w{i}();")
    (folder / "main.c").write_text("\n".join([*source, *main, "return 0; }", ""]))
    subprocess.run(
        [compiler, *_FLAGS, "-O1", "-o", "watch", "main.c"], cwd=folder, check=True
    )
    words = []
    for monitor, several in zip(monitors, traces, strict=True):
        for trace in several:
            words += [4000000001, *numbers(monitor, trace)]
        words.append(4000000000)
    done = subprocess.run(
        [folder / "watch"],
        input=" ".join(map(str, words)),
        capture_output=True,
        text=True,
        check=True,
    )
    lines = iter(done.stdout.splitlines())
    for monitor, several in zip(monitors, traces, strict=True):
        yield [[_answer(monitor, next(lines)) for _ in trace] for trace in several]
        names = [
            bytes.fromhex(next(lines)[:-1]) for _ in range(len(monitor.actions) + 2)
        ]
        wanted = [
            a.encode("utf-8", "backslashreplace").split(b"\0")[0]
            for a in monitor.actions
        ]
        assert names == [b"", *wanted, b""]


def _answer(monitor, line):
    since, kind, kept, bits = line.split()
    assert bits[0] == bits[-1] == "0"
    risks = zip(monitor.actions, bits[1:-1], strict=True)
    return int(since), int(kind), tuple(a for a, b in risks if b == "1"), kept == "1"


# --- Mermaid ----------------------------------------------------------------


def _plain(text):
    return re.sub(r"\(U\+([0-9A-F]+)\)", lambda m: chr(int(m[1], 16)), text)


def _danger(label):
    if label.startswith("at risk by "):
        actions = label.removeprefix("at risk by ").split(", ")
        return 1, tuple(map(_plain, actions))
    return KINDS.index(label), ()


class Diagram:
    """A state diagram for people, read back: three machines."""

    def __init__(self, text):
        lines = [line.strip() for line in text.splitlines()]
        assert lines[0] == "stateDiagram-v2"
        self.labels, self.moves, self.first = {}, {}, {}
        region = ""
        for line in lines[1:]:
            if line.startswith("%%"):
                continue
            if match := re.fullmatch(r"state (\w+) \{", line):
                region = match[1]
            elif match := re.fullmatch(r'state "([^"]*)" as (\w+)', line):
                self.labels[match[2]] = match[1]
            elif match := re.fullmatch(r"\[\*\] --> (\w+)", line):
                self.first[region] = match[1]
            elif match := re.fullmatch(r"(\w+) --> (\w+) : (.*)", line):
                for action in match[3].split(", "):
                    key = (match[1], _plain(action))
                    assert key not in self.moves
                    self.moves[key] = match[2]
            else:
                assert line == "}", line

    def after(self, state, action):
        return self.moves.get((state, action), state)


def by_mermaid(monitor, traces):
    diagram = Diagram(text_of(monitor, "mermaid"))
    for trace in traces:
        plan, danger, rules = (
            diagram.first[r] for r in ("Plan", "Danger", "Assumptions")
        )
        steps = since = 0
        found = []
        for action in trace:
            steps += action in monitor.actions
            plan = diagram.after(plan, action)
            danger = diagram.after(danger, action)
            rules = diagram.after(rules, action)
            if not since and diagram.labels[plan] == "deviated":
                since = steps
            kind, risks = _danger(diagram.labels[danger])
            found.append((since, kind, risks, diagram.labels[rules] == "kept"))
        yield found
