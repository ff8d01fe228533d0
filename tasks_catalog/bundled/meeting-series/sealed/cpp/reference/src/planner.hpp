// Carries out commands.
#pragma once

#include <algorithm>
#include <cstdint>
#include <limits>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <tuple>
#include <vector>

#include "clash.hpp"
#include "dates.hpp"
#include "fields.hpp"
#include "refusal.hpp"
#include "rule.hpp"
#include "series.hpp"
#include "words.hpp"
#include "zone.hpp"

using Words = std::vector<std::string>;
using Lines = std::vector<std::string>;

inline void expect(bool right_number) {
    if (!right_number) {
        throw Refused{"wrong_arguments"};
    }
}

inline void check_window(std::int64_t start, std::int64_t end) {
    if (start >= end) {
        throw Refused{"empty_window"};
    }
}

inline Rule read_rule(Fields& fields, const Words& words) {
    const std::int64_t interval = fields.number(words[1], 1000);
    const std::string& kind = words[0];
    const std::string how = words.size() > 2 ? words[2] : "";
    if (kind == "daily" && words.size() == 2) {
        return daily(interval);
    }
    if (kind == "weekly" && words.size() == 3) {
        return weekly(interval, fields.weekdays(how));
    }
    if (kind == "monthly" && how == "day" && words.size() == 4) {
        return monthly_day(interval, fields.number(words[3], 31));
    }
    if (kind == "monthly" && how == "nth" && words.size() == 5) {
        const std::int64_t ordinal = words[3] == "last" ? last_of_month : fields.number(words[3], 5);
        return monthly_weekday(interval, ordinal, fields.weekday(words[4]));
    }
    throw Refused{"wrong_arguments"};
}

inline End read_end(Fields& fields, const std::string& kind, const std::string& value) {
    if (kind == "count") {
        return {fields.number(value, 10000), day_number(2199, 12, 31)};
    }
    if (kind == "until") {
        return {std::numeric_limits<std::int64_t>::max(), fields.date(value)};
    }
    throw Refused{"wrong_arguments"};
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
        } catch (const Refused& refusal) {
            return {"refused " + refusal.kind};
        }
    }

private:
    static constexpr std::int64_t most_minutes = 10080;
    static constexpr std::int64_t transition_gap = 48 * 60;

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
        if (command == "skip") {
            return skip(words);
        }
        if (command == "move") {
            return move(words);
        }
        if (command == "restore") {
            return restore(words);
        }
        if (command == "list") {
            return list(words);
        }
        if (command == "conflicts") {
            return conflicts(words);
        }
        throw Refused{"unknown_command"};
    }

    Lines zone(const Words& words) {
        expect(words.size() >= 2);
        Fields fields;
        const std::string name = fields.name(words[0]);
        Zone made{fields.offset(words[1]), {}};
        for (std::size_t i = 2; i < words.size(); ++i) {
            made.transitions.push_back(fields.transition(words[i]));
        }
        fields.settle();
        for (std::size_t i = 1; i < made.transitions.size(); ++i) {
            if (made.transitions[i].at < made.transitions[i - 1].at + transition_gap) {
                throw Refused{"transition_order"};
            }
        }
        if (zones_.count(name) > 0) {
            throw Refused{"zone_exists"};
        }
        zones_.emplace(name, made);
        return {"zone " + name + " " + std::to_string(made.transitions.size())};
    }

    Lines meeting(const Words& words) {
        expect(words.size() >= 8);
        Fields fields;
        const std::string name = fields.name(words[0]);
        const std::string zone = fields.name(words[1]);
        const std::int64_t start = fields.local(words[2]);
        const std::int64_t minutes = fields.number(words[3], most_minutes);
        const Rule rule = read_rule(fields, Words(words.begin() + 4, words.end() - 2));
        const End end = read_end(fields, words[words.size() - 2], words.back());
        fields.settle();
        if (series_.count(name) > 0) {
            throw Refused{"series_exists"};
        }
        if (zones_.count(zone) == 0) {
            throw Refused{"unknown_zone"};
        }
        const std::vector<std::int64_t> found = originals(start, rule, end);
        if (found.empty()) {
            throw Refused{"no_occurrence"};
        }
        series_.emplace(name, Series(zones_.at(zone), minutes, found));
        const std::string count = std::to_string(found.size());
        return {"meeting " + name + " " + count + " " + minute_text(found.front()) + " " + minute_text(found.back())};
    }

    Lines skip(const Words& words) {
        expect(words.size() == 2);
        Fields fields;
        const std::string name = fields.name(words[0]);
        const std::int64_t original = fields.local(words[1]);
        fields.settle();
        known(name).skip(original);
        return {"skipped " + name + " " + words[1]};
    }

    Lines move(const Words& words) {
        expect(words.size() == 3 || words.size() == 4);
        Fields fields;
        const std::string name = fields.name(words[0]);
        const std::int64_t original = fields.local(words[1]);
        const std::int64_t local = fields.local(words[2]);
        std::optional<std::int64_t> minutes;
        if (words.size() == 4) {
            minutes = fields.number(words[3], most_minutes);
        }
        fields.settle();
        Series& series = known(name);
        series.move(original, local, minutes);
        return {"moved " + name + " " + words[1] + " " + instant_text(series.occurrence(original).start)};
    }

    Lines restore(const Words& words) {
        expect(words.size() == 2);
        Fields fields;
        const std::string name = fields.name(words[0]);
        const std::int64_t original = fields.local(words[1]);
        fields.settle();
        Series& series = known(name);
        series.restore(original);
        return {"restored " + name + " " + words[1] + " " + instant_text(series.occurrence(original).start)};
    }

    Lines list(const Words& words) {
        expect(words.size() >= 2);
        Fields fields;
        const std::int64_t start = fields.instant(words[0]);
        const std::int64_t end = fields.instant(words[1]);
        Words names(words.begin() + 2, words.end());
        for (const std::string& name : names) {
            fields.name(name);
        }
        fields.settle();
        check_window(start, end);
        std::sort(names.begin(), names.end());
        names.erase(std::unique(names.begin(), names.end()), names.end());
        if (names.empty()) {
            for (const auto& entry : series_) {
                names.push_back(entry.first);
            }
        }
        std::vector<Listed> found;
        for (const std::string& name : names) {
            const Series& series = known(name);
            for (const Occurrence& occurrence : series.overlapping(start, end)) {
                found.push_back({&name, &series, occurrence});
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
        const Zone& zone = listed.series->zone();
        return instant_text(occurrence.start) + " " + instant_text(occurrence.end) + " " + *listed.name + " " +
               minute_text(occurrence.original) + " " + minute_text(zone.local(occurrence.start)) + " " +
               minute_text(zone.local(occurrence.end));
    }

    Lines conflicts(const Words& words) {
        expect(words.size() == 4);
        Fields fields;
        const std::string one = fields.name(words[0]);
        const std::string other = fields.name(words[1]);
        const std::int64_t start = fields.instant(words[2]);
        const std::int64_t end = fields.instant(words[3]);
        fields.settle();
        check_window(start, end);
        const Series& first = known(one);
        const Series& second = known(other);
        if (one == other) {
            throw Refused{"same_series"};
        }
        const std::vector<Clash> found = clashes(first, second, start, end);
        Lines lines{"conflicts " + std::to_string(found.size())};
        for (const Clash& clash : found) {
            lines.push_back(instant_text(clash.begin) + " " + instant_text(clash.finish) + " " +
                            minute_text(clash.first) + " " + minute_text(clash.second));
        }
        return lines;
    }

    Series& known(const std::string& name) {
        const auto found = series_.find(name);
        if (found == series_.end()) {
            throw Refused{"unknown_series"};
        }
        return found->second;
    }

    std::map<std::string, Zone> zones_;
    std::map<std::string, Series> series_;
};
