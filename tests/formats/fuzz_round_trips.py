"""Round trips through every format, with names that nobody would choose, for minutes.

    python -m tests.formats.fuzz_round_trips --minutes 10 --seed 1

Each system is written, read back and compared as the tests of this folder do it. A
writer may refuse a name that its format cannot hold; nothing else may go wrong.
"""

import argparse
import sys
import tempfile
import time
import traceback
from collections import Counter
from pathlib import Path
from random import Random

from symrob.lts import ERROR, TAU, Lts, Network
from tests.formats import test_fsp_writer as fsp
from tests.formats import test_other_tools as others
from tests.formats import test_round_trip as plain
from tests.formats.strategies import FSP_ACTIONS, NASTY_ACTIONS, NASTY_NAMES
from tests.security.hostile import HOSTILE

# What has a meaning somewhere: quotes, ends of comments, escapes, blanks of all kinds,
# halves of characters, marks of direction, what XML may not hold, words of languages.
PIECES = (
    *" \t\n\r\v\f\0\x1b\x7f\x85\xa0\u00ad\u2028\u2029\u202e\u200b\ufeff\ufffe\ud800",
    *"\"'`\\/*#%&<>;:,.=|!?()[]{}$@~^+-_",
    *("a", "b", "Z", "0", "9", "\u00e9", "\u4e2d", "\U0001f600", "e\u0301", "\u0130"),
    *("-->", "--", "__", "&#10;", "&amp;", "#35;", "<U+0041>", "]]>", "/*", "*/", "//"),
    *(
        "tau",
        "i",
        "ERROR",
        "END",
        "STOP",
        "SYSTEM",
        "when",
        "end",
        "[*]",
        "state",
        "$p",
    ),
    *("<br>", "\\n", "\\l", "%7E", "a.b", "a[1]", "-1", "true", "null", "0x1", "x~2"),
)
REFUSED = {"aut-action", "fsm-action", "wmod-name", "prism-action", "file-encoding"}


def of_lts(test):
    return lambda folder, rng: test.hypothesis.inner_test(folder, system(rng))


def of_network(test):
    return lambda folder, rng: test.hypothesis.inner_test(folder, network(rng))


def diagram(suffix, reader):
    def check(folder, rng):
        given = system(rng)
        data = argparse.Namespace(draw=lambda _strategy: given)
        others.test_a_diagram_holds_the_system.hypothesis.inner_test(
            folder, suffix, reader, data
        )

    return check


def renamed(folder, rng):
    test = fsp.test_nasty_names_are_renamed_one_to_one.hypothesis.inner_test
    test(system(rng, named=False), rng.random() < 0.5)


CHECKS = {
    "json": of_lts(plain.test_json_holds_everything),
    "json, networks": of_network(plain.test_json_holds_networks),
    "aut": of_lts(plain.test_aut_holds_the_transitions),
    "fsm": of_lts(plain.test_fsm_holds_transitions_and_good_names),
    "dot": of_lts(plain.test_dot_shows_states_and_transitions),
    "wmod": of_lts(others.test_a_module_of_supremica_holds_the_system),
    "wmod, networks": of_network(others.test_a_module_of_supremica_holds_networks),
    "cif": of_lts(others.test_a_specification_of_cif_tells_of_other_names),
    "prism": of_lts(others.test_explicit_files_of_prism_hold_the_system),
    "mermaid": diagram(".mmd", others.mermaid_rows),
    "plantuml": diagram(".puml", others.plantuml_rows),
    "fsp": renamed,
}


def name(rng):
    chance = rng.random()
    if chance < 0.2:
        return rng.choice(FSP_ACTIONS)
    if chance < 0.4:
        return rng.choice((*NASTY_ACTIONS, *NASTY_NAMES, *HOSTILE))
    if chance < 0.5:
        return "".join(chr(rng.randrange(0x110000)) for _ in range(rng.randint(0, 3)))
    return "".join(rng.choice(PIECES) for _ in range(rng.randint(0, 4)))


def system(rng, named=True):
    size = rng.randint(1, 5)
    alphabet = sorted({name(rng) for _ in range(rng.randint(0, 4))} - {"", TAU})
    rows = [
        (
            rng.randrange(size),
            rng.choice([*alphabet, TAU]),
            rng.randrange(ERROR, size),
        )
        for _ in range(rng.randint(0, 10))
    ]
    names = None
    if named and rng.random() < 0.7:
        found = {}
        while len(found) < size:
            found[name(rng)] = None
        names = [*found]
    end = rng.randrange(size) if rng.random() < 0.3 else None
    return Lts(alphabet, size, rows, names=names, end=end)


def network(rng):
    parts = [system(rng) for _ in range(rng.randint(1, 3))]
    known = sorted({a for lts in parts for a in lts.alphabet})
    hidden = {a for a in known if rng.random() < 0.2}
    names = [name(rng) for _ in parts] if rng.random() < 0.7 else None
    return Network(parts, component_names=names, hidden=hidden)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--minutes", type=float, default=1)
    parser.add_argument("--seed", type=int, default=0)
    given = parser.parse_args()
    done, refused, wrong, seed = Counter(), Counter(), Counter(), given.seed
    stop = time.monotonic() + 60 * given.minutes
    with tempfile.TemporaryDirectory() as folder:
        while time.monotonic() < stop:
            for kind, check in CHECKS.items():
                done[kind] += 1
                try:
                    check(Path(folder), Random(f"{seed} {kind}"))
                except Exception as error:
                    problems = getattr(error, "diagnostics", ())
                    if problems and {d.code for d in problems} <= REFUSED:
                        refused[kind] += 1
                        continue
                    wrong[kind] += 1
                    if wrong[kind] <= 3:
                        print(f"--- seed {seed}, {kind}", flush=True)
                        traceback.print_exc()
            seed += 1
    for kind, count in done.items():
        print(f"{kind}: {count}, {refused[kind]} refused, {wrong[kind]} wrong")
    return int(bool(wrong))


if __name__ == "__main__":
    sys.exit(main())
