// One series of occurrences and what was done to them.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "refusal.hpp"
#include "zone.hpp"

// The original is a local minute, start and end are instants.
struct Occurrence {
    std::int64_t original;
    std::int64_t start;
    std::int64_t end;

    bool overlaps(std::int64_t from, std::int64_t to) const { return start < to && end > from; }
};

// When an occurrence starts on the clocks, and how long it lasts.
struct Plan {
    std::int64_t local;
    std::int64_t minutes;
};

// Originals, each with its plan; a skipped one has none.
class Series {
public:
    Series(Zone zone, std::int64_t minutes, const std::vector<std::int64_t>& originals)
        : zone_(std::move(zone)), minutes_(minutes) {
        for (const std::int64_t original : originals) {
            plans_[original] = Plan{original, minutes};
        }
    }

    const Zone& zone() const { return zone_; }

    void skip(std::int64_t original) {
        planned(original);
        plans_[original] = std::nullopt;
        changed_.insert(original);
    }

    // Minutes that are absent are those of the series.
    void move(std::int64_t original, std::int64_t local, std::optional<std::int64_t> minutes) {
        planned(original);
        plans_[original] = Plan{local, minutes.value_or(minutes_)};
        changed_.insert(original);
    }

    void restore(std::int64_t original) {
        known(original);
        if (changed_.count(original) == 0) {
            throw Refused{"not_changed"};
        }
        plans_[original] = Plan{original, minutes_};
        changed_.erase(original);
    }

    // Returns when an occurrence that is not skipped takes place.
    Occurrence occurrence(std::int64_t original) const {
        const Plan& plan = planned(original);
        const std::int64_t start = zone_.instant(plan.local);
        return {original, start, start + plan.minutes};
    }

    // Returns the occurrences that overlap the window, in the order of their originals.
    std::vector<Occurrence> overlapping(std::int64_t from, std::int64_t to) const {
        std::vector<Occurrence> found;
        for (const auto& [original, plan] : plans_) {
            if (plan && occurrence(original).overlaps(from, to)) {
                found.push_back(occurrence(original));
            }
        }
        return found;
    }

private:
    const std::optional<Plan>& known(std::int64_t original) const {
        const auto found = plans_.find(original);
        if (found == plans_.end()) {
            throw Refused{"unknown_occurrence"};
        }
        return found->second;
    }

    const Plan& planned(std::int64_t original) const {
        const std::optional<Plan>& plan = known(original);
        if (!plan) {
            throw Refused{"already_skipped"};
        }
        return *plan;
    }

    Zone zone_;
    std::int64_t minutes_;
    std::map<std::int64_t, std::optional<Plan>> plans_;
    std::set<std::int64_t> changed_;
};
