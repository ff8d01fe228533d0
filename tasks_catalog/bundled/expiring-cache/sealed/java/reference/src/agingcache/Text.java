package agingcache;

import java.nio.charset.StandardCharsets;
import java.util.Arrays;

/** Bytes, characters and the order of texts. A String is made of UTF-16 units, which are neither. */
final class Text {
    private Text() {}

    static long countBytes(String text) {
        return text.getBytes(StandardCharsets.UTF_8).length;
    }

    static int countCharacters(String text) {
        return text.codePointCount(0, text.length());
    }

    static int compareByCodePoints(String a, String b) {
        return Arrays.compare(a.codePoints().toArray(), b.codePoints().toArray());
    }
}
