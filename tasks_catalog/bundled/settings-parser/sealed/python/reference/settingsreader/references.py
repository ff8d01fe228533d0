"""Follows references from setting to setting."""

from settingsreader.values import List, Reference, Single, references_in


class Resolver:
    """`settings` maps paths to the parts of the value."""

    def __init__(self, settings):
        self._settings = settings

    def errors(self):
        """Return index and kind of every error that shows only when the whole document is known."""
        found = []
        for path, parts in self._settings.items():
            for reference in self._references_of(path):
                if reference.path not in self._settings:
                    found.append((reference.start, "undefined-reference"))
                elif self._leads_to(reference.path, path):
                    found.append((reference.start, "reference-cycle"))
            if len(parts) > 1:
                found += [(part.start, "not-a-list") for part in parts if self._is_single(part.value)]
        return found

    def _references_of(self, path):
        parts = self._settings.get(path, [])
        return [reference for part in parts for reference in references_in(part.value)]

    def _leads_to(self, start, goal):
        waiting = [start]
        seen = set(waiting)
        while waiting:
            path = waiting.pop()
            if path == goal:
                return True
            for reference in self._references_of(path):
                if reference.path not in seen:
                    seen.add(reference.path)
                    waiting.append(reference.path)
        return False

    def _is_single(self, value):
        """Tell whether a value is known to be no list."""
        seen = set()
        while isinstance(value, Reference):
            parts = self._settings.get(value.path, [])
            if len(parts) != 1 or value.path in seen:
                return False
            seen.add(value.path)
            value = parts[0].value
        return isinstance(value, Single)

    def printed(self, path):
        """Return the value of a setting as it is printed, in a document without errors."""
        parts = self._settings[path]
        if len(parts) == 1:
            return self._printed_value(parts[0].value)
        return f"[{', '.join(self._elements_of(path))}]"

    def _printed_value(self, value):
        match value:
            case Reference(path=path):
                return self.printed(path)
            case List(elements=elements):
                return f"[{', '.join(self._printed_value(element) for element in elements)}]"
        return value.printed

    def _elements_of(self, path):
        """Return the printed elements of a setting that is a list."""
        elements = []
        for part in self._settings[path]:
            if isinstance(part.value, Reference):
                elements += self._elements_of(part.value.path)
            else:
                elements += [self._printed_value(element) for element in part.value.elements]
        return elements
