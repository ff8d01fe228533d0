import java.io.BufferedWriter;
import java.io.IOException;
import java.io.OutputStreamWriter;
import java.io.Writer;
import java.nio.charset.StandardCharsets;
import ledger.Desk;

/** Answers ledger commands: one command on each line, answers as lines of words. */
public final class Main {
    private Main() {}

    public static void main(String[] arguments) throws IOException {
        String input = new String(System.in.readAllBytes(), StandardCharsets.UTF_8);
        Desk desk = new Desk();
        try (Writer output = new BufferedWriter(new OutputStreamWriter(System.out, StandardCharsets.UTF_8))) {
            int start = 0;
            while (start < input.length()) {
                int end = input.indexOf('\n', start);
                if (end < 0) {
                    end = input.length();
                }
                for (String answer : desk.answer(input.substring(start, end))) {
                    output.write(answer);
                    output.write('\n');
                }
                start = end + 1;
            }
        }
    }
}
