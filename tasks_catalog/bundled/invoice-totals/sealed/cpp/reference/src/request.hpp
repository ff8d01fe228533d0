// From a line to a command whose fields are all in their form and range.
#pragma once

#include <algorithm>
#include <map>
#include <string>
#include <vector>

#include "decimals.hpp"
#include "refusal.hpp"
#include "words.hpp"

constexpr int finest = 3;
constexpr std::size_t longest_name = 12;
// Of a quantity and of a percentage, in thousandths.
constexpr Units most_quantity = 999'999'999;
constexpr Units most_percent = 100'000;

// A command word and its fields by name: all as words, and the numbers as numbers too.
struct Request {
    std::string command;
    std::map<std::string, std::string> words;
    std::map<std::string, Decimal> numbers;

    bool has(const std::string& name) const { return words.count(name) > 0; }
    const std::string& word(const std::string& name) const { return words.at(name); }
    const Decimal& number(const std::string& name) const { return numbers.at(name); }
};

namespace parsing {

using Words = std::vector<std::string>;

inline const std::map<std::string, Words> commands{
    {"currency", {"code", "digits"}},
    {"open", {"doc", "code", "rounding"}},
    {"line", {"doc", "line", "quantity", "price", "rate"}},
    {"discount", {"doc", "line", "kind", "value"}},
    {"rebate", {"doc", "kind", "value"}},
    {"lines", {"doc"}},
    {"total", {"doc"}},
};
inline const Words names{"code", "doc", "line"};
inline const std::map<std::string, Words> choices{
    {"digits", {"0", "2", "3"}},
    {"rounding", {"half-up", "half-even"}},
    {"kind", {"percent", "amount"}},
};
inline const Words numbers{"quantity", "price", "rate", "value"};

inline bool is_name(const std::string& word) {
    // every byte of UTF-8 but those that continue a code point
    auto length = static_cast<std::size_t>(
        std::count_if(word.begin(), word.end(), [](unsigned char byte) { return (byte & 0xC0) != 0x80; }));
    return 1 <= length && length <= longest_name;
}

inline bool is_allowed(const std::string& name, const Decimal& number, const Request& request) {
    if (name == "quantity") {
        return number.places <= finest && number.digits != 0 && magnitude(number.scaled(finest)) <= most_quantity;
    }
    if (name == "rate" || (request.has("kind") && request.word("kind") == "percent")) {
        return number.places <= finest && number.digits >= 0 && number.scaled(finest) <= most_percent;
    }
    return number.digits >= 0;
}

inline void check_words(const Request& request) {
    for (const std::string& name : names) {
        if (request.has(name) && !is_name(request.word(name))) {
            throw Refused{"bad_name"};
        }
    }
    for (const auto& [name, allowed] : choices) {
        if (request.has(name) && std::find(allowed.begin(), allowed.end(), request.word(name)) == allowed.end()) {
            throw Refused{"bad_word"};
        }
    }
}

inline void read_numbers(Request& request) {
    for (const std::string& name : numbers) {
        if (!request.has(name)) {
            continue;
        }
        std::optional<Decimal> number = parse_decimal(request.word(name));
        if (!number) {
            throw Refused{"bad_number"};
        }
        request.numbers.emplace(name, *number);
    }
    for (const auto& [name, number] : request.numbers) {
        if (!is_allowed(name, number, request)) {
            throw Refused{"out_of_range"};
        }
    }
}

}  // namespace parsing

// The request that a line is; throws Refused.
inline Request parse(const std::string& line) {
    std::vector<std::string> words = split_words(line);
    auto command = parsing::commands.find(words[0]);
    if (command == parsing::commands.end()) {
        throw Refused{"unknown_command"};
    }
    const std::vector<std::string>& names = command->second;
    if (words.size() - 1 != names.size()) {
        throw Refused{"wrong_fields"};
    }
    Request request{words[0], {}, {}};
    for (std::size_t i = 0; i < names.size(); ++i) {
        request.words[names[i]] = words[i + 1];
    }
    parsing::check_words(request);
    parsing::read_numbers(request);
    return request;
}
