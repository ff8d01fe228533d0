// The characters of a document, and UTF-8.

#pragma once

#include <string>

#include "document.hpp"

// What stands behind the last character.
constexpr char32_t nothing = 0xFFFFFFFF;

constexpr char32_t byte_order_mark = 0xFEFF;

inline std::u32string decoded(const std::string& text) {
    std::u32string characters;
    for (const char byte : text) {
        const unsigned char bits = static_cast<unsigned char>(byte);
        if ((bits & 0xC0) == 0x80) {
            characters.back() = characters.back() << 6 | (bits & 0x3F);
        } else if (bits < 0x80) {
            characters.push_back(bits);
        } else {
            characters.push_back(bits & (bits < 0xE0 ? 0x1F : bits < 0xF0 ? 0x0F : 0x07));
        }
    }
    return characters;
}

inline std::string encoded(char32_t character) {
    const auto byte = [character](int shift, unsigned mark) {
        return static_cast<char>(mark | (character >> shift & (mark == 0x80 ? 0x3F : 0xFF)));
    };
    if (character < 0x80) {
        return {static_cast<char>(character)};
    }
    if (character < 0x800) {
        return {byte(6, 0xC0), byte(0, 0x80)};
    }
    if (character < 0x10000) {
        return {byte(12, 0xE0), byte(6, 0x80), byte(0, 0x80)};
    }
    return {byte(18, 0xF0), byte(12, 0x80), byte(6, 0x80), byte(0, 0x80)};
}

// Characters by index, every line end a single line feed, without the byte order mark.
class Source {
public:
    explicit Source(const std::string& text) {
        const std::u32string all = decoded(text);
        for (std::size_t index = 0; index < all.size(); index++) {
            const bool is_mark = index == 0 && all[index] == byte_order_mark;
            const bool is_half_line_end = all[index] == U'\r' && index + 1 < all.size() && all[index + 1] == U'\n';
            if (!is_mark && !is_half_line_end) {
                characters_.push_back(all[index]);
            }
        }
    }

    // Returns the character there, nothing behind the last one.
    char32_t at(std::size_t index) const {
        return index < characters_.size() ? characters_[index] : nothing;
    }

    std::string slice(std::size_t start, std::size_t end) const {
        std::string text;
        for (std::size_t index = start; index < end; index++) {
            text += encoded(characters_[index]);
        }
        return text;
    }

    // Returns an error at a character.
    Mistake mistake(std::size_t index, const char* kind) const {
        std::size_t line = 1;
        std::size_t column = 1;
        for (std::size_t before = 0; before < index; before++) {
            column++;
            if (characters_[before] == U'\n') {
                line++;
                column = 1;
            }
        }
        return {line, column, kind};
    }

private:
    std::u32string characters_;
};
