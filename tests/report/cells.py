"""What a notebook shows of an object, by the formatters that symrob registers."""

from symrob.notebook import register


class Formatter:
    """Knows functions by the names of types, as a formatter of IPython does."""

    def __init__(self):
        self.known = {}

    def for_type_by_name(self, module, name, function):
        self.known[module, name] = function

    def __call__(self, thing):
        kind = type(thing)
        function = self.known.get((kind.__module__, kind.__name__))
        return function(thing) if function is not None else None


FORMATTERS = {"image/svg+xml": Formatter(), "text/html": Formatter()}
register(FORMATTERS)


def svg(thing):
    return FORMATTERS["image/svg+xml"](thing)


def html_of(thing):
    kind = type(thing)
    if (kind.__module__, kind.__name__) in FORMATTERS["text/html"].known:
        return FORMATTERS["text/html"](thing)
    # As IPython does for types of which it knows nothing.
    method = getattr(thing, "_repr_html_", None)
    return None if method is None else method()
