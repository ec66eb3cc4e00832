"""From models to answers: the stages in order, the safety envelope, the lint of models.

In:  paths, cases, models in their roles, options.
Out: what each stage gives, and in the end a `SafetyEnvelope` or the answer of an
     analysis.

Imports everything below: the engine, the analyses, cases and formats. Reports, batches
and the command line import it, and nothing below does.
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

__all__ = [
    "Progress",
    "Roles",
    "analyse",
    "load_environment",
    "load_model",
    "load_roles",
    "load_sides",
    "open_engine",
    "open_sides",
    "open_space",
    "open_spaces",
    "pose",
]
