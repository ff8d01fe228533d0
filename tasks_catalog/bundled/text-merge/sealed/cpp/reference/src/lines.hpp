// Lines with their endings, and when they are equal.
#pragma once

#include <cstddef>
#include <string>

#include "text.hpp"

// Returns the ending of a line: empty for one that is unfinished.
inline std::string ending(const std::string& line) {
    if (line.empty() || line.back() != '\n') {
        return "";
    }
    return line.size() > 1 && line[line.size() - 2] == '\r' ? "\r\n" : "\n";
}

// Returns what is compared: two lines are equal if their keys are.
inline std::string key(const std::string& line, const std::string& compare) {
    if (compare == "exact") {
        return line;
    }
    const std::string text = line.substr(0, line.size() - ending(line).size());
    if (compare == "trailing") {
        return text.substr(0, text.find_last_not_of(" \t") + 1);
    }
    if (compare == "all") {
        std::string dense;
        for (const char c : text) {
            if (c != ' ' && c != '\t') {
                dense += c;
            }
        }
        return dense;
    }
    return text;
}

inline Text keys(const Text& text, const std::string& compare) {
    Text all;
    for (const std::string& line : text) {
        all.push_back(key(line, compare));
    }
    return all;
}

inline bool equal(const Text& one, const Text& other, const std::string& compare) {
    return keys(one, compare) == keys(other, compare);
}

inline std::string ending_of_markers(const Text& mine, const Text& theirs) {
    for (const Text* text : {&mine, &theirs}) {
        if (!text->empty() && !ending(text->front()).empty()) {
            return ending(text->front());
        }
    }
    return "\n";
}

// Gives the missing ending to lines before the last that have none.
inline void complete(Text& lines, const std::string& missing) {
    for (std::size_t i = 0; i + 1 < lines.size(); ++i) {
        if (ending(lines[i]).empty()) {
            lines[i] += missing;
        }
    }
}
