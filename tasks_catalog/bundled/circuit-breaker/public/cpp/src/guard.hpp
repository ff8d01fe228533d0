// Carries out requests.

#pragma once

#include <cmath>
#include <cstdint>
#include <optional>
#include <stdexcept>
#include <string>
#include <vector>

#include "breaker.hpp"
#include "json.hpp"

// Keeps the breaker and answers one request line after the other.
class Guard {
public:
    json::Value answer(const std::string& line) {
        json::Value answer = json::object();
        try {
            const json::Value request = json::parse(line);
            answer.add("ok", json::boolean(true));
            carry_out(request, answer);
        } catch (const std::runtime_error&) {
            answer = json::object();
            answer.add("ok", json::boolean(false));
            answer.add("error", json::text("bad_request"));
        }
        return answer;
    }

private:
    std::optional<Breaker> breaker_;

    void carry_out(const json::Value& request, json::Value& answer) {
        const std::string op = field(request, "op").text;
        if (op == "configure") {
            configure(request, answer);
        } else if (op == "call") {
            call(request, answer);
        } else if (op == "result") {
            result(request, answer);
        } else if (op == "state") {
            state(request, answer);
        } else {
            throw std::runtime_error("unknown operation");
        }
    }

    void configure(const json::Value& request, json::Value& answer) {
        std::vector<std::int64_t> failure_statuses;
        for (const json::Value& status : field(request, "failure_statuses").elements) {
            failure_statuses.push_back(integer(status));
        }
        breaker_.emplace(integer(field(request, "failure_threshold")), integer(field(request, "cooldown_ms")),
                         failure_statuses);
        answer.add("target", field(request, "target"));
        answer.add("state", json::text(name_of(breaker_->state())));
    }

    void call(const json::Value& request, json::Value& answer) {
        const Breaker& breaker = configured();
        answer.add("target", field(request, "target"));
        answer.add("call", field(request, "call"));
        answer.add("admitted", json::boolean(breaker.admits()));
        answer.add("state", json::text(name_of(breaker.state())));
        answer.add("retry_at", retry_at(breaker));
    }

    void result(const json::Value& request, json::Value& answer) {
        Breaker& breaker = configured();
        const std::string counted = breaker.record(integer(field(request, "status")), integer(field(request, "at")));
        answer.add("target", field(request, "target"));
        answer.add("call", field(request, "call"));
        answer.add("counted", json::text(counted));
        answer.add("state", json::text(name_of(breaker.state())));
    }

    void state(const json::Value& request, json::Value& answer) {
        const Breaker& breaker = configured();
        answer.add("target", field(request, "target"));
        answer.add("state", json::text(name_of(breaker.state())));
        answer.add("failures", json::integer(breaker.failures()));
        answer.add("trials", json::integer(0));
        answer.add("successes", json::integer(0));
        answer.add("retry_at", retry_at(breaker));
    }

    Breaker& configured() {
        if (!breaker_) {
            throw std::runtime_error("no breaker");
        }
        return *breaker_;
    }

    static const json::Value& field(const json::Value& request, const char* name) {
        const json::Value* value = request.find(name);
        if (value == nullptr) {
            throw std::runtime_error("no such field");
        }
        return *value;
    }

    static std::int64_t integer(const json::Value& value) {
        // Beyond 2^53 a double is not exact, and beyond 2^63 the cast is not defined.
        if (value.kind != json::Kind::Number || std::fabs(value.number) > 9007199254740992.0) {
            throw std::runtime_error("no integer");
        }
        return static_cast<std::int64_t>(value.number);
    }

    static json::Value retry_at(const Breaker& breaker) {
        const std::optional<std::int64_t> at = breaker.retry_at();
        return at ? json::integer(*at) : json::null();
    }
};
