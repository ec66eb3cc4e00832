"""`symrob compare --delta` where a bound cuts it short, and where there is nothing."""

import json

from symrob.analyses.candidate_space import CandidateSpace
from symrob.analyses.compare import compare, surplus_sets
from symrob.api.result import SafetyEnvelope
from symrob.report.compare import surplus_lines
from tests.analyses.test_compare_cases import THERAC, engines, stopping
from tests.cli.tools import run
from tests.schemas import validate


def test_a_list_that_a_limit_cuts_short_says_so():
    sides = (THERAC / "therac25.toml", THERAC / "therac20.toml", "--delta")
    done = run("compare", *sides, "--limit", 1, "--format", "json")
    data = json.loads(done.out)
    validate(data, "compare")
    assert (data["verdict"], data["status"], done.code) == ("less", "limit", 3)
    assert "--limit 1" in data["reason"]
    text = run("compare", *sides, "--limit", 1).out
    assert "incomplete (stopped after --limit 1 deviation): 1 so far" in text


def test_that_none_was_found_in_time_is_not_that_there_is_none():
    less, more = engines("therac25/therac25.toml", "therac25/therac20.toml")
    found = SafetyEnvelope(
        CandidateSpace(more),
        "maximal",
        surplus_sets(CandidateSpace(more), CandidateSpace(less)),
    )
    stopping(more, 0)
    text = list(surplus_lines(found, 1))
    assert text[-1] == "  incomplete (enough): 0 so far"
    assert "  none" not in text


def test_where_a_side_tolerates_nothing_more_its_deviations_are_not_enumerated():
    """Each side of this one has more than 463,000."""
    less, more = engines(
        "voting/voting_all_unconstrained.toml", "voting/voting_cfm_unconstrained.toml"
    )
    known = compare(CandidateSpace(less), CandidateSpace(more)).first
    assert known.exists is False
    stopping(less, 0)
    assert list(surplus_sets(CandidateSpace(less), CandidateSpace(more), known)) == []
