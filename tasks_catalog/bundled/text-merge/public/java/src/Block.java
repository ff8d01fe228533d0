import java.util.List;

/** One merge; the texts are lines with their line feeds. */
record Block(String name, List<String> base, List<String> mine, List<String> theirs) {}
