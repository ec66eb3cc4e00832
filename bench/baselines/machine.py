"""C‖P state by state: the explicit machine of the baselines.

In:  a controller and deterministic monitors, with the environment's alphabet.
Out: for a number of a state of C‖P, the numbers that its moves lead to.

Source: docs/sources.md [S1], Sect. 3 (composition).
"""

from __future__ import annotations

from itertools import product

from symrob.lts import ERROR, TAU, Action, Lts, Network, StateId
from symrob.problem import Monitor

Number = int
Locals = tuple[StateId, ...]


class Machine:
    """C‖P on numbered tuples of local states; `ERROR` is a number too.

    Each move is computed once, when it is first asked for.

    Args:
        environment: For its alphabet; the other actions are the machine's own.
        controller: C, or `None` for the controller that allows everything.
        monitors: P, all of which must hold.

    Attributes:
        start: The initial number, or `None` if the empty run is an error.
    """

    def __init__(
        self,
        environment: Lts,
        controller: Lts | Network | None,
        monitors: tuple[Monitor, ...],
    ) -> None:
        self._parts = () if controller is None else tuple(controller.components)
        self._hidden = frozenset() if controller is None else controller.hidden
        self._monitors = tuple(m.lts for m in monitors)
        self._alphabets = [set(p.alphabet) for p in (*self._parts, *self._monitors)]
        visible = {a for p in self._parts for a in p.alphabet} - self._hidden
        self._own = sorted(visible - set(environment.alphabet))
        initial = (0,) * len(self._alphabets)
        self._numbers: dict[Locals, Number] = {initial: 0}
        self._locals = [initial]
        self._moves: dict[tuple[Number, Action], frozenset[Number]] = {}
        fails = any(m.fails_at_start for m in monitors)
        self.start: Number | None = None if fails else 0

    def moves(self, state: Number, action: Action) -> frozenset[Number]:
        """Return where a visible action leads."""
        key = (state, action)
        known = self._moves.get(key)
        if known is None:
            known = self._together(self._locals[state], action, secret=False)
            self._moves[key] = known
        return known

    def internal(self, state: Number) -> set[Number]:
        """Return where the machine goes on its own."""
        locals_ = self._locals[state]
        found: set[Number] = set()
        for action in self._own:
            found |= self.moves(state, action)
        for action in self._hidden:
            found |= self._together(locals_, action, secret=True)
        for index, part in enumerate(self._parts):
            for target in part.successors[locals_[index]].get(TAU, ()):
                found.add(
                    self._number((*locals_[:index], target, *locals_[index + 1 :]))
                )
        return found

    def _number(self, locals_: Locals) -> Number:
        if ERROR in locals_:
            return ERROR
        number = self._numbers.setdefault(locals_, len(self._locals))
        if number == len(self._locals):
            self._locals.append(locals_)
        return number

    def _together(
        self, locals_: Locals, action: Action, *, secret: bool
    ) -> frozenset[Number]:
        choices: list[tuple[StateId, ...]] = []
        count = len(self._parts)
        for index, local in enumerate(locals_):
            has = action in self._alphabets[index]
            if index < count:
                # A visible action that has the name of a hidden one is another.
                if has and secret == (action in self._hidden):
                    row = self._parts[index].successors[local]
                    choices.append(row.get(action, ()))
                else:
                    choices.append((local,))
            elif has and not secret:
                row = self._monitors[index - count].successors[local]
                choices.append(row.get(action, (ERROR,)))
            else:
                choices.append((local,))
        return frozenset(self._number(after) for after in product(*choices))
