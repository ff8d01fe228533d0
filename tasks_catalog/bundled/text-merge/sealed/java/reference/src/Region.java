import java.util.List;

/** Lines of the three texts between two kept lines. */
record Region(List<String> base, List<String> mine, List<String> theirs) {
    boolean isEmpty() {
        return base.isEmpty() && mine.isEmpty() && theirs.isEmpty();
    }
}
