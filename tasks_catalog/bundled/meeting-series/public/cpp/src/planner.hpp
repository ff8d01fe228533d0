// Carries out commands.
#pragma once

#include <algorithm>
#include <cstdint>
#include <limits>
#include <map>
#include <string>
#include <tuple>
#include <vector>

#include "dates.hpp"
#include "fields.hpp"
#include "rule.hpp"
#include "series.hpp"
#include "words.hpp"

using Words = std::vector<std::string>;
using Lines = std::vector<std::string>;

inline Rule read_rule(const Words& words) {
    const std::int64_t interval = read_number(words[1]);
    const std::string& kind = words[0];
    const std::string how = words.size() > 2 ? words[2] : "";
    if (kind == "daily" && words.size() == 2) {
        return daily(interval);
    }
    if (kind == "weekly" && words.size() == 3) {
        return weekly(interval, read_weekdays(how));
    }
    if (kind == "monthly" && how == "day" && words.size() == 4) {
        return monthly_day(interval, read_number(words[3]));
    }
    throw BadCommand{};
}

inline End read_end(const std::string& kind, const std::string& value) {
    if (kind == "count") {
        return {read_number(value), day_number(2199, 12, 31)};
    }
    if (kind == "until") {
        return {std::numeric_limits<std::int64_t>::max(), read_date(value)};
    }
    throw BadCommand{};
}

// Keeps zones and series; answers one command after the other.
class Planner {
public:
    // Returns the answer lines to a command.
    Lines answer(const std::string& line) {
        Words words = cut(line, ' ');
        const std::string command = words[0];
        words.erase(words.begin());
        try {
            return carry_out(command, words);
        } catch (const BadCommand&) {
            return {"refused bad_command"};
        }
    }

private:
    struct Listed {
        const std::string* name;
        const Series* series;
        Occurrence occurrence;

        bool operator<(const Listed& other) const {
            return std::tie(occurrence.start, occurrence.end, *name, occurrence.original) <
                   std::tie(other.occurrence.start, other.occurrence.end, *other.name, other.occurrence.original);
        }
    };

    Lines carry_out(const std::string& command, const Words& words) {
        if (command == "zone") {
            return zone(words);
        }
        if (command == "meeting") {
            return meeting(words);
        }
        if (command == "list") {
            return list(words);
        }
        throw BadCommand{};
    }

    Lines zone(const Words& words) {
        expect(words.size() >= 2);
        offsets_[words[0]] = read_offset(words[1]);
        return {"zone " + words[0] + " " + std::to_string(words.size() - 2)};
    }

    Lines meeting(const Words& words) {
        expect(words.size() >= 8);
        const std::string& name = words[0];
        expect(offsets_.count(words[1]) > 0);
        const std::int64_t start = read_local(words[2]);
        const std::int64_t minutes = read_number(words[3]);
        const Rule rule = read_rule(Words(words.begin() + 4, words.end() - 2));
        const End end = read_end(words[words.size() - 2], words.back());
        const std::vector<std::int64_t> found = originals(start, rule, end);
        expect(!found.empty());
        series_[name] = Series{offsets_[words[1]], minutes, found};
        const std::string count = std::to_string(found.size());
        return {"meeting " + name + " " + count + " " + minute_text(found.front()) + " " + minute_text(found.back())};
    }

    Lines list(const Words& words) {
        expect(words.size() >= 2);
        const std::int64_t start = read_instant(words[0]);
        const std::int64_t end = read_instant(words[1]);
        Words names(words.begin() + 2, words.end());
        std::sort(names.begin(), names.end());
        names.erase(std::unique(names.begin(), names.end()), names.end());
        if (names.empty()) {
            for (const auto& entry : series_) {
                names.push_back(entry.first);
            }
        }
        std::vector<Listed> found;
        for (const std::string& name : names) {
            const auto series = series_.find(name);
            expect(series != series_.end());
            for (const Occurrence& occurrence : series->second.overlapping(start, end)) {
                found.push_back({&name, &series->second, occurrence});
            }
        }
        std::sort(found.begin(), found.end());
        Lines lines{"list " + std::to_string(found.size())};
        for (const Listed& listed : found) {
            lines.push_back(line_of(listed));
        }
        return lines;
    }

    static std::string line_of(const Listed& listed) {
        const Occurrence& occurrence = listed.occurrence;
        const std::int64_t offset = listed.series->offset;
        return instant_text(occurrence.start) + " " + instant_text(occurrence.end) + " " + *listed.name + " " +
               minute_text(occurrence.original) + " " + minute_text(occurrence.start + offset) + " " +
               minute_text(occurrence.end + offset);
    }

    std::map<std::string, std::int64_t> offsets_;
    std::map<std::string, Series> series_;
};
