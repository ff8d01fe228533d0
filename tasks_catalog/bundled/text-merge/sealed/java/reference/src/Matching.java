import java.util.Arrays;
import java.util.List;

/** Which lines of two texts belong together. */
final class Matching {
    static final int NOBODY = -1;

    private Matching() {}

    /** Returns for each line of the base the index of its partner, or NOBODY. Takes the keys of the lines. */
    static int[] partners(List<String> base, List<String> other) {
        int[][] most = pairCounts(base, other);
        int[] found = new int[base.size()];
        Arrays.fill(found, NOBODY);
        int i = 0;
        int j = 0;
        while (i < base.size() && j < other.size()) {
            if (base.get(i).equals(other.get(j))) {
                found[i] = j;
                i++;
                j++;
            } else if (most[i + 1][j] >= most[i][j + 1]) {
                i++;
            } else {
                j++;
            }
        }
        return found;
    }

    /** Returns a table: the most pairs that lines from i and from j on can have, at [i][j]. */
    private static int[][] pairCounts(List<String> base, List<String> other) {
        int[][] most = new int[base.size() + 1][other.size() + 1];
        for (int i = base.size() - 1; i >= 0; i--) {
            for (int j = other.size() - 1; j >= 0; j--) {
                boolean pair = base.get(i).equals(other.get(j));
                most[i][j] = pair ? most[i + 1][j + 1] + 1 : Math.max(most[i + 1][j], most[i][j + 1]);
            }
        }
        return most;
    }
}
