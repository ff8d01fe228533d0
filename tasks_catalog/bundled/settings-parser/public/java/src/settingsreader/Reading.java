package settingsreader;

import java.util.ArrayList;
import java.util.List;

/** Reads a document line by line. */
public final class Reading {
    private Reading() {
    }

    /** Returns all settings, or the first error. */
    public static Document read(String text) {
        List<Document.Setting> settings = new ArrayList<>();
        String section = "";
        String[] lines = text.split("\n", -1);
        for (int index = 0; index < lines.length; index++) {
            String line = lines[index];
            String statement = trimmed(line);
            if (statement.isEmpty() || statement.startsWith("#")) {
                continue;
            }
            if (statement.startsWith("[")) {
                if (!statement.endsWith("]") || !isKey(statement.substring(1, statement.length() - 1))) {
                    return failed(index, 1, "syntax");
                }
                section = statement.substring(1, statement.length() - 1) + ".";
                continue;
            }
            int equals = line.indexOf('=');
            String key = trimmed(line.substring(0, Math.max(equals, 0)));
            if (!isKey(key)) {
                return failed(index, 1, "syntax");
            }
            int start = equals + 1;
            while (start < line.length() && isBlank(line.charAt(start))) {
                start++;
            }
            try {
                settings.add(new Document.Setting(section + key, readValue(trimmed(line.substring(start)))));
            } catch (WrongWord error) {
                return failed(index, line.codePointCount(0, start) + 1 + error.offset, error.kind);
            }
        }
        return new Document(settings, List.of());
    }

    private static Document failed(int index, int column, String kind) {
        return new Document(List.of(), List.of(new Document.Mistake(index + 1, column, kind)));
    }

    private static boolean isBlank(char character) {
        return character == ' ' || character == '\t';
    }

    private static String trimmed(String text) {
        int start = 0;
        int end = text.length();
        while (start < end && isBlank(text.charAt(start))) {
            start++;
        }
        while (start < end && isBlank(text.charAt(end - 1))) {
            end--;
        }
        return text.substring(start, end);
    }

    private static boolean isKey(String text) {
        return text.matches("[A-Za-z0-9_-]+");
    }

    /** Returns the value as it is printed. */
    private static String readValue(String value) throws WrongWord {
        if (value.length() >= 2 && value.startsWith("\"") && value.endsWith("\"")) {
            if (value.substring(1, value.length() - 1).contains("\"") || value.contains("\\")) {
                throw new WrongWord("syntax", 0);
            }
            return value;
        }
        return Words.read(value);
    }
}
