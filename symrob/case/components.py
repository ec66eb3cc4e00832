"""Names of components of E: their name, their label in FSP, or a pattern.

In:  texts of a case, and the network that E is composed of.
Out: the numbers of the matching components; the error for unknown ones.
"""

from __future__ import annotations

from collections.abc import Iterator

from symrob.errors import Diagnostic, known_or_near
from symrob.problem import Model
from symrob.words import fits


def labels_of(name: str) -> Iterator[str]:
    """Yield the labels of a component: `a` and `a:b` of `a:b:CHANNEL`."""
    return (name[:i] for i, c in enumerate(name) if c == ":")


def called(text: str, environment: Model) -> tuple[int, ...]:
    """Return the components that a text names; none if E is not composed.

    Args:
        text: A name, the label of one in FSP, or a pattern for either.
        environment: E.
    """
    names = environment.component_names
    if len(names) < 2:
        return ()
    return tuple(
        i
        for i, name in enumerate(names)
        if any(fits(text, each) for each in (name, *labels_of(name)))
    )


def owners(text: str, environment: Model) -> tuple[str, str, tuple[int, ...]]:
    """Split a text at its component; return the component, the rest, and the numbers.

    Names may contain colons: of all ways to split, the longest known name counts.
    """
    for cut in range(len(text) - 1, 0, -1):
        if text[cut] == ":" and (found := called(text[:cut].strip(), environment)):
            return text[:cut].strip(), text[cut + 1 :], found
    return "", text, ()


def unknown_component(text: str, environment: Model) -> Diagnostic:
    """Return the error for a name that no component has."""
    names = environment.component_names
    if len(names) < 2:
        message = f"unknown component '{text}': the environment is a single process"
        return Diagnostic("transition-component", message)
    message = f"unknown component '{text}' of the environment"
    labels = (label for name in names for label in labels_of(name))
    hint = known_or_near(text, names, "its components", also=labels)
    return Diagnostic("transition-component", message, hint=hint)
