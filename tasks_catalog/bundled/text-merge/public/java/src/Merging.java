import java.util.ArrayList;
import java.util.List;

/** The three-way merge. */
final class Merging {
    private Merging() {}

    /** Adds the lines of the result and returns the counts. */
    static Counts merge(Block block, List<String> lines) {
        List<String> base = block.base();
        List<String> mine = block.mine();
        List<String> theirs = block.theirs();
        int shortest = Math.min(base.size(), Math.min(mine.size(), theirs.size()));
        int head = 0;
        while (head < shortest && mine.get(head).equals(base.get(head)) && theirs.get(head).equals(base.get(head))) {
            head++;
        }
        int tail = 0;
        while (tail < shortest - head && fromEnd(mine, tail).equals(fromEnd(base, tail))
                && fromEnd(theirs, tail).equals(fromEnd(base, tail))) {
            tail++;
        }
        Counts counts = new Counts();
        counts.kept = head + tail;
        lines.addAll(base.subList(0, head));
        lines.addAll(decided(middle(base, head, tail), middle(mine, head, tail), middle(theirs, head, tail), counts));
        lines.addAll(base.subList(base.size() - tail, base.size()));
        return counts;
    }

    private static String fromEnd(List<String> text, int distance) {
        return text.get(text.size() - 1 - distance);
    }

    private static List<String> middle(List<String> text, int head, int tail) {
        return text.subList(head, text.size() - tail);
    }

    private static List<String> decided(List<String> base, List<String> mine, List<String> theirs, Counts counts) {
        if (base.isEmpty() && mine.isEmpty() && theirs.isEmpty()) {
            return List.of();
        }
        if (mine.equals(base)) {
            counts.theirs++;
            return theirs;
        }
        if (theirs.equals(base)) {
            counts.mine++;
            return mine;
        }
        if (mine.equals(theirs)) {
            counts.same++;
            return mine;
        }
        counts.conflicts++;
        List<String> lines = new ArrayList<>();
        lines.add("<<<<<<< mine\n");
        lines.addAll(mine);
        lines.add("=======\n");
        lines.addAll(theirs);
        lines.add(">>>>>>> theirs\n");
        return lines;
    }
}
