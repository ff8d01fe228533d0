package breakerguard;

import breakerguard.Refused.Kind;
import java.util.Collections;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.Map;

/** Carries out requests: keeps every target's breaker and the clock; answers one line after the other. */
public final class Guard {
    private final Map<String, Breaker> breakers = new HashMap<>();
    private long clock = 0;

    public Map<String, Object> answer(String line) {
        Map<String, Object> answer = new LinkedHashMap<>();
        try {
            Request request = RequestParser.parse(line);
            answer.put("ok", true);
            answer.put("target", request.target());
            carryOut(request, answer);
        } catch (Refused refused) {
            answer.clear();
            answer.put("ok", false);
            answer.put("error", refused.kind.text);
        }
        return answer;
    }

    private void carryOut(Request request, Map<String, Object> answer) throws Refused {
        if (request instanceof Request.Configure configure) {
            configure(configure, answer);
        } else if (request instanceof Request.Call call) {
            call(call, answer);
        } else if (request instanceof Request.Result result) {
            result(result, answer);
        } else if (request instanceof Request.Query query) {
            state(query, answer);
        }
    }

    private void configure(Request.Configure request, Map<String, Object> answer) throws Refused {
        Settings settings = request.settings();
        if (!Collections.disjoint(settings.successStatuses(), settings.failureStatuses())) {
            throw new Refused(Kind.CONFLICTING_STATUSES);
        }
        if (breakers.containsKey(request.target())) {
            throw new Refused(Kind.ALREADY_CONFIGURED);
        }
        Breaker breaker = new Breaker(settings);
        breakers.put(request.target(), breaker);
        answer.put("state", breaker.state().text);
    }

    private void call(Request.Call request, Map<String, Object> answer) throws Refused {
        Breaker breaker = breaker(request.target(), request.at());
        if (breaker.inFlight(request.call())) {
            throw new Refused(Kind.DUPLICATE_CALL);
        }
        advance(breaker, request.at());
        answer.put("call", request.call());
        answer.put("admitted", breaker.admit(request.call()));
        answer.put("state", breaker.state().text);
        answer.put("retry_at", breaker.retryAt());
    }

    private void result(Request.Result request, Map<String, Object> answer) throws Refused {
        Breaker breaker = breaker(request.target(), request.at());
        if (!breaker.inFlight(request.call())) {
            throw new Refused(Kind.UNKNOWN_CALL);
        }
        advance(breaker, request.at());
        Counted counted = breaker.record(request.call(), request.status(), request.at());
        answer.put("call", request.call());
        answer.put("counted", counted.text);
        answer.put("state", breaker.state().text);
    }

    private void state(Request.Query request, Map<String, Object> answer) throws Refused {
        Breaker breaker = breaker(request.target(), request.at());
        advance(breaker, request.at());
        answer.put("state", breaker.state().text);
        answer.put("failures", breaker.failures());
        answer.put("trials", breaker.trials());
        answer.put("successes", breaker.successes());
        answer.put("retry_at", breaker.retryAt());
    }

    private Breaker breaker(String target, long at) throws Refused {
        Breaker breaker = breakers.get(target);
        if (breaker == null) {
            throw new Refused(Kind.UNKNOWN_TARGET);
        }
        if (at < clock) {
            throw new Refused(Kind.TIME_BACKWARDS);
        }
        return breaker;
    }

    private void advance(Breaker breaker, long at) {
        clock = at;
        breaker.advance(at);
    }
}
