package settingsreader;

import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;

/** A document of the input. */
public record Frame(String name, String text) {
    /** Splits the bytes of the input into documents. */
    public static List<Frame> split(byte[] data) {
        List<Frame> frames = new ArrayList<>();
        int position = 0;
        while (position < data.length) {
            int start = position;
            while (data[start] != '\n') {
                start++;
            }
            String[] words = text(data, position, start).split(" ");
            start++;
            int end = start + Integer.parseInt(words[2]);
            frames.add(new Frame(words[1], text(data, start, end)));
            position = end + 1;
        }
        return frames;
    }

    private static String text(byte[] data, int start, int end) {
        return new String(data, start, end - start, StandardCharsets.UTF_8);
    }
}
