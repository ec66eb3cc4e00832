"""The meaning of formulas on words that end in a loop, by the definition.

It works on the formula as it was written, backwards along the word, with no normal form
and no monitor. Formulas are (operator, parts, fluent) and anything that has these names.
"""

from itertools import product


def holds(formula, prefix, loop):
    """Whether `prefix` and then `loop` for ever satisfies a formula."""
    # After one round every fluent is, at each place of the loop, what it stays.
    word = [*prefix, *loop, *loop]
    back = len(prefix) + len(loop)
    return _values(formula, word, back)[0]


def _values(formula, word, back):
    """At each place of a word whose end leads to `back`, whether a formula holds."""
    size = len(word)
    after = [*range(1, size), back]
    parts = [_values(part, word, back) for part in formula.parts]
    everywhere = range(size)
    match formula.operator:
        case "true" | "false":
            return [formula.operator == "true"] * size
        case "fluent":
            found, now = [], formula.fluent.initially
            for action in word:
                stops = formula.fluent.stops
                if action in formula.fluent.starts:
                    now = True
                elif stops is None or action in stops:
                    now = False
                found.append(now)
            return found
        case "!":
            return [not v for v in parts[0]]
        case "&&":
            return [all(p[i] for p in parts) for i in everywhere]
        case "||":
            return [any(p[i] for p in parts) for i in everywhere]
        case "->":
            return [not parts[0][i] or parts[1][i] for i in everywhere]
        case "<->":
            return [parts[0][i] == parts[1][i] for i in everywhere]
        case "X":
            return [parts[0][after[i]] for i in everywhere]
    # All places that a run from here comes to, in their order.
    ahead = [[*range(i, size), *range(back, size)] for i in everywhere]
    match formula.operator:
        case "[]":
            return [all(parts[0][j] for j in ahead[i]) for i in everywhere]
        case "<>":
            return [any(parts[0][j] for j in ahead[i]) for i in everywhere]
    left, right = parts
    found = []
    for i in everywhere:
        value = formula.operator == "W"
        for j in ahead[i]:
            if right[j] or not left[j]:
                value = right[j]
                break
        found.append(value)
    return found


def words(alphabet, most):
    """All words of up to so many actions."""
    for length in range(most + 1):
        yield from product(alphabet, repeat=length)


def is_bad(formula, word, alphabet, tail=2, loop=3):
    """Whether no continuation of a word satisfies a formula.

    Continuations are tried with a tail and a loop of so many actions; that is enough
    for the formulas of the tests, which have few states.
    """
    return not any(
        holds(formula, (*word, *before), again)
        for again in words(alphabet, loop)
        if again
        for before in words(alphabet, tail)
    )
