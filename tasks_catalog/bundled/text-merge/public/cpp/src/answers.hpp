// From input lines to what is written.
#pragma once

#include <string>

#include "merging.hpp"
#include "reader.hpp"
#include "text.hpp"

inline std::string result(const Block& block) {
    const Merged merged = merge(block);
    std::string written = "result " + block.name + " " + std::to_string(merged.lines.size()) + "\n";
    for (const std::string& line : merged.lines) {
        written += line;
    }
    return written + "counts " + merged.counts.text() + "\n";
}

// Returns the answers to all blocks.
inline std::string answers(const Text& lines) {
    std::string written;
    Reader reader(lines);
    while (!reader.at_end()) {
        try {
            written += result(reader.next());
        } catch (const BadInput&) {
            written += "refused bad_input\n";
            reader.pass_over();
        }
    }
    return written;
}
