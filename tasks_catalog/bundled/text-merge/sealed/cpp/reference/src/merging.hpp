// The three-way merge.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "conflict.hpp"
#include "counts.hpp"
#include "lines.hpp"
#include "matching.hpp"
#include "options.hpp"
#include "reader.hpp"
#include "text.hpp"

struct Merged {
    Text lines;
    Counts counts;
};

// Where a kept line is in the three texts.
struct Place {
    std::size_t base = 0;
    std::size_t mine = 0;
    std::size_t theirs = 0;
};

inline std::vector<Place> kept(const Block& block) {
    const std::string& compare = block.options.compare;
    const Text base = keys(block.base, compare);
    const std::vector<std::size_t> in_mine = partners(base, keys(block.mine, compare));
    const std::vector<std::size_t> in_theirs = partners(base, keys(block.theirs, compare));
    std::vector<Place> places;
    for (std::size_t i = 0; i < base.size(); ++i) {
        if (in_mine[i] != nobody && in_theirs[i] != nobody) {
            places.push_back({i, in_mine[i], in_theirs[i]});
        }
    }
    return places;
}

inline const std::string& kept_line(const Block& block, const Place& place) {
    const std::string& mine = block.mine[place.mine];
    return mine != block.base[place.base] ? mine : block.theirs[place.theirs];
}

inline Text decided(const Region& region, const Options& options, const std::string& markers_end, Counts& counts) {
    if (equal(region.mine, region.base, options.compare)) {
        ++counts.theirs;
        return region.theirs;
    }
    if (equal(region.theirs, region.base, options.compare)) {
        ++counts.mine;
        return region.mine;
    }
    if (equal(region.mine, region.theirs, options.compare)) {
        ++counts.same;
        return region.mine;
    }
    ++counts.conflicts;
    return conflict(region, options, markers_end);
}

inline Merged merge(const Block& block) {
    const std::string markers_end = ending_of_markers(block.mine, block.theirs);
    Merged merged;
    Place from;
    std::vector<Place> places = kept(block);
    places.push_back({block.base.size(), block.mine.size(), block.theirs.size()});
    for (const Place& to : places) {
        const Region region{part(block.base, from.base, to.base), part(block.mine, from.mine, to.mine),
                            part(block.theirs, from.theirs, to.theirs)};
        if (!region.base.empty() || !region.mine.empty() || !region.theirs.empty()) {
            append(merged.lines, decided(region, block.options, markers_end, merged.counts));
        }
        if (to.base < block.base.size()) {
            merged.lines.push_back(kept_line(block, to));
            ++merged.counts.kept;
        }
        from = {to.base + 1, to.mine + 1, to.theirs + 1};
    }
    complete(merged.lines, markers_end);
    return merged;
}
