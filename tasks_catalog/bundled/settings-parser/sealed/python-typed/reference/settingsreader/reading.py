"""Reads a document statement by statement."""

from collections.abc import Callable

from settingsreader.document import Document
from settingsreader.given import Given
from settingsreader.printing import printed_path, printed_string
from settingsreader.references import Resolver
from settingsreader.scanner import ENDS_WORD, Broken, Key, Scanner
from settingsreader.source import Source
from settingsreader.values import List, Part, Path, Reference, Single, Unknown, Value
from settingsreader.words import read_word
from settingsreader.wrong_word import WordError


def read(text: str) -> Document:
    """Return the Document with all settings, or with all errors."""
    source = Source(text)
    scanner = Scanner(source)
    reader = Reader(scanner)
    while scanner.position < len(source):
        reader.statement()
    resolver = Resolver(reader.given.settings)
    for start, kind in resolver.errors():
        scanner.note(start, kind)
    if scanner.errors:
        return Document([], scanner.errors)
    paths = sorted(reader.given.settings)
    return Document([(printed_path(path), resolver.printed(path)) for path in paths], [])


class Reader:
    def __init__(self, scanner: Scanner) -> None:
        self.given = Given()
        self._scanner = scanner
        self._section: Path | None = ()

    def statement(self) -> None:
        self._scanner.open_lists = 0
        try:
            self._scanner.blanks()
            if self._scanner.at_line_end() or self._scanner.here() == "#":
                self._scanner.end()
            elif self._scanner.here() == "[":
                self._header()
            else:
                self._setting()
        except Broken:
            pass

    def _header(self) -> None:
        # Until the header has proved to be right, there is no section to put settings into.
        self._section = None
        self._scanner.position += 1
        keys = self._scanner.path("]")
        self._scanner.end()
        path = path_of(keys)
        if path is None:
            return
        clash = self.given.open_section(path)
        if clash is None:
            self._section = path
        else:
            self._scanner.note(keys[clash - 1].start, "key-section-clash")

    def _setting(self) -> None:
        key = self._scanner.key()
        self._scanner.blanks()
        give = self._operator()
        self._scanner.blanks()
        start = self._scanner.position
        try:
            value: Value = self._value()
            self._scanner.end()
        except Broken:
            value = Unknown()
        if self._section is None or key.text is None:
            return
        kind = give((*self._section, key.text), Part(value, start))
        if kind is not None:
            self._scanner.note(key.start, kind)

    def _operator(self) -> Callable[[Path, Part], str | None]:
        """Return what the operator does with a path and a part."""
        if self._scanner.here() == "=":
            self._scanner.position += 1
            return self.given.set
        if self._scanner.here() == "+" and self._scanner.ahead(1) == "=":
            self._scanner.position += 2
            return self.given.append
        raise self._scanner.fail(self._scanner.position, "expected-operator")

    def _value(self) -> Value:
        first = self._scanner.here()
        if first == '"':
            text = self._scanner.string()
            return Unknown() if text is None else Single(printed_string(text))
        if first == "[":
            return self._list()
        if first == "$" and self._scanner.ahead(1) == "{":
            return self._reference()
        if first == "" or first in ENDS_WORD:
            raise self._scanner.fail(self._scanner.position, "expected-value")
        return self._word()

    def _list(self) -> Value:
        opening = self._scanner.position
        self._scanner.position += 1
        self._scanner.open_lists += 1
        elements: list[Value] = []
        self._scanner.space_in_list(opening)
        while self._scanner.here() != "]":
            elements.append(self._value())
            self._scanner.space_in_list(opening)
            if self._scanner.here() == ",":
                self._scanner.position += 1
                self._scanner.space_in_list(opening)
            elif self._scanner.here() != "]":
                raise self._scanner.fail(self._scanner.position, "expected-comma")
        self._scanner.position += 1
        self._scanner.open_lists -= 1
        return List(elements)

    def _reference(self) -> Value:
        start = self._scanner.position
        self._scanner.position += 2
        path = path_of(self._scanner.path("}"))
        return Unknown() if path is None else Reference(path, start)

    def _word(self) -> Value:
        start = self._scanner.position
        try:
            return Single(read_word(self._scanner.word()))
        except WordError as error:
            self._scanner.note(start + error.offset, error.kind)
            return Unknown()


def path_of(keys: list[Key]) -> Path | None:
    """Return the path, None if there was an error in one of the keys."""
    texts = [key.text for key in keys if key.text is not None]
    return tuple(texts) if len(texts) == len(keys) else None
