// Paths, strings and lists as they are printed.

#pragma once

#include <cstdio>
#include <string>
#include <vector>

#include "scanner.hpp"
#include "values.hpp"

inline std::string joined(const std::vector<std::string>& texts, const std::string& between) {
    std::string all;
    for (std::size_t index = 0; index < texts.size(); index++) {
        all += (index > 0 ? between : "") + texts[index];
    }
    return all;
}

inline std::string printed_character(char32_t character) {
    if (character == U'\n') {
        return "\\n";
    }
    if (character == U'\t') {
        return "\\t";
    }
    if (character == U'"' || character == U'\\') {
        return "\\" + encoded(character);
    }
    if (is_control(character)) {
        char printed[16];
        std::snprintf(printed, sizeof printed, "\\u{%x}", static_cast<unsigned>(character));
        return printed;
    }
    return encoded(character);
}

inline std::string printed_string(const std::string& text) {
    std::string printed = "\"";
    for (const char32_t character : decoded(text)) {
        printed += printed_character(character);
    }
    return printed + "\"";
}

inline std::string printed_key(const std::string& key) {
    const bool is_bare = !key.empty() && decoded(key).find_first_not_of(bare_characters) == std::u32string::npos;
    return is_bare ? key : printed_string(key);
}

inline std::string printed_path(const Path& path) {
    std::vector<std::string> keys;
    for (const std::string& key : path) {
        keys.push_back(printed_key(key));
    }
    return joined(keys, ".");
}

inline std::string printed_list(const std::vector<std::string>& elements) {
    return "[" + joined(elements, ", ") + "]";
}
