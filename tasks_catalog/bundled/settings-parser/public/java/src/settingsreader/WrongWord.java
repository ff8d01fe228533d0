package settingsreader;

/** A word that is no value. */
final class WrongWord extends Exception {
    private static final long serialVersionUID = 1;

    final String kind;
    /** The place of the mistake in the word, from 0: before it stand ASCII characters only. */
    final int offset;

    WrongWord(String kind, int offset) {
        super(kind, null, false, false);
        this.kind = kind;
        this.offset = offset;
    }
}
