// Why a command is refused.
#pragma once

#include <string>

// A command that is not carried out; the reason is one of the ticket's reasons.
struct Refused {
    std::string reason;
};
