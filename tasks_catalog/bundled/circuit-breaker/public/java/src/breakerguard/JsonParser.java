package breakerguard;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** Reads one text as one JSON value. */
final class JsonParser {
    /** Deeper nesting is refused, since every level takes some of the stack. */
    private static final int DEEPEST = 1000;

    /** What {@link #peek} returns at the end of the text; no JSON holds this character unescaped. */
    private static final char END = '\0';

    private final String text;
    private int position = 0;
    private int depth = 0;

    JsonParser(String text) {
        this.text = text;
    }

    Object parse() throws Json.NotJson {
        Object value = value();
        skipSpace();
        if (position < text.length()) {
            throw new Json.NotJson();
        }
        return value;
    }

    private Object value() throws Json.NotJson {
        skipSpace();
        char next = peek();
        if (next == '{' || next == '[') {
            return nested(next);
        }
        if (next == '"') {
            return string();
        }
        if (next == '-' || isDigit(next)) {
            return number();
        }
        return word();
    }

    private Object nested(char opening) throws Json.NotJson {
        if (depth == DEEPEST) {
            throw new Json.NotJson();
        }
        depth++;
        position++;
        Object value = opening == '{' ? object() : list();
        depth--;
        return value;
    }

    private Map<String, Object> object() throws Json.NotJson {
        Map<String, Object> members = new LinkedHashMap<>();
        skipSpace();
        if (take('}')) {
            return members;
        }
        while (true) {
            skipSpace();
            String name = string();
            skipSpace();
            expect(':');
            members.put(name, value());
            skipSpace();
            if (take('}')) {
                return members;
            }
            expect(',');
        }
    }

    private List<Object> list() throws Json.NotJson {
        List<Object> elements = new ArrayList<>();
        skipSpace();
        if (take(']')) {
            return elements;
        }
        while (true) {
            elements.add(value());
            skipSpace();
            if (take(']')) {
                return elements;
            }
            expect(',');
        }
    }

    private String string() throws Json.NotJson {
        expect('"');
        StringBuilder string = new StringBuilder();
        while (true) {
            char character = peek();
            if (character < ' ') {
                throw new Json.NotJson();
            }
            position++;
            if (character == '"') {
                return string.toString();
            }
            string.append(character == '\\' ? escaped() : character);
        }
    }

    private char escaped() throws Json.NotJson {
        char letter = peek();
        position++;
        return switch (letter) {
            case '"', '\\', '/' -> letter;
            case 'b' -> '\b';
            case 'f' -> '\f';
            case 'n' -> '\n';
            case 'r' -> '\r';
            case 't' -> '\t';
            case 'u' -> unicodeEscaped();
            default -> throw new Json.NotJson();
        };
    }

    private char unicodeEscaped() throws Json.NotJson {
        int unit = 0;
        for (int count = 0; count < 4; count++) {
            char digit = peek();
            int value = digit < 128 ? Character.digit(digit, 16) : -1;
            if (value < 0) {
                throw new Json.NotJson();
            }
            unit = unit * 16 + value;
            position++;
        }
        return (char) unit;
    }

    private Double number() throws Json.NotJson {
        int start = position;
        take('-');
        if (!take('0')) {
            digits();
        }
        if (take('.')) {
            digits();
        }
        if (take('e') || take('E')) {
            if (!take('+')) {
                take('-');
            }
            digits();
        }
        return Double.valueOf(text.substring(start, position));
    }

    /** At least one digit. */
    private void digits() throws Json.NotJson {
        int start = position;
        while (isDigit(peek())) {
            position++;
        }
        if (position == start) {
            throw new Json.NotJson();
        }
    }

    private Boolean word() throws Json.NotJson {
        if (takeWord("null")) {
            return null;
        }
        if (takeWord("true")) {
            return true;
        }
        if (takeWord("false")) {
            return false;
        }
        throw new Json.NotJson();
    }

    private boolean takeWord(String word) {
        boolean found = text.startsWith(word, position);
        if (found) {
            position += word.length();
        }
        return found;
    }

    private void skipSpace() {
        while (peek() == ' ' || peek() == '\t' || peek() == '\n' || peek() == '\r') {
            position++;
        }
    }

    private void expect(char character) throws Json.NotJson {
        if (!take(character)) {
            throw new Json.NotJson();
        }
    }

    private boolean take(char character) {
        boolean found = peek() == character;
        if (found) {
            position++;
        }
        return found;
    }

    private char peek() {
        return position < text.length() ? text.charAt(position) : END;
    }

    private static boolean isDigit(char character) {
        return character >= '0' && character <= '9';
    }
}
