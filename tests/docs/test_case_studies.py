"""The case studies tell the truth: what the page shows is computed again."""

import re
import shlex
import shutil
import subprocess

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from docs import case_studies, claims
from docs.scenarios import envelope, follows
from symrob.lts import TAU, Lts, Transition
from tests.cli.tools import ROOT
from tests.strength import examples

TEXTS = {path.stem: (ROOT / path).read_text("utf-8") for path in case_studies.PAGES}
PAGE = TEXTS["case-studies"]
AGAIN = "It differs from what is computed now: run `python -m docs.case_studies`"


@pytest.fixture
def project(tmp_path, monkeypatch):
    """A copy of what the page is made of, to which commands may write."""
    shutil.copytree(ROOT / "models", tmp_path / "models")
    (tmp_path / "docs/pictures").mkdir(parents=True)
    shutil.copytree(ROOT / "docs/risk", tmp_path / "docs/risk")
    (tmp_path / "out").mkdir()
    monkeypatch.chdir(tmp_path)
    yield tmp_path
    envelope.cache_clear()


@pytest.mark.parametrize("name", TEXTS)
def test_a_page_is_what_its_script_writes(project, name):
    """Every command run, every claim checked, every picture drawn."""
    same, page = case_studies.without_times, TEXTS[name]
    assert same(case_studies.regenerated(page)) == same(page), AGAIN
    drawn = sorted((project / "docs/pictures").iterdir())
    least = name not in ("modes", "how-often", "risk", "safety-case", "stpa")
    assert len(drawn) == page.count("--out docs/pictures/") >= least
    for picture in drawn:
        shown = (ROOT / "docs/pictures" / picture.name).read_bytes()
        assert picture.read_bytes() == shown, AGAIN
        assert f"](pictures/{picture.name})" in page


def test_the_tutorial_shows_its_models_as_they_are():
    """Each block without commands stands in a file of the press, line for line."""
    found = re.findall(r"^```(\w*)\n(.*?)^```$", TEXTS["tutorial"], re.M | re.S)
    blocks = [block for language, block in found if not language]
    assert len(blocks) == 6
    files = [p.read_text("utf-8") for p in (ROOT / "models/press").iterdir()]
    assert all(any(block in file for file in files) for block in blocks)


@pytest.mark.usefixtures("project")
def test_what_is_wrong_on_the_page_is_put_right():
    """The script itself: outputs and claims are computed, not kept."""
    kept = "## A heading\n\nProse with `code`.\n"
    page = (
        f"{kept}\n```console\n$ symrob check models/oyster/oyster.toml\nunsafe\nmore\n"
        "$ symrob compute models/oyster/oyster.toml | tail -1\n```\n"
        "<!-- claims: Oyster card -->\n| no |\n<!-- end -->\n"
    )
    written = case_studies.regenerated(page)
    assert written.startswith(kept)
    assert "unsafe" not in written
    assert "safe: the nominal system" in written
    assert "|Δ| = 1: 1 maximal deviation" in written
    assert "| 6.4 | it tolerates no deviation | yes |" in written
    assert "| no |" not in written
    again = case_studies.regenerated(written)
    # Only times differ, and the old ones are kept.
    assert again == written


@pytest.mark.usefixtures("project")
@pytest.mark.parametrize(
    ("part", "shown"),
    [("head -2", "Oyster card\nEnvironment:"), ("tail -1", "|Δ| = 1")],
)
def test_heads_and_tails(part, shown):
    text = case_studies.printed(f"symrob compute models/oyster/oyster.toml | {part}")
    assert text.startswith(shown)
    assert len(text.splitlines()) == int(part[-1])


@pytest.mark.usefixtures("project")
@pytest.mark.parametrize("part", ["'transition'", "-A 2 '^Env'", "-A 1 'transition'"])
def test_grep_is_that_of_a_shell(part):
    command = "symrob compute models/oyster/oyster.toml"
    text = case_studies.printed(command)
    words = shlex.split(f"grep {part}")
    made = subprocess.run(words, input=text, capture_output=True, text=True, check=True)
    found = case_studies.printed(f"{command} | grep {part}")
    assert made.stdout != text
    assert case_studies.without_times(found) == case_studies.without_times(made.stdout)


@pytest.mark.usefixtures("project")
def test_errors_are_shown_like_results():
    text = case_studies.printed("symrob compute nowhere.toml")
    assert text.startswith("nowhere.toml: error: cannot read")


def test_links_lead_somewhere():
    for target in re.findall(r"\]\(([^)#]+)", "".join(TEXTS.values())):
        assert (ROOT / "docs" / target).exists(), target


def test_every_claim_has_its_table():
    tables = set(re.findall(r"<!-- claims: (.*) -->", PAGE))
    assert {claim.study for claim in claims.CLAIMS} == tables


@pytest.mark.usefixtures("project")
@pytest.mark.parametrize(
    ("check", "other"),
    [
        ("three_deviations", {"RUNNING": claims.THERAC25}),
        ("keys_may_be_repeated", {"THERAC25": "therac25/therac25_stricter"}),
        ("older_is_more_robust", {"THERAC20": claims.THERAC25}),
        ("race", {"THERAC20": claims.THERAC25}),
        ("repair_is_more_robust", {"THERAC25_FIX": claims.THERAC25}),
        ("repair_equals_older", {"THERAC25_FIX": claims.THERAC25}),
        ("scenario_is_not_tolerated", {"THERAC25": claims.THERAC20}),
        ("voting_is_equally_robust", {"ALL": claims.THERAC20, "CFM": claims.THERAC25}),
        ("voting_has_one_deviation", {"CFM": claims.THERAC25}),
        ("oyster_tolerates_nothing", {"OYSTER": claims.THERAC20}),
        ("pump_tolerates_four", {"PUMP": "pca_pump/pca_pump_2"}),
    ],
)
def test_a_check_sees_when_its_claim_is_wrong(check, other, monkeypatch):
    """The same check on other models, of which the claim does not hold."""
    if "stricter" in str(other):
        stricter_case()
    for name, case in other.items():
        monkeypatch.setattr(claims, name, case)
    assert getattr(claims, check)().holds is False


def stricter_case():
    """A rule by which nobody may press `up` at all."""
    with open("models/therac25/therac25.toml", encoding="utf-8") as file:
        text = file.read()
    with open("models/therac25/therac25_stricter.toml", "w", encoding="utf-8") as file:
        file.write(text.replace('["one_treatment.lts"]', '["no_up.lts"]'))
    with open("models/therac25/no_up.lts", "w", encoding="utf-8") as file:
        file.write("property NO_UP = STOP + {up}.\n")


@pytest.mark.usefixtures("project")
def test_an_interlock_that_only_delays_would_be_seen(monkeypatch):
    assert claims.interlock_only_delays().holds is False
    monkeypatch.setattr(claims, "THERAC20", claims.THERAC25)
    assert claims.interlock_only_delays().holds is True


SYSTEMS = st.builds(
    lambda moves: Lts("abc", 3, moves),
    st.frozensets(
        st.builds(
            Transition,
            st.integers(0, 2),
            st.sampled_from(["a", "b", "c", TAU]),
            st.integers(0, 2),
        ),
        max_size=8,
    ),
)


@settings(max_examples=examples(60, 1500))
@given(SYSTEMS, st.lists(st.sampled_from("ab"), max_size=3))
def test_follows_agrees_with_trying_all_runs(system, word):
    """`c` and `tau` may happen in between; three states need few of them."""
    words, runs = {()}, {(0, ())}
    for _ in range(3 * (len(word) + 1)):
        runs |= {
            (target, (*said, action) if action in "ab" else said)
            for state, said in runs
            for source, action, target in system.transitions
            if source == state and len(said) <= len(word)
        }
        words = {said for _, said in runs}
    assert follows(system, " ".join(word), "ab") == (tuple(word) in words)
