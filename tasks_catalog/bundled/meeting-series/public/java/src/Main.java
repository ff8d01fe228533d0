import java.io.IOException;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.util.List;

/** Plans meetings that repeat: commands in, answers out, a line each. */
public final class Main {
    private Main() {}

    public static void main(String[] arguments) throws IOException {
        String commands = new String(System.in.readAllBytes(), StandardCharsets.UTF_8);
        StringBuilder answers = new StringBuilder();
        Planner planner = new Planner();
        for (String line : lines(commands)) {
            for (String answer : planner.answer(line)) {
                answers.append(answer).append('\n');
            }
        }
        PrintStream out = new PrintStream(System.out, false, StandardCharsets.UTF_8);
        out.print(answers);
        out.flush();
    }

    /** The text after the last line feed is a line only if it is not empty. */
    private static List<String> lines(String text) {
        List<String> lines = List.of(text.split("\n", -1));
        boolean complete = lines.get(lines.size() - 1).isEmpty();
        return complete ? lines.subList(0, lines.size() - 1) : lines;
    }
}
