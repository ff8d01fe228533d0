// Why a command is refused.
#pragma once

#include <string>

// A command that is not carried out; the kind is one of the ticket's kinds.
struct Refused {
    std::string kind;
};
