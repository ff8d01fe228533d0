package breakerguard;

import breakerguard.Refused.Kind;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * The fields of one request, read by name. What is wrong is collected while reading, so that {@link
 * #verify} can report the gravest of all fields: one that is absent before one of the wrong type
 * before one out of range.
 */
final class Fields {
    record Range(long least, long most) {}

    private final Map<?, ?> values;
    private boolean absent = false;
    private boolean mistyped = false;
    private boolean outOfRange = false;

    Fields(Map<?, ?> values) {
        this.values = values;
    }

    void verify() throws Refused {
        if (absent) {
            throw new Refused(Kind.MISSING_FIELD);
        }
        if (mistyped) {
            throw new Refused(Kind.WRONG_TYPE);
        }
        if (outOfRange) {
            throw new Refused(Kind.OUT_OF_RANGE);
        }
    }

    String name(String field) {
        if (present(field) instanceof String text) {
            outOfRange |= text.isEmpty();
            return text;
        }
        mistyped = true;
        return "";
    }

    long integer(String field, Range allowed) {
        return whole(present(field), allowed);
    }

    long integerOr(long otherwise, String field, Range allowed) {
        return values.containsKey(field) ? integer(field, allowed) : otherwise;
    }

    Set<Long> integers(String field, Range allowed) {
        Set<Long> whole = new HashSet<>();
        if (present(field) instanceof List<?> elements) {
            for (Object element : elements) {
                whole.add(whole(element, allowed));
            }
        } else {
            mistyped = true;
        }
        return whole;
    }

    private Object present(String field) {
        absent |= !values.containsKey(field);
        return values.get(field);
    }

    private long whole(Object value, Range allowed) {
        if (!(value instanceof Double number) || number != Math.rint(number)) {
            mistyped = true;
            return allowed.least();
        }
        outOfRange |= number < allowed.least() || number > allowed.most();
        return number.longValue();
    }
}
