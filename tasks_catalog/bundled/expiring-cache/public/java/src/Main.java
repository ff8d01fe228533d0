import agingcache.Cache;
import java.io.IOException;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;

/** Plays commands through the model of a cache: lines in, lines out. */
public final class Main {
    private Main() {}

    public static void main(String[] args) throws IOException {
        String input = new String(System.in.readAllBytes(), StandardCharsets.UTF_8);
        StringBuilder answers = new StringBuilder();
        Cache cache = new Cache();
        int start = 0;
        while (start < input.length()) {
            int end = input.indexOf('\n', start);
            if (end < 0) {
                end = input.length();
            }
            for (String answer : cache.answer(input.substring(start, end))) {
                answers.append(answer).append('\n');
            }
            start = end + 1;
        }
        PrintStream out = new PrintStream(System.out, false, StandardCharsets.UTF_8);
        out.print(answers);
        out.flush();
    }
}
