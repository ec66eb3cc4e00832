"""Inputs on which a run would take long, or hold and print much, if nothing bounded it.

In:  a folder.
Out: `Hard`, twenty of them: a case file each, in that folder or among the models, and
     what is asked about it.

Four of them ended late once: two nondeterministic controllers, a duality without end,
and a property given three thousand times.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from random import Random
from typing import Any

from bench.runner import ROOT

MODELS = ROOT / "models"
# One problem on each line, as they were found.
BRANCHING = ROOT / "tests" / "regressions" / "branching_controllers.jsonl"


@dataclass(frozen=True)
class Hard:
    """One input.

    Attributes:
        name: What the table calls it.
        case: The case file, or what a command takes in its place.
        asked: What is asked about it, names of `bench_bounds.QUESTIONS`.
        options: Further arguments, of all that is asked.
        other: A second design, for those that compare.
    """

    name: str
    case: Path
    asked: tuple[str, ...]
    options: tuple[str, ...] = ()
    other: Path | None = None


def hard_inputs(folder: Path) -> Iterator[Hard]:
    """Yield the inputs; files that are made are written into a folder."""
    free = "--without-constraints"
    pump = MODELS / "pca_pump" / "pca_pump.toml"
    every = MODELS / "pca_pump" / "pca_pump_every_line.toml"
    link = MODELS / "link" / "link.toml"
    ring = MODELS / "token_ring" / "token_ring.toml"
    voting = MODELS / "voting"

    def sized(constant: str, size: int, *more: str) -> tuple[str, ...]:
        return ("--const", f"{constant}={size}", *more)

    yield Hard(
        "pump, free",
        MODELS / "pca_pump" / "pca_pump_unconstrained.toml",
        ("compute", "json", "summary", "cuts --all", "top"),
    )
    two = sized("LINES", 2, free)
    yield Hard("pump 2, free", pump, ("jsonl", "cuts json", "risk csv", "gate"), two)
    four = sized("LINES", 4, free)
    yield Hard("pump 4, free", pump, ("summary json", "verdicts", "explain"), four)
    eight = sized("LINES", 8, free)
    yield Hard(
        "pump 8, free", pump, ("compute", "summary", "risk", "explore", "check"), eight
    )
    lines = sized("LINES", 8)
    yield Hard(
        "pump 8, every line", every, ("compute", "risk json", "candidates"), lines
    )
    yield Hard(
        "pump 3, free",
        pump,
        ("compare", "compare delta"),
        sized("LINES", 3, free),
        every,
    )
    yield Hard(
        "link, free",
        MODELS / "link" / "link_unconstrained.toml",
        ("risk", "risk json", "risk svg", "cuts", "likeliest", "json"),
    )
    six = sized("N", 6)
    yield Hard("link 6", link, ("compute", "monitor", "repair", "draw"), six)
    yield Hard(
        "voting, free",
        voting / "voting_cfm_unconstrained.toml",
        ("json", "jobs", "compact", "certificate", "summary", "cuts certificate"),
    )
    yield Hard(
        "voting all, free",
        voting / "voting_all_unconstrained.toml",
        ("compute", "batch", "compare"),
        other=voting / "voting_cfm_unconstrained.toml",
    )
    ten = sized("N", 10)
    yield Hard("token ring 10", ring, ("compute", "summary", "explain json"), ten)
    yield Hard(
        "Therac-25, free",
        MODELS / "therac25" / "therac25_unconstrained.toml",
        ("plain", "algorithm 1", "suggest", "repair json"),
    )
    for number, asked in ((0, ("compute", "cuts")), (1, ("summary", "cuts json"))):
        yield Hard(f"branching {number}", branching(folder, number), asked)
    yield Hard("duality", branching(folder, 4), ("cuts", "gate", "risk"))
    yield Hard(
        "5,000 actions",
        alphabet(folder, 5_000),
        ("compute", "json", "summary", "candidates", "lint"),
    )
    yield Hard("chain of 3,000", chain(folder, 3_000), ("compute", "summary", "top"))
    yield Hard("grid of 1,600", grid(folder, 40), ("cuts", "explain", "draw"))
    yield Hard(
        "controller of 100,000", flat(folder, 100_000), ("check", "compute", "monitor")
    )
    yield Hard("3,000 properties", repeated(folder, 3_000), ("compute", "check"))
    yield Hard("result, 3,000 times", results(folder, 3_000), ("verify",))
    yield Hard("product of 2^20", product(folder, 20), ("show", "convert"))
    yield Hard("code of 60 bits", code(folder, 60, 40), ("compute", "check", "summary"))
    yield Hard(
        "ladder of 708",
        ladder(folder, 708),
        (
            "json",
            "jsonl",
            "sorted",
            "details",
            "compact",
            "compact lines",
            "certificate",
        ),
    )
    yield Hard("2,000 components", components(folder, 2_000), ("draw many", "show"))
    yield Hard("tangle", tangle(folder, 90, 2_000), ("draw tangle",))
    yield Hard("stars", stars(folder), ("check",))
    yield Hard(
        "two buffers",
        buffers(folder, 30),
        ("summary", "summary json", "summary csv", "compute", "cuts"),
        ("--by", "component"),
    )


def buffers(folder: Path, places: int) -> Path:
    """A composed E: each of 3,724 candidates of two components is a unit."""
    home = folder / "buffers"
    home.mkdir()
    texts = {
        "e": f"BUF = B[0], B[i:0..{places}] = (when (i < {places}) put -> B[i + 1] "
        "| when (i > 0) get -> B[i - 1]).\n||E = (a:BUF || b:BUF).\n",
        "c": "C = (a.put -> D | b.put -> D), D = (a.get -> C | b.get -> C).\n",
        "p": "property P = (a.put -> a.get -> P | b.put -> b.get -> P).\n",
    }
    for name, text in texts.items():
        (home / f"{name}.lts").write_text(text, "utf-8")
    path = home / "case.toml"
    models = 'environment = "e.lts#E"\ncontroller = "c.lts"\nproperties = ["p.lts"]\n'
    path.write_text(models, "utf-8")
    return path


def system(
    alphabet: Sequence[str], states: int, steps: Sequence[Any]
) -> dict[str, Any]:
    """A system as `.json` has it."""
    return {"alphabet": [*alphabet], "states": states, "transitions": [*steps]}


def written(folder: Path, name: str, roles: Mapping[str, Sequence[Any]]) -> Path:
    """Write a case file and its models, by role; return the case file."""
    home = folder / name
    home.mkdir(parents=True, exist_ok=True)
    text = [f"title = {json.dumps(name)}"]
    for role, systems in roles.items():
        paths = [f"{role}_{number}.json" for number in range(len(systems))]
        for path, one in zip(paths, systems, strict=True):
            (home / path).write_text(json.dumps(one), "utf-8")
        many = role in ("properties", "constraints")
        text.append(f"{role} = {json.dumps(paths if many else paths[0])}")
    path = home / "case.toml"
    path.write_text("\n".join(text) + "\n", "utf-8")
    return path


def ladder(folder: Path, states: int) -> Path:
    """One deviation, of all transitions that there can be: 2 n² of them."""
    names = ("down", "up")
    steps: list[tuple[int, str, int]] = []
    for state in range(states - 1):
        steps += [(state, "up", state + 1), (state + 1, "down", state)]
    one = system(names, 1, [(0, name, 0) for name in names])
    roles = {
        "environment": [system(names, states, steps)],
        "controller": [one],
        "properties": [one],
    }
    return written(folder, f"ladder {states}", roles)


def components(folder: Path, number: int) -> Path:
    """A model of so many components; a picture of each is a graph."""
    path = folder / f"components_{number}.lts"
    path.write_text(f"P = (a -> P).\n||C = (forall [i:1..{number}] p[i]:P).\n", "utf-8")
    return path


def tangle(folder: Path, states: int, edges: int) -> Path:
    """A model whose graph takes Graphviz minutes."""
    random = Random(1)
    names = [f"a{number}" for number in range(edges)]
    steps = [(random.randrange(states), a, random.randrange(states)) for a in names]
    path = folder / "tangle.json"
    path.write_text(json.dumps(system(names, states, steps)), "utf-8")
    return path


def stars(folder: Path) -> Path:
    """Patterns of many stars, and a long name that none of them fits."""
    name, pattern = "a" * 90 + "c" * 89 + "b", "*a" * 6 + "*c" * 6
    one = system([name], 1, [(0, name, 0)])
    roles = {"environment": [one], "controller": [one], "properties": [one]}
    path = written(folder, "stars", roles)
    with path.open("a", encoding="utf-8") as file:
        file.write(f'one_sided = ["{pattern}"]\n')
    return path


def branching(folder: Path, number: int) -> Path:
    """A nondeterministic controller, of those in a file."""
    data = json.loads(BRANCHING.read_text("utf-8").splitlines()[number])
    roles = {
        "environment": [data["environment"]],
        "controller": [data["controller"]],
        "properties": data["properties"],
    }
    if data["env_constraints"]:
        roles["constraints"] = data["env_constraints"]
    return written(folder, f"branching {number}", roles)


def alphabet(folder: Path, count: int) -> Path:
    """An environment that goes round in few states, with very many actions."""
    names = [f"a{number}" for number in range(count)]
    steps = [(n % 4, name, (n + 1) % 4) for n, name in enumerate(names)]
    watched = system(names[:2], 2, [(0, names[0], 1), (1, names[1], 0)])
    loops = [(0, name, 0) for name in names[2:]]
    flips = [(0, names[0], 1), (1, names[1], 0)]
    more = [(1, name, 1) for name in names[2:]]
    controller = system(names, 2, [*loops, *flips, *more])
    return written(
        folder,
        f"alphabet {count}",
        {
            "environment": [system(names, 4, steps)],
            "controller": [controller],
            "properties": [watched],
        },
    )


def _walk(folder: Path, name: str, size: int, steps: list[Any]) -> Path:
    """An environment of `step`, `back` and `stop`, where `stop` must come in turn."""
    names = ("step", "back", "stop")
    rule = system(names, 2, [(0, "step", 1), (1, "back", 0), (1, "step", 1)])
    controller = system(names, 1, [(0, "step", 0), (0, "back", 0), (0, "stop", 0)])
    return written(
        folder,
        name,
        {
            "environment": [system(names, size, steps)],
            "controller": [controller],
            "properties": [rule],
        },
    )


def chain(folder: Path, size: int) -> Path:
    """One state after the other: 9 candidates for each pair of states, at most."""
    steps = [(state, "step", state + 1) for state in range(size - 1)]
    return _walk(folder, f"chain {size}", size, steps)


def grid(folder: Path, side: int) -> Path:
    """A square of states."""
    steps = []
    for row in range(side):
        for column in range(side):
            here = row * side + column
            if column + 1 < side:
                steps.append((here, "step", here + 1))
            if row + 1 < side:
                steps.append((here, "step", here + side))
    return _walk(folder, f"grid {side}", side * side, steps)


def flat(folder: Path, states: int) -> Path:
    """A random controller in one piece, which five states of E lead about."""
    random = Random(1)
    names = [f"a{number}" for number in range(6)]
    steps = []
    for state in range(states):
        for name in random.sample(names, 3):
            steps.append((state, name, random.randrange(states)))
    ring = [(state, names[state], (state + 1) % 5) for state in range(5)]
    rule = [(0, name, 0) for name in names[:4]]
    rule += [(0, names[4], 1), (1, names[0], 0)]
    return written(
        folder,
        f"flat {states}",
        {
            "environment": [system(names, 5, ring)],
            "controller": [system(names, states, steps)],
            "properties": [system(names, 2, rule)],
        },
    )


def repeated(folder: Path, times: int) -> Path:
    """The running example with its property many times."""
    home = MODELS / "running_example"
    path = folder / f"repeated {times}" / "case.toml"
    path.parent.mkdir(parents=True, exist_ok=True)
    for name in ("environment.lts", "controller.lts", "property.lts"):
        (path.parent / name).write_bytes((home / name).read_bytes())
    properties = json.dumps(["property.lts"] * times)
    path.write_text(
        'environment = "environment.lts"\ncontroller = "controller.lts"\n'
        f"properties = {properties}\n",
        "utf-8",
    )
    return path


def results(folder: Path, times: int) -> Path:
    """A result of the running example that lists its deviations many times."""
    from symrob.api import analyse, load_roles
    from symrob.case import load_case
    from symrob.options import Options
    from symrob.report.result import result_dict

    case = load_case(str(MODELS / "running_example" / "running_example.toml"))
    data = dict(result_dict(analyse(load_roles(case), Options()), "running example"))
    data["delta"] = [*data["delta"]] * times
    path = folder / "result.json"
    path.write_text(json.dumps(data), "utf-8")
    return path


def code(folder: Path, bits: int, words: int) -> Path:
    """Bits that random actions flip together; no order makes small BDDs of them.

    The states are the words of a random code, and `bad` needs one that is none.
    """
    random = Random(1)
    flipped = [{b for b in range(bits) if random.random() < 0.5} for _ in range(words)]
    lines = []
    for bit in range(bits):
        mine = [f"g[{number}]" for number, each in enumerate(flipped) if bit in each]
        low, high = (" | ".join(f"{a} -> {to}" for a in mine) for to in "YX")
        also = [f" | bad -> {state}" for state in "XY"]
        also[random.randrange(2)] = ""
        lines.append(f"B{bit} = X, X = ({low}{also[0]}), Y = ({high}{also[1]}).")
    lines.append(f"||C = ({' || '.join(f'B{bit}' for bit in range(bits))}).")
    home = folder / f"code {bits}"
    home.mkdir(parents=True, exist_ok=True)
    texts = {
        "controller.lts": "\n".join(lines),
        "environment.lts": "E = (g[0] -> g[1] -> E).",
        "property.lts": "property P = STOP + {bad}.",
        "case.toml": 'environment = "environment.lts"\n'
        'controller = "controller.lts#C"\nproperties = ["property.lts"]',
    }
    for name, text in texts.items():
        (home / name).write_text(text + "\n", "utf-8")
    return home / "case.toml"


def product(folder: Path, components: int) -> Path:
    """A model whose product has 2^N states."""
    path = folder / f"product_{components}.lts"
    path.write_text(
        f"P = (on -> Q), Q = (off -> P).\n||C = (forall [i:1..{components}] x[i]:P).\n",
        "utf-8",
    )
    return path
