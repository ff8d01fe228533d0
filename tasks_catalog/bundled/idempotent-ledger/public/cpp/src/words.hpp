// Splitting lines.
#pragma once

#include <string>
#include <vector>

// The words between single spaces; some may be empty.
inline std::vector<std::string> split_words(const std::string& line) {
    std::vector<std::string> words;
    std::size_t start = 0;
    for (;;) {
        std::size_t end = line.find(' ', start);
        words.push_back(line.substr(start, end - start));
        if (end == std::string::npos) {
            return words;
        }
        start = end + 1;
    }
}
