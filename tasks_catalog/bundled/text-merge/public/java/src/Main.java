import java.io.IOException;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.util.List;

/** Merges edited texts: blocks of lines in, results out. */
public final class Main {
    private Main() {}

    public static void main(String[] arguments) throws IOException {
        String input = new String(System.in.readAllBytes(), StandardCharsets.UTF_8);
        PrintStream out = new PrintStream(System.out, false, StandardCharsets.UTF_8);
        out.print(Answers.of(lines(input)));
        out.flush();
    }

    /** The text after the last line feed is a line only if it is not empty. */
    private static List<String> lines(String text) {
        List<String> lines = List.of(text.split("\n", -1));
        boolean complete = lines.get(lines.size() - 1).isEmpty();
        return complete ? lines.subList(0, lines.size() - 1) : lines;
    }
}
