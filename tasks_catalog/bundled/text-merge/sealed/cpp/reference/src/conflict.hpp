// How a conflict is written.
#pragma once

#include <algorithm>
#include <cstddef>
#include <string>

#include "lines.hpp"
#include "options.hpp"
#include "text.hpp"

// Lines of the three texts between two kept lines.
struct Region {
    Text base;
    Text mine;
    Text theirs;
};

inline Text part(const Text& text, std::size_t from, std::size_t to) {
    return Text(text.begin() + static_cast<std::ptrdiff_t>(from), text.begin() + static_cast<std::ptrdiff_t>(to));
}

inline std::string marker(char sign, const std::string& label, std::size_t size, const std::string& end) {
    return std::string(size, sign) + (label.empty() ? "" : " " + label) + end;
}

// Returns how many first lines are equal.
inline std::size_t agreeing(const Text& mine, const Text& theirs, const std::string& compare) {
    const std::size_t shortest = std::min(mine.size(), theirs.size());
    std::size_t count = 0;
    while (count < shortest && key(mine[count], compare) == key(theirs[count], compare)) {
        ++count;
    }
    return count;
}

inline Text full_conflict(const Region& region, const Options& options, const std::string& markers_end) {
    Text lines{marker('<', options.mine, options.size, markers_end)};
    append(lines, region.mine);
    lines.push_back(marker('|', options.base, options.size, markers_end));
    append(lines, region.base);
    lines.push_back(marker('=', "", options.size, markers_end));
    append(lines, region.theirs);
    lines.push_back(marker('>', options.theirs, options.size, markers_end));
    return lines;
}

// Writes lines on which both sides agree before and after the conflict.
inline Text short_conflict(const Text& mine, const Text& theirs, const Options& options, const std::string& markers_end) {
    const std::size_t head = agreeing(mine, theirs, options.compare);
    const Text rest_of_mine(mine.rbegin(), mine.rend() - static_cast<std::ptrdiff_t>(head));
    const Text rest_of_theirs(theirs.rbegin(), theirs.rend() - static_cast<std::ptrdiff_t>(head));
    const std::size_t tail = agreeing(rest_of_mine, rest_of_theirs, options.compare);
    Text lines = part(mine, 0, head);
    lines.push_back(marker('<', options.mine, options.size, markers_end));
    append(lines, part(mine, head, mine.size() - tail));
    lines.push_back(marker('=', "", options.size, markers_end));
    append(lines, part(theirs, head, theirs.size() - tail));
    lines.push_back(marker('>', options.theirs, options.size, markers_end));
    append(lines, part(mine, mine.size() - tail, mine.size()));
    return lines;
}

// Returns the lines that are written for a region in which both sides differ.
inline Text conflict(const Region& region, const Options& options, const std::string& markers_end) {
    if (options.favour == "mine") {
        return region.mine;
    }
    if (options.favour == "theirs") {
        return region.theirs;
    }
    if (options.style == "full") {
        return full_conflict(region, options, markers_end);
    }
    return short_conflict(region.mine, region.theirs, options, markers_end);
}
