// Splits the input into documents.

#pragma once

#include <string>
#include <vector>

// A document of the input.
struct Frame {
    std::string name;
    std::string text;
};

inline std::vector<Frame> frames(const std::string& data) {
    std::vector<Frame> found;
    std::size_t position = 0;
    while (position < data.size()) {
        const std::size_t line_end = data.find('\n', position);
        const std::size_t name = data.find(' ', position) + 1;
        const std::size_t length = data.find(' ', name) + 1;
        const std::size_t start = line_end + 1;
        const std::size_t size = std::stoul(data.substr(length, line_end - length));
        found.push_back({data.substr(name, length - 1 - name), data.substr(start, size)});
        position = start + size + 1;
    }
    return found;
}
