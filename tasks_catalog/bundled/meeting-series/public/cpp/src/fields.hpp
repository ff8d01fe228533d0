// From words to values.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <string>

#include "dates.hpp"
#include "words.hpp"

// A command that cannot be carried out.
struct BadCommand {};

inline void expect(bool condition) {
    if (!condition) {
        throw BadCommand{};
    }
}

inline std::int64_t read_number(const std::string& word) {
    expect(!word.empty() && word.size() <= 9 && all_digits(word));
    const std::int64_t value = std::stoll(word);
    expect(value > 0);
    return value;
}

inline std::int64_t read_date(const std::string& word) {
    expect(fits(word, "####-##-##"));
    const int year = std::stoi(word.substr(0, 4));
    const int month = std::stoi(word.substr(5, 2));
    const int day = std::stoi(word.substr(8));
    expect(year >= 1900 && year <= 2199 && month >= 1 && month <= 12);
    expect(day >= 1 && day <= month_length(year, month));
    return day_number(year, month, day);
}

inline std::int64_t read_local(const std::string& word) {
    expect(fits(word, "####-##-##T##:##"));
    const int hours = std::stoi(word.substr(11, 2));
    const int minutes = std::stoi(word.substr(14));
    return read_date(word.substr(0, 10)) * minutes_per_day + hours * 60 + minutes;
}

inline std::int64_t read_instant(const std::string& word) {
    expect(!word.empty() && word.back() == 'Z');
    return read_local(word.substr(0, word.size() - 1));
}

inline std::int64_t read_offset(const std::string& word) {
    expect(fits(word, "+##:##") || fits(word, "-##:##"));
    const int size = std::stoi(word.substr(1, 2)) * 60 + std::stoi(word.substr(4));
    return word[0] == '-' ? -size : size;
}

inline std::array<bool, 7> read_weekdays(const std::string& word) {
    static const std::array<std::string, 7> names{"mon", "tue", "wed", "thu", "fri", "sat", "sun"};
    std::array<bool, 7> chosen{};
    for (const std::string& name : cut(word, ',')) {
        const auto found = std::find(names.begin(), names.end(), name);
        expect(found != names.end());
        chosen[static_cast<std::size_t>(found - names.begin())] = true;
    }
    return chosen;
}
