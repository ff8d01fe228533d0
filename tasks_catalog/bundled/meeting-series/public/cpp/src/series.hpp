// One series of occurrences.
#pragma once

#include <cstdint>
#include <vector>

// The original is a local minute, start and end are instants.
struct Occurrence {
    std::int64_t original;
    std::int64_t start;
    std::int64_t end;

    bool overlaps(std::int64_t from, std::int64_t to) const { return start < to && end > from; }
};

// The originals of a series, and what they have in common.
struct Series {
    std::int64_t offset;
    std::int64_t minutes;
    std::vector<std::int64_t> originals;

    Occurrence occurrence(std::int64_t original) const {
        const std::int64_t start = original - offset;
        return {original, start, start + minutes};
    }

    // Returns the occurrences that overlap the window, in the order of their originals.
    std::vector<Occurrence> overlapping(std::int64_t from, std::int64_t to) const {
        std::vector<Occurrence> found;
        for (const std::int64_t original : originals) {
            if (occurrence(original).overlaps(from, to)) {
                found.push_back(occurrence(original));
            }
        }
        return found;
    }
};
