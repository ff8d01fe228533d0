// Lines and their fields.
#pragma once

#include <algorithm>
#include <string>
#include <vector>

using Lines = std::vector<std::string>;

// The pieces between separators, at most `most` of them: the last one is all that is left.
inline std::vector<std::string> split(const std::string& text, char separator, std::size_t most = std::string::npos) {
    std::vector<std::string> pieces;
    std::size_t start = 0;
    std::size_t end = text.find(separator);
    while (end != std::string::npos && pieces.size() + 1 < most) {
        pieces.push_back(text.substr(start, end - start));
        start = end + 1;
        end = text.find(separator, start);
    }
    pieces.push_back(text.substr(start));
    return pieces;
}

// In UTF-8 every byte but the first of a character has the bits 10 at its front.
inline long long count_characters(const std::string& text) {
    return std::count_if(text.begin(), text.end(), [](unsigned char byte) { return (byte & 0xC0) != 0x80; });
}
