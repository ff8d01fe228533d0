// The two ways in which a command is not carried out, each with one of the ticket's reasons.
#pragma once

#include <string>

// The command leaves no trace.
struct Refused {
    std::string reason;
};

// The command is remembered, but moves nothing.
struct Declined {
    std::string reason;
};
