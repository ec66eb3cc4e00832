"""Labelled transition systems, single or as networks without their product.

In:  states, actions and transitions, from any reader or from Python.
Out: `Lts` and `Network`, immutable, their invariants checked on creation.

All other modules use these two types. A network stands for the parallel composition of
its components; its product is built only on request (`symrob.lts.product`), since the
symbolic engine works on the components.

Conventions: states are numbered from 0 and 0 is initial; `ERROR` (-1) is a target only;
`TAU` is an internal move and never in an alphabet.

Source: docs/sources.md [S1], Sect. 3 (labelled transition systems).
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from functools import cached_property
from importlib import import_module
from typing import Any, NamedTuple

from symrob.errors import Diagnostic, SymrobError, did_you_mean, plural
from symrob.limits import watched

ERROR = -1
"""The target of a transition that violates a property; not a state."""

TAU = "tau"
"""An internal move; never in an alphabet."""

# No text in UTF-8 holds these, though Python and JSON have names for them.
HALF = "a lone surrogate, which is not a character"
HALF_OF_A_PAIR = re.compile("[\ud800-\udfff]")

StateId = int
Action = str


class Transition(NamedTuple):
    """One transition `source --action--> target`, states by number."""

    source: StateId
    action: Action
    target: StateId


class Parts(NamedTuple):
    """The component states that the states of a product consist of.

    Attributes:
        names: Names of the components.
        components: The components.
        codes: For each state its components' states in mixed radix, the first component
            being the least significant; none for states that were added to the product.
    """

    names: tuple[str, ...]
    components: tuple[Lts, ...]
    codes: Sequence[int]

    def of(self, state: StateId) -> tuple[str, ...]:
        """Return the names of the components' states; none for ERROR and added ones."""
        if not 0 <= state < len(self.codes):
            return ()
        parts = zip(self.components, self.numbers(state), strict=True)
        return tuple(part.state_name(local) for part, local in parts)

    def numbers(self, state: StateId) -> tuple[StateId, ...]:
        """Return the components' states of a state of the product."""
        code, found = self.codes[state], []
        for part in self.components:
            code, local = divmod(code, part.size)
            found.append(local)
        return tuple(found)


_LTS_TAKES = Diagnostic(
    "lts-argument",
    "Lts takes a list of actions, the number of states, and a list of triples "
    "(source, action, target) with states by number",
    hint="symrob.Lts(['a'], 2, [(0, 'a', 1)]); names, one for each state, are strings",
)


class Lts:
    """A labelled transition system.

    Args:
        alphabet: The actions, used or unused; without `tau`.
        size: Number of states; at least 1.
        transitions: Triples (source, action, target). Sources are states,
            targets are states or `ERROR`, actions are in the alphabet or
            `tau`. Repeated triples count once.
        names: A name for each state, all different; by default its number.
        end: The state of successful termination (END in FSP), if any.
        parts: The component states of a product's states; does not affect the
            semantics.
        initial: The possible initial states; 0 by default.

    Raises:
        SymrobError: An invariant above does not hold, or a type is wrong.

    Cost: O(t log t) for t transitions.
    Source: docs/sources.md [S1], Sect. 3.
    """

    __slots__ = (
        *("__dict__", "alphabet", "end", "initial", "names", "parts", "size"),
        *("starts", "transitions", "views"),
    )

    alphabet: tuple[Action, ...]
    size: int
    transitions: tuple[Transition, ...]
    names: tuple[str, ...] | None
    end: StateId | None
    parts: Parts | None
    initial: tuple[StateId, ...]
    # What conditions see of each state; see `symrob.lts.views`.
    views: tuple[int, ...] | None
    starts: bool

    def __init__(
        self,
        alphabet: Iterable[Action],
        size: int,
        transitions: Iterable[Sequence[Any]],
        *,
        names: Sequence[str] | None = None,
        end: StateId | None = None,
        parts: Parts | None = None,
        initial: Iterable[StateId] = (0,),
    ) -> None:
        self.parts, self.views, self.starts = parts, None, False
        try:
            self.initial = tuple(sorted({*initial}))
            self._fill(alphabet, size, transitions, names, end)
        except (TypeError, ValueError, AttributeError):
            raise SymrobError(_LTS_TAKES) from None

    def _fill(
        self,
        alphabet: Iterable[Action],
        size: int,
        transitions: Iterable[Sequence[Any]],
        names: Sequence[str] | None,
        end: StateId | None,
    ) -> None:
        """Take what is given; of the wrong types, something here fails."""
        self.alphabet = tuple(sorted(set(alphabet)))
        self.size = size
        self.names = tuple(names) if names is not None else None
        self.end = end
        if not set(map(type, (*self.alphabet, *(self.names or ())))) <= {str}:
            raise TypeError
        _require_texts((*self.alphabet, *(self.names or ())))
        # A dict keeps the order of arrival, so that what comes nearly sorted, as
        # from a search, is sorted in nearly linear time.
        self.transitions = tuple(
            sorted(
                dict.fromkeys(
                    t if type(t) is Transition else Transition._make(t)
                    for t in transitions
                )
            )
        )
        self._check()

    def _check(self) -> None:
        known = set(self.alphabet)
        if TAU in known:
            raise SymrobError(
                f"'{TAU}' is the internal move and cannot be in an alphabet"
            )
        if "" in known:
            raise SymrobError("an action must not be an empty string")
        if self.size < 1:
            raise SymrobError("a transition system needs at least one state")
        actions = {t[1] for t in self.transitions}
        targets = {t[2] for t in self.transitions}
        if (
            actions - known - {TAU}
            or (targets and not ERROR <= min(targets) <= max(targets) < self.size)
            or (targets and self.transitions[0].source < 0)
            or (targets and self.transitions[-1].source >= self.size)
        ):
            self._check_each(known)
        if self.names is not None:
            if len(self.names) != self.size:
                names = plural(len(self.names), "name")
                raise SymrobError(f"{names} for {plural(self.size, 'state')}")
            if len(set(self.names)) < self.size:
                raise SymrobError("two states have the same name in 'names'")
        if self.initial != (0,):
            self._check_initial()
        if self.end is not None and not 0 <= self.end < self.size:
            raise SymrobError(f"end state {self.end} is not in 0..{self.size - 1}")

    def _check_initial(self) -> None:
        if not self.initial:
            raise SymrobError("there is no initial state")
        for state in self.initial:
            if not 0 <= state < self.size:
                raise SymrobError(f"initial state {state} is not in 0..{self.size - 1}")

    def _check_each(self, known: set[Action]) -> None:
        """Find the transition that breaks an invariant."""
        for source, action, target in self.transitions:
            if not 0 <= source < self.size:
                raise SymrobError(f"source state {source} is not in 0..{self.size - 1}")
            if not ERROR <= target < self.size:
                raise SymrobError(f"target state {target} is not in 0..{self.size - 1}")
            if action not in known and action != TAU:
                raise SymrobError(f"action '{action}' is not in the alphabet")

    @cached_property
    def successors(self) -> tuple[Mapping[Action, tuple[StateId, ...]], ...]:
        """For each state, its actions with their targets (ERROR as -1)."""
        table: list[dict[Action, list[StateId]]] = [{} for _ in range(self.size)]
        for source, action, target in self.transitions:
            table[source].setdefault(action, []).append(target)
        return tuple({a: tuple(ts) for a, ts in row.items()} for row in table)

    @cached_property
    def visible_transitions(self) -> frozenset[Transition]:
        """The transitions without `tau`."""
        return frozenset(t for t in self.transitions if t.action != TAU)

    @property
    def can_fail(self) -> bool:
        """Whether a transition leads to ERROR."""
        return any(target == ERROR for _source, _action, target in self.transitions)

    @property
    def unused_actions(self) -> tuple[Action, ...]:
        """The actions of the alphabet without a transition, sorted."""
        used = {action for _source, action, _target in self.transitions}
        return tuple(a for a in self.alphabet if a not in used)

    @cached_property
    def deterministic(self) -> bool:
        """Whether each trace leads to a single state.

        So 0 is the only initial state, and there is no `tau`.
        """
        return self.initial == (0,) and all(
            action != TAU and len(targets) == 1
            for row in self.successors
            for action, targets in row.items()
        )

    @property
    def components(self) -> tuple[Lts, ...]:
        """This system as the only component of a network."""
        return (self,)

    @property
    def component_names(self) -> tuple[str, ...]:
        """One empty name: a single system needs none."""
        return ("",)

    @property
    def hidden(self) -> frozenset[Action]:
        """Empty: a single system has its internal moves as `tau`."""
        return frozenset()

    def state_name(self, state: StateId) -> str:
        """Return the name of `state`, `ERROR` for -1."""
        if state == ERROR:
            return "ERROR"
        if self.names is None:
            return str(state)
        try:
            return self.names[state]
        except (TypeError, IndexError):
            message = f"state {state!r:.60} is not in 0..{self.size - 1}"
            raise SymrobError(message) from None

    def part_names(self, state: StateId) -> tuple[str, ...]:
        """Return the component states that a state of a product consists of."""
        return () if self.parts is None else self.parts.of(state)

    @cached_property
    def numbers(self) -> Mapping[str, StateId]:
        """The numbers of its states, by name."""
        return {self.state_name(state): state for state in range(self.size)}

    @classmethod
    def from_dict(cls, data: Mapping[str, Any]) -> Lts:
        """Read `{"alphabet": […], "states": n, "transitions": [[s, a, t], …]}`.

        If `states` is a list of names, the first of which is initial, transitions name
        their states, and `"ERROR"` is the error state unless a state has that name:
        `{"states": ["OFF", "ON"], "transitions": [["OFF", "press", "ON"]]}`. The
        alphabet may then be omitted; by default it consists of the actions of the
        transitions. Optional keys are `names` (a list of state names, with states by
        number), `end`, and `initial`, the initial states.

        Raises:
            SymrobError: A key is missing, unknown or of the wrong type, a state is
                unknown, or an invariant of `Lts` does not hold.
        """
        if not isinstance(data, Mapping):
            raise SymrobError(f"expected a dict, not {data!r:.60}")
        if isinstance(data.get("states"), list | tuple):
            data = _by_number(data)
        missing = {"alphabet", "states", "transitions"} - set(data)
        unknown = {*data} - {"alphabet", "states", "transitions", "names"}
        unknown -= {"end", "initial"}
        if missing:
            raise SymrobError(f"missing key: {', '.join(sorted(missing))}")
        if unknown:
            raise SymrobError(f"unknown key: {', '.join(sorted(unknown))}")
        alphabet, size, transitions = (
            data["alphabet"],
            data["states"],
            data["transitions"],
        )
        names, end = data.get("names"), data.get("end")
        if not _is_list_of(alphabet, str):
            raise SymrobError("'alphabet' must be a list of strings")
        if not _is_int(size):
            raise SymrobError("'states' must be a whole number")
        if names is not None and not _is_list_of(names, str):
            raise SymrobError("'names' must be a list of strings")
        if end is not None and not _is_int(end):
            raise SymrobError("'end' must be a state number")
        initial = data.get("initial", [0])
        if not _is_list_of(initial, int) or True in map(_is_bool, initial):
            raise SymrobError("'initial' must be a list of states")
        if not isinstance(transitions, list | tuple):
            raise SymrobError("'transitions' must be a list")
        for row in watched(transitions):
            if not (
                isinstance(row, list | tuple)
                and len(row) == 3
                and _is_int(row[0])
                and isinstance(row[1], str)
                and _is_int(row[2])
            ):
                raise SymrobError(
                    f"a transition must be [source, action, target], not {row!r}"
                )
        return cls(alphabet, size, transitions, names=names, end=end, initial=initial)

    def to_dict(self) -> dict[str, Any]:
        """Return the dictionary that `from_dict` reads; sorted."""
        data: dict[str, Any] = {
            "alphabet": list(self.alphabet),
            "states": self.size,
            "transitions": [list(t) for t in self.transitions],
        }
        if self.names is not None:
            data["names"] = list(self.names)
        if self.end is not None:
            data["end"] = self.end
        if self.initial != (0,):
            data["initial"] = list(self.initial)
        return data

    def to_networkx(self) -> Any:
        """Return the system as a `networkx.MultiDiGraph`.

        Nodes are the names of states, with the attributes `state` (the number) and
        `initial`; an edge has the attribute `action`, which is its key. `ERROR` is a
        node if a transition leads to it. The graph has the attributes `alphabet` and,
        if there is an END state, `end` (its name).

        Raises:
            SymrobError: networkx is not installed, or an ordinary state is called
                `ERROR`.
        """
        graph = _networkx().MultiDiGraph(alphabet=list(self.alphabet))
        for name, state in self.numbers.items():
            graph.add_node(name, state=state, initial=state in self.initial)
        if any(target == ERROR for _source, _action, target in self.transitions):
            if "ERROR" in self.numbers:
                message = "an ordinary state has the name of the error state, ERROR"
                raise SymrobError(Diagnostic("lts-graph", message))
            graph.add_node("ERROR", state=ERROR, initial=False)
        for source, action, target in self.named(self.transitions):
            graph.add_edge(source, target, key=action, action=action)
        if self.end is not None:
            graph.graph["end"] = self.state_name(self.end)
        return graph

    @classmethod
    def from_networkx(cls, graph: Any, initial: object = None) -> Lts:
        """Return the system of a directed networkx graph.

        Args:
            graph: Its nodes are states, named by their string form. The action of an
                edge is its attribute `action` or `label`, or its key. Attributes that
                `to_networkx` adds are read.
            initial: The initial node; by default the one whose `initial` is true, or
                the first node.

        Raises:
            SymrobError: It is not a directed networkx graph, an edge has no action, the
                initial node is missing, or an invariant of `Lts` does not hold.
        """
        if not (hasattr(graph, "is_directed") and graph.is_directed()):
            message = f"expected a directed graph of networkx, not {graph!r:.60}"
            raise SymrobError(Diagnostic("lts-graph", message))
        nodes = [n for n, held in graph.nodes(data=True) if held.get("state") != ERROR]
        marked = [n for n in nodes if graph.nodes[n].get("initial")]
        first = initial if initial is not None else (marked or nodes or [None])[0]
        if first not in nodes or (initial is None and len(marked) > 1):
            message = "the graph has no unique initial node"
            hint = "name the initial node: from_networkx(graph, initial=NODE)"
            raise SymrobError(Diagnostic("lts-graph", message, hint=hint))
        nodes.sort(key=lambda node: (node != first, graph.nodes[node].get("state", 0)))
        number = {node: place for place, node in enumerate(nodes)}
        several = {"keys": True} if graph.is_multigraph() else {}
        transitions = []
        for source, target, *key, held in graph.edges(data=True, **several):
            action = held.get("action", held.get("label", *key or (None,)))
            if not isinstance(action, str):
                message = f"the edge {source!r:.60} → {target!r:.60} has no action"
                hint = "add_edge(SOURCE, TARGET, action=ACTION)"
                raise SymrobError(Diagnostic("lts-graph", message, hint=hint))
            transitions.append((number[source], action, number.get(target, ERROR)))
        alphabet = {*graph.graph.get("alphabet", ()), *(a for _, a, _ in transitions)}
        end = {str(node): place for node, place in number.items()}.get(
            graph.graph.get("end")
        )
        names = list(map(str, nodes))
        return cls(alphabet - {TAU}, len(nodes), transitions, names=names, end=end)

    def named(self, transitions: Iterable[Transition]) -> list[tuple[str, str, str]]:
        """Return transitions with the names of their states, in the given order."""
        try:
            return [
                (self.state_name(s), a, "ERROR" if t == ERROR else self.state_name(t))
                for s, a, t in transitions
            ]
        except (TypeError, ValueError):
            message = (
                f"expected triples (source, action, target), not {transitions!r:.60}"
            )
            raise SymrobError(message) from None

    def _key(self) -> tuple[Any, ...]:
        about = (self.alphabet, self.size, self.transitions, self.names, self.end)
        return (*about, self.initial)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Lts) and self._key() == other._key()

    def __hash__(self) -> int:
        return hash((self.alphabet, self.size, self.transitions))

    def __repr__(self) -> str:
        return (
            f"Lts({len(self.alphabet)} actions, {self.size} states, "
            f"{len(self.transitions)} transitions)"
        )


class Network:
    """The parallel composition of components, without their product.

    Components synchronise on every action that several of them have, and interleave the
    others and `tau`. Hidden actions still synchronise inside the network; outside, each
    is an internal move, distinct from every action of any other system, even one of the
    same name.

    Args:
        components: The systems that run in parallel; at least one.
        component_names: Their names, for traces; by default their numbers.
        hidden: Actions that are internal to the network.

    Raises:
        SymrobError: There is no component, or no component has a hidden action.
    """

    __slots__ = ("__dict__", "component_names", "components", "hidden")

    components: tuple[Lts, ...]
    component_names: tuple[str, ...]
    hidden: frozenset[Action]

    def __init__(
        self,
        components: Sequence[Lts],
        *,
        component_names: Sequence[str] | None = None,
        hidden: Iterable[Action] = (),
    ) -> None:
        one = isinstance(components, Lts | Network)
        one = one or not isinstance(components, Iterable | None)
        self.components = () if one else tuple(components or ())
        if one or not all(isinstance(c, Lts) for c in self.components):
            hint = "unpack a network in the list: *network.components"
            message = "a network takes a list of Lts"
            raise SymrobError(Diagnostic("network-argument", message, hint=hint))
        if not self.components:
            raise SymrobError("a network needs at least one component")
        names = component_names or [str(i) for i in range(len(self.components))]
        self.component_names = _texts("component_names", names)
        if len(self.component_names) != len(self.components):
            raise SymrobError("expected one name for each component")
        self.hidden = frozenset(_texts("hidden", hidden))
        unknown = self.hidden - {a for c in self.components for a in c.alphabet}
        if unknown:
            raise SymrobError(f"hidden action that no component has: {min(unknown)}")

    @cached_property
    def alphabet(self) -> tuple[Action, ...]:
        """The visible actions of all components, sorted."""
        return tuple(
            sorted({a for c in self.components for a in c.alphabet} - self.hidden)
        )

    def _key(self) -> tuple[Any, ...]:
        return (self.components, self.component_names, self.hidden)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Network) and self._key() == other._key()

    def __hash__(self) -> int:
        return hash(self._key())

    def __repr__(self) -> str:
        sizes = " x ".join(str(c.size) for c in self.components)
        return f"Network({sizes} states, {len(self.alphabet)} actions)"


def _networkx() -> Any:
    try:
        return import_module("networkx")
    except ImportError:
        message, hint = "networkx is not installed", "pip install networkx"
        raise SymrobError(Diagnostic("api-library", message, hint=hint)) from None


def _by_number(data: Mapping[str, Any]) -> dict[str, Any]:
    """Return a dict whose `states` are names as one whose states are numbers."""
    names, rows = data["states"], data.get("transitions", ())
    if not _is_list_of(names, str):
        raise SymrobError("'states' must be a number, or a list of names")
    if "names" in data:
        raise SymrobError("'states' already contains the names: omit 'names'")
    number: dict[str, StateId] = {"ERROR": ERROR}
    number |= {name: state for state, name in enumerate(names)}

    def numbered(state: object) -> StateId:
        if isinstance(state, str) and (known := number.get(state)) is not None:
            return known
        hint = did_you_mean(str(state), number)
        message = f"unknown state {state!r:.60}; 'states' lists all names"
        raise SymrobError(Diagnostic("lts-argument", message, hint=hint))

    if not isinstance(rows, list | tuple):
        raise SymrobError("'transitions' must be a list")
    wrong = [r for r in rows if not (isinstance(r, list | tuple) and len(r) == 3)]
    if wrong:
        message = f"a transition must be [source, action, target], not {wrong[0]!r:.60}"
        raise SymrobError(message)
    found = [[numbered(s), action, numbered(t)] for s, action, t in rows]
    actions = sorted({a for _, a, _ in found if isinstance(a, str)} - {TAU})
    told = {"alphabet": actions, **data, "states": len(names), "names": list(names)}
    if data.get("end") is not None:
        told["end"] = numbered(data["end"])
    if "initial" in data and isinstance(data["initial"], list | tuple):
        told["initial"] = [numbered(state) for state in data["initial"]]
    return {**told, "transitions": found}


def _is_int(value: object) -> bool:
    return isinstance(value, int) and not isinstance(value, bool)


def _texts(name: str, value: object) -> tuple[str, ...]:
    """Return the texts of an argument of a network."""
    texts = tuple(value) if isinstance(value, Iterable) else None
    if isinstance(value, str) or texts is None or {*map(type, texts)} - {str}:
        message = f"a network takes {name} as a list of strings, not {value!r:.60}"
        raise SymrobError(Diagnostic("network-argument", message))
    _require_texts(texts)
    return texts


def _require_texts(names: Iterable[str]) -> None:
    """Reject a name that cannot be written: half a character cannot."""
    for name in names:
        if not name.isascii() and HALF_OF_A_PAIR.search(name):
            raise SymrobError(f"the name {name!r:.60} contains {HALF}")


def _is_bool(value: object) -> bool:
    return isinstance(value, bool)


def _is_list_of(value: object, kind: type) -> bool:
    return isinstance(value, list | tuple) and all(isinstance(v, kind) for v in value)
