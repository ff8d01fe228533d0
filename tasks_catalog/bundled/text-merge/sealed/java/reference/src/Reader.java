import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.OptionalInt;
import java.util.Set;

/** Takes the blocks from the input. */
final class Reader {
    private static final Set<String> SECTIONS = Set.of("base", "mine", "theirs");
    private static final int LONGEST_TEXT = 2000;

    private final List<String> lines;
    private final Set<String> names = new HashSet<>();
    private int next;

    Reader(List<String> lines) {
        this.lines = lines;
    }

    boolean atEnd() {
        return next == lines.size();
    }

    /** The number of the line that was taken last. */
    int line() {
        return next;
    }

    Block next() throws Refused {
        String[] words = take().split(" ", -1);
        if (!words[0].equals("merge")) {
            throw new Refused("unknown_command");
        }
        if (words.length < 2 || !words[1].matches("[a-z0-9._-]{1,30}")) {
            throw new Refused("bad_name");
        }
        Options options = Options.read(List.of(words).subList(2, words.length));
        if (names.contains(words[1])) {
            throw new Refused("duplicate_name");
        }
        Map<String, List<String>> sections = sections();
        names.add(words[1]);
        return new Block(words[1], options, sections.get("base"), sections.get("mine"), sections.get("theirs"));
    }

    /** Goes on behind the next {@code end}, which may be the line that was taken last. */
    void passOver() {
        while (!lines.get(next - 1).equals("end") && !atEnd()) {
            next++;
        }
    }

    private Map<String, List<String>> sections() throws Refused {
        Map<String, List<String>> sections = new HashMap<>();
        for (String line = take(); !line.equals("end"); line = take()) {
            String[] words = line.split(" ", -1);
            if (!SECTIONS.contains(words[0])) {
                throw new Refused("unexpected_line");
            }
            int count = count(words);
            if (sections.containsKey(words[0])) {
                throw new Refused("repeated_section");
            }
            sections.put(words[0], text(count, words.length == 3));
        }
        if (sections.size() < SECTIONS.size()) {
            throw new Refused("missing_section");
        }
        return sections;
    }

    /** Returns the number of lines of a section line that may have `unfinished` as its third word. */
    private static int count(String[] words) throws Refused {
        boolean unfinished = words.length == 3 && words[2].equals("unfinished");
        OptionalInt count = words.length < 2 ? OptionalInt.empty() : Options.number(words[1], LONGEST_TEXT);
        if (count.isEmpty() || (words.length > 2 && !unfinished) || (unfinished && count.getAsInt() == 0)) {
            throw new Refused("bad_section");
        }
        return count.getAsInt();
    }

    private List<String> text(int count, boolean unfinished) throws Refused {
        List<String> text = new ArrayList<>();
        while (text.size() < count) {
            boolean without = unfinished && text.size() == count - 1;
            text.add(take() + (without ? "" : "\n"));
        }
        return text;
    }

    private String take() throws Refused {
        if (atEnd()) {
            throw new Refused("end_of_input");
        }
        next++;
        return lines.get(next - 1);
    }
}
