// Lines and their fields.
#pragma once

#include <string>
#include <vector>

using Lines = std::vector<std::string>;

inline std::vector<std::string> split_at_spaces(const std::string& line) {
    std::vector<std::string> fields;
    std::size_t start = 0;
    for (;;) {
        const std::size_t space = line.find(' ', start);
        if (space == std::string::npos) {
            fields.push_back(line.substr(start));
            return fields;
        }
        fields.push_back(line.substr(start, space - start));
        start = space + 1;
    }
}

inline std::string ok(const std::vector<std::string>& parts) {
    std::string line = "ok";
    for (const std::string& part : parts) {
        line += " " + part;
    }
    return line;
}
