// From input lines to what is written.
#pragma once

#include <string>

#include "lines.hpp"
#include "merging.hpp"
#include "reader.hpp"
#include "text.hpp"

inline std::string result(const Block& block) {
    const Merged merged = merge(block);
    const bool unfinished = !merged.lines.empty() && ending(merged.lines.back()).empty();
    const std::string count = std::to_string(merged.lines.size());
    std::string written = "result " + block.name + " " + count + (unfinished ? " unfinished\n" : "\n");
    for (const std::string& line : merged.lines) {
        written += line;
    }
    return written + (unfinished ? "\n" : "") + "counts " + merged.counts.text() + "\n";
}

// Returns the answers to all blocks.
inline std::string answers(const Text& lines) {
    std::string written;
    Reader reader(lines);
    while (!reader.at_end()) {
        try {
            written += result(reader.next());
        } catch (const Refused& refusal) {
            written += "refused " + std::to_string(reader.line()) + " " + refusal.kind + "\n";
            if (refusal.kind != "unknown_command") {
                reader.pass_over();
            }
        }
    }
    return written;
}
