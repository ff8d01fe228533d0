// From input lines to blocks.
#pragma once

#include <cstddef>
#include <map>
#include <string>
#include <vector>

#include "text.hpp"

// Input that is no block.
struct BadInput {};

// One merge; the texts are lines with their line feeds.
struct Block {
    std::string name;
    Text base;
    Text mine;
    Text theirs;
};

inline std::size_t read_number(const std::string& word) {
    if (word.empty() || word.size() > 4 || !all_digits(word)) {
        throw BadInput{};
    }
    return std::stoul(word);
}

// Takes the blocks from the input.
class Reader {
public:
    explicit Reader(const Text& lines) : lines_(lines) {}

    bool at_end() const { return next_ == lines_.size(); }

    Block next() {
        const std::vector<std::string> words = words_of(take());
        if (words.size() != 2 || words[0] != "merge") {
            throw BadInput{};
        }
        std::map<std::string, Text> sections = read_sections();
        return {words[1], sections["base"], sections["mine"], sections["theirs"]};
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
            if (words.size() != 2 || (section != "base" && section != "mine" && section != "theirs")) {
                throw BadInput{};
            }
            sections[section] = read_text(read_number(words[1]));
        }
        if (sections.size() < 3) {
            throw BadInput{};
        }
        return sections;
    }

    Text read_text(std::size_t count) {
        Text text;
        while (text.size() < count) {
            text.push_back(take() + "\n");
        }
        return text;
    }

    std::string take() {
        if (at_end()) {
            throw BadInput{};
        }
        ++next_;
        return lines_[next_ - 1];
    }

    const Text& lines_;
    std::size_t next_ = 0;
};
