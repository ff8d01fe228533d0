import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.OptionalInt;
import java.util.Set;

/** The option words of a header; the last three are labels. */
record Options(String compare, String style, int size, String favour, String mine, String base, String theirs) {
    private static final int LARGEST_SIZE = 40;
    private static final Map<String, Set<String>> VALUES = Map.of(
            "compare", Set.of("exact", "ends", "trailing", "all"),
            "style", Set.of("short", "full"),
            "favour", Set.of("none", "mine", "theirs"));
    private static final Set<String> LABELS = Set.of("mine", "base", "theirs");

    static Options read(List<String> words) throws Refused {
        Map<String, String> given = new HashMap<>();
        for (String word : words) {
            int sign = Math.max(0, word.indexOf('='));
            String key = word.substring(0, sign);
            String value = word.substring(Math.min(sign + 1, word.length()));
            if (!allows(key, value)) {
                throw new Refused("bad_option");
            }
            given.put(key, value);
        }
        if (given.size() < words.size()) {
            throw new Refused("repeated_option");
        }
        return new Options(
                given.getOrDefault("compare", "exact"),
                given.getOrDefault("style", "short"),
                Integer.parseInt(given.getOrDefault("size", "7")),
                given.getOrDefault("favour", "none"),
                given.getOrDefault("mine", "mine"),
                given.getOrDefault("base", "base"),
                given.getOrDefault("theirs", "theirs"));
    }

    private static boolean allows(String key, String value) {
        if (key.equals("size")) {
            return number(value, LARGEST_SIZE).orElse(0) > 0;
        }
        return LABELS.contains(key) || VALUES.getOrDefault(key, Set.of()).contains(value);
    }

    /** Returns a number up to {@code most}, or nothing. */
    static OptionalInt number(String word, int most) {
        boolean shortEnough = word.length() <= Integer.toString(most).length();
        if (!shortEnough || !word.matches("0|[1-9][0-9]*") || Integer.parseInt(word) > most) {
            return OptionalInt.empty();
        }
        return OptionalInt.of(Integer.parseInt(word));
    }
}
