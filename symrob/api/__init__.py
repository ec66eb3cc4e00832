"""The Python API: stages from models to answers, the safety envelope, `lint`.

In:  paths, cases, models in their roles, options.
Out: the result of each stage, finally a `SafetyEnvelope` or the answer of an analysis.

Imports all lower layers: the engine, the analyses, cases and formats. Reports, batches
and the command line import it.
"""

from symrob.api.loading import (
    Roles,
    load_environment,
    load_model,
    load_roles,
    load_sides,
)
from symrob.api.stages import (
    Progress,
    analyse,
    open_engine,
    open_sides,
    open_space,
    open_spaces,
    pose,
)
