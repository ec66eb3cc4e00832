"""`minimal` kept a silent step before END apart from END."""

from symrob.formats.fsp import load_text


def test_a_silent_step_before_end_is_end():
    lts = load_text("minimal P = (a -> c -> END)\\{c}. ||SYS = P.").network
    assert (lts.size, lts.transitions, lts.end) == (2, ((0, "a", 1),), 1)


def test_a_choice_between_end_and_stop_is_not():
    text = "minimal P = (a -> (c -> END | c -> STOP) | b -> END)\\{c}."
    lts = load_text(text).network
    assert (lts.size, len(lts.transitions)) == (4, 4)
