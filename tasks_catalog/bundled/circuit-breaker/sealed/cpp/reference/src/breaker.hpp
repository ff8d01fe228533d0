// The circuit breaker of one target.

#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <utility>

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

// What a result counted as.
enum class Counted { Success, Failure, Neither, Late };

inline std::string name_of(Counted counted) {
    switch (counted) {
        case Counted::Success:
            return "success";
        case Counted::Failure:
            return "failure";
        case Counted::Neither:
            return "neither";
        default:
            return "late";
    }
}

// How one target's breaker is configured.
struct Settings {
    std::int64_t failure_threshold;
    std::int64_t cooldown_ms;
    std::set<std::int64_t> success_statuses;
    std::set<std::int64_t> failure_statuses;
    std::int64_t trial_limit;
    std::int64_t trial_successes;

    Counted classify(std::int64_t status) const {
        if (success_statuses.count(status) > 0) {
            return Counted::Success;
        }
        return failure_statuses.count(status) > 0 ? Counted::Failure : Counted::Neither;
    }
};

// Closed, open or half open; time enters only through `advance` and `record`.
//
// Every change of state begins a new period. A call belongs to the period in which it was admitted,
// and its result counts in that period alone.
class Breaker {
public:
    explicit Breaker(Settings settings) : settings_(std::move(settings)) {}

    State state() const { return state_; }

    // The failures in a row while closed.
    std::int64_t failures() const { return failures_; }

    // The trial calls in flight while half open.
    std::int64_t trials() const { return trials_; }

    // The successful trials while half open.
    std::int64_t successes() const { return successes_; }

    // The instant at which an open breaker becomes half open, else nothing.
    std::optional<std::int64_t> retry_at() const {
        if (state_ != State::Open) {
            return std::nullopt;
        }
        return cooldown_end();
    }

    // Tells whether the call was admitted and has no result yet.
    bool in_flight(const std::string& call) const { return period_of_call_.count(call) > 0; }

    // Lets time pass: an open breaker whose cooldown is over becomes half open.
    void advance(std::int64_t at) {
        if (state_ == State::Open && at >= cooldown_end()) {
            enter(State::HalfOpen);
        }
    }

    // Tells whether the call may go out; if so, it is in flight from now on.
    bool admit(const std::string& call) {
        if (state_ == State::Open) {
            return false;
        }
        if (state_ == State::HalfOpen) {
            if (trials_ >= settings_.trial_limit) {
                return false;
            }
            ++trials_;
        }
        period_of_call_[call] = period_;
        return true;
    }

    // Takes in the result of a call in flight; returns what it counted as.
    Counted record(const std::string& call, std::int64_t status, std::int64_t at) {
        const auto found = period_of_call_.find(call);
        const bool late = found->second != period_;
        period_of_call_.erase(found);
        if (late) {
            return Counted::Late;
        }
        const Counted counted = settings_.classify(status);
        if (state_ == State::Closed) {
            record_normal(counted, at);
        } else {
            record_trial(counted, at);
        }
        return counted;
    }

private:
    Settings settings_;
    State state_ = State::Closed;
    std::int64_t period_ = 0;
    std::map<std::string, std::int64_t> period_of_call_;
    std::int64_t opened_at_ = 0;
    std::int64_t failures_ = 0;
    std::int64_t trials_ = 0;
    std::int64_t successes_ = 0;

    void record_normal(Counted counted, std::int64_t at) {
        if (counted == Counted::Success) {
            failures_ = 0;
        } else if (counted == Counted::Failure) {
            ++failures_;
            if (failures_ >= settings_.failure_threshold) {
                open(at);
            }
        }
    }

    void record_trial(Counted counted, std::int64_t at) {
        --trials_;
        if (counted == Counted::Failure) {
            open(at);
        } else if (counted == Counted::Success) {
            ++successes_;
            if (successes_ >= settings_.trial_successes) {
                enter(State::Closed);
            }
        }
    }

    std::int64_t cooldown_end() const { return opened_at_ + settings_.cooldown_ms; }

    void open(std::int64_t at) {
        opened_at_ = at;
        enter(State::Open);
    }

    void enter(State state) {
        state_ = state;
        ++period_;
        failures_ = 0;
        trials_ = 0;
        successes_ = 0;
    }
};
