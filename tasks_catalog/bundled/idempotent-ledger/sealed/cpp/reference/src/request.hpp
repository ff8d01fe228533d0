// From a line to a command whose fields are all in their form and range.
#pragma once

#include <algorithm>
#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "outcome.hpp"
#include "words.hpp"

constexpr std::int64_t latest = 999'999'999'999;
constexpr std::int64_t largest = 999'999'999'999'999;

struct Posting {
    std::string payer;
    std::string payee;
    std::int64_t amount;
};

// A command, its fields by name, and the postings of a post. The content is what a repeat has in
// common with the first command.
struct Request {
    std::string command;
    std::string content;
    std::map<std::string, std::string> names;
    std::map<std::string, std::int64_t> numbers;
    std::vector<Posting> postings;

    bool is_keyed() const { return names.count("key") > 0; }
    const std::string& name(const std::string& field) const { return names.at(field); }
    std::int64_t number(const std::string& field) const { return numbers.at(field); }
};

namespace parsing {

constexpr std::size_t longest_name = 20;
constexpr std::size_t longest_number = 15;

// A field is a name unless it has a largest value.
struct Field {
    std::string name;
    std::int64_t smallest = 0;
    std::int64_t largest = 0;

    bool is_name() const { return largest == 0; }
};

using Fields = std::vector<Field>;

inline const Field amount{"amount", 1, ::largest};
inline const Field at{"at", 0, latest};
inline const Fields posting{{"payer"}, {"payee"}, amount};
inline const std::map<std::string, Fields> commands{
    {"account", {{"account"}, {"currency"}, {"overdraft", 0, ::largest}}},
    {"post", {at, {"client"}, {"key"}}},
    {"hold", {at, {"client"}, {"key"}, {"account"}, amount, {"until", 0, latest}}},
    {"capture", {at, {"client"}, {"key"}, {"hold"}, {"payee"}, amount}},
    {"release", {at, {"client"}, {"key"}, {"hold"}}},
    {"reverse", {at, {"client"}, {"key"}, {"transaction"}}},
    {"balance", {at, {"account"}}},
    {"statement", {{"start", 0, latest}, {"end", 0, latest}, {"account"}}},
};

inline bool is_name(const std::string& word) {
    // every byte of UTF-8 but those that continue a code point
    auto length = static_cast<std::size_t>(
        std::count_if(word.begin(), word.end(), [](unsigned char byte) { return (byte & 0xC0) != 0x80; }));
    return 1 <= length && length <= longest_name;
}

inline bool is_number(const std::string& word) {
    bool digits = !word.empty() && word.find_first_not_of("0123456789") == std::string::npos;
    return digits && (word == "0" || word[0] != '0');
}

inline bool is_within(const std::string& word, const Field& field) {
    if (word.size() > longest_number) {
        return false;
    }
    std::int64_t value = std::stoll(word);
    return field.smallest <= value && value <= field.largest;
}

// The first of the words is the command.
inline void check(const Fields& fields, const std::vector<std::string>& words) {
    for (std::size_t i = 0; i < fields.size(); ++i) {
        if (fields[i].is_name() && !is_name(words[i + 1])) {
            throw Refused{"bad_name"};
        }
    }
    for (std::size_t i = 0; i < fields.size(); ++i) {
        if (!fields[i].is_name() && !is_number(words[i + 1])) {
            throw Refused{"bad_number"};
        }
    }
    for (std::size_t i = 0; i < fields.size(); ++i) {
        if (!fields[i].is_name() && !is_within(words[i + 1], fields[i])) {
            throw Refused{"out_of_range"};
        }
    }
}

}  // namespace parsing

// The request that a line is; throws Refused.
inline Request parse(const std::string& line) {
    std::vector<std::string> words = split_words(line);
    auto known = parsing::commands.find(words[0]);
    if (known == parsing::commands.end()) {
        throw Refused{"unknown_command"};
    }
    const parsing::Fields& named = known->second;
    parsing::Fields fields = named;
    bool is_post = words[0] == "post";
    while (is_post && fields.size() + parsing::posting.size() < words.size()) {
        fields.insert(fields.end(), parsing::posting.begin(), parsing::posting.end());
    }
    if (words.size() - 1 != fields.size() || (is_post && fields.size() == named.size())) {
        throw Refused{"wrong_fields"};
    }
    parsing::check(fields, words);
    Request request{words[0], words[0], {}, {}, {}};
    for (std::size_t i = 0; i < named.size(); ++i) {
        if (named[i].is_name()) {
            request.names[named[i].name] = words[i + 1];
        } else {
            request.numbers[named[i].name] = std::stoll(words[i + 1]);
        }
    }
    for (std::size_t i = named.size() + 1; i < words.size(); i += parsing::posting.size()) {
        request.postings.push_back(Posting{words[i], words[i + 1], std::stoll(words[i + 2])});
    }
    if (words[0] == "statement" && request.number("start") > request.number("end")) {
        throw Refused{"out_of_range"};
    }
    for (std::size_t i = 2; i < words.size(); ++i) {
        request.content += " " + words[i];
    }
    return request;
}
