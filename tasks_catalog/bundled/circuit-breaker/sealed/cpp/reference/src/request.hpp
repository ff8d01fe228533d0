// From a line to a request that has every field in its type and range.

#pragma once

#include <cstdint>
#include <string>
#include <variant>

#include "breaker.hpp"
#include "fields.hpp"
#include "json.hpp"
#include "refusal.hpp"

// Makes a target known.
struct Configure {
    std::string target;
    Settings settings;
};

// Asks whether a call may go out.
struct Call {
    std::string target;
    std::string call;
    std::int64_t at;
};

// Reports the status code that came back.
struct Result {
    std::string target;
    std::string call;
    std::int64_t at;
    std::int64_t status;
};

// Asks how a target is.
struct Query {
    std::string target;
    std::int64_t at;
};

using Request = std::variant<Configure, Call, Result, Query>;

inline Request read_request(const std::string& operation, Fields& fields) {
    if (operation == "configure") {
        return Configure{fields.name("target"),
                         Settings{fields.integer("failure_threshold", kCount),
                                  fields.integer("cooldown_ms", kCount),
                                  fields.integers("success_statuses", kStatus),
                                  fields.integers("failure_statuses", kStatus),
                                  fields.integer_or(1, "trial_limit", kCount),
                                  fields.integer_or(1, "trial_successes", kCount)}};
    }
    if (operation == "call") {
        return Call{fields.name("target"), fields.name("call"), fields.integer("at", kInstant)};
    }
    if (operation == "result") {
        return Result{fields.name("target"), fields.name("call"), fields.integer("at", kInstant),
                      fields.integer("status", kStatus)};
    }
    if (operation == "state") {
        return Query{fields.name("target"), fields.integer("at", kInstant)};
    }
    throw Refused("unknown_operation");
}

inline json::Value parse_object(const std::string& line) {
    json::Value value;
    try {
        value = json::parse(line);
    } catch (const json::NotJson&) {
        throw Refused("invalid_json");
    }
    if (value.kind != json::Kind::Object) {
        throw Refused("not_an_object");
    }
    return value;
}

// Returns the request on a line, or throws Refused.
inline Request parse_request(const std::string& line) {
    const json::Value object = parse_object(line);
    const json::Value* operation = object.find("op");
    if (operation == nullptr) {
        throw Refused("missing_field");
    }
    if (operation->kind != json::Kind::Text) {
        throw Refused("wrong_type");
    }
    Fields fields(object);
    Request request = read_request(operation->text, fields);
    fields.verify();
    return request;
}
