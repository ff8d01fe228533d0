package settingsreader;

/** Durations such as 1h30m. */
final class Durations {
    private static final String[] UNITS = {"d", "h", "m", "s", "ms"};
    private static final long[] MILLISECONDS = {86_400_000, 3_600_000, 60_000, 1_000, 1};
    private static final long LONGEST = 9_007_199_254_740_991L;

    private Durations() {
    }

    /** Returns milliseconds. */
    static long read(String word) throws WrongWord {
        long total = 0;
        boolean tooLong = false;
        int nextRank = 0;
        int position = 0;
        while (position < word.length()) {
            long count = 0;
            int start = position;
            while (position < word.length() && Words.isDigit(word.charAt(position))) {
                if (count <= LONGEST) {
                    count = count * 10 + (word.charAt(position) - '0');
                }
                position++;
            }
            int rank = unitRank(word, position);
            if (position == start || rank < nextRank) {
                throw new WrongWord("bad-duration", position);
            }
            if (count > (LONGEST - total) / MILLISECONDS[rank]) {
                tooLong = true;
            } else {
                total += count * MILLISECONDS[rank];
            }
            position += UNITS[rank].length();
            nextRank = rank + 1;
        }
        if (tooLong) {
            throw new WrongWord("out-of-range", 0);
        }
        return total;
    }

    /** Returns the place in UNITS of the unit that stands there, -1 if there is none. */
    private static int unitRank(String word, int position) {
        for (int rank = UNITS.length - 1; rank >= 0; rank--) {
            if (word.startsWith(UNITS[rank], position)) {
                return rank;
            }
        }
        return -1;
    }
}
