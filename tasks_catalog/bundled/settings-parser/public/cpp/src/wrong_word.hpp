// A word that is no value.

#pragma once

#include <cstddef>

// offset is the place of the mistake in the word, from 0: before it stand ASCII characters only.
struct WrongWord {
    const char* kind;
    std::size_t offset;
};
