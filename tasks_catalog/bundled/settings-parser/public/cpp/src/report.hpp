// Writes down what was read.

#pragma once

#include <string>

#include "document.hpp"

inline std::string report(const std::string& name, const Document& document) {
    std::string lines;
    if (document.errors.empty()) {
        lines += "document " + name + " ok " + std::to_string(document.settings.size()) + "\n";
        for (const Setting& setting : document.settings) {
            lines += setting.path + " = " + setting.value + "\n";
        }
    } else {
        lines += "document " + name + " failed " + std::to_string(document.errors.size()) + "\n";
        for (const Mistake& error : document.errors) {
            lines += std::to_string(error.line) + ":" + std::to_string(error.column) + " " + error.kind + "\n";
        }
    }
    return lines;
}
