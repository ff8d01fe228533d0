// On which days a meeting repeats.
#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <vector>

#include "dates.hpp"

// Does a series that starts on the day `first` have an occurrence on `day`?
using Rule = std::function<bool(std::int64_t day, std::int64_t first)>;

constexpr std::int64_t last_of_month = 0;

// After so many occurrences or after a day, whichever is first.
struct End {
    std::int64_t count;
    std::int64_t last_day;
};

inline std::int64_t months_between(std::int64_t first, std::int64_t day) {
    const Civil from = civil(first);
    const Civil to = civil(day);
    return (to.year - from.year) * 12 + to.month - from.month;
}

inline Rule daily(std::int64_t interval) {
    return [=](std::int64_t day, std::int64_t first) { return (day - first) % interval == 0; };
}

inline Rule weekly(std::int64_t interval, std::array<bool, 7> weekdays) {
    return [=](std::int64_t day, std::int64_t first) {
        const std::int64_t monday = first - weekday(first);
        const std::int64_t weeks = (day - monday) / 7;
        return weeks % interval == 0 && weekdays[static_cast<std::size_t>(weekday(day))];
    };
}

inline Rule monthly_day(std::int64_t interval, std::int64_t day_of_month) {
    return [=](std::int64_t day, std::int64_t first) {
        return months_between(first, day) % interval == 0 && civil(day).day == day_of_month;
    };
}

// The ordinal is 1 to 5, or last_of_month.
inline Rule monthly_weekday(std::int64_t interval, std::int64_t ordinal, std::int64_t chosen) {
    return [=](std::int64_t day, std::int64_t first) {
        if (months_between(first, day) % interval != 0 || weekday(day) != chosen) {
            return false;
        }
        const Civil date = civil(day);
        if (ordinal == last_of_month) {
            return date.day + 7 > month_length(date.year, date.month);
        }
        return (date.day - 1) / 7 + 1 == ordinal;
    };
}

// Returns the local minutes that the rule yields, in order.
inline std::vector<std::int64_t> originals(std::int64_t start, const Rule& holds, const End& end) {
    const std::int64_t first = start / minutes_per_day;
    const std::int64_t clock = start % minutes_per_day;
    std::vector<std::int64_t> found;
    for (std::int64_t day = first; day <= end.last_day; ++day) {
        if (static_cast<std::int64_t>(found.size()) == end.count) {
            break;
        }
        if (holds(day, first)) {
            found.push_back(day * minutes_per_day + clock);
        }
    }
    return found;
}
