// Why a command is refused.
#pragma once

#include <string>

// A command that changes nothing; its text is the answer.
struct Refused {
    std::string answer;

    explicit Refused(const std::string& kind) : answer("refused " + kind) {}
    Refused(const std::string& kind, const std::string& subject) : answer("refused " + kind + " " + subject) {}
};
