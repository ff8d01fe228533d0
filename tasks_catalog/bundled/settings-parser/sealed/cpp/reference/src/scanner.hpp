// Moves through a document and reads keys, paths, strings and words.

#pragma once

#include <optional>
#include <string>
#include <vector>

#include "source.hpp"

inline const std::u32string bare_characters = U"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_-";
inline const std::u32string hexadecimal_digits = U"0123456789abcdefABCDEF";
inline const std::u32string ends_word = U" \t\n\"#$,=[]{}\\";
inline const std::u32string not_flush = U" \t]#\n";
constexpr unsigned long last_character = 0x10FFFF;
constexpr std::size_t most_hex_digits = 6;

// Thrown if the statement cannot be read on. Its error was noted, the place is where reading goes on.
struct Broken {};

// There is no text if there was an error in it.
struct Key {
    std::optional<std::string> text;
    std::size_t start;
};

inline bool is_control(char32_t character) {
    return character < U' ' || character == 0x7F;
}

inline bool is_surrogate(unsigned long number) {
    return number >= 0xD800 && number <= 0xDFFF;
}

class Scanner {
public:
    // In the order in which they were found.
    std::vector<Mistake> errors;
    std::size_t position = 0;
    int open_lists = 0;

    explicit Scanner(const std::string& text) : source_(text) {}

    char32_t here() const { return source_.at(position); }

    char32_t next() const { return source_.at(position + 1); }

    void note(std::size_t index, const char* kind) { errors.push_back(source_.mistake(index, kind)); }

    // Notes an error that breaks the statement, skips to where reading goes on and returns Broken.
    Broken fail(std::size_t index, const char* kind) {
        note(index, kind);
        skip();
        return {};
    }

    bool at_line_end() const { return here() == nothing || here() == U'\n'; }

    void blanks() {
        while (true) {
            if (here() == U' ' || here() == U'\t') {
                position++;
            } else if (here() == U'\\' && next() == U'\n') {
                position += 2;
            } else {
                return;
            }
        }
    }

    // Skips blanks, comments and line ends in the list that was opened there.
    void space_in_list(std::size_t opening) {
        while (true) {
            blanks();
            comment();
            if (here() == nothing) {
                note(opening, "unclosed-list");
                throw Broken{};
            }
            if (here() != U'\n') {
                return;
            }
            position++;
            if (flush()) {
                note(opening, "unclosed-list");
                throw Broken{};
            }
        }
    }

    // Reads the end of a statement.
    void end() {
        blanks();
        comment();
        if (!at_line_end()) {
            throw fail(position, "expected-end");
        }
        position++;
    }

    // Reads keys up to and with the closing character.
    std::vector<Key> path(char32_t close) {
        std::vector<Key> keys;
        while (true) {
            blanks();
            keys.push_back(key());
            blanks();
            if (here() == close) {
                position++;
                return keys;
            }
            if (here() != U'.') {
                throw fail(position, "expected-close");
            }
            position++;
        }
    }

    Key key() {
        const std::size_t start = position;
        if (here() == U'"') {
            return {string(), start};
        }
        while (is_in(bare_characters)) {
            position++;
        }
        if (position == start) {
            throw fail(start, "expected-key");
        }
        return {source_.slice(start, position), start};
    }

    // Returns the text of a string, none if there was an error in it.
    std::optional<std::string> string() {
        const std::size_t opening = position;
        position++;
        std::string text;
        std::vector<std::size_t> mistakes;
        while (here() != U'"') {
            if (at_line_end()) {
                throw fail(opening, "unclosed-string");
            }
            const std::size_t start = position;
            const char32_t read = character();
            if (read == nothing) {
                mistakes.push_back(start);
            } else {
                text += encoded(read);
            }
        }
        position++;
        for (const std::size_t start : mistakes) {
            note(start, source_.at(start) == U'\\' ? "bad-escape" : "control-character");
        }
        return mistakes.empty() ? std::optional(text) : std::nullopt;
    }

    // Tells whether a word can start here.
    bool at_word() const { return here() != nothing && !is_in(ends_word); }

    std::string word() {
        const std::size_t start = position;
        while (at_word()) {
            position++;
        }
        return source_.slice(start, position);
    }

private:
    Source source_;

    bool is_in(const std::u32string& set) const { return set.find(here()) != std::u32string::npos; }

    void skip() {
        while (true) {
            while (!at_line_end()) {
                position++;
            }
            const bool goes_on = position > 0 && source_.at(position - 1) == U'\\';
            if (here() == nothing) {
                return;
            }
            position++;
            if (!goes_on && (open_lists == 0 || flush())) {
                return;
            }
        }
    }

    // Tells, at the start of a line, whether it can only be the start of a statement.
    bool flush() const { return here() != nothing && !is_in(not_flush); }

    void comment() {
        if (here() == U'#') {
            while (!at_line_end()) {
                position++;
            }
        }
    }

    // Returns the next character of a string, nothing if it may not stand there.
    char32_t character() {
        const char32_t read = here();
        position++;
        if (read == U'\\') {
            return escape();
        }
        return is_control(read) && read != U'\t' ? nothing : read;
    }

    char32_t escape() {
        const char32_t letter = here();
        if (at_line_end()) {
            return nothing;
        }
        position++;
        switch (letter) {
            case U'n':
                return U'\n';
            case U't':
                return U'\t';
            case U'"':
            case U'\\':
                return letter;
        }
        if (letter != U'u' || here() != U'{') {
            return nothing;
        }
        position++;
        const std::size_t start = position;
        while (is_in(hexadecimal_digits)) {
            position++;
        }
        const std::string digits = source_.slice(start, position);
        if (here() != U'}') {
            return nothing;
        }
        position++;
        if (digits.empty() || digits.size() > most_hex_digits) {
            return nothing;
        }
        const unsigned long number = std::stoul(digits, nullptr, 16);
        if (number > last_character || is_surrogate(number)) {
            return nothing;
        }
        return static_cast<char32_t>(number);
    }
};
