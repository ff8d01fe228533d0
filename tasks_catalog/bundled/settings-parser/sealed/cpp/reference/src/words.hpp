// The values that are written as one word without quotes.

#pragma once

#include <string>

#include "durations.hpp"
#include "integers.hpp"
#include "wrong_word.hpp"

// Returns the value as it is printed, or throws WrongWord.
inline std::string read_word(const std::string& word) {
    if (word == "true" || word == "false") {
        return word;
    }
    if (word[0] != '-' && decimal_digits.find(word[0]) == std::string::npos) {
        throw WrongWord{"unknown-word", 0};
    }
    const bool is_hexadecimal = word.compare(0, 2, "0x") == 0 || word.compare(0, 3, "-0x") == 0;
    if (!is_hexadecimal && word.find_first_of("dhms") != std::string::npos) {
        return std::to_string(read_duration(word)) + "ms";
    }
    return std::to_string(read_integer(word));
}
