"""The stages in order, from models to the safety envelope. Read this first.

    models ──▶ build_problem ──▶ Engine ──▶ check_nominal ──▶ Robustness
    (formats,   (robustness.      (symbolic   (E‖C ⊨ P,        (screen, Horn
     fsp)        problem)          encoding)   E ⊨ P_env)       formula, growth)

`docs/pipeline.md` tells what flows between them and what each one costs.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

from symrob.errors import Diagnostic, SymrobError
from symrob.limits import Clock, Limits
from symrob.lts import Lts, Network

if TYPE_CHECKING:
    from symrob.robustness.result import Progress, Robustness
    from symrob.symbolic.context import Backend

ALGORITHMS = ("maximal",)

Model = Lts | Network


def load(
    path: str,
    process: str | None = None,
    constants: Mapping[str, int | tuple[int, int]] | None = None,
) -> Model:
    """Read a model from a file.

    Args:
        path: The file; its suffix tells the format: `.lts` or `.fsp` for FSP,
            `.aut` for Aldebaran, `.fsm` for DESops, `.json`. A process may be
            named after a `#`.
        process: The process or composite to take, where the file has several.
        constants: Values for FSP constants (a number) and ranges (a pair), in
            place of those in the file.

    Returns:
        A `Network` of components that are not multiplied out, or an `Lts`
        where there is only one component.

    Raises:
        SymrobError: The file cannot be read; every problem in it is listed.
    """
    from symrob.formats import read

    model = read(path, process=process, constants=constants)
    network: Model = model.network
    return network


def compute(
    environment: Model,
    controller: Model,
    properties: Model | Sequence[Model],
    env_constraints: Model | Sequence[Model] = (),
    *,
    algorithm: str = "maximal",
    extra_states: int = 0,
    limit: int | None = None,
    timeout: float | None = None,
    max_nodes: int | None = None,
    backend: Backend = "auto",
    on_progress: Progress | None = None,
    names: Mapping[str, Sequence[str]] | None = None,
) -> Robustness:
    """Compute the safety envelope of a controller.

    Args:
        environment: E.
        controller: C.
        properties: P; with several, all must hold.
        env_constraints: P_env; with several, all must hold of the environment.
        algorithm: One of `ALGORITHMS`.
        extra_states: Number of fresh states to add to E first.
        limit: Stop after this many deviations.
        timeout: Stop after this many seconds.
        max_nodes: Stop when the BDDs have more nodes than this.
        backend: `cudd`, `autoref`, or `auto` for the first that is installed.
        on_progress: Called with the number of deviations found so far and the
            seconds since the start, after each one.
        names: What messages call the models: keys `environment`,
            `controller`, `properties`, `env_constraints`, lists in their order.

    Returns:
        The deviations, computed while they are iterated over.

    Raises:
        SymrobError: A model cannot play its role; all problems at once.
        NominalViolation: The nominal system violates a property or constraint
            already, so that Δ is undefined; holds a shortest violating trace.
        LimitExceeded: A bound was hit before the preconditions were checked.

    Source: docs/sources.md [S1], Def. 5.
    """
    from symrob.robustness.engine import Engine
    from symrob.robustness.problem import Role, build_problem
    from symrob.robustness.result import Robustness

    if algorithm not in ALGORITHMS:
        raise SymrobError(
            Diagnostic(
                "usage-algorithm",
                f"unknown algorithm '{algorithm}'; expected one of "
                f"{', '.join(ALGORITHMS)}",
            )
        )
    if limit is not None and limit < 1:
        raise SymrobError(Diagnostic("usage-limit", "the limit must be at least 1"))
    clock = Clock(Limits(seconds=timeout, nodes=max_nodes))

    def roles(kind: str, models: Model | Sequence[Model]) -> list[Role]:
        """The models of one kind with their names."""
        several = [models] if isinstance(models, Lts | Network) else list(models)
        called = list((names or {}).get(kind, ()))
        short = {"properties": "property", "env_constraints": "constraint"}.get(kind, kind)
        defaults = [short if len(several) == 1 else f"{short} {i + 1}" for i in range(len(several))]
        return [
            Role(model, name)
            for model, name in zip(several, called or defaults, strict=True)
        ]

    problem = build_problem(
        roles("environment", environment)[0],
        roles("controller", controller)[0],
        roles("properties", properties),
        roles("env_constraints", env_constraints),
        extra_states=extra_states,
        limits=clock.limits,
    )
    engine = Engine(problem, backend, clock)
    engine.check_nominal()
    return Robustness(
        engine, algorithm, engine.deviations(), limit=limit, on_progress=on_progress
    )
