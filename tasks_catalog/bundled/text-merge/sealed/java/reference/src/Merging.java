import java.util.ArrayList;
import java.util.List;

/** The three-way merge. */
final class Merging {
    /** Where a kept line is in the three texts. */
    private record Place(int base, int mine, int theirs) {}

    private Merging() {}

    /** Adds the lines of the result and returns the counts. */
    static Counts merge(Block block, List<String> result) {
        String markersEnd = Lines.endingOfMarkers(block.mine(), block.theirs());
        Counts counts = new Counts();
        List<String> lines = new ArrayList<>();
        Place from = new Place(0, 0, 0);
        List<Place> places = kept(block);
        places.add(new Place(block.base().size(), block.mine().size(), block.theirs().size()));
        for (Place to : places) {
            Region region = new Region(
                    block.base().subList(from.base(), to.base()),
                    block.mine().subList(from.mine(), to.mine()),
                    block.theirs().subList(from.theirs(), to.theirs()));
            if (!region.isEmpty()) {
                lines.addAll(decided(region, block.options(), markersEnd, counts));
            }
            if (to.base() < block.base().size()) {
                lines.add(keptLine(block, to));
                counts.kept++;
            }
            from = new Place(to.base() + 1, to.mine() + 1, to.theirs() + 1);
        }
        result.addAll(Lines.withEndings(lines, markersEnd));
        return counts;
    }

    private static List<Place> kept(Block block) {
        String compare = block.options().compare();
        List<String> base = Lines.keys(block.base(), compare);
        int[] inMine = Matching.partners(base, Lines.keys(block.mine(), compare));
        int[] inTheirs = Matching.partners(base, Lines.keys(block.theirs(), compare));
        List<Place> places = new ArrayList<>();
        for (int i = 0; i < base.size(); i++) {
            if (inMine[i] != Matching.NOBODY && inTheirs[i] != Matching.NOBODY) {
                places.add(new Place(i, inMine[i], inTheirs[i]));
            }
        }
        return places;
    }

    private static String keptLine(Block block, Place place) {
        String mine = block.mine().get(place.mine());
        String theirs = block.theirs().get(place.theirs());
        return mine.equals(block.base().get(place.base())) ? theirs : mine;
    }

    private static List<String> decided(Region region, Options options, String markersEnd, Counts counts) {
        if (Lines.equal(region.mine(), region.base(), options.compare())) {
            counts.theirs++;
            return region.theirs();
        }
        if (Lines.equal(region.theirs(), region.base(), options.compare())) {
            counts.mine++;
            return region.mine();
        }
        if (Lines.equal(region.mine(), region.theirs(), options.compare())) {
            counts.same++;
            return region.mine();
        }
        counts.conflicts++;
        return Conflict.lines(region, options, markersEnd);
    }
}
