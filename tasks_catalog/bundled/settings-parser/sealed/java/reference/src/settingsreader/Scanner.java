package settingsreader;

import java.util.ArrayList;
import java.util.List;

/** Moves through a document and reads keys, paths, strings and words. */
final class Scanner {
    private static final String ENDS_WORD = " \t\n\"#$,=[]{}\\";
    private static final String NOT_FLUSH = " \t]#\n";
    private static final int LAST_CHARACTER = 0x10FFFF;
    private static final int MOST_HEX_DIGITS = 6;
    private static final int NO_CHARACTER = -1;

    /** In the order in which they were found. */
    final List<Document.Mistake> errors = new ArrayList<>();
    int position;
    int openLists;
    private final Source source;

    Scanner(Source source) {
        this.source = source;
    }

    /** The text is null if there was an error in it. */
    record Key(String text, int start) {
    }

    int here() {
        return source.at(position);
    }

    int next() {
        return source.at(position + 1);
    }

    private boolean isIn(String set) {
        return set.indexOf(here()) >= 0;
    }

    void note(int index, String kind) {
        errors.add(source.mistake(index, kind));
    }

    /** Notes an error that breaks the statement, skips to where reading goes on and returns Broken. */
    Broken fail(int index, String kind) {
        note(index, kind);
        skip();
        return new Broken();
    }

    private void skip() {
        while (true) {
            while (!atLineEnd()) {
                position++;
            }
            boolean goesOn = source.at(position - 1) == '\\';
            if (here() == Source.NOTHING) {
                return;
            }
            position++;
            if (!goesOn && (openLists == 0 || flush())) {
                return;
            }
        }
    }

    boolean atLineEnd() {
        return here() == Source.NOTHING || here() == '\n';
    }

    /** Tells, at the start of a line, whether it can only be the start of a statement. */
    private boolean flush() {
        return here() != Source.NOTHING && !isIn(NOT_FLUSH);
    }

    void blanks() {
        while (true) {
            if (here() == ' ' || here() == '\t') {
                position++;
            } else if (here() == '\\' && next() == '\n') {
                position += 2;
            } else {
                return;
            }
        }
    }

    private void comment() {
        if (here() == '#') {
            while (!atLineEnd()) {
                position++;
            }
        }
    }

    /** Skips blanks, comments and line ends in the list that was opened there. */
    void spaceInList(int opening) throws Broken {
        while (true) {
            blanks();
            comment();
            if (here() == Source.NOTHING) {
                note(opening, "unclosed-list");
                throw new Broken();
            }
            if (here() != '\n') {
                return;
            }
            position++;
            if (flush()) {
                note(opening, "unclosed-list");
                throw new Broken();
            }
        }
    }

    /** Reads the end of a statement. */
    void end() throws Broken {
        blanks();
        comment();
        if (!atLineEnd()) {
            throw fail(position, "expected-end");
        }
        position++;
    }

    /** Reads keys up to and with the closing character. */
    List<Key> path(char close) throws Broken {
        List<Key> keys = new ArrayList<>();
        while (true) {
            blanks();
            keys.add(key());
            blanks();
            if (here() == close) {
                position++;
                return keys;
            }
            if (here() != '.') {
                throw fail(position, "expected-close");
            }
            position++;
        }
    }

    Key key() throws Broken {
        int start = position;
        if (here() == '"') {
            return new Key(string(), start);
        }
        while (isBare(here())) {
            position++;
        }
        if (position == start) {
            throw fail(start, "expected-key");
        }
        return new Key(source.slice(start, position), start);
    }

    /** Returns the text of a string, null if there was an error in it. */
    String string() throws Broken {
        int opening = position;
        position++;
        StringBuilder text = new StringBuilder();
        List<Integer> mistakes = new ArrayList<>();
        while (here() != '"') {
            if (atLineEnd()) {
                throw fail(opening, "unclosed-string");
            }
            int start = position;
            int character = character();
            if (character == NO_CHARACTER) {
                mistakes.add(start);
            } else {
                text.appendCodePoint(character);
            }
        }
        position++;
        for (int start : mistakes) {
            note(start, source.at(start) == '\\' ? "bad-escape" : "control-character");
        }
        return mistakes.isEmpty() ? text.toString() : null;
    }

    /** Returns the next character of a string, NO_CHARACTER if it may not stand there. */
    private int character() {
        int character = here();
        position++;
        if (character == '\\') {
            return escape();
        }
        return isControl(character) && character != '\t' ? NO_CHARACTER : character;
    }

    private int escape() {
        int letter = here();
        if (atLineEnd()) {
            return NO_CHARACTER;
        }
        position++;
        switch (letter) {
            case 'n':
                return '\n';
            case 't':
                return '\t';
            case '"':
            case '\\':
                return letter;
            default:
                break;
        }
        if (letter != 'u' || here() != '{') {
            return NO_CHARACTER;
        }
        position++;
        int start = position;
        while (isHexadecimal(here())) {
            position++;
        }
        String digits = source.slice(start, position);
        if (here() != '}') {
            return NO_CHARACTER;
        }
        position++;
        if (digits.isEmpty() || digits.length() > MOST_HEX_DIGITS) {
            return NO_CHARACTER;
        }
        int number = Integer.parseInt(digits, 16);
        if (number > LAST_CHARACTER || isSurrogate(number)) {
            return NO_CHARACTER;
        }
        return number;
    }

    /** Tells whether a word can start here. */
    boolean atWord() {
        return here() != Source.NOTHING && !isIn(ENDS_WORD);
    }

    String word() {
        int start = position;
        while (atWord()) {
            position++;
        }
        return source.slice(start, position);
    }

    static boolean isBare(int character) {
        return Words.isDigit(character) || character >= 'A' && character <= 'Z' || character >= 'a' && character <= 'z'
                || character == '_' || character == '-';
    }

    static boolean isControl(int character) {
        return character < ' ' || character == 0x7f;
    }

    private static boolean isHexadecimal(int character) {
        return Words.isDigit(character) || character >= 'A' && character <= 'F' || character >= 'a' && character <= 'f';
    }

    private static boolean isSurrogate(int number) {
        return number >= 0xD800 && number <= 0xDFFF;
    }
}
