import java.io.IOException;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import settingsreader.Frame;
import settingsreader.Reading;
import settingsreader.Report;

/** Reads settings documents from standard input, prints the settings or the errors of each. */
public final class Main {
    private Main() {
    }

    public static void main(String[] arguments) throws IOException {
        PrintStream output = new PrintStream(System.out, false, StandardCharsets.UTF_8);
        for (Frame frame : Frame.split(System.in.readAllBytes())) {
            output.print(Report.of(frame.name(), Reading.read(frame.text())));
        }
        output.flush();
    }
}
