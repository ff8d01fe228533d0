// Why a request is refused.

#pragma once

#include <stdexcept>
#include <string>

// A request that is not carried out; `kind` is one of the ticket's error kinds.
struct Refused : std::runtime_error {
    explicit Refused(const std::string& kind) : std::runtime_error(kind), kind(kind) {}

    std::string kind;
};
