// How a merge went.
#pragma once

#include <cstddef>
#include <string>

// Kept lines, and regions by what decided them.
struct Counts {
    std::size_t kept = 0;
    std::size_t theirs = 0;
    std::size_t mine = 0;
    std::size_t same = 0;
    std::size_t conflicts = 0;

    std::string text() const {
        return "kept=" + std::to_string(kept) + " theirs=" + std::to_string(theirs) + " mine=" + std::to_string(mine) +
               " same=" + std::to_string(same) + " conflicts=" + std::to_string(conflicts);
    }
};
