"""The settings and sections that a document gives."""

from settingsreader.values import Part, Unknown


class Given:
    """`settings` maps paths (tuples of keys) to the parts of the value, in the order of the document."""

    def __init__(self):
        self.settings = {}
        self._sections = set()

    def open_section(self, path):
        """Make the path a section. Return None, or how many of its keys are the path of a setting."""
        beginnings = [path[:length] for length in range(1, len(path) + 1)]
        for beginning in beginnings:
            if beginning in self.settings:
                return len(beginning)
        self._sections.update(beginnings)
        return None

    def set(self, path, part):
        """Return the kind of error, None if there is none."""
        if path in self._sections:
            return "key-section-clash"
        if path in self.settings:
            return "duplicate-key"
        self.settings[path] = [part]
        return None

    def append(self, path, part):
        """Return the kind of error, None if there is none."""
        if path in self._sections:
            return "key-section-clash"
        if path not in self.settings:
            self.settings[path] = [Part(Unknown(), part.start)]
            return "unset-append"
        self.settings[path].append(part)
        return None
