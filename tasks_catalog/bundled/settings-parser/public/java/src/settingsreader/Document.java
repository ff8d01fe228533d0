package settingsreader;

import java.util.List;

/** What was read from a document. */
public record Document(List<Setting> settings, List<Mistake> errors) {
    /** A path and a value as they are printed. */
    public record Setting(String path, String value) {
    }

    /** Lines and columns count from 1. */
    public record Mistake(int line, int column, String kind) {
    }
}
