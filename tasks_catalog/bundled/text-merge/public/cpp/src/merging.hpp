// The three-way merge.
#pragma once

#include <algorithm>
#include <cstddef>

#include "counts.hpp"
#include "reader.hpp"
#include "text.hpp"

struct Merged {
    Text lines;
    Counts counts;
};

inline const std::string& from_end(const Text& text, std::size_t distance) {
    return text[text.size() - 1 - distance];
}

inline Text middle(const Text& text, std::size_t head, std::size_t tail) {
    return Text(text.begin() + static_cast<std::ptrdiff_t>(head), text.end() - static_cast<std::ptrdiff_t>(tail));
}

inline Text decided(const Text& base, const Text& mine, const Text& theirs, Counts& counts) {
    if (base.empty() && mine.empty() && theirs.empty()) {
        return {};
    }
    if (mine == base) {
        ++counts.theirs;
        return theirs;
    }
    if (theirs == base) {
        ++counts.mine;
        return mine;
    }
    if (mine == theirs) {
        ++counts.same;
        return mine;
    }
    ++counts.conflicts;
    Text lines{"<<<<<<< mine\n"};
    append(lines, mine);
    lines.push_back("=======\n");
    append(lines, theirs);
    lines.push_back(">>>>>>> theirs\n");
    return lines;
}

inline Merged merge(const Block& block) {
    const Text& base = block.base;
    const std::size_t shortest = std::min({base.size(), block.mine.size(), block.theirs.size()});
    std::size_t head = 0;
    while (head < shortest && block.mine[head] == base[head] && block.theirs[head] == base[head]) {
        ++head;
    }
    std::size_t tail = 0;
    while (tail < shortest - head && from_end(block.mine, tail) == from_end(base, tail) &&
           from_end(block.theirs, tail) == from_end(base, tail)) {
        ++tail;
    }
    Merged merged;
    merged.counts.kept = head + tail;
    merged.lines = middle(base, 0, base.size() - head);
    append(merged.lines, decided(middle(base, head, tail), middle(block.mine, head, tail),
                                 middle(block.theirs, head, tail), merged.counts));
    append(merged.lines, middle(base, base.size() - tail, 0));
    return merged;
}
