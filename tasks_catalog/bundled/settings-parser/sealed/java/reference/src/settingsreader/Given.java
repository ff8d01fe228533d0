package settingsreader;

import java.util.ArrayList;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;

/** The settings and sections that a document gives. */
final class Given {
    /** The parts of the value of every setting. */
    private final Map<List<String>, List<Value.Part>> settings = new LinkedHashMap<>();
    private final Set<List<String>> sections = new HashSet<>();

    /** Returns all paths of settings, in the order of the document. */
    List<List<String>> paths() {
        return new ArrayList<>(settings.keySet());
    }

    /** Returns the parts of the value of a setting, none if it is not given. */
    List<Value.Part> partsOf(List<String> path) {
        return settings.getOrDefault(path, List.of());
    }

    boolean has(List<String> path) {
        return settings.containsKey(path);
    }

    /** Makes the path a section. Returns 0, or how many of its keys are the path of a setting. */
    int openSection(List<String> path) {
        for (int length = 1; length <= path.size(); length++) {
            if (has(path.subList(0, length))) {
                return length;
            }
        }
        for (int length = 1; length <= path.size(); length++) {
            sections.add(path.subList(0, length));
        }
        return 0;
    }

    /** Returns the kind of error, null if there is none. */
    String set(List<String> path, Value.Part part) {
        if (sections.contains(path)) {
            return "key-section-clash";
        }
        if (has(path)) {
            return "duplicate-key";
        }
        settings.put(path, new ArrayList<>(List.of(part)));
        return null;
    }

    /** Returns the kind of error, null if there is none. */
    String append(List<String> path, Value.Part part) {
        if (sections.contains(path)) {
            return "key-section-clash";
        }
        if (!has(path)) {
            settings.put(path, new ArrayList<>(List.of(new Value.Part(new Value.Unknown(), part.start()))));
            return "unset-append";
        }
        partsOf(path).add(part);
        return null;
    }
}
