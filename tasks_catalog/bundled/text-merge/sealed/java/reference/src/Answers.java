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
            } catch (Refused refusal) {
                written.append("refused " + reader.line() + " " + refusal.kind + "\n");
                if (!refusal.kind.equals("unknown_command")) {
                    reader.passOver();
                }
            }
        }
        return written.toString();
    }

    private static String result(Block block) {
        List<String> lines = new ArrayList<>();
        Counts counts = Merging.merge(block, lines);
        boolean unfinished = !lines.isEmpty() && Lines.ending(lines.get(lines.size() - 1)).isEmpty();
        String head = "result " + block.name() + " " + lines.size() + (unfinished ? " unfinished\n" : "\n");
        String text = String.join("", lines) + (unfinished ? "\n" : "");
        return head + text + "counts " + counts.text() + "\n";
    }
}
