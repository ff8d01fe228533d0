// The fields of one request, each read in its type and range.

#pragma once

#include <cmath>
#include <cstdint>
#include <set>
#include <string>

#include "json.hpp"
#include "refusal.hpp"

struct Range {
    std::int64_t least;
    std::int64_t most;
};

constexpr std::int64_t kLargest = 1'000'000'000'000;
constexpr Range kCount{1, kLargest};
constexpr Range kInstant{0, kLargest};
constexpr Range kStatus{100, 599};

// Reads fields by name. What is wrong is collected while reading, so that `verify` can report the
// gravest of all fields: one that is absent before one of the wrong type before one out of range.
class Fields {
public:
    explicit Fields(const json::Value& object) : object_(object) {}

    void verify() const {
        if (absent_) {
            throw Refused("missing_field");
        }
        if (mistyped_) {
            throw Refused("wrong_type");
        }
        if (out_of_range_) {
            throw Refused("out_of_range");
        }
    }

    std::string name(const char* field) {
        const json::Value& value = present(field);
        if (value.kind != json::Kind::Text) {
            mistyped_ = true;
        } else if (value.text.empty()) {
            out_of_range_ = true;
        }
        return value.text;
    }

    std::int64_t integer(const char* field, Range allowed) { return whole(present(field), allowed); }

    std::int64_t integer_or(std::int64_t otherwise, const char* field, Range allowed) {
        return object_.find(field) == nullptr ? otherwise : integer(field, allowed);
    }

    std::set<std::int64_t> integers(const char* field, Range allowed) {
        const json::Value& list = present(field);
        if (list.kind != json::Kind::List) {
            mistyped_ = true;
        }
        std::set<std::int64_t> found;
        for (const json::Value& element : list.elements) {
            found.insert(whole(element, allowed));
        }
        return found;
    }

private:
    const json::Value& object_;
    const json::Value null_ = json::null();
    bool absent_ = false;
    bool mistyped_ = false;
    bool out_of_range_ = false;

    const json::Value& present(const char* field) {
        const json::Value* value = object_.find(field);
        if (value == nullptr) {
            absent_ = true;
            return null_;
        }
        return *value;
    }

    std::int64_t whole(const json::Value& value, Range allowed) {
        if (value.kind != json::Kind::Number || value.number != std::trunc(value.number)) {
            mistyped_ = true;
            return allowed.least;
        }
        if (value.number < static_cast<double>(allowed.least) || value.number > static_cast<double>(allowed.most)) {
            out_of_range_ = true;
            return allowed.least;
        }
        return static_cast<std::int64_t>(value.number);
    }
};
