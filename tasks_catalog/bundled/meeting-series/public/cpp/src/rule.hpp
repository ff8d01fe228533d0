// On which days a meeting repeats.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <functional>
#include <vector>

#include "dates.hpp"

// Does a series that starts on the day `first` have an occurrence on `day`?
using Rule = std::function<bool(std::int64_t day, std::int64_t first)>;

// After so many occurrences or before a day, whichever is first.
struct End {
    std::int64_t count;
    std::int64_t day;
};

inline Rule daily(std::int64_t interval) {
    return [=](std::int64_t day, std::int64_t first) { return (day - first) % interval == 0; };
}

inline Rule weekly(std::int64_t interval, std::array<bool, 7> weekdays) {
    return [=](std::int64_t day, std::int64_t first) {
        const std::int64_t weeks = (day - first) / 7;
        return weeks % interval == 0 && weekdays[static_cast<std::size_t>(weekday(day))];
    };
}

inline Rule monthly_day(std::int64_t interval, std::int64_t chosen) {
    return [=](std::int64_t day, std::int64_t first) {
        const Civil from = civil(first);
        const Civil to = civil(day);
        const std::int64_t months = (to.year - from.year) * 12 + to.month - from.month;
        return months % interval == 0 && to.day == std::min(chosen, month_length(to.year, to.month));
    };
}

// Returns the local minutes that the rule yields, in order.
inline std::vector<std::int64_t> originals(std::int64_t start, const Rule& holds, const End& end) {
    const std::int64_t first = start / minutes_per_day;
    const std::int64_t clock = start % minutes_per_day;
    std::vector<std::int64_t> found;
    for (std::int64_t day = first; day < end.day; ++day) {
        if (static_cast<std::int64_t>(found.size()) == end.count) {
            break;
        }
        if (holds(day, first)) {
            found.push_back(day * minutes_per_day + clock);
        }
    }
    return found;
}
