// Time that occurrences of two series have in common.
#pragma once

#include <algorithm>
#include <cstdint>
#include <tuple>
#include <vector>

#include "series.hpp"

struct Clash {
    std::int64_t begin;
    std::int64_t finish;
    std::int64_t first;
    std::int64_t second;

    bool operator<(const Clash& other) const {
        return std::tie(begin, finish, first, second) <
               std::tie(other.begin, other.finish, other.first, other.second);
    }
};

// Returns the clashes of two series whose common time overlaps the window, in order.
inline std::vector<Clash> clashes(const Series& one, const Series& other, std::int64_t start, std::int64_t end) {
    std::vector<Clash> found;
    const std::vector<Occurrence> others = other.overlapping(start, end);
    for (const Occurrence& a : one.overlapping(start, end)) {
        for (const Occurrence& b : others) {
            const std::int64_t begin = std::max(a.start, b.start);
            const std::int64_t finish = std::min(a.end, b.end);
            if (begin < finish && begin < end && finish > start) {
                found.push_back({begin, finish, a.original, b.original});
            }
        }
    }
    std::sort(found.begin(), found.end());
    return found;
}
