package settingsreader;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.HashSet;
import java.util.List;
import java.util.Set;

/** Follows references from setting to setting. */
final class Resolver {
    private final Given given;

    Resolver(Given given) {
        this.given = given;
    }

    /** Notes every error that shows only when the whole document is known. */
    void noteErrors(Scanner scanner) {
        for (List<String> path : given.paths()) {
            for (Value.Reference reference : referencesOf(path)) {
                if (!given.has(reference.path())) {
                    scanner.note(reference.start(), "undefined-reference");
                } else if (leadsTo(reference.path(), path)) {
                    scanner.note(reference.start(), "reference-cycle");
                }
            }
            List<Value.Part> parts = given.partsOf(path);
            for (Value.Part part : parts) {
                if (parts.size() > 1 && isSingle(part.value())) {
                    scanner.note(part.start(), "not-a-list");
                }
            }
        }
    }

    private List<Value.Reference> referencesOf(List<String> path) {
        List<Value.Reference> found = new ArrayList<>();
        for (Value.Part part : given.partsOf(path)) {
            found.addAll(part.value().references());
        }
        return found;
    }

    private boolean leadsTo(List<String> start, List<String> goal) {
        Deque<List<String>> waiting = new ArrayDeque<>(List.of(start));
        Set<List<String>> seen = new HashSet<>(waiting);
        while (!waiting.isEmpty()) {
            List<String> path = waiting.pop();
            if (path.equals(goal)) {
                return true;
            }
            for (Value.Reference reference : referencesOf(path)) {
                if (seen.add(reference.path())) {
                    waiting.push(reference.path());
                }
            }
        }
        return false;
    }

    /** Tells whether a value is known to be no list. */
    private boolean isSingle(Value value) {
        Set<List<String>> seen = new HashSet<>();
        Value last = value;
        while (last instanceof Value.Reference reference) {
            List<Value.Part> parts = given.partsOf(reference.path());
            if (parts.size() != 1 || !seen.add(reference.path())) {
                return false;
            }
            last = parts.get(0).value();
        }
        return last instanceof Value.Single;
    }

    /** Returns the value of a setting as it is printed, in a document without errors. */
    String printed(List<String> path) {
        List<Value.Part> parts = given.partsOf(path);
        return parts.size() == 1 ? printedValue(parts.get(0).value()) : Printing.list(elementsOf(path));
    }

    private String printedValue(Value value) {
        if (value instanceof Value.Reference reference) {
            return printed(reference.path());
        }
        if (value instanceof Value.Many list) {
            return Printing.list(printedAll(list.elements()));
        }
        return value instanceof Value.Single single ? single.printed() : "";
    }

    private List<String> printedAll(List<Value> values) {
        return values.stream().map(this::printedValue).toList();
    }

    /** Returns the printed elements of a setting that is a list. */
    private List<String> elementsOf(List<String> path) {
        List<String> elements = new ArrayList<>();
        for (Value.Part part : given.partsOf(path)) {
            if (part.value() instanceof Value.Reference reference) {
                elements.addAll(elementsOf(reference.path()));
            } else if (part.value() instanceof Value.Many list) {
                elements.addAll(printedAll(list.elements()));
            }
        }
        return elements;
    }
}
