// Writes down what was read.

#pragma once

#include <algorithm>
#include <string>
#include <tuple>
#include <vector>

#include "document.hpp"

constexpr std::size_t most_errors = 10;

inline std::vector<Mistake> first_errors(std::vector<Mistake> errors) {
    std::sort(errors.begin(), errors.end(), [](const Mistake& one, const Mistake& other) {
        return std::tie(one.line, one.column) < std::tie(other.line, other.column);
    });
    errors.resize(std::min(errors.size(), most_errors));
    return errors;
}

inline std::string report(const std::string& name, const Document& document) {
    std::string lines;
    const std::size_t count = document.errors.size();
    if (count == 0) {
        lines += "document " + name + " ok " + std::to_string(document.settings.size()) + "\n";
        for (const Setting& setting : document.settings) {
            lines += setting.path + " = " + setting.value + "\n";
        }
    } else {
        lines += "document " + name + " failed " + std::to_string(count) + "\n";
        for (const Mistake& error : first_errors(document.errors)) {
            lines += std::to_string(error.line) + ":" + std::to_string(error.column) + " " + error.kind + "\n";
        }
        if (count > most_errors) {
            lines += "and " + std::to_string(count - most_errors) + " more\n";
        }
    }
    return lines;
}
