import breakerguard.Guard;
import breakerguard.Json;
import java.io.BufferedWriter;
import java.io.IOException;
import java.io.OutputStreamWriter;
import java.io.Writer;
import java.nio.charset.StandardCharsets;

/** Answers circuit breaker requests: JSON lines in, JSON lines out. */
public final class Main {
    private Main() {}

    public static void main(String[] arguments) throws IOException {
        String input = new String(System.in.readAllBytes(), StandardCharsets.UTF_8);
        Guard guard = new Guard();
        try (Writer output = new BufferedWriter(new OutputStreamWriter(System.out, StandardCharsets.UTF_8))) {
            int start = 0;
            while (start < input.length()) {
                int end = input.indexOf('\n', start);
                if (end < 0) {
                    end = input.length();
                }
                output.write(Json.write(guard.answer(input.substring(start, end))));
                output.write('\n');
                start = end + 1;
            }
        }
    }
}
