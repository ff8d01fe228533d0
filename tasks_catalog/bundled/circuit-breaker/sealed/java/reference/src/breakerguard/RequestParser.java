package breakerguard;

import breakerguard.Refused.Kind;
import java.util.Map;

/** From a line to a request. */
final class RequestParser {
    private static final long LARGEST = 1_000_000_000_000L;

    private static final Fields.Range COUNT = new Fields.Range(1, LARGEST);
    private static final Fields.Range INSTANT = new Fields.Range(0, LARGEST);
    private static final Fields.Range STATUS = new Fields.Range(100, 599);

    private RequestParser() {}

    static Request parse(String line) throws Refused {
        Map<?, ?> values = parseObject(line);
        if (!values.containsKey("op")) {
            throw new Refused(Kind.MISSING_FIELD);
        }
        if (!(values.get("op") instanceof String operation)) {
            throw new Refused(Kind.WRONG_TYPE);
        }
        Fields fields = new Fields(values);
        Request request = read(operation, fields);
        fields.verify();
        return request;
    }

    private static Map<?, ?> parseObject(String line) throws Refused {
        Object value;
        try {
            value = Json.parse(line);
        } catch (Json.NotJson problem) {
            throw new Refused(Kind.INVALID_JSON);
        }
        if (value instanceof Map<?, ?> object) {
            return object;
        }
        throw new Refused(Kind.NOT_AN_OBJECT);
    }

    private static Request read(String operation, Fields fields) throws Refused {
        return switch (operation) {
            case "configure" -> new Request.Configure(
                    fields.name("target"),
                    new Settings(
                            fields.integer("failure_threshold", COUNT),
                            fields.integer("cooldown_ms", COUNT),
                            fields.integers("success_statuses", STATUS),
                            fields.integers("failure_statuses", STATUS),
                            fields.integerOr(1, "trial_limit", COUNT),
                            fields.integerOr(1, "trial_successes", COUNT)));
            case "call" -> new Request.Call(fields.name("target"), fields.name("call"), fields.integer("at", INSTANT));
            case "result" -> new Request.Result(
                    fields.name("target"),
                    fields.name("call"),
                    fields.integer("at", INSTANT),
                    fields.integer("status", STATUS));
            case "state" -> new Request.Query(fields.name("target"), fields.integer("at", INSTANT));
            default -> throw new Refused(Kind.UNKNOWN_OPERATION);
        };
    }
}
