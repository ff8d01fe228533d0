"""The values of settings while references are not followed yet."""


class Unknown:
    """A value with an error in it."""


class Single:
    """A value that is neither a list nor a reference, as it is printed."""

    def __init__(self, printed):
        self.printed = printed


class List:
    def __init__(self, elements):
        self.elements = elements


class Reference:
    """`path` is a tuple of keys."""

    def __init__(self, path, start):
        self.path = path
        self.start = start


class Part:
    """What stands behind one operator of a setting: a value and where it starts."""

    def __init__(self, value, start):
        self.value = value
        self.start = start


def references_in(value):
    """Return all references in a value, also in the lists in it."""
    if isinstance(value, Reference):
        return [value]
    if isinstance(value, List):
        return [found for element in value.elements for found in references_in(element)]
    return []
