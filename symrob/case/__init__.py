"""Case files: models and their roles, in TOML.

In:  a `.toml` file, or the options of the command line.
Out: a `Case`, or one for each choice of a matrix; paths are made relative to the
     working folder.

    title = "Therac-25 with the bug"
    environment = "nurse.lts"
    controller = "machines.lts#THERAC25"
    properties = ["xflat.lts"]
    constraints = ["one_treatment.lts"]

    [constants]
    LINES = 8

Paths are relative to the case file and stay in its folder, unless the user allows
otherwise; `#PROCESS` selects a process. `row` names the row of the paper's Table 1 that
the case reproduces, and `[paper]` holds its figures. docs/batch.md lists all keys,
`keys` defines them.
"""

from symrob.case.keys import PAPER_KEYS
from symrob.case.loading import load_case, load_cases
from symrob.case.model import Case, Constant, parse_constants
from symrob.case.specs import Rule, Spec, parse_rule, parse_spec
