// Takes a line apart into a step.
#pragma once

#include <algorithm>
#include <map>
#include <string>
#include <vector>

#include "refusal.hpp"
#include "text.hpp"

// The fields of one line; those that its operation lacks are empty.
struct Step {
    struct Row {
        std::string name;
        int count;
    };

    std::string operation;
    long long at = 0;
    std::string client;
    std::string venue;
    std::string ticket;
    int limit = 0;
    long long until = 0;
    long long lasting = 0;
    std::vector<Row> rows;
    std::vector<std::string> seats;
    int together = 0;

    // How many seats are asked for.
    int wished() const { return together > 0 ? together : static_cast<int>(seats.size()); }
};

namespace parsing {

constexpr std::size_t longest_name = 12;
constexpr long long latest = 1'000'000'000'000;
constexpr long long largest_limit = 99;
constexpr long long largest_count = 99;
constexpr const char* digits = "0123456789";
constexpr const char* letters = "ABCDEFGHIJKLMNOPQRSTUVWXYZ";

inline const std::map<std::string, std::vector<std::string>> layouts = {
    {"venue", {"venue", "limit", "rows"}},
    {"begin", {"at", "client", "venue"}},
    {"read", {"at", "client", "seats"}},
    {"hold", {"at", "client", "until", "wish"}},
    {"extend", {"at", "client", "until", "seats"}},
    {"release", {"at", "client", "seats"}},
    {"confirm", {"at", "client", "ticket", "seats"}},
    {"cancel", {"at", "client"}},
    {"wait", {"at", "client", "lasting", "wish"}},
};

inline bool is_repeated(const std::string& name) {
    return name == "rows" || name == "seats" || name == "wish";
}

inline bool consists_of(const std::string& text, const char* characters) {
    return !text.empty() && text.find_first_not_of(characters) == std::string::npos;
}

inline long long number(const std::string& text, long long least, long long most, const std::string& kind) {
    constexpr std::size_t most_digits = 13;
    if (!consists_of(text, digits) || text.size() > most_digits || (text[0] == '0' && text != "0")) {
        throw Refused(kind);
    }
    const long long number = std::stoll(text);
    if (number < least || number > most) {
        throw Refused(kind);
    }
    return number;
}

inline int count(const std::string& text, const std::string& kind) {
    return static_cast<int>(number(text, 1, largest_count, kind));
}

// In UTF-8 every byte but the first of a character has the bits 10 at its front.
inline std::size_t count_characters(const std::string& text) {
    return static_cast<std::size_t>(
        std::count_if(text.begin(), text.end(), [](unsigned char byte) { return (byte & 0xC0) != 0x80; }));
}

inline std::string name(const std::string& text) {
    const std::size_t length = count_characters(text);
    if (length < 1 || length > longest_name) {
        throw Refused("bad_name");
    }
    return text;
}

inline std::string row_name(const std::string& text, const std::string& kind) {
    if (!consists_of(text, letters) || text.size() > 2) {
        throw Refused(kind);
    }
    return text;
}

inline Step::Row row(const std::string& text) {
    const std::size_t colon = std::min(text.find(':'), text.size());
    const std::string name = row_name(text.substr(0, colon), "bad_row");
    return {name, count(text.substr(std::min(colon + 1, text.size())), "bad_row")};
}

inline std::string seat(const std::string& text) {
    const std::size_t number_starts = std::min(text.find_first_not_of(letters), text.size());
    row_name(text.substr(0, number_starts), "bad_seat");
    count(text.substr(number_starts), "bad_seat");
    return text;
}

inline void take(Step& step, const std::string& field, const std::string& text) {
    if (field == "at") {
        step.at = number(text, 0, latest, "bad_number");
    } else if (field == "until") {
        step.until = number(text, 0, latest, "bad_number");
    } else if (field == "lasting") {
        step.lasting = number(text, 1, latest, "bad_number");
    } else if (field == "limit") {
        step.limit = static_cast<int>(number(text, 1, largest_limit, "bad_number"));
    } else if (field == "client") {
        step.client = name(text);
    } else if (field == "venue") {
        step.venue = name(text);
    } else if (field == "ticket") {
        step.ticket = name(text);
    } else if (field == "rows") {
        step.rows.push_back(row(text));
    } else if (field == "wish") {
        step.together = count(text.substr(1), "bad_seat");
    } else {
        step.seats.push_back(seat(text));
    }
}

inline void refuse_duplicates(const std::vector<std::string>& names) {
    for (auto name = names.begin(); name != names.end(); ++name) {
        if (std::find(names.begin(), name, *name) != name) {
            throw Refused("duplicate", *name);
        }
    }
}

}  // namespace parsing

// The step of a well-formed line; throws Refused for any other.
inline Step parse(const std::string& line) {
    if (line.empty()) {
        throw Refused("empty_line");
    }
    std::vector<std::string> fields = split_at_spaces(line);
    const auto found = parsing::layouts.find(fields[0]);
    if (found == parsing::layouts.end()) {
        throw Refused("unknown_step");
    }
    fields.erase(fields.begin());
    const std::vector<std::string>& layout = found->second;
    const bool alone = fields.size() == layout.size();
    if (fields.size() < layout.size() || (!alone && !parsing::is_repeated(layout.back()))) {
        throw Refused("wrong_fields");
    }
    Step step;
    step.operation = found->first;
    for (std::size_t position = 0; position < fields.size(); ++position) {
        std::string name = layout[std::min(position, layout.size() - 1)];
        const std::string& text = fields[position];
        if (name == "wish" && (!alone || text.empty() || text[0] != '+')) {
            name = "seats";
        }
        parsing::take(step, name, text);
    }
    std::vector<std::string> row_names;
    for (const Step::Row& row : step.rows) {
        row_names.push_back(row.name);
    }
    parsing::refuse_duplicates(row_names);
    parsing::refuse_duplicates(step.seats);
    return step;
}
