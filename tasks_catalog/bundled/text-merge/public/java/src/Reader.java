import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;

/** Takes the blocks from the input. */
final class Reader {
    private static final Set<String> SECTIONS = Set.of("base", "mine", "theirs");

    private final List<String> lines;
    private int next;

    Reader(List<String> lines) {
        this.lines = lines;
    }

    boolean atEnd() {
        return next == lines.size();
    }

    /** Returns the next block; when it throws, it has passed over what is wrong. */
    Block next() throws BadInput {
        try {
            return block();
        } catch (BadInput wrong) {
            passOver();
            throw wrong;
        }
    }

    private Block block() throws BadInput {
        String[] words = take().split(" ", -1);
        if (words.length != 2 || !words[0].equals("merge")) {
            throw new BadInput();
        }
        Map<String, List<String>> sections = sections();
        return new Block(words[1], sections.get("base"), sections.get("mine"), sections.get("theirs"));
    }

    private Map<String, List<String>> sections() throws BadInput {
        Map<String, List<String>> sections = new HashMap<>();
        for (String line = take(); !line.equals("end"); line = take()) {
            String[] words = line.split(" ", -1);
            if (words.length != 2 || !SECTIONS.contains(words[0])) {
                throw new BadInput();
            }
            sections.put(words[0], text(number(words[1])));
        }
        if (sections.size() < SECTIONS.size()) {
            throw new BadInput();
        }
        return sections;
    }

    private List<String> text(int count) throws BadInput {
        List<String> text = new ArrayList<>();
        while (text.size() < count) {
            text.add(take() + "\n");
        }
        return text;
    }

    private String take() throws BadInput {
        if (atEnd()) {
            throw new BadInput();
        }
        next++;
        return lines.get(next - 1);
    }

    private void passOver() {
        while (!lines.get(next - 1).equals("end") && !atEnd()) {
            next++;
        }
    }

    private static int number(String word) throws BadInput {
        if (!word.matches("[0-9]{1,4}")) {
            throw new BadInput();
        }
        return Integer.parseInt(word);
    }
}
