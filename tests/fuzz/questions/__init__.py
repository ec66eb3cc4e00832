"""What is asked of a problem, by the way the command line takes, and what is right.

Each question draws what it needs from the reference, as plain JSON, so that it can
be asked again; and checks the answer against the reference.
"""

from tests.fuzz.questions import (
    budgets,
    certificates,
    delta,
    designs,
    modes,
    one,
    plans,
    written,
)
from tests.fuzz.questions.common import Difference, Skip

# How often each question is asked, how it is drawn, how it is checked.
QUESTIONS = {
    "compute": (40, delta.draw_compute, delta.check_compute),
    "extra": (4, delta.draw_extra, delta.check_extra),
    "limits": (10, delta.draw_limits, delta.check_limits),
    "spread": (8, delta.draw_spread, delta.check_spread),
    "top": (8, delta.draw_top, delta.check_top),
    "summary": (30, one.draw_summary, one.check_summary),
    "story": (16, one.draw_story, one.check_story),
    "explain": (20, one.draw_explain, one.check_explain),
    "cuts": (16, one.draw_cuts, one.check_cuts),
    "compare": (20, designs.draw_compare, designs.check_compare),
    "rank": (4, designs.draw_rank, designs.check_rank),
    "gate": (8, designs.draw_gate, designs.check_gate),
    "modes": (10, modes.draw_modes, modes.check_modes),
    "budget": (10, budgets.draw_budget, budgets.check_budget),
    "counted": (8, budgets.draw_counted, budgets.check_counted),
    "among": (6, modes.draw_among, modes.check_among),
    "assume": (10, plans.draw_assume, plans.check_assume),
    "assumptions": (8, plans.draw_assumptions, plans.check_assumptions),
    "json": (2, written.draw_nothing, written.check_json),
    "verify": (6, written.draw_verify, written.check_verify),
    "certificate": (10, certificates.draw_seed, certificates.check_certificate),
    "certified designs": (
        6,
        certificates.draw_comparison,
        certificates.check_comparison,
    ),
    "certified rules": (4, certificates.draw_rules, certificates.check_rules),
    "certified modes": (
        6,
        certificates.draw_mode_certificates,
        certificates.check_mode_certificates,
    ),
    "stuck": (4, written.draw_nothing, one.check_stuck),
    "batch": (1, written.draw_batch, written.check_batch),
}

# What is asked of a plan that violates something, too.
OF_UNSAFE_PLANS = ("assume",)


def check(name, problem, reference, asked):
    """Ask a question and compare the answer.

    Raises:
        Difference: It is wrong.
        Skip: The question does not fit.
    """
    if reference.undefined and name not in OF_UNSAFE_PLANS:
        delta.check_nominal(problem)
        return
    QUESTIONS[name][2](problem, reference, **asked)


__all__ = ["OF_UNSAFE_PLANS", "QUESTIONS", "Difference", "Skip", "check"]
