// Integers such as -1_000 and 0xff.

#pragma once

#include <cstdint>
#include <string>

#include "wrong_word.hpp"

constexpr std::int64_t largest_integer = 9'007'199'254'740'991;

// Returns the value of a digit, -1 if it is none in that base.
inline int digit_value(char digit, int base) {
    if (digit >= '0' && digit <= '9') {
        return digit - '0';
    }
    if (base == 16 && digit >= 'a' && digit <= 'f') {
        return digit - 'a' + 10;
    }
    if (base == 16 && digit >= 'A' && digit <= 'F') {
        return digit - 'A' + 10;
    }
    return -1;
}

// Returns the number, or throws WrongWord.
inline std::int64_t read_integer(const std::string& word) {
    const bool negative = word[0] == '-';
    std::size_t position = negative ? 1 : 0;
    int base = 10;
    if (word.compare(position, 2, "0x") == 0) {
        base = 16;
        position += 2;
    } else if (word.compare(position, 1, "0") == 0 && word.size() > position + 1) {
        throw WrongWord{"bad-number", position + 1};
    }
    std::int64_t number = 0;
    bool digit_must_follow = true;
    for (; position < word.size(); position++) {
        const int digit = digit_value(word[position], base);
        if (digit >= 0) {
            if (number <= largest_integer) {
                number = number * base + digit;
            }
            digit_must_follow = false;
        } else if (word[position] == '_' && !digit_must_follow) {
            digit_must_follow = true;
        } else {
            throw WrongWord{"bad-number", position};
        }
    }
    if (digit_must_follow) {
        throw WrongWord{"bad-number", position};
    }
    if (number > largest_integer) {
        throw WrongWord{"out-of-range", 0};
    }
    return negative ? -number : number;
}
