// The values that are written as one word without quotes.

#pragma once

#include <string>

#include "durations.hpp"
#include "wrong_word.hpp"

constexpr std::size_t longest_integer = 15;

// Returns the value as it is printed, or throws WrongWord.
inline std::string read_word(const std::string& word) {
    if (word == "true" || word == "false") {
        return word;
    }
    if (word.empty() || decimal_digits.find(word[0]) == std::string::npos) {
        throw WrongWord{"syntax", 0};
    }
    if (word.find_first_of("dhms") != std::string::npos) {
        return std::to_string(read_duration(word)) + "ms";
    }
    if (word.size() > longest_integer || word.find_first_not_of(decimal_digits) != std::string::npos) {
        throw WrongWord{"bad-number", 0};
    }
    return word;
}
