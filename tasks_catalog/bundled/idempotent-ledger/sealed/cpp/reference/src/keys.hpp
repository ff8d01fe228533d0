// What was answered under which key.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <utility>

#include "outcome.hpp"

// Remembers the answers to keyed commands; every client has keys of its own.
class Keys {
public:
    // The remembered answer, or nothing if the key is new or forgotten; throws Refused if the key is
    // remembered with another content.
    std::optional<std::string> recall(const std::string& client, const std::string& key, std::int64_t at,
                                      const std::string& content) {
        auto use = uses_.find(Name{client, key});
        if (use == uses_.end() || at >= use->second.at + remembered_for) {
            return std::nullopt;
        }
        if (use->second.content != content) {
            throw Refused{"key_conflict"};
        }
        return use->second.answer;
    }

    void remember(const std::string& client, const std::string& key, std::int64_t at, const std::string& content,
                  const std::string& answer) {
        uses_[Name{client, key}] = Use{at, content, answer};
    }

private:
    // Seconds from the first use of a key.
    static constexpr std::int64_t remembered_for = 86'400;

    using Name = std::pair<std::string, std::string>;

    struct Use {
        std::int64_t at = 0;
        std::string content;
        std::string answer;
    };

    std::map<Name, Use> uses_;
};
