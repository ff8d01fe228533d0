// Lines and words.
#pragma once

#include <string>
#include <vector>

using Text = std::vector<std::string>;

inline std::vector<std::string> words_of(const std::string& line) {
    std::vector<std::string> words{""};
    for (const char c : line) {
        if (c == ' ') {
            words.emplace_back();
        } else {
            words.back() += c;
        }
    }
    return words;
}

inline bool all_digits(const std::string& word) {
    return word.find_first_not_of("0123456789") == std::string::npos;
}

inline void append(Text& lines, const Text& more) {
    lines.insert(lines.end(), more.begin(), more.end());
}
