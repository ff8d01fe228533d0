// The circuit breaker itself.

#pragma once

#include <algorithm>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

enum class State { Closed, Open, HalfOpen };

inline std::string name_of(State state) {
    switch (state) {
        case State::Closed:
            return "closed";
        case State::Open:
            return "open";
        default:
            return "half_open";
    }
}

// Counts failures in a row and opens when there are too many of them.
class Breaker {
public:
    Breaker(std::int64_t failure_threshold, std::int64_t cooldown_ms, std::vector<std::int64_t> failure_statuses)
        : failure_threshold_(failure_threshold),
          cooldown_ms_(cooldown_ms),
          failure_statuses_(std::move(failure_statuses)) {}

    State state() const { return state_; }

    std::int64_t failures() const { return failures_; }

    // The instant at which calls are tried again, or nothing unless open.
    std::optional<std::int64_t> retry_at() const {
        if (state_ != State::Open) {
            return std::nullopt;
        }
        return opened_at_ + cooldown_ms_;
    }

    bool admits() const { return state_ != State::Open; }

    // Takes in the status code of a finished call; returns what it counted as.
    std::string record(std::int64_t status, std::int64_t at) {
        if (std::find(failure_statuses_.begin(), failure_statuses_.end(), status) == failure_statuses_.end()) {
            failures_ = 0;
            return "success";
        }
        ++failures_;
        if (failures_ >= failure_threshold_) {
            state_ = State::Open;
            opened_at_ = at;
            failures_ = 0;
        }
        return "failure";
    }

private:
    std::int64_t failure_threshold_;
    std::int64_t cooldown_ms_;
    std::vector<std::int64_t> failure_statuses_;
    State state_ = State::Closed;
    std::int64_t failures_ = 0;
    std::int64_t opened_at_ = 0;
};
