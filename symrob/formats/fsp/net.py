"""What a composite is made of, not multiplied out.

In:  components with names.
Out: a `Net`: a component, a named composite, or such side by side.

A named composite is a whole: renaming that gives two of its actions one name acts
on its product, because inside it the two do not meet. Brackets make no whole, and
each copy of a composite is one of its own. So wholes are kept as a tree, and
each is multiplied out alone, and only where a renaming merges its actions.

An action that a composite hides has a name with a number (`a#1`) that no label can
have, so the components that share it still meet in it and nobody else does.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import NamedTuple

from symrob.formats.fsp.relabel import HIDDEN_MARK, Renaming, merges, rename
from symrob.lts import Action, Lts, Network
from symrob.lts.naming import distinct
from symrob.lts.product import Priority, compose, product


class Net(NamedTuple):
    """A component, a named composite, or what runs side by side without a name.

    Attributes:
        inside: The component, or what a composite is made of.
        title: Its name, with the prefixes that it was given, if it has one.
        hidden: What is hidden in it, if the language composes it before what
            stands around it, else `None`. Only END depends on that.
    """

    inside: Lts | tuple[Net, ...] = ()
    title: str = ""
    hidden: frozenset[Action] | None = None

    @property
    def parts(self) -> tuple[Net, ...]:
        """What runs side by side: this alone, if it has a name."""
        if self.title or isinstance(self.inside, Lts):
            return (self,)
        return self.inside

    def components(self) -> list[tuple[str, Lts]]:
        """Return all components with their names."""
        if isinstance(self.inside, Lts):
            return [(self.title, self.inside)]
        return [found for part in self.inside for found in part.components()]

    def alphabet(self) -> set[Action]:
        """Return the visible actions."""
        actions = {a for _title, lts in self.components() for a in lts.alphabet}
        return {action for action in actions if HIDDEN_MARK not in action}

    def renamed(self, renaming: Renaming, title: str = "") -> Net:
        """Return the net with the actions of each component renamed.

        Args:
            renaming: It must not merge actions, unless this is a component.
            title: What to put before the names.
        """
        if isinstance(self.inside, Lts):
            inside: Lts | tuple[Net, ...] = rename(self.inside, renaming)
        else:
            inside = tuple(part.renamed(renaming, title) for part in self.inside)
        return Net(inside, self.title and title + self.title, self.hidden)

    def relabelled(
        self, renaming: Renaming, multiply: Callable[[Net], Lts], title: str = ""
    ) -> Net:
        """Return the net renamed by any map, wholes multiplied out where it merges.

        Args:
            renaming: The new names of each action.
            multiply: Makes the product of a whole.
            title: What to put before the names.
        """
        parts = (
            Net(multiply(part), part.title)
            if not isinstance(part.inside, Lts) and merges(part.alphabet(), renaming)
            else part
            for part in self.parts
        )
        return Net.side_by_side(parts).renamed(renaming, title)

    def whole(self, title: str, *, first: bool) -> Net:
        """Return the net under one name, so that renaming does not take it apart.

        Args:
            title: Its name.
            first: Whether the language composes it before what stands around it.
        """
        if not self.parts or (
            len(self.parts) == 1 and isinstance(self.parts[0].inside, Lts)
        ):
            return self
        hidden = _marked(self.components()) if first else None
        return Net(self.parts, title, hidden)

    @staticmethod
    def side_by_side(nets: Iterable[Net]) -> Net:
        """Return all nets as one."""
        return Net(tuple(part for net in nets for part in net.parts))

    def network(self) -> Network | Lts:
        """Return the network, or its only component if nothing is hidden."""
        components = self.components()
        return _network(components, _marked(components))

    def product(self, max_states: int, priority: Priority | None = None) -> Lts:
        """Multiply the net out.

        Where a component can end, what the language composes first is composed
        first, since END is decided there; else all components are multiplied
        at once, which never makes more states.

        Args:
            max_states: Bound on the states of each product.
            priority: Actions that go before or after all others.

        Raises:
            LimitExceeded: A product has more states than that.
        """
        components = self.components()
        hidden = _marked(components)
        if any(lts.end is not None for _title, lts in components):
            components = _settled(self, max_states)
        network = _network(components, hidden)
        if isinstance(network, Lts) and priority is None:
            return network
        return compose(network, max_states=max_states, priority=priority)


def _settled(net: Net, max_states: int) -> list[tuple[str, Lts]]:
    """Return the components, with products where END is decided inside."""
    if isinstance(net.inside, Lts):
        return [(net.title, net.inside)]
    found = [lts for part in net.inside for lts in _settled(part, max_states)]
    if net.hidden is None:
        return found
    # What is hidden further outside is still shared with other parts.
    network = _network(found, net.hidden)
    return [(net.title, product(network, max_states=max_states))]


def _marked(components: list[tuple[str, Lts]]) -> frozenset[Action]:
    """Return the actions that were hidden so far."""
    return frozenset(
        a for _title, lts in components for a in lts.alphabet if HIDDEN_MARK in a
    )


def _network(
    components: list[tuple[str, Lts]], hidden: frozenset[Action]
) -> Network | Lts:
    """Return the network, or its only component if nothing is hidden in it."""
    present = {a for _title, lts in components for a in lts.alphabet}
    if len(components) == 1 and not hidden & present:
        return components[0][1]
    return Network(
        [lts for _title, lts in components],
        component_names=distinct([title for title, _lts in components]),
        hidden=hidden & present,
    )
