// Takes a line apart into a command.
#pragma once

#include <algorithm>
#include <map>
#include <string>
#include <vector>

#include "refusal.hpp"
#include "text.hpp"

// The fields of one line; those that the command lacks are empty.
struct Command {
    std::string name;
    long long at = 0;
    long long bytes = 0;
    long long chars = 0;
    std::string key;
    bool slides = false;
    long long ttl = 0;
    long long stale = 0;
    std::vector<std::string> tags;
    std::string value;
    long long version = 0;
    long long lease = 0;
    long long ticket = 0;
};

namespace parsing {

constexpr long long largest = 1'000'000'000'000;
constexpr long long largest_chars = 1000;
constexpr std::size_t most_digits = 13;
constexpr std::size_t longest_tag = 10;

inline const std::map<std::string, std::vector<std::string>> layouts = {
    {"cache", {"bytes", "chars"}},
    {"set", {"at", "key", "mode", "ttl", "stale", "tags", "value"}},
    {"absent", {"at", "key", "ttl"}},
    {"cas", {"at", "key", "version", "mode", "ttl", "stale", "tags", "value"}},
    {"get", {"at", "key"}},
    {"touch", {"at", "key"}},
    {"delete", {"at", "key"}},
    {"invalidate", {"at", "tag"}},
    {"load", {"at", "key", "lease"}},
    {"loaded", {"at", "key", "ticket", "mode", "ttl", "stale", "tags", "value"}},
    {"failed", {"at", "key", "ticket"}},
    {"resize", {"at", "bytes"}},
    {"stats", {"at"}},
};

inline bool consists_of(const std::string& text, const char* characters) {
    return !text.empty() && text.find_first_not_of(characters) == std::string::npos;
}

inline long long number(const std::string& text, long long least, long long most) {
    if (!consists_of(text, "0123456789") || text.size() > most_digits || (text[0] == '0' && text != "0")) {
        throw Refused("bad_number");
    }
    const long long number = std::stoll(text);
    if (number < least || number > most) {
        throw Refused("bad_number");
    }
    return number;
}

inline void refuse_no_tag(const std::string& text) {
    if (!consists_of(text, "abcdefghijklmnopqrstuvwxyz0123456789") || text.size() > longest_tag) {
        throw Refused("bad_tags");
    }
}

inline std::vector<std::string> tags(const std::string& text) {
    if (text == "-") {
        return {};
    }
    const std::vector<std::string> tags = split(text, ',');
    for (const std::string& tag : tags) {
        refuse_no_tag(tag);
    }
    return tags;
}

inline std::string key(const std::string& text) {
    if (text.empty()) {
        throw Refused("bad_key");
    }
    return text;
}

inline bool slides(const std::string& text) {
    if (text != "abs" && text != "slide") {
        throw Refused("bad_mode");
    }
    return text == "slide";
}

inline void take(Command& command, const std::string& field, const std::string& text) {
    if (field == "at") {
        command.at = number(text, 0, largest);
    } else if (field == "bytes") {
        command.bytes = number(text, 0, largest);
    } else if (field == "chars") {
        command.chars = number(text, 1, largest_chars);
    } else if (field == "key") {
        command.key = key(text);
    } else if (field == "mode") {
        command.slides = slides(text);
    } else if (field == "ttl") {
        command.ttl = number(text, 1, largest);
    } else if (field == "stale") {
        command.stale = number(text, 0, largest);
    } else if (field == "tags") {
        command.tags = tags(text);
    } else if (field == "tag") {
        refuse_no_tag(text);
        command.tags = {text};
    } else if (field == "value") {
        command.value = text;
    } else if (field == "version") {
        command.version = number(text, 0, largest);
    } else if (field == "lease") {
        command.lease = number(text, 1, largest);
    } else {
        command.ticket = number(text, 1, largest);
    }
}

inline void refuse_duplicates(const std::vector<std::string>& tags) {
    for (auto tag = tags.begin(); tag != tags.end(); ++tag) {
        if (std::find(tags.begin(), tag, *tag) != tag) {
            throw Refused("duplicate_tag", *tag);
        }
    }
}

}  // namespace parsing

// The command on a well-formed line; throws Refused for any other.
inline Command parse(const std::string& line) {
    if (line.empty()) {
        throw Refused("empty_line");
    }
    const auto found = parsing::layouts.find(line.substr(0, line.find(' ')));
    if (found == parsing::layouts.end()) {
        throw Refused("unknown_command");
    }
    const std::vector<std::string>& layout = found->second;
    const bool ends_in_value = layout.back() == "value";
    const std::vector<std::string> pieces = ends_in_value ? split(line, ' ', 1 + layout.size()) : split(line, ' ');
    if (pieces.size() != 1 + layout.size()) {
        throw Refused("wrong_fields");
    }
    Command command;
    command.name = found->first;
    for (std::size_t position = 0; position < layout.size(); ++position) {
        parsing::take(command, layout[position], pieces[1 + position]);
    }
    parsing::refuse_duplicates(command.tags);
    return command;
}
