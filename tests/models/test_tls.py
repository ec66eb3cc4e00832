"""CVE-2014-0224: hazardous before the fix, also in a learned machine; none after it."""

import pytest

import symrob
from tests.cli.tools import ROOT

FOLDER = ROOT / "models/tls"
LEARNED = (ROOT / "tests/data/formats/tls_server.dot").read_text("utf-8")
STATES = ("START", "GREETED", "KEYS_SENT", "CHANGED", "CONNECTED")
# A ChangeCipherSpec after the greeting; or a client that forgets the key exchange.
HAZARDOUS = {("GREETED", "in_ChangeCipherSpec", state) for state in STATES}
HAZARDOUS |= {("START", "in_ClientHello", "KEYS_SENT")}
EARLY = 's1 -> s6 [label="ChangeCipherSpec / Empty"]'
REFUSED = 's1 -> s5 [label="ChangeCipherSpec / Alert & ConnectionClosed"]'


def hazards(controller):
    """The transitions that are hazardous alone, by names; with the size of Δ."""
    model = symrob.compute(
        str(FOLDER / "client.lts"), controller, [str(FOLDER / "no_early_change.lts")]
    )
    cuts = list(symrob.ask(model, "cuts", order=1))
    names = model.environment.state_name
    found = [t for cut in cuts for t in cut.units]
    return {(names(s), a, names(t)) for s, a, t in found}, len(list(model))


@pytest.mark.parametrize(
    ("fixed", "count"), [("BEFORE", 8), ("AFTER", 1)], ids=["before", "after"]
)
def test_the_model(fixed, count):
    wanted = HAZARDOUS if fixed == "BEFORE" else set()
    assert hazards(f"{FOLDER}/server.lts#{fixed}") == (wanted, count)


def learned(tmp_path, text):
    path = tmp_path / "learned.dot"
    path.write_text(text, "utf-8")
    return hazards(str(path))


def test_a_learned_machine(tmp_path):
    assert learned(tmp_path, LEARNED) == (HAZARDOUS, 8)
    assert EARLY in LEARNED
    assert learned(tmp_path, LEARNED.replace(EARLY, REFUSED)) == (set(), 1)


def test_a_server_that_resumes_sessions_is_no_hazard(tmp_path):
    """There the server changes first, and the client without a new key exchange."""
    refused = 's4 -> s5 [label="ClientHello / Alert & ConnectionClosed"]'
    resumed = (
        's4 -> s7 [label="ClientHello / ServerHello & ChangeCipherSpec & Finished"];\n'
        's7 -> s3 [label="ChangeCipherSpec / Empty"]'
    )
    assert refused in LEARNED
    text = LEARNED.replace(EARLY, REFUSED).replace(refused, resumed)
    assert learned(tmp_path, text) == (set(), 1)
