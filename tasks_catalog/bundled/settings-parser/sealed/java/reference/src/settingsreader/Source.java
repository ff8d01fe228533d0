package settingsreader;

/** The characters of a document: every line end a single line feed, without the byte order mark. */
final class Source {
    /** What stands behind the last character. */
    static final int NOTHING = -1;

    private static final String BYTE_ORDER_MARK = "\ufeff";

    private final int[] characters;

    Source(String text) {
        String unmarked = text.startsWith(BYTE_ORDER_MARK) ? text.substring(1) : text;
        characters = unmarked.replace("\r\n", "\n").codePoints().toArray();
    }

    int at(int index) {
        return index >= 0 && index < characters.length ? characters[index] : NOTHING;
    }

    String slice(int start, int end) {
        return new String(characters, start, end - start);
    }

    /** Returns an error at a character. */
    Document.Mistake mistake(int index, String kind) {
        int line = 1;
        int column = 1;
        for (int before = 0; before < index; before++) {
            column++;
            if (characters[before] == '\n') {
                line++;
                column = 1;
            }
        }
        return new Document.Mistake(line, column, kind);
    }
}
