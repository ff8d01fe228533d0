// From input lines to blocks.
#pragma once

#include <cstddef>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "options.hpp"
#include "refusal.hpp"
#include "text.hpp"

// One merge; the texts are lines with their endings.
struct Block {
    std::string name;
    Options options;
    Text base;
    Text mine;
    Text theirs;
};

struct Extent {
    std::size_t count;
    bool unfinished;
};

inline bool is_name(const std::string& word) {
    const bool known = word.find_first_not_of("abcdefghijklmnopqrstuvwxyz0123456789-._") == std::string::npos;
    return !word.empty() && word.size() <= 30 && known;
}

inline Extent read_extent(const std::vector<std::string>& words) {
    const bool unfinished = words.size() == 3 && words[2] == "unfinished";
    const std::optional<std::size_t> count = words.size() < 2 ? std::nullopt : read_number(words[1], 2000);
    if (!count || (words.size() > 2 && !unfinished) || (unfinished && *count == 0)) {
        throw Refused{"bad_section"};
    }
    return {*count, unfinished};
}

// Takes the blocks from the input.
class Reader {
public:
    explicit Reader(const Text& lines) : lines_(lines) {}

    bool at_end() const { return next_ == lines_.size(); }

    // The number of the line that was taken last.
    std::size_t line() const { return next_; }

    Block next() {
        const std::vector<std::string> words = words_of(take());
        if (words[0] != "merge") {
            throw Refused{"unknown_command"};
        }
        if (words.size() < 2 || !is_name(words[1])) {
            throw Refused{"bad_name"};
        }
        const std::string& name = words[1];
        const Options options = read_options(std::vector<std::string>(words.begin() + 2, words.end()));
        if (names_.count(name) > 0) {
            throw Refused{"duplicate_name"};
        }
        std::map<std::string, Text> sections = read_sections();
        names_.insert(name);
        return {name, options, sections["base"], sections["mine"], sections["theirs"]};
    }

    // Goes on behind the next end, which may be the line that was taken last.
    void pass_over() {
        while (lines_[next_ - 1] != "end" && !at_end()) {
            ++next_;
        }
    }

private:
    std::map<std::string, Text> read_sections() {
        std::map<std::string, Text> sections;
        for (std::string line = take(); line != "end"; line = take()) {
            const std::vector<std::string> words = words_of(line);
            const std::string& section = words[0];
            if (section != "base" && section != "mine" && section != "theirs") {
                throw Refused{"unexpected_line"};
            }
            const Extent extent = read_extent(words);
            if (sections.count(section) > 0) {
                throw Refused{"repeated_section"};
            }
            sections[section] = read_text(extent);
        }
        if (sections.size() < 3) {
            throw Refused{"missing_section"};
        }
        return sections;
    }

    Text read_text(const Extent& extent) {
        Text text;
        while (text.size() < extent.count) {
            const bool without = extent.unfinished && text.size() == extent.count - 1;
            text.push_back(take() + (without ? "" : "\n"));
        }
        return text;
    }

    std::string take() {
        if (at_end()) {
            throw Refused{"end_of_input"};
        }
        ++next_;
        return lines_[next_ - 1];
    }

    const Text& lines_;
    std::size_t next_ = 0;
    std::set<std::string> names_;
};
