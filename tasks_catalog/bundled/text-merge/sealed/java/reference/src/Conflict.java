import java.util.ArrayList;
import java.util.Collections;
import java.util.List;

/** How a conflict is written. */
final class Conflict {
    private Conflict() {}

    /** Returns the lines that are written for a region in which both sides differ. */
    static List<String> lines(Region region, Options options, String markersEnd) {
        if (options.favour().equals("mine")) {
            return region.mine();
        }
        if (options.favour().equals("theirs")) {
            return region.theirs();
        }
        return options.style().equals("full")
                ? full(region, options, markersEnd)
                : brief(region.mine(), region.theirs(), options, markersEnd);
    }

    private static List<String> full(Region region, Options options, String markersEnd) {
        List<String> lines = new ArrayList<>();
        lines.add(marker("<", options.mine(), options.size(), markersEnd));
        lines.addAll(region.mine());
        lines.add(marker("|", options.base(), options.size(), markersEnd));
        lines.addAll(region.base());
        lines.add(marker("=", "", options.size(), markersEnd));
        lines.addAll(region.theirs());
        lines.add(marker(">", options.theirs(), options.size(), markersEnd));
        return lines;
    }

    /** Writes lines on which both sides agree before and after the conflict. */
    private static List<String> brief(List<String> mine, List<String> theirs, Options options, String markersEnd) {
        int head = agreeing(mine, theirs, options.compare());
        int tail = agreeing(
                reversed(mine.subList(head, mine.size())),
                reversed(theirs.subList(head, theirs.size())),
                options.compare());
        List<String> lines = new ArrayList<>(mine.subList(0, head));
        lines.add(marker("<", options.mine(), options.size(), markersEnd));
        lines.addAll(mine.subList(head, mine.size() - tail));
        lines.add(marker("=", "", options.size(), markersEnd));
        lines.addAll(theirs.subList(head, theirs.size() - tail));
        lines.add(marker(">", options.theirs(), options.size(), markersEnd));
        lines.addAll(mine.subList(mine.size() - tail, mine.size()));
        return lines;
    }

    private static String marker(String sign, String label, int size, String end) {
        return sign.repeat(size) + (label.isEmpty() ? "" : " " + label) + end;
    }

    /** Returns how many first lines are equal. */
    private static int agreeing(List<String> mine, List<String> theirs, String compare) {
        int shortest = Math.min(mine.size(), theirs.size());
        int count = 0;
        while (count < shortest
                && Lines.key(mine.get(count), compare).equals(Lines.key(theirs.get(count), compare))) {
            count++;
        }
        return count;
    }

    private static List<String> reversed(List<String> lines) {
        List<String> turned = new ArrayList<>(lines);
        Collections.reverse(turned);
        return turned;
    }
}
