"""Moves through a document and reads keys, paths, strings and words."""

BLANKS = " \t"
DIGITS = "0123456789"
LETTERS = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"
BARE = LETTERS + DIGITS + "_-"
HEXADECIMAL = DIGITS + "abcdefABCDEF"
ENDS_WORD = BLANKS + '\n"#$,=[]{}\\'
NOT_FLUSH = BLANKS + "]#\n"
ESCAPES = {"n": "\n", "t": "\t", '"': '"', "\\": "\\"}
LAST_CHARACTER = 0x10FFFF
MOST_HEX_DIGITS = 6


class Broken(Exception):
    """The statement cannot be read on. Its error was noted, the place is where reading goes on."""


class Key:
    """`text` is None if there was an error in it."""

    def __init__(self, text, start):
        self.text = text
        self.start = start


class Scanner:
    """`errors` are tuples of line, column and kind, in the order in which they were found."""

    def __init__(self, source, errors):
        self._source = source
        self._errors = errors
        self.position = 0
        self.open_lists = 0

    def here(self):
        return self._source.at(self.position)

    def ahead(self, distance):
        return self._source.at(self.position + distance)

    def note(self, index, kind):
        self._errors.append((*self._source.place(index), kind))

    def fail(self, index, kind):
        """Note an error that breaks the statement, skip to where reading goes on and return Broken."""
        self.note(index, kind)
        self._skip()
        return Broken()

    def _skip(self):
        while True:
            while not self.at_line_end():
                self.position += 1
            goes_on = self.position > 0 and self.ahead(-1) == "\\"
            if self.here() == "":
                return
            self.position += 1
            if not goes_on and (self.open_lists == 0 or self.flush()):
                return

    def at_line_end(self):
        return self.here() in ("", "\n")

    def flush(self):
        """Tell, at the start of a line, whether it can only be the start of a statement."""
        return self.here() != "" and self.here() not in NOT_FLUSH

    def blanks(self):
        while True:
            if self.here() in (" ", "\t"):
                self.position += 1
            elif self.here() == "\\" and self.ahead(1) == "\n":
                self.position += 2
            else:
                return

    def comment(self):
        if self.here() == "#":
            while not self.at_line_end():
                self.position += 1

    def space_in_list(self, opening):
        """Skip blanks, comments and line ends in the list that was opened there."""
        while True:
            self.blanks()
            self.comment()
            if self.here() == "":
                self.note(opening, "unclosed-list")
                raise Broken
            if self.here() != "\n":
                return
            self.position += 1
            if self.flush():
                self.note(opening, "unclosed-list")
                raise Broken

    def end(self):
        """Read the end of a statement."""
        self.blanks()
        self.comment()
        if not self.at_line_end():
            raise self.fail(self.position, "expected-end")
        self.position += 1

    def path(self, close):
        """Read keys up to and with the closing character."""
        keys = []
        while True:
            self.blanks()
            keys.append(self.key())
            self.blanks()
            if self.here() not in (".", close):
                raise self.fail(self.position, "expected-close")
            self.position += 1
            if self.ahead(-1) == close:
                return keys

    def key(self):
        start = self.position
        if self.here() == '"':
            return Key(self.string(), start)
        while self.here() != "" and self.here() in BARE:
            self.position += 1
        if self.position == start:
            raise self.fail(start, "expected-key")
        return Key(self._source.slice(start, self.position), start)

    def string(self):
        """Return the text of a string, None if there was an error in it."""
        opening = self.position
        self.position += 1
        text = ""
        mistakes = []
        while self.here() != '"':
            if self.at_line_end():
                raise self.fail(opening, "unclosed-string")
            start = self.position
            character = self._character()
            if character is None:
                mistakes.append(start)
            else:
                text += character
        self.position += 1
        for start in mistakes:
            self.note(start, "bad-escape" if self._source.at(start) == "\\" else "control-character")
        return None if mistakes else text

    def _character(self):
        """Return the next character of a string, None if it may not stand there."""
        character = self.here()
        self.position += 1
        if character == "\\":
            return self._escape()
        return None if is_control(character) and character != "\t" else character

    def _escape(self):
        letter = self.here()
        if self.at_line_end():
            return None
        self.position += 1
        if letter != "u" or self.here() != "{":
            return ESCAPES.get(letter)
        self.position += 1
        start = self.position
        while self.here() != "" and self.here() in HEXADECIMAL:
            self.position += 1
        digits = self._source.slice(start, self.position)
        if self.here() != "}":
            return None
        self.position += 1
        if not 1 <= len(digits) <= MOST_HEX_DIGITS:
            return None
        number = int(digits, 16)
        if number > LAST_CHARACTER or is_surrogate(number):
            return None
        return chr(number)

    def word(self):
        start = self.position
        while self.here() != "" and self.here() not in ENDS_WORD:
            self.position += 1
        return self._source.slice(start, self.position)


def is_control(character):
    return character < " " or character == "\x7f"


def is_surrogate(number):
    return 0xD800 <= number <= 0xDFFF
