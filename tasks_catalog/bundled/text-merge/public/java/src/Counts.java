/** How a merge went: kept lines, and regions by what decided them. */
final class Counts {
    int kept;
    int theirs;
    int mine;
    int same;
    int conflicts;

    String text() {
        return "kept=" + kept + " theirs=" + theirs + " mine=" + mine + " same=" + same + " conflicts=" + conflicts;
    }
}
