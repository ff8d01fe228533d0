// Why input is refused.
#pragma once

#include <string>

// Input that is no block; the kind is one of the ticket's kinds.
struct Refused {
    std::string kind;
};
