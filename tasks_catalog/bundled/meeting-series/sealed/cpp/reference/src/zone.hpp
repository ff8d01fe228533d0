// The clocks of one zone.
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

// An instant and the offset from then on.
struct Transition {
    std::int64_t at;
    std::int64_t offset;
};

struct Zone {
    std::int64_t first_offset;
    std::vector<Transition> transitions;

    // Returns the instant at which the clocks show this local time.
    std::int64_t instant(std::int64_t local) const {
        std::int64_t offset = first_offset;
        for (const Transition& next : transitions) {
            // The offset before a transition serves for what the clocks repeat and for what they leave out.
            if (local < next.at + std::max(offset, next.offset)) {
                break;
            }
            offset = next.offset;
        }
        return local - offset;
    }

    std::int64_t local(std::int64_t instant) const {
        std::int64_t offset = first_offset;
        for (const Transition& next : transitions) {
            if (instant < next.at) {
                break;
            }
            offset = next.offset;
        }
        return instant + offset;
    }
};
