// From words to values that have their form and their range.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <string>

#include "dates.hpp"
#include "refusal.hpp"
#include "words.hpp"
#include "zone.hpp"

// Reads the words of one command; `settle` tells what was wrong with any of them.
//
// A wrong form anywhere goes before a wrong range anywhere, so no word is refused before all are read.
class Fields {
public:
    void settle() const {
        if (bad_form_) {
            throw Refused{"bad_form"};
        }
        if (out_of_range_) {
            throw Refused{"out_of_range"};
        }
    }

    std::string name(const std::string& word) {
        const bool known = word.find_first_not_of("abcdefghijklmnopqrstuvwxyz0123456789-") == std::string::npos;
        if (word.empty() || word.size() > longest_name || !known) {
            bad_form_ = true;
        }
        return word;
    }

    std::int64_t number(const std::string& word, std::int64_t most) {
        if (word.empty() || !all_digits(word) || (word[0] == '0' && word.size() > 1)) {
            bad_form_ = true;
            return 0;
        }
        const bool too_long = word.size() > std::to_string(most).size();
        const std::int64_t value = too_long ? most + 1 : std::stoll(word);
        if (value < 1 || value > most) {
            out_of_range_ = true;
        }
        return value;
    }

    std::int64_t date(const std::string& word) {
        if (!fits(word, "####-##-##")) {
            bad_form_ = true;
            return 0;
        }
        const int year = std::stoi(word.substr(0, 4));
        const int month = std::stoi(word.substr(5, 2));
        const int day = std::stoi(word.substr(8));
        if (year < first_year || year > last_year || month < 1 || month > 12 || day < 1 ||
            day > month_length(year, month)) {
            out_of_range_ = true;
            return 0;
        }
        return day_number(year, month, day);
    }

    std::int64_t local(const std::string& word) {
        if (!fits(word, "####-##-##T##:##")) {
            bad_form_ = true;
            return 0;
        }
        const int hours = std::stoi(word.substr(11, 2));
        const int minutes = std::stoi(word.substr(14));
        if (hours > 23 || minutes > 59) {
            out_of_range_ = true;
        }
        return date(word.substr(0, 10)) * minutes_per_day + hours * 60 + minutes;
    }

    std::int64_t instant(const std::string& word) {
        if (word.empty() || word.back() != 'Z') {
            bad_form_ = true;
            return 0;
        }
        return local(word.substr(0, word.size() - 1));
    }

    std::int64_t offset(const std::string& word) {
        if (!fits(word, "+##:##") && !fits(word, "-##:##")) {
            bad_form_ = true;
            return 0;
        }
        const int minutes = std::stoi(word.substr(4));
        const int size = std::stoi(word.substr(1, 2)) * 60 + minutes;
        if (minutes > 59 || size > largest_offset) {
            out_of_range_ = true;
        }
        return word[0] == '-' ? -size : size;
    }

    Transition transition(const std::string& word) {
        const std::size_t slash = std::min(word.find('/'), word.size());
        const std::string after = slash < word.size() ? word.substr(slash + 1) : "";
        return {instant(word.substr(0, slash)), offset(after)};
    }

    std::int64_t weekday(const std::string& word) {
        static const std::array<std::string, 7> names{"mon", "tue", "wed", "thu", "fri", "sat", "sun"};
        const auto found = std::find(names.begin(), names.end(), word);
        if (found == names.end()) {
            bad_form_ = true;
            return 0;
        }
        return found - names.begin();
    }

    std::array<bool, 7> weekdays(const std::string& word) {
        std::array<bool, 7> chosen{};
        for (const std::string& name : cut(word, ',')) {
            chosen[static_cast<std::size_t>(weekday(name))] = true;
        }
        return chosen;
    }

private:
    static constexpr std::size_t longest_name = 20;
    static constexpr int first_year = 1900;
    static constexpr int last_year = 2199;
    static constexpr int largest_offset = 14 * 60;

    bool bad_form_ = false;
    bool out_of_range_ = false;
};
