"""The meaning of formulas on words that are cut off, by the definition.

It works on the formula as it was written, with no normal form and no monitor. In the
weak view all that lies beyond the end of the word is taken to be as it should, in the
strong view nothing is; negation changes the view. (C. Eisner and others call them so.)
Formulas are anything with `operator`, `parts` and `fluent`.
"""

from itertools import product


def holds(formula, word):
    """Whether a formula holds of a word in the weak view."""
    return _Word(word).at(formula, 0, weak=True)


class _Word:
    def __init__(self, word):
        self.word = word
        self.known = {}

    def at(self, formula, place, *, weak):
        if place >= len(self.word):
            return weak
        key = (formula, place, weak)
        if key not in self.known:
            self.known[key] = self._at(formula, place, weak)
        return self.known[key]

    def _at(self, formula, place, weak):
        def here(part, view=weak):
            return self.at(part, place, weak=view)

        parts = formula.parts
        # The end counts as a place: there the view decides.
        later = range(place, len(self.word) + 1)
        match formula.operator:
            case "true" | "false" as word:
                return word == "true"
            case "fluent":
                return self._fluent(formula.fluent, place)
            case "!":
                return not here(parts[0], not weak)
            case "&&":
                return all(map(here, parts))
            case "||":
                return any(map(here, parts))
            case "->":
                return not here(parts[0], not weak) or here(parts[1])
            case "<->":
                one, other = parts
                return (not here(one, not weak) or here(other)) and (
                    here(one) or not here(other, not weak)
                )
            case "X":
                return self.at(parts[0], place + 1, weak=weak)
            case "[]":
                return all(self.at(parts[0], i, weak=weak) for i in later)
            case "<>":
                return any(self.at(parts[0], i, weak=weak) for i in later)
            case "U":
                return self._until(parts, place, weak)
            case "W":
                # Weak until as LTL defines it: `U`, or the left side for ever.
                always = all(self.at(parts[0], i, weak=weak) for i in later)
                return always or self._until(parts, place, weak)

    def _until(self, parts, place, weak):
        left, right = parts
        return any(
            self.at(right, end, weak=weak)
            and all(self.at(left, i, weak=weak) for i in range(place, end))
            for end in range(place, len(self.word) + 1)
        )

    def _fluent(self, fluent, place):
        for action in reversed(self.word[: place + 1]):
            if action in fluent.starts:
                return True
            if fluent.stops is None or action in fluent.stops:
                return False
        return fluent.initially


def words(alphabet, most):
    """All words of up to so many actions."""
    for length in range(most + 1):
        yield from product(alphabet, repeat=length)
