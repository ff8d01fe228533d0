// Decimal numbers as whole hundredths: how they are read and written.
#pragma once

#include <cstdint>
#include <cstdlib>
#include <optional>
#include <string>

constexpr std::size_t longest_whole = 5;

inline bool is_digits(const std::string& word) {
    return !word.empty() && word.find_first_not_of("0123456789") == std::string::npos;
}

// The hundredths of the number that a word is.
inline std::optional<std::int64_t> parse_hundredths(const std::string& word) {
    bool negative = word.rfind('-', 0) == 0;
    std::string rest = word.substr(negative ? 1 : 0);
    std::size_t point = rest.find('.');
    std::string whole = rest.substr(0, point);
    std::string fraction = point == std::string::npos ? "" : rest.substr(point + 1);
    if (!is_digits(whole) || whole.size() > longest_whole || (!fraction.empty() && !is_digits(fraction))) {
        return std::nullopt;
    }
    std::int64_t units = std::stoll(whole + (fraction + "00").substr(0, 2));
    return negative ? -units : units;
}

inline std::string format_hundredths(std::int64_t units) {
    std::string digits = std::to_string(std::llabs(units));
    if (digits.size() < 3) {
        digits.insert(0, 3 - digits.size(), '0');
    }
    digits.insert(digits.size() - 2, ".");
    return units < 0 ? "-" + digits : digits;
}
