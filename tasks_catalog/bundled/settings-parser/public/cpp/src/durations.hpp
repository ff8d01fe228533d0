// Durations such as 1h30m.

#pragma once

#include <cstdint>
#include <string>

#include "wrong_word.hpp"

struct Unit {
    std::string name;
    std::int64_t milliseconds;
};

inline const std::string decimal_digits = "0123456789";
inline const Unit units[] = {{"d", 86'400'000}, {"h", 3'600'000}, {"m", 60'000}, {"s", 1'000}, {"ms", 1}};
constexpr int unit_count = 5;
constexpr std::int64_t longest_duration = 9'007'199'254'740'991;

// Returns the place in units of the unit that stands there, -1 if there is none.
inline int unit_rank(const std::string& word, std::size_t position) {
    for (int rank = unit_count - 1; rank >= 0; rank--) {
        if (word.compare(position, units[rank].name.size(), units[rank].name) == 0) {
            return rank;
        }
    }
    return -1;
}

// Returns milliseconds, or throws WrongWord.
inline std::int64_t read_duration(const std::string& word) {
    std::int64_t total = 0;
    bool too_long = false;
    int next_rank = 0;
    std::size_t position = 0;
    while (position < word.size()) {
        std::int64_t count = 0;
        const std::size_t start = position;
        while (position < word.size() && decimal_digits.find(word[position]) != std::string::npos) {
            if (count <= longest_duration) {
                count = count * 10 + (word[position] - '0');
            }
            position++;
        }
        const int rank = unit_rank(word, position);
        if (position == start || rank < next_rank) {
            throw WrongWord{"bad-duration", position};
        }
        if (count > (longest_duration - total) / units[rank].milliseconds) {
            too_long = true;
        } else {
            total += count * units[rank].milliseconds;
        }
        position += units[rank].name.size();
        next_rank = rank + 1;
    }
    if (too_long) {
        throw WrongWord{"out-of-range", 0};
    }
    return total;
}
