"""The fault modes that contain given transitions.

In:  transition expressions, or a deviation in a file, and a problem with fault modes.
Out: `Held`: the modes, and which of them brings what.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import NamedTuple

from symrob.analyses.space import About
from symrob.case.deviations import read_mode_set
from symrob.case.faults import is_local, meaning
from symrob.errors import Diagnostic, SymrobError
from symrob.lts import Lts
from symrob.problem import FaultMode, Units, UnitSet
from symrob.problem.units import Chosen


class Held(NamedTuple):
    """The modes that contain given transitions.

    Attributes:
        units: The modes.
        by: For each given transition, as it is written, the modes that bring it; one of
            them is enough, or several together if components share its action.
        unheld: Number of other given transitions that no mode brings: they cannot
            occur.
    """

    units: UnitSet
    by: Mapping[str, tuple[str, ...]]
    unheld: int = 0


def held(about: About, texts: Sequence[str], *, limit: int) -> Held:
    """Return the modes that bring the transitions of some expressions.

    Args:
        about: What the modes belong to.
        texts: Expressions on E, or on a component of it; planned transitions do not
            count.
        limit: Bound on the number of transitions that one expression may match.

    Raises:
        SymrobError: Expressions are invalid; or no mode brings any transition of one.
    """
    environment, network, units = about.environment, about.network, about.units
    network = network or environment
    assert units is not None, "units are fault modes"
    assert network is not None, "E in parts is composed"
    problems: list[Diagnostic] = []
    by: dict[str, tuple[str, ...]] = {}
    chosen: Chosen = 0
    unheld = 0
    for text in texts:
        if environment is None and not is_local(text, network):
            message = f"transition '{text:.200}': name a component; the product of E's "
            message += "components is not computed"
            hint = "write 'COMPONENT:source,action,target'"
            problems.append(Diagnostic("modes-transition", message, hint=hint))
            continue
        try:
            meant = meaning(
                "",
                [text],
                network,
                environment,
                limit=limit,
                classes=about.classes,
            )
        except SymrobError as error:
            problems += error.diagnostics
            continue
        found = dict(_brought(environment, units, meant))
        if found and not any(found.values()):
            message = f"transition '{text:.200}': no fault mode contains it"
            hint = "--among selects single candidates instead of fault modes"
            problems.append(Diagnostic("modes-transition", message, hint=hint))
        for said, helping in found.items():
            chosen |= helping
            if helping:
                by[said] = units.names(helping)
        unheld += sum(1 for helping in found.values() if not helping)
    if problems:
        raise SymrobError(problems)
    return Held(frozenset(units.names(chosen)), by, unheld)


def held_by_file(about: About, path: str) -> Held:
    """Return the modes of a set in a result file; see `read_mode_set`.

    Raises:
        SymrobError: The file has no sets of modes, or sets of other modes.
    """
    assert about.units is not None, "units are fault modes"
    names = read_mode_set(path)
    return Held(frozenset(about.units.names(about.units.chosen(names))), {})


def _brought(
    environment: Lts | None, units: Units, meant: FaultMode
) -> Iterator[tuple[str, Chosen]]:
    """Each transition that is not planned, and the modes that help to bring it."""
    for i, q, a, r in sorted(meant.local):
        assert units.network is not None, "the text is on a component"
        part = units.network.components[i]
        if r in part.successors[q].get(a, ()):
            continue
        said = f"{units.network.component_names[i]}:{_said(part, q, a, r)}"
        holding = (
            m for m, mode in enumerate(units.modes) if (i, q, a, r) in mode.local
        )
        yield said, sum(1 << m for m in holding)
    if environment is None:
        return
    helping: dict[tuple[int, str, int], Chosen] = {}
    for step in units.steps:
        for need in step.needs:
            helping[step.transition] = helping.get(step.transition, 0) | need
    for t in sorted(meant.transitions - environment.visible_transitions):
        yield _said(environment, *t), helping.get(t, 0)


def _said(lts: Lts, source: int, action: str, target: int) -> str:
    return f"{lts.state_name(source)},{action},{lts.state_name(target)}"
