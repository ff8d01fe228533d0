import invoicing.Register;
import java.io.BufferedWriter;
import java.io.IOException;
import java.io.OutputStreamWriter;
import java.io.Writer;
import java.nio.charset.StandardCharsets;

/** Answers invoice commands: one command on each line, answers as lines of words. */
public final class Main {
    private Main() {}

    public static void main(String[] arguments) throws IOException {
        String input = new String(System.in.readAllBytes(), StandardCharsets.UTF_8);
        Register register = new Register();
        try (Writer output = new BufferedWriter(new OutputStreamWriter(System.out, StandardCharsets.UTF_8))) {
            int start = 0;
            while (start < input.length()) {
                int end = input.indexOf('\n', start);
                if (end < 0) {
                    end = input.length();
                }
                for (String answer : register.answer(input.substring(start, end))) {
                    output.write(answer);
                    output.write('\n');
                }
                start = end + 1;
            }
        }
    }
}
