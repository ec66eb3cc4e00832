"""Hostile paths, wherever a file can name one: nothing outside its folder is read."""

import json
import os
from dataclasses import replace
from functools import partial

import pytest

import symrob
from symrob.api import load_roles
from symrob.batch.job import unpacked
from symrob.batch.run import pack
from symrob.errors import SymrobError
from tests.cli.calls import OF_A_CASE
from tests.cli.tools import run
from tests.security.opened import opened

CANARY = "CANARY"
# The second is how much memory the process takes.
HARMLESS = (os.devnull, f"/proc/{os.getpid()}/statm")
# Each says CANARY where a reader would show a line of it; some are right, some not.
OUTSIDE = {
    "m.lts": f"{CANARY} = (canary -> {CANARY}).\n",
    "wrong.lts": f"{CANARY} nonsense\n",
    "m.aut": 'des (0, 1, 1)\n(0, "CANARY", 0)\n',
    "wrong.aut": f"{CANARY}\n",
    "m.json": json.dumps(
        {"alphabet": [CANARY], "states": 1, "transitions": [[0, CANARY, 0]]}
    ),
    "pw.json": json.dumps({"schema": "symrob/model/1", "systems": CANARY}),
    "m.fsm": f"1\n\n{CANARY}\n",
    "m.wmod": f"<{CANARY}/>\n",
    "m.cif": f"plant {CANARY}: end\n",
    "m.scxml": f"<scxml><{CANARY}/></scxml>\n",
    "case.toml": f'title = "{CANARY}"\n',
    "passwd": f"{CANARY}:x:0:0\n",
}
# How a path leads from the folder of a case to a file outside of it.
WAYS = (
    "{root}/outside/{file}",
    "../outside/{file}",
    "./../outside/{file}",
    "sub/../../outside/{file}",
    "sub/../../inside/../outside/{file}",
    ".//..//outside//{file}",
    "up/outside/{file}",
    "up/inside/up/outside/{file}",
    "to/{file}",
    "link-{file}",
    "sub/link-{file}",
    "chain-{file}",
    "pw.json#/../link-{file}",
    "pw.json#/../../outside/{file}",
    "pw.json#/{root}/outside/{file}",
    "m.lts#/../../outside/{file}",
    "m.lts#/../link-{file}",
    "hash#{file}",
    "../outside/{file}#CANARY",
)
# What would take most of the time.
WITHOUT_GRAPHVIZ = {"draw": ("draw", "--format", "dot")}
OTHERS = (
    "/etc/passwd",
    "/etc/hostname#P",
    "/proc/self/environ",
    "/proc/self/cwd/../outside/m.lts",
    "/dev/stdin",
    "/dev/fd/0",
    "../outside/m.lts\\u0000.lts",
    "../" * 3000 + "etc/passwd",
)


@pytest.fixture(scope="module")
def root(tmp_path_factory):
    """A folder of cases, one outside of it, and links from one to the other."""
    root = tmp_path_factory.mktemp("paths")
    inside, outside = root / "inside", root / "outside"
    for folder in (outside, inside / "sub", inside / "pw.json#", inside / "m.lts#"):
        folder.mkdir(parents=True)
    (inside / "up").symlink_to(root)
    (inside / "to").symlink_to("../outside")
    for name, text in OUTSIDE.items():
        (outside / name).write_text(text)
        (inside / f"link-{name}").symlink_to(f"../outside/{name}")
        (inside / f"sub/link-{name}").symlink_to(outside / name)
        (inside / f"chain-{name}").symlink_to(f"link-{name}")
        # Split at the `#`, it would be a file of the folder.
        (inside / f"hash#{name}").symlink_to(outside / name)
    (inside / "hash").write_text("P = (a -> P).")
    for name in ("m", "c"):
        (inside / f"{name}.lts").write_text("P = (a -> P | b -> P).")
    (inside / "pw.json").write_text(systems(["x"]))
    (inside / "chances.toml").write_text('[probability]\n"*,*,*" = 0.01\n')
    (inside / "policy.toml").write_text("vacuous = true\nresilience = 1\n")
    (inside / "result.json").write_text(
        run("compute", *options(inside, inside / "m.lts"), "--format", "json").out
    )
    return root


@pytest.fixture(scope="module")
def paths(root):
    named = [way.format(root=root, file=file) for way in WAYS for file in OUTSIDE]
    return [*named, *OTHERS]


def options(inside, model):
    return (
        *("--env", model),
        *("--ctrl", inside / "c.lts"),
        *("--prop", inside / "m.lts"),
    )


def systems(names):
    """A file with roles, whose systems have these names or `x`."""
    given = [*names, *("x" * n for n in range(1, 4))]
    roles = ("environment", "controller", "property")
    return json.dumps(
        {
            "schema": "symrob/model/1",
            "systems": [
                {"name": n, "role": r, "initial": "A", "transitions": [["A", "a", "A"]]}
                for n, r in zip(dict.fromkeys(given), roles, strict=False)
            ],
        }
    )


def module(name):
    """The same in the language of Supremica."""
    text = name.replace("&", "&amp;").replace("<", "&lt;").replace('"', "&quot;")
    event = '<EventDecl Kind="CONTROLLABLE" Name="a"/>'
    automata = "".join(
        f'<SimpleComponent Kind="{kind}" Name="{name}"><Graph><NodeList>'
        '<SimpleNode Initial="true" Name="A"/></NodeList><EdgeList><Edge Source="A" '
        'Target="A"><LabelBlock><SimpleIdentifier Name="a"/></LabelBlock></Edge>'
        "</EdgeList></Graph></SimpleComponent>"
        for kind, name in (("PLANT", text), ("SUPERVISOR", "S"), ("SPEC", "T"))
    )
    return (
        '<?xml version="1.0"?><Module Name="m" '
        'xmlns="http://waters.sourceforge.net/xsd/module">'
        f"<EventDeclList>{event}</EventDeclList>"
        f"<ComponentList>{automata}</ComponentList></Module>"
    )


def case(inside, name, **values):
    given = {"environment": "m.lts", "controller": "c.lts", "properties": ["m.lts"]}
    text = "".join(f"{k} = {_toml(v)}\n" for k, v in {**given, **values}.items())
    path = inside / name
    path.write_text(text)
    return path


def _toml(value):
    if isinstance(value, dict):
        return "{" + ", ".join(f"{k} = {_toml(v)}" for k, v in value.items()) + "}"
    return json.dumps(value).replace("\\\\u0000", "\\u0000")


def of_a_problem(inside):
    """For each command that takes a problem, what calls it."""
    yield from [partial(run, *WITHOUT_GRAPHVIZ.get(c, (c,))) for c in OF_A_CASE]
    yield partial(run, "risk", "--probability", inside / "chances.toml")
    yield partial(run, "explain", "--transition", "0,a,0")
    yield partial(run, "verify", inside / "result.json")
    yield partial(run, "gate", inside / "policy.toml")


def of_files(inside):
    """For each command that takes case files, and for Python, what calls it."""
    yield partial(run, "lint")
    yield lambda path: run("compare", path, path)
    yield lambda path: run(*WITHOUT_GRAPHVIZ["draw"], path, "--compare", path)
    yield lambda path: run("convert", path, inside / "out.aut")
    yield lambda path: pack([str(path)], {}, allow_outside=False)
    yield in_python(symrob.load_case)


def of_a_model(inside):
    """For each command that takes a model for its own sake, and for Python."""
    for command in ("lint", "show", "draw"):
        words = WITHOUT_GRAPHVIZ.get(command, (command,))
        yield partial(run, *words)
        yield lambda path, words=words: run(*words, f"{path}#X")
    yield lambda path: run("convert", path, inside / "out.aut")
    yield lambda path: run("convert", path, inside / "out.json", "--extra-states", 1)
    yield lambda path: run("compare", *options(inside, path), "--ctrl", path)
    yield in_python(symrob.load)
    yield in_python(lambda path: symrob.compute(path, path, path))


def in_python(call):
    def called(path):
        try:
            call(path)
        except SymrobError as error:
            return str(error)
        return ""

    return called


def in_roles(path, number):
    """Keys of a case file that name the path; another one for each number."""
    return (
        {"environment": path},
        {"controller": path},
        {"properties": [path]},
        {"constraints": [path]},
        {"against": {"controller": path}},
        {"against": {"properties": [path]}},
        {"matrix": {"controllers": ["c.lts", path]}},
        {"weights": path, "top": 1},
        {"words": path},
        {"faults": {"table": path}},
    )[number % 10]


class Watch:
    """Calls that may not open what lies outside.

    Attributes:
        read: What of it was opened.
        calls: How many there were.
    """

    def __init__(self, root):
        self.root = os.path.realpath(root)
        self.calls, self.read = 0, []

    def __call__(self, call, *args):
        self.calls += 1
        with opened() as found:
            said = call(*args)
        text = str(getattr(said, "out", said)) + str(getattr(said, "err", ""))
        real = {os.path.realpath(path) for path in found}
        self.read += [
            (args, path)
            for path in real
            if path.startswith((f"{self.root}/outside", "/etc/pass", "/etc/host"))
            or (path.startswith(("/proc/", "/dev/")) and path not in HARMLESS)
        ]
        # A path may hold the word: what a file holds stands without `#` before it.
        if f"{CANARY}" in text.replace(f"#{CANARY}", ""):
            self.read.append((args, text))
        return said


def test_there_are_enough(paths):
    assert len(set(paths)) == len(paths) >= 232


def test_no_path_of_a_case_file(root, paths):
    watch, inside = Watch(root), root / "inside"
    calls = [*of_a_problem(inside), *of_files(inside)]
    for number, path in enumerate(paths):
        file = case(inside, "case.toml", **in_roles(path, number))
        watch(calls[(number + number // len(calls)) % len(calls)], file)
    assert watch.read == []
    assert watch.calls == len(paths)


def test_no_path_of_a_policy(root, paths):
    watch, inside = Watch(root), root / "inside"
    good, policy = case(inside, "good.toml"), inside / "hostile.toml"
    for number, path in enumerate(paths):
        key = ("case", "baseline", "controller")[number % 3]
        rule = f"{key} = {_toml(path)}\n"
        if key == "case":
            rule += "resilience = 1\n"
        policy.write_text(rule if key == "case" else f"[[as_robust_as]]\n{rule}")
        given = [] if key == "case" else [good]
        assert watch(run, "gate", policy, *given).code == 2
    assert watch.read == []


def test_no_import_of_a_model(root, paths):
    watch, inside = Watch(root), root / "inside"
    model = inside / "sub/import.lts"
    case(inside, "case.toml", environment="sub/import.lts")
    problems = [
        *(partial(of_problem, call, inside) for call in of_a_problem(inside)),
        *of_a_model(inside),
        *(lambda _model, c=call: c(inside / "case.toml") for call in of_files(inside)),
    ]
    for number, path in enumerate(p for p in paths if "\\u0000" not in p):
        path = path if path.startswith("/") else f"../{path}"
        model.write_text(f'import I = "{path}"\n||X = I.\n')
        watch(problems[(number + number // len(problems)) % len(problems)], model)
    assert watch.read == []


def of_problem(call, inside, model):
    return call(*options(inside, model))


def test_no_name_of_a_part(root, paths):
    """A part may have any name, and every command takes it for one."""
    watch, inside = Watch(root), root / "inside"
    calls = [*of_a_problem(inside), *of_files(inside), *[*of_a_model(inside)][:4]]
    names = [p for p in paths if "\\u0000" not in p and len(p) < 200]
    names += ["x/y", "x.y", "..", "C#P", "#", "/../link-m.lts", ".", "/", "a,b", " "]
    for number, name in enumerate(names):
        if number % 4:
            file = inside / "pw.json"
            file.write_text(systems([name]))
        else:
            file = inside / "pw.wmod"
            file.write_text(module(name))
        watch(calls[(number + number // len(calls)) % len(calls)], file)
        shown = watch(run, "show", f"{file}#{name}")
        assert shown.code == 0, (name, shown.err)
        done = watch(run, "check", file)
        assert done.code == 0, (name, done.err)
    assert watch.read == []


def test_several_parts_are_no_text(root):
    """Joined, the two plants would be the property; split, the folder a file."""
    file = root / "inside/pw.json#/several.json"
    roles = {"a": "environment", "b": "environment", "c": "controller"}
    data = json.loads(systems([]))
    (first, *_) = data["systems"]
    data["systems"] = [
        {**first, "name": name, "role": role}
        for name, role in {**roles, "a,b": "property"}.items()
    ]
    file.write_text(json.dumps(data))
    case = symrob.load_case(file)
    assert case.environment.component_names == ("a", "b")
    (job,) = pack([str(file)], {})
    with unpacked(job) as packed:
        assert replace(load_roles(packed), seconds=0) == replace(case.roles, seconds=0)
    chosen = symrob.load_case(file, environment="a,b", properties=["c"])
    assert list(chosen.properties) == ["several.json#c"]
    assert len(chosen.environment.components) == 1


def test_the_watch_sees_what_is_allowed(root):
    """Nor would the tests above be worth anything if it did not."""
    inside = root / "inside"
    model = inside / "import.lts"
    model.write_text('import I = "../outside/m.aut"\n||X = I.\n')
    for call in (
        lambda: run("show", model, "--allow-outside"),
        lambda: run("lint", model, "--allow-outside"),
        lambda: run("draw", model, "--allow-outside"),
        lambda: run("convert", model, inside / "out.lts", "--allow-outside"),
        lambda: run("compute", *options(inside, model), "--allow-outside"),
        lambda: symrob.load(model, allow_outside=True),
    ):
        watch = Watch(root)
        watch(call)
        assert [p for _, p in watch.read if p == f"{watch.root}/outside/m.aut"]


@pytest.mark.parametrize("command", ["lint", "show", "draw", "check"])
def test_what_is_refused_says_what_helps(root, command):
    inside = root / "inside"
    model = inside / "import.lts"
    model.write_text('import I = "../outside/wrong.aut"\n||X = I.\n')
    given = options(inside, model) if command == "check" else (model,)
    done = run(command, *given)
    said = done.out + done.err
    assert done.code == 2
    assert "import.lts:1:8: error: '../outside/wrong.aut': this file lies" in said
    assert "[format-outside]" in said
    assert "--allow-outside" in said
    assert CANARY not in said


def test_a_model_may_be_a_link_and_import_from_beside_it(root):
    """The user names the link; what it imports is looked for beside the link."""
    inside = root / "inside"
    (root / "outside/user.lts").write_text('import I = "beside.aut"\n||X = I.\n')
    (inside / "beside.aut").write_text('des (0, 1, 1)\n(0, "here", 0)\n')
    (inside / "user.lts").unlink(missing_ok=True)
    (inside / "user.lts").symlink_to("../outside/user.lts")
    done = run("show", inside / "user.lts")
    assert (done.code, "here" in done.out) == (0, True), done.err
