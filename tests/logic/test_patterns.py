"""Properties in words against their formulas, against counting, and as commands."""

import re
import shlex
from itertools import product
from random import Random

import pytest

import symrob
from symrob.errors import SymrobError
from symrob.logic.formula import Fluent, Formula, NormalForm
from symrob.logic.monitor import monitor_of
from symrob.logic.patterns import FORMS, is_sentence, parse_pattern
from symrob.lts import ERROR
from tests.cli.tools import ROOT, run
from tests.oracles import temporal

NURSE = ("--env", "models/therac25/nurse.lts")
MACHINE = ("--ctrl", "models/therac25/machines.lts#THERAC25")


def failed_after(lts, word):
    """The number of actions after which a monitor has failed, or none."""
    state = 0
    for count, action in enumerate(word, 1):
        if action in lts.alphabet:
            (state,) = lts.successors[state][action]
        if state == ERROR:
            return count
    return None


def first_bad(kind, count, a, b, c, word):
    """Oracle: the first place at which a sentence is broken, by looking back."""
    if kind in ("steps", "within"):
        return first_late(count, a, b, None if kind == "steps" else c, word)
    for place, action in enumerate(word):
        before = word[:place]
        opened = [i for i, x in enumerate(before) if x in b]
        if action not in a:
            continue
        if kind == "never":
            return place + 1
        if kind == "only" and action not in b and not opened:
            return place + 1
        since = before[opened[-1] + 1 :] if opened else before
        if kind == "between" and opened and not {action, *since} & c:
            return place + 1
        few = sum(x in a for x in since) < count
        if kind == "most" and action not in b and not few:
            return place + 1
    return None


def first_late(count, a, b, ticks, word):
    """The first place of an action that is too late: for each A by itself."""
    late = []
    for start, action in enumerate(word):
        if action not in a:
            continue
        places = [
            i for i in range(start + 1, len(word)) if not ticks or word[i] in ticks
        ]
        if len(places) >= count:
            end = places[count - 1]
            if not b.intersection(word[start + 1 : end + 1]):
                late.append(end + 1)
    return min(late, default=None)


def sentence(kind, count, a, b, c):
    a, b, c = ("{" + ", ".join(sorted(group)) + "}" for group in (a, b, c))
    return {
        "never": f"never {a}",
        "only": f"{a} only after {b}",
        "between": f"no {a} between {b} and {c}",
        "most": f"at most {count} {a} until {b}",
        "steps": f"{b} within {count} step{'s' * (count > 1)} of {a}",
        "within": f"{b} within {count} {c} of {a}",
    }[kind]


def formula(kind, count, a, b, c):
    """The same in temporal logic."""

    def of(operator, *parts):
        return Formula(operator, parts)

    a, b, c = (Formula("fluent", fluent=Fluent("x", frozenset(g))) for g in (a, b, c))
    no_a = of("!", of("&&", a, of("!", b)))
    if kind == "never":
        return of("[]", of("!", a))
    if kind == "only":
        return of("W", no_a, b)
    if kind == "between":
        inside = of("W", of("!", of("&&", a, of("!", c))), c)
        return of("[]", of("->", b, of("X", inside)))
    few = of("W", no_a, b)
    for _ in range(count):
        few = of("W", no_a, of("||", b, of("&&", a, of("X", few))))
    return of("&&", few, of("[]", of("->", b, of("X", few))))


@pytest.mark.parametrize("kind", ["never", "only", "between", "most"])
def test_sentences_mean_what_they_say_on_all_short_words(kind):
    groups = [frozenset(g) for g in ("a", "b", "c", "ab", "bc")]
    rng = Random(5)
    for a, b, c in rng.sample([*product(groups, repeat=3)], 40):
        count = rng.randrange(4)
        lts = parse_pattern(sentence(kind, count, a, b, c)).monitor()
        used = {"never": a, "only": a | b, "most": a | b}.get(kind, a | b | c)
        assert set(lts.alphabet) == used
        for word in temporal.words("abcd", 5):
            expected = first_bad(kind, count, a, b, c, word)
            assert failed_after(lts, word) == expected, (kind, a, b, c, word)
        same = monitor_of(NormalForm(formula(kind, count, a, b, c)).root)
        for word in temporal.words("abc", 5):
            assert failed_after(lts, word) == failed_after(same, word)


@pytest.mark.parametrize(
    ("text", "names"),
    [
        ("never 'a b'", (("a b",),)),
        ('never {"a, b", c.1}', (("a, b", "c.1"),)),
        ("  never   x ", (("x",),)),
        ("only only after after", (("only",), ("after",))),
        ("no a between {b} and c", (("a",), ("b",), ("c",))),
    ],
)
def test_names_of_sentences(text, names):
    assert is_sentence(text)
    assert parse_pattern(text).groups == names


@pytest.mark.parametrize(
    "text",
    ["never", "never a b", "no a between b", "at most x a until b", "never {a", "no a"],
)
def test_what_is_no_sentence_is_told(text):
    if is_sentence(text):
        with pytest.raises(SymrobError, match="not a known property sentence"):
            parse_pattern(text)
    else:
        assert text == "never"


@pytest.mark.parametrize("kind", ["steps", "within"])
def test_responses_in_time_on_all_short_words(kind):
    groups = [frozenset(g) for g in ("a", "b", "c", "ab", "bc", "ac")]
    rng = Random(6)
    for a, b, c in rng.sample([*product(groups, repeat=3)], 40):
        count = rng.randrange(1, 4)
        text = sentence(kind, count, a, b, c)
        assert is_sentence(text)
        lts = parse_pattern(text).monitor("abcd")
        assert set(lts.alphabet) == ({*"abcd"} if kind == "steps" else a | b | c)
        for word in temporal.words("abcd", 5):
            expected = first_bad(kind, count, a, b, c, word)
            assert failed_after(lts, word) == expected, (text, word)


def test_steps_are_those_of_e_and_c_and_of_e_alone():
    sides = *NURSE, *MACHINE
    done = run("check", *sides, "--prop", "fire* within 2 steps of b")
    assert done.code == 0
    # What C does alone are steps, too.
    done = run("check", *sides, "--prop", "b within 3 steps of enter")
    assert done.code == 0
    done = run("check", *sides, "--prop", "b within 2 steps of enter")
    assert done.code == 1
    assert "violates b within 2 steps of enter" in done.err
    rule = ("--prop", "never z", "--env-prop", "b within 1 step of enter")
    assert run("check", *sides, *rule).code == 0
    for wrong, why in (
        ("b within 0 steps of a", "at least 1"),
        ("b within steps of a", ""),
    ):
        done = run("check", *sides, "--prop", wrong)
        assert done.code == 2
        assert why in done.err
    done = run("show", "b within 2 steps of a")
    assert "steps require the models of a case" in done.err


def test_a_count_starts_again_at_each_end():
    assert parse_pattern("at most 2 a until b").words == (
        "a happens at most 2 times before the first b, and at most 2 times after each "
        "b until the next"
    )


@pytest.mark.parametrize("text", ["never.lts", "no x.lts#P", "a only after.json", "x"])
def test_files_are_no_sentences(text):
    assert not is_sentence(text)


def test_sentences_are_properties_and_constraints_of_commands(tmp_path):
    done = run("check", *NURSE, *MACHINE, "--prop", "never fireX*")
    assert done.code == 1
    assert "violates never fireX*" in done.err
    words = (
        "--prop",
        "at most 1 fire* until b",
        "--env-prop",
        "at most 1 b until {e, x}",
    )
    assert run("cuts", *NURSE, *MACHINE, *words).code == 0
    done = run("check", *NURSE, *MACHINE, "--prop", "never z*", "--prop", "no x")
    assert done.code == 2
    assert "no action is called 'z*'" in done.err
    assert FORMS[2] in done.err
    done = run("check", *NURSE, *MACHINE, "--prop", "never b", "--env-prop", "never z")
    assert "refers to actions that the environment" in done.err


def case_file(folder, properties='["never fireElectron"]'):
    for name in ("nurse.lts", "machines.lts", "one_treatment.lts"):
        (folder / name).write_text((ROOT / "models/therac25" / name).read_text())
    case = folder / "case.toml"
    case.write_text(
        'environment = "nurse.lts"\ncontroller = "machines.lts#THERAC25"\n'
        f'properties = {properties}\nconstraints = ["at most 1 b until {{e, x}}"]\n'
    )
    return case


def test_sentences_stand_in_case_files_and_batches(tmp_path):
    case = case_file(tmp_path, '["no fireXray between e and {x, enter}"]')
    assert run("check", case).code == 0
    assert run("lint", case).code == 0
    rows = tmp_path / "rows.jsonl"
    assert run("batch", case, "--out", rows).code == 0
    assert '"status":"complete"' in rows.read_text().replace(" ", "")
    certificate = tmp_path / "c.cert"
    assert run("compute", case, "--certificate", certificate).code == 0
    assert run("verify", certificate, case).code == 0


def test_a_sentence_that_is_wrong_has_its_place_in_a_case(tmp_path):
    done = run("check", case_file(tmp_path, '["never a and b"]'))
    assert done.code == 2
    assert f"{tmp_path / 'case.toml'}:3:15: error: not a known property sen" in done.err


def test_sentences_in_python():
    assert symrob.load("never x").alphabet == ("x",)
    nurse, machine = (
        "models/therac25/nurse.lts",
        "models/therac25/machines.lts#THERAC25",
    )
    envelope = symrob.compute(
        nurse,
        machine,
        "no fireX* between e and {x, enter}",
        ["at most 1 b until {e, x}"],
    )
    assert len(envelope) >= 1
    with pytest.raises(SymrobError, match="requires the models of a case"):
        symrob.load("never x*")


def test_the_page_of_properties_tells_the_truth():
    page = (ROOT / "docs/properties.md").read_text("utf-8")
    blocks = re.findall(r"\$ symrob ([^\n]*)\n(.*?)```", page, re.DOTALL)
    assert len(blocks) == 3
    for command, shown in blocks:
        done = run(*shlex.split(command))
        for part in filter(None, shown.split("…\n")):
            assert part in done.err + done.out
    for form in FORMS:
        assert f"| `{form}` |" in page


def test_an_action_that_there_is_not_has_its_place_in_the_case(tmp_path):
    """In a table with an identifier, too."""
    (tmp_path / "e.lts").write_text("E = (a -> E).\n")
    (tmp_path / "c.lts").write_text("C = (a -> C).\n")
    case = tmp_path / "case.toml"
    case.write_text(
        'environment = "e.lts"\ncontroller = "c.lts"\n'
        'properties = ["never b", "a within 2 steps of q*"]\n'
        'constraints = [{ model = "never z*", id = "A-1" }]\n'
    )
    done = run("check", case)
    assert done.code == 2
    assert f"{case}:3:26: error: 'a within 2 steps of q*': no action is" in done.err
    assert f"{case}:4:26: error: 'never z*': no action is called 'z*'" in done.err
    assert "\n                           ^^^^^^^^^^^^^^^^^^^^^^^^\n" in done.err
