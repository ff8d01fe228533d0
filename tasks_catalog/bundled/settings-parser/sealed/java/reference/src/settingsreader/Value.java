package settingsreader;

import java.util.ArrayList;
import java.util.List;

/** The value of a setting while references are not followed yet. Paths are lists of keys. */
interface Value {
    /** Returns all references in the value, also in the lists in it. */
    default List<Reference> references() {
        return List.of();
    }

    /** A value with an error in it. */
    record Unknown() implements Value {
    }

    /** A value that is neither a list nor a reference, as it is printed. */
    record Single(String printed) implements Value {
    }

    record Many(List<Value> elements) implements Value {
        @Override
        public List<Reference> references() {
            List<Reference> found = new ArrayList<>();
            for (Value element : elements) {
                found.addAll(element.references());
            }
            return found;
        }
    }

    record Reference(List<String> path, int start) implements Value {
        @Override
        public List<Reference> references() {
            return List.of(this);
        }
    }

    /** What stands behind one operator of a setting: a value and where it starts. */
    record Part(Value value, int start) {
    }
}
