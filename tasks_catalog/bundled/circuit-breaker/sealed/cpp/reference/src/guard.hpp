// Carries out requests.

#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <variant>

#include "breaker.hpp"
#include "json.hpp"
#include "refusal.hpp"
#include "request.hpp"

// Keeps every target's breaker and the clock; answers one line after the other.
class Guard {
public:
    json::Value answer(const std::string& line) {
        json::Value answer = json::object();
        try {
            const Request request = parse_request(line);
            answer.add("ok", json::boolean(true));
            std::visit([&](const auto& known) { carry_out(known, answer); }, request);
        } catch (const Refused& refused) {
            answer = json::object();
            answer.add("ok", json::boolean(false));
            answer.add("error", json::text(refused.kind));
        }
        return answer;
    }

private:
    std::map<std::string, Breaker> breakers_;
    std::int64_t clock_ = 0;

    void carry_out(const Configure& request, json::Value& answer) {
        for (const std::int64_t status : request.settings.success_statuses) {
            if (request.settings.failure_statuses.count(status) > 0) {
                throw Refused("conflicting_statuses");
            }
        }
        if (breakers_.count(request.target) > 0) {
            throw Refused("already_configured");
        }
        const Breaker breaker(request.settings);
        breakers_.insert_or_assign(request.target, breaker);
        answer.add("target", json::text(request.target));
        answer.add("state", json::text(name_of(breaker.state())));
    }

    void carry_out(const Call& request, json::Value& answer) {
        Breaker& breaker = breaker_of(request.target, request.at);
        if (breaker.in_flight(request.call)) {
            throw Refused("duplicate_call");
        }
        advance(breaker, request.at);
        answer.add("target", json::text(request.target));
        answer.add("call", json::text(request.call));
        answer.add("admitted", json::boolean(breaker.admit(request.call)));
        answer.add("state", json::text(name_of(breaker.state())));
        answer.add("retry_at", retry_at(breaker));
    }

    void carry_out(const Result& request, json::Value& answer) {
        Breaker& breaker = breaker_of(request.target, request.at);
        if (!breaker.in_flight(request.call)) {
            throw Refused("unknown_call");
        }
        advance(breaker, request.at);
        const Counted counted = breaker.record(request.call, request.status, request.at);
        answer.add("target", json::text(request.target));
        answer.add("call", json::text(request.call));
        answer.add("counted", json::text(name_of(counted)));
        answer.add("state", json::text(name_of(breaker.state())));
    }

    void carry_out(const Query& request, json::Value& answer) {
        Breaker& breaker = breaker_of(request.target, request.at);
        advance(breaker, request.at);
        answer.add("target", json::text(request.target));
        answer.add("state", json::text(name_of(breaker.state())));
        answer.add("failures", json::integer(breaker.failures()));
        answer.add("trials", json::integer(breaker.trials()));
        answer.add("successes", json::integer(breaker.successes()));
        answer.add("retry_at", retry_at(breaker));
    }

    Breaker& breaker_of(const std::string& target, std::int64_t at) {
        const auto found = breakers_.find(target);
        if (found == breakers_.end()) {
            throw Refused("unknown_target");
        }
        if (at < clock_) {
            throw Refused("time_backwards");
        }
        return found->second;
    }

    void advance(Breaker& breaker, std::int64_t at) {
        clock_ = at;
        breaker.advance(at);
    }

    static json::Value retry_at(const Breaker& breaker) {
        const std::optional<std::int64_t> at = breaker.retry_at();
        return at ? json::integer(*at) : json::null();
    }
};
