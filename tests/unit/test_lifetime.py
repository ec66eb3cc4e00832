"""How long BDDs live: until what holds them is closed, whoever keeps the error."""

import gc
import weakref

import pytest

import symrob
from symrob.batch import work
from symrob.batch.run import pack
from symrob.envelope.engine import Engine
from symrob.errors import SymrobError
from symrob.questions.session import Session

THERAC = "models/therac25/therac25.toml"
VOTING = "models/voting/voting_all.toml"


@pytest.fixture(autouse=True)
def nothing_is_collected():
    gc.disable()
    yield
    gc.enable()


def manager_of(engine):
    return weakref.ref(engine.context.manager)


def opened():
    """An engine in bits, which has found all, with its manager."""
    envelope = symrob.load_case(VOTING).compute()
    assert envelope.complete
    return envelope, manager_of(envelope.engine)


def test_bdds_go_when_an_envelope_is_closed():
    envelope, manager = opened()
    found = list(envelope)
    with envelope:
        assert manager() is not None
    assert manager() is None
    assert list(envelope) == found
    assert envelope.status == "complete"
    assert envelope.environment.size


def test_what_is_closed_answers_no_more():
    envelope, _manager = opened()
    envelope.close()
    envelope.close()
    with pytest.raises(SymrobError, match="was closed"):
        envelope.summary()


def test_what_is_closed_early_is_not_complete():
    envelope = symrob.load_case(THERAC).compute()
    with envelope:
        next(iter(envelope))
    assert envelope.status == "interrupted"
    assert len(list(envelope)) == 1


def deep(engine):
    """Fail where a frame has sets of its own, and its caller too."""
    sets = [engine.closed_loop.initial]
    if sets:
        raise SymrobError("in the midst")


def test_bdds_go_though_the_error_is_kept():
    """With its frames, and those of the error that it came from."""
    envelope, manager = opened()
    engine = envelope.engine
    try:
        with envelope:
            try:
                deep(engine)
            except SymrobError:
                mine = [engine.closed_loop.initial]
                raise RuntimeError("another") from None
            finally:
                del mine
    except RuntimeError as error:
        kept = error
    assert kept.__context__ is not None
    assert manager() is None


def test_a_session_closes_what_it_has_opened():
    case = symrob.load_case(VOTING).case
    with Session({"case": case}, case.options({})) as session:
        managers = [
            manager_of(session.engine),
            manager_of(session.space.whole),
            *map(manager_of, session.engines.values()),
        ]
        assert all(manager() is not None for manager in managers)
    assert [manager() for manager in managers] == [None] * 3


@pytest.mark.parametrize(("asked", "sides"), [("engine", 1), ("engines", 2)])
def test_an_unsafe_plan_leaves_no_bdds(asked, sides, monkeypatch):
    """The error is kept; sides that were opened before are closed, too."""
    managers = []
    check = Engine.check_nominal

    def watched(engine):
        managers.append(manager_of(engine))
        if len(managers) == sides:
            raise SymrobError("unsafe")
        check(engine)

    monkeypatch.setattr(Engine, "check_nominal", watched)
    case = symrob.load_case(VOTING).case
    session = Session({"one": case, "other": case}, case.options({}))
    with pytest.raises(SymrobError, match="unsafe") as kept:
        getattr(session, asked)
    assert kept.value.__traceback__ is not None
    assert [manager() for manager in managers] == [None] * sides


def test_a_row_of_a_batch_leaves_no_bdds(monkeypatch):
    closed = []
    close = Session.close
    monkeypatch.setattr(
        Session, "close", lambda self: closed.append(self) or close(self)
    )
    (job,) = pack([VOTING], {})
    assert '"status":"complete"' in work.answer(job).replace(" ", "")
    (session,) = closed
    with pytest.raises(SymrobError, match="was closed"):
        _ = session.envelope.engine.closed_loop
