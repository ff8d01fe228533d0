// How one merge is done.
#pragma once

#include <cstddef>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "refusal.hpp"
#include "text.hpp"

// Returns a number up to `most`, or nothing.
inline std::optional<std::size_t> read_number(const std::string& word, std::size_t most) {
    const bool leading_zero = word.size() > 1 && word[0] == '0';
    if (word.empty() || leading_zero || !all_digits(word) || word.size() > std::to_string(most).size()) {
        return std::nullopt;
    }
    const std::size_t number = std::stoul(word);
    return number <= most ? std::optional<std::size_t>(number) : std::nullopt;
}

// The option words of a header; the last three are labels.
struct Options {
    std::string compare = "exact";
    std::string style = "short";
    std::size_t size = 7;
    std::string favour = "none";
    std::string mine = "mine";
    std::string base = "base";
    std::string theirs = "theirs";

    // Tells whether there is such an option with such a value.
    bool set(const std::string& key, const std::string& value) {
        if (key == "compare") {
            compare = value;
            return value == "exact" || value == "ends" || value == "trailing" || value == "all";
        }
        if (key == "style") {
            style = value;
            return value == "short" || value == "full";
        }
        if (key == "favour") {
            favour = value;
            return value == "none" || value == "mine" || value == "theirs";
        }
        if (key == "size") {
            size = read_number(value, 40).value_or(0);
            return size > 0;
        }
        if (key == "mine") {
            mine = value;
        } else if (key == "base") {
            base = value;
        } else if (key == "theirs") {
            theirs = value;
        } else {
            return false;
        }
        return true;
    }
};

inline Options read_options(const std::vector<std::string>& words) {
    Options options;
    std::set<std::string> keys;
    for (const std::string& word : words) {
        const std::size_t sign = word.find('=');
        if (sign == std::string::npos || !options.set(word.substr(0, sign), word.substr(sign + 1))) {
            throw Refused{"bad_option"};
        }
        keys.insert(word.substr(0, sign));
    }
    if (keys.size() < words.size()) {
        throw Refused{"repeated_option"};
    }
    return options;
}
