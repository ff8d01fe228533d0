import java.util.ArrayList;
import java.util.List;

/** From input lines to what is written. */
final class Answers {
    private Answers() {}

    static String of(List<String> lines) {
        StringBuilder written = new StringBuilder();
        Reader reader = new Reader(lines);
        while (!reader.atEnd()) {
            try {
                written.append(result(reader.next()));
            } catch (BadInput wrong) {
                written.append("refused bad_input\n");
            }
        }
        return written.toString();
    }

    private static String result(Block block) {
        List<String> lines = new ArrayList<>();
        Counts counts = Merging.merge(block, lines);
        String head = "result " + block.name() + " " + lines.size() + "\n";
        return head + String.join("", lines) + "counts " + counts.text() + "\n";
    }
}
