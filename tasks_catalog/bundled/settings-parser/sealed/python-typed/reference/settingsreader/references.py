"""Follows references from setting to setting."""

from settingsreader.values import List, Part, Path, Reference, Single, Value, references_in


class Resolver:
    """`settings` maps paths to the parts of the value."""

    def __init__(self, settings: dict[Path, list[Part]]) -> None:
        self._settings = settings

    def errors(self) -> list[tuple[int, str]]:
        """Return index and kind of every error that shows only when the whole document is known."""
        found: list[tuple[int, str]] = []
        for path, parts in self._settings.items():
            for reference in self._references_of(path):
                if reference.path not in self._settings:
                    found.append((reference.start, "undefined-reference"))
                elif self._leads_to(reference.path, path):
                    found.append((reference.start, "reference-cycle"))
            if len(parts) > 1:
                found += [(part.start, "not-a-list") for part in parts if self._is_single(part.value)]
        return found

    def _references_of(self, path: Path) -> list[Reference]:
        parts = self._settings.get(path, [])
        return [reference for part in parts for reference in references_in(part.value)]

    def _leads_to(self, start: Path, goal: Path) -> bool:
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

    def _is_single(self, value: Value) -> bool:
        """Tell whether a value is known to be no list."""
        seen: set[Path] = set()
        while isinstance(value, Reference):
            parts = self._settings.get(value.path, [])
            if len(parts) != 1 or value.path in seen:
                return False
            seen.add(value.path)
            value = parts[0].value
        return isinstance(value, Single)

    def printed(self, path: Path) -> str:
        """Return the value of a setting as it is printed, in a document without errors."""
        parts = self._settings[path]
        if len(parts) == 1:
            return self._printed_value(parts[0].value)
        return f"[{', '.join(self._elements_of(path))}]"

    def _printed_value(self, value: Value) -> str:
        match value:
            case Reference(path=path):
                return self.printed(path)
            case List(elements=elements):
                return f"[{', '.join(self._printed_value(element) for element in elements)}]"
        return value.printed if isinstance(value, Single) else ""

    def _elements_of(self, path: Path) -> list[str]:
        """Return the printed elements of a setting that is a list."""
        elements: list[str] = []
        for part in self._settings[path]:
            if isinstance(part.value, Reference):
                elements += self._elements_of(part.value.path)
            elif isinstance(part.value, List):
                elements += [self._printed_value(element) for element in part.value.elements]
        return elements
