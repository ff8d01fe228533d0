// Reads a document line by line.

#pragma once

#include <algorithm>
#include <string>

#include "document.hpp"
#include "words.hpp"

inline const std::string blanks = " \t";
inline const std::string bare_characters = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_-";

inline std::string trimmed(const std::string& text) {
    const std::size_t start = text.find_first_not_of(blanks);
    if (start == std::string::npos) {
        return "";
    }
    return text.substr(start, text.find_last_not_of(blanks) + 1 - start);
}

inline bool is_key(const std::string& text) {
    return !text.empty() && text.find_first_not_of(bare_characters) == std::string::npos;
}

// Returns the value as it is printed, or throws WrongWord.
inline std::string read_value(const std::string& value) {
    if (value.size() >= 2 && value.front() == '"' && value.back() == '"') {
        if (value.find('"', 1) != value.size() - 1 || value.find('\\') != std::string::npos) {
            throw WrongWord{"syntax", 0};
        }
        return value;
    }
    return read_word(value);
}

inline Document failed(std::size_t line, std::size_t column, const char* kind) {
    return {{}, {{line, column, kind}}};
}

// Counts the bytes that are not the second or a later one of a character.
inline std::size_t characters(const std::string& text) {
    return std::count_if(text.begin(), text.end(), [](char byte) { return (byte & 0xC0) != 0x80; });
}

// Returns all settings, or the first error.
inline Document read(const std::string& text) {
    Document document;
    std::string section;
    std::size_t number = 0;
    for (std::size_t start = 0; start <= text.size();) {
        const std::size_t end = std::min(text.find('\n', start), text.size());
        const std::string line = text.substr(start, end - start);
        start = end + 1;
        number++;
        const std::string statement = trimmed(line);
        if (statement.empty() || statement[0] == '#') {
            continue;
        }
        if (statement[0] == '[') {
            if (statement.back() != ']' || !is_key(statement.substr(1, statement.size() - 2))) {
                return failed(number, 1, "syntax");
            }
            section = statement.substr(1, statement.size() - 2) + ".";
            continue;
        }
        const std::size_t equals = line.find('=');
        const std::string key = trimmed(line.substr(0, equals));
        if (equals == std::string::npos || !is_key(key)) {
            return failed(number, 1, "syntax");
        }
        const std::size_t value = std::min(line.find_first_not_of(blanks, equals + 1), line.size());
        try {
            document.settings.push_back({section + key, read_value(trimmed(line.substr(value)))});
        } catch (const WrongWord& error) {
            return failed(number, characters(line.substr(0, value)) + 1 + error.offset, error.kind);
        }
    }
    return document;
}
