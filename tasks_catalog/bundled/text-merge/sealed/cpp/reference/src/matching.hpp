// Which lines of two texts belong together.
#pragma once

#include <algorithm>
#include <cstddef>
#include <vector>

#include "text.hpp"

constexpr std::size_t nobody = static_cast<std::size_t>(-1);

// Returns a table: the most pairs that lines from i and from j on can have, at [i][j].
inline std::vector<std::vector<int>> pair_counts(const Text& base, const Text& other) {
    std::vector<std::vector<int>> most(base.size() + 1, std::vector<int>(other.size() + 1));
    for (std::size_t i = base.size(); i-- > 0;) {
        for (std::size_t j = other.size(); j-- > 0;) {
            most[i][j] = base[i] == other[j] ? most[i + 1][j + 1] + 1 : std::max(most[i + 1][j], most[i][j + 1]);
        }
    }
    return most;
}

// Returns for each line of the base the index of its partner, or nobody. Takes the keys of the lines.
inline std::vector<std::size_t> partners(const Text& base, const Text& other) {
    const std::vector<std::vector<int>> most = pair_counts(base, other);
    std::vector<std::size_t> found(base.size(), nobody);
    std::size_t i = 0;
    std::size_t j = 0;
    while (i < base.size() && j < other.size()) {
        if (base[i] == other[j]) {
            found[i] = j;
            ++i;
            ++j;
        } else if (most[i + 1][j] >= most[i][j + 1]) {
            ++i;
        } else {
            ++j;
        }
    }
    return found;
}
