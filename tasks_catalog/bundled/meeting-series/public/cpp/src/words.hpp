// Cutting text at a character, and the form of words.
#pragma once

#include <string>
#include <string_view>
#include <vector>

inline std::vector<std::string> cut(const std::string& text, char separator) {
    std::vector<std::string> parts{""};
    for (const char c : text) {
        if (c == separator) {
            parts.emplace_back();
        } else {
            parts.back() += c;
        }
    }
    return parts;
}

inline bool is_digit(char c) {
    return c >= '0' && c <= '9';
}

inline bool all_digits(std::string_view word) {
    for (const char c : word) {
        if (!is_digit(c)) {
            return false;
        }
    }
    return true;
}

// Tells whether the word is the pattern, with a digit for every #.
inline bool fits(std::string_view word, std::string_view pattern) {
    if (word.size() != pattern.size()) {
        return false;
    }
    for (std::size_t i = 0; i < word.size(); ++i) {
        if (pattern[i] == '#' ? !is_digit(word[i]) : word[i] != pattern[i]) {
            return false;
        }
    }
    return true;
}
