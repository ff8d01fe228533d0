// Decimal numbers as whole numbers: how they are read and written.
#pragma once

#include <algorithm>
#include <optional>
#include <string>

// Products of two amounts don't fit into 64 bits.
using Units = __int128;

constexpr std::size_t longest_whole = 12;
constexpr std::size_t longest_fraction = 6;

inline Units magnitude(Units units) { return units < 0 ? -units : units; }

inline Units power_of_ten(int exponent) {
    Units power = 1;
    for (; exponent > 0; --exponent) {
        power *= 10;
    }
    return power;
}

// The number digits / 10^places, with as many places as were written.
struct Decimal {
    Units digits;
    int places;

    // The number in units of 10^-finer; finer is at least the places.
    Units scaled(int finer) const { return digits * power_of_ten(finer - places); }
};

inline bool is_digits(const std::string& word, std::size_t longest) {
    return !word.empty() && word.size() <= longest && word.find_first_not_of("0123456789") == std::string::npos;
}

// The number that a word is.
inline std::optional<Decimal> parse_decimal(const std::string& word) {
    bool negative = word.rfind('-', 0) == 0;
    std::string rest = word.substr(negative ? 1 : 0);
    std::size_t point = rest.find('.');
    std::string whole = rest.substr(0, point);
    std::string fraction = point == std::string::npos ? "" : rest.substr(point + 1);
    if (!is_digits(whole, longest_whole)) {
        return std::nullopt;
    }
    if (point != std::string::npos && !is_digits(fraction, longest_fraction)) {
        return std::nullopt;
    }
    Units digits = std::stoll(whole + fraction);
    return Decimal{negative ? -digits : digits, static_cast<int>(fraction.size())};
}

// Units of 10^-places with exactly that many places.
inline std::string format_decimal(Units units, int places) {
    std::string digits;
    for (Units rest = magnitude(units); rest > 0 || static_cast<int>(digits.size()) <= places; rest /= 10) {
        digits.push_back(static_cast<char>('0' + static_cast<int>(rest % 10)));
    }
    std::reverse(digits.begin(), digits.end());
    if (places > 0) {
        digits.insert(digits.size() - places, ".");
    }
    return units < 0 ? "-" + digits : digits;
}

// Units of 10^-places without needless zeros; there is at least 1 place.
inline std::string format_shortest(Units units, int places) {
    std::string text = format_decimal(units, places);
    text.erase(text.find_last_not_of('0') + 1);
    if (text.back() == '.') {
        text.pop_back();
    }
    return text;
}
