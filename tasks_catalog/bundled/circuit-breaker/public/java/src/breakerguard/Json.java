package breakerguard;

import java.util.List;
import java.util.Map;

/**
 * JSON values: read strictly as RFC 8259 says, written on one line.
 *
 * <p>An object is a {@code Map<String, Object>}, a list a {@code List<Object>}, a string a {@code
 * String}, true and false a {@code Boolean}, and null is null. Every number that was read is a
 * {@code Double}, whole or not; one beyond its range is infinite, and is written as null. Of several
 * members of an object with one name, the last one counts.
 */
public final class Json {
    private Json() {}

    /** The text is not one JSON value. */
    public static final class NotJson extends Exception {
        private static final long serialVersionUID = 1L;
    }

    /** Reads a text that is one JSON value, with or without white space around it. */
    public static Object parse(String text) throws NotJson {
        return new JsonParser(text).parse();
    }

    /** The text of such a value; it may hold {@code Long} and {@code Integer} numbers too. */
    public static String write(Object value) {
        StringBuilder out = new StringBuilder();
        write(value, out);
        return out.toString();
    }

    private static void write(Object value, StringBuilder out) {
        if (value instanceof Double number && !Double.isFinite(number)) {
            out.append("null");
        } else if (value == null || value instanceof Boolean || value instanceof Number) {
            out.append(value);
        } else if (value instanceof String text) {
            writeText(text, out);
        } else if (value instanceof List<?> elements) {
            String separator = "";
            out.append('[');
            for (Object element : elements) {
                out.append(separator);
                write(element, out);
                separator = ", ";
            }
            out.append(']');
        } else if (value instanceof Map<?, ?> members) {
            String separator = "";
            out.append('{');
            for (Map.Entry<?, ?> member : members.entrySet()) {
                out.append(separator);
                writeText((String) member.getKey(), out);
                out.append(": ");
                write(member.getValue(), out);
                separator = ", ";
            }
            out.append('}');
        } else {
            throw new IllegalArgumentException("no JSON value: " + value.getClass());
        }
    }

    /** A surrogate that is not one of a pair is escaped: no encoding can hold it. */
    private static void writeText(String text, StringBuilder out) {
        out.append('"');
        for (int index = 0; index < text.length(); ) {
            int character = text.codePointAt(index);
            index += Character.charCount(character);
            if (character == '"' || character == '\\') {
                out.append('\\').append((char) character);
            } else if (character < ' ' || character >= Character.MIN_SURROGATE && character <= Character.MAX_SURROGATE) {
                out.append(String.format("\\u%04x", character));
            } else {
                out.appendCodePoint(character);
            }
        }
        out.append('"');
    }
}
