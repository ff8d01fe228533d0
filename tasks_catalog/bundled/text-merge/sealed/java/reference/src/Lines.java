import java.util.ArrayList;
import java.util.List;

/** Lines with their endings, and when they are equal. */
final class Lines {
    private Lines() {}

    /** Returns the ending of a line: empty for one that is unfinished. */
    static String ending(String line) {
        if (line.endsWith("\r\n")) {
            return "\r\n";
        }
        return line.endsWith("\n") ? "\n" : "";
    }

    /** Returns what is compared: two lines are equal if their keys are. */
    static String key(String line, String compare) {
        String text = line.substring(0, line.length() - ending(line).length());
        return switch (compare) {
            case "exact" -> line;
            case "trailing" -> text.replaceAll("[ \t]+\\z", "");
            case "all" -> text.replaceAll("[ \t]+", "");
            default -> text;
        };
    }

    static List<String> keys(List<String> text, String compare) {
        return text.stream().map(line -> key(line, compare)).toList();
    }

    static boolean equal(List<String> one, List<String> other, String compare) {
        return keys(one, compare).equals(keys(other, compare));
    }

    static String endingOfMarkers(List<String> mine, List<String> theirs) {
        for (List<String> text : List.of(mine, theirs)) {
            if (!text.isEmpty() && !ending(text.get(0)).isEmpty()) {
                return ending(text.get(0));
            }
        }
        return "\n";
    }

    /** Returns the lines; those before the last that have no ending get the missing one. */
    static List<String> withEndings(List<String> lines, String missing) {
        List<String> complete = new ArrayList<>();
        for (String line : lines) {
            boolean last = complete.size() == lines.size() - 1;
            complete.add(ending(line).isEmpty() && !last ? line + missing : line);
        }
        return complete;
    }
}
