package breakerguard;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** Carries out requests: keeps the breaker and answers one request line after the other. */
public final class Guard {
    private Breaker breaker = null;

    public Map<String, Object> answer(String line) {
        try {
            return carryOut((Map<?, ?>) Json.parse(line));
        } catch (Json.NotJson | ClassCastException | NullPointerException | IllegalArgumentException problem) {
            Map<String, Object> answer = new LinkedHashMap<>();
            answer.put("ok", false);
            answer.put("error", "bad_request");
            return answer;
        }
    }

    private Map<String, Object> carryOut(Map<?, ?> request) {
        return switch ((String) request.get("op")) {
            case "configure" -> configure(request);
            case "call" -> call(request);
            case "result" -> result(request);
            case "state" -> state(request);
            default -> throw new IllegalArgumentException("unknown operation");
        };
    }

    private Map<String, Object> configure(Map<?, ?> request) {
        List<Long> failureStatuses = new ArrayList<>();
        for (Object status : (List<?>) request.get("failure_statuses")) {
            failureStatuses.add(integer(status));
        }
        breaker = new Breaker(
                integer(request.get("failure_threshold")), integer(request.get("cooldown_ms")), failureStatuses);
        Map<String, Object> answer = new LinkedHashMap<>();
        answer.put("ok", true);
        answer.put("target", request.get("target"));
        answer.put("state", breaker.state());
        return answer;
    }

    private Map<String, Object> call(Map<?, ?> request) {
        Map<String, Object> answer = new LinkedHashMap<>();
        answer.put("ok", true);
        answer.put("target", request.get("target"));
        answer.put("call", request.get("call"));
        answer.put("admitted", breaker.admits());
        answer.put("state", breaker.state());
        answer.put("retry_at", breaker.retryAt());
        return answer;
    }

    private Map<String, Object> result(Map<?, ?> request) {
        String counted = breaker.record(integer(request.get("status")), integer(request.get("at")));
        Map<String, Object> answer = new LinkedHashMap<>();
        answer.put("ok", true);
        answer.put("target", request.get("target"));
        answer.put("call", request.get("call"));
        answer.put("counted", counted);
        answer.put("state", breaker.state());
        return answer;
    }

    private Map<String, Object> state(Map<?, ?> request) {
        Map<String, Object> answer = new LinkedHashMap<>();
        answer.put("ok", true);
        answer.put("target", request.get("target"));
        answer.put("state", breaker.state());
        answer.put("failures", breaker.failures());
        answer.put("trials", 0);
        answer.put("successes", 0);
        answer.put("retry_at", breaker.retryAt());
        return answer;
    }

    private static long integer(Object value) {
        return ((Double) value).longValue();
    }
}
