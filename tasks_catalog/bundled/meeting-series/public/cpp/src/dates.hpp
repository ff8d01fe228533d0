// Days and minutes as plain numbers, in the Gregorian calendar.
//
// A day is a number: 1 is 0001-01-01, a Monday. A minute is one too: the day times 1440, plus the
// minutes since midnight.
#pragma once

#include <array>
#include <cstdint>
#include <string>

constexpr std::int64_t minutes_per_day = 1440;

struct Civil {
    std::int64_t year;
    std::int64_t month;
    std::int64_t day;
};

inline bool is_leap(std::int64_t year) {
    return year % 4 == 0 && (year % 100 != 0 || year % 400 == 0);
}

inline std::int64_t month_length(std::int64_t year, std::int64_t month) {
    static constexpr std::array<int, 12> lengths{31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31};
    return month == 2 && is_leap(year) ? 29 : lengths[static_cast<std::size_t>(month - 1)];
}

inline std::int64_t days_before_year(std::int64_t year) {
    const std::int64_t past = year - 1;
    return past * 365 + past / 4 - past / 100 + past / 400;
}

inline std::int64_t day_number(std::int64_t year, std::int64_t month, std::int64_t day) {
    std::int64_t number = days_before_year(year) + day;
    for (std::int64_t m = 1; m < month; ++m) {
        number += month_length(year, m);
    }
    return number;
}

inline Civil civil(std::int64_t day) {
    std::int64_t year = (day - 1) / 365 + 1;
    while (days_before_year(year) >= day) {
        --year;
    }
    std::int64_t rest = day - days_before_year(year);
    std::int64_t month = 1;
    while (rest > month_length(year, month)) {
        rest -= month_length(year, month);
        ++month;
    }
    return {year, month, rest};
}

// Returns 0 for a Monday to 6 for a Sunday.
inline std::int64_t weekday(std::int64_t day) {
    return (day - 1) % 7;
}

inline std::string padded(std::int64_t number, std::size_t width) {
    const std::string digits = std::to_string(number);
    return std::string(digits.size() < width ? width - digits.size() : 0, '0') + digits;
}

inline std::string minute_text(std::int64_t minute) {
    const Civil date = civil(minute / minutes_per_day);
    const std::int64_t clock = minute % minutes_per_day;
    return padded(date.year, 4) + "-" + padded(date.month, 2) + "-" + padded(date.day, 2) + "T" +
           padded(clock / 60, 2) + ":" + padded(clock % 60, 2);
}

inline std::string instant_text(std::int64_t instant) {
    return minute_text(instant) + "Z";
}
