import java.util.List;

/** One merge; the texts are lines with their endings. */
record Block(String name, Options options, List<String> base, List<String> mine, List<String> theirs) {}
