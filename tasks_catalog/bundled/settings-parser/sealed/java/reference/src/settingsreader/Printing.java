package settingsreader;

import java.util.Arrays;
import java.util.List;
import java.util.stream.Collectors;

/** Paths, strings and lists as they are printed, and the order of paths. */
final class Printing {
    private Printing() {
    }

    static String path(List<String> path) {
        return path.stream().map(Printing::key).collect(Collectors.joining("."));
    }

    private static String key(String key) {
        return !key.isEmpty() && key.chars().allMatch(Scanner::isBare) ? key : string(key);
    }

    static String string(String text) {
        StringBuilder printed = new StringBuilder("\"");
        text.codePoints().forEach(character -> {
            if (character == '\n') {
                printed.append("\\n");
            } else if (character == '\t') {
                printed.append("\\t");
            } else if (character == '"' || character == '\\') {
                printed.append('\\').appendCodePoint(character);
            } else if (Scanner.isControl(character)) {
                printed.append("\\u{").append(Integer.toHexString(character)).append("}");
            } else {
                printed.appendCodePoint(character);
            }
        });
        return printed.append('"').toString();
    }

    static String list(List<String> elements) {
        return "[" + String.join(", ", elements) + "]";
    }

    /** Orders paths key by key. */
    static int comparePaths(List<String> one, List<String> other) {
        int shared = Math.min(one.size(), other.size());
        for (int index = 0; index < shared; index++) {
            int order = compareKeys(one.get(index), other.get(index));
            if (order != 0) {
                return order;
            }
        }
        return one.size() - other.size();
    }

    /** Orders by code points, where compareTo would compare the halves of surrogate pairs. */
    private static int compareKeys(String one, String other) {
        return Arrays.compare(one.codePoints().toArray(), other.codePoints().toArray());
    }
}
