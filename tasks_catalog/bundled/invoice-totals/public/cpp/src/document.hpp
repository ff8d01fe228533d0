// One document: its lines, its rebate and what they come to. Amounts are cents.
#pragma once

#include <algorithm>
#include <cstdint>
#include <string>
#include <vector>

inline std::int64_t percent_of(std::int64_t units, std::int64_t percent) {
    // rounded half up, also below zero
    std::int64_t exact = units * percent + 50;
    return exact % 100 < 0 ? exact / 100 - 1 : exact / 100;
}

struct Line {
    std::string name;
    std::int64_t rate;
    std::int64_t amount;
    std::int64_t rebate = 0;

    std::int64_t net() const { return amount - rebate; }
    std::int64_t tax() const { return percent_of(net(), rate); }
};

// Keeps its lines in the order in which they were added.
struct Document {
    std::string name;
    std::string code;
    std::vector<Line> lines;

    // Adds a line and returns its amount.
    std::int64_t add_line(const std::string& line, std::int64_t quantity, std::int64_t price, std::int64_t rate) {
        lines.push_back(Line{line, rate, quantity * price});
        return lines.back().amount;
    }

    // The line of that name, or null.
    Line* find(const std::string& line) {
        auto found = std::find_if(lines.begin(), lines.end(), [&](const Line& l) { return l.name == line; });
        return found == lines.end() ? nullptr : &*found;
    }

    // Lowers all lines and returns the rebate.
    std::int64_t rebate_percent(std::int64_t percent) {
        std::int64_t rebate = 0;
        for (Line& line : lines) {
            line.rebate = percent_of(line.amount, percent);
            rebate += line.rebate;
        }
        return rebate;
    }

    // Lowers the first line and returns the rebate.
    std::int64_t rebate_amount(std::int64_t rebate) {
        if (!lines.empty()) {
            lines.front().rebate = rebate;
        }
        return rebate;
    }

    // The rates of the lines, each once.
    std::vector<std::int64_t> rates() const {
        std::vector<std::int64_t> rates;
        for (const Line& line : lines) {
            if (std::find(rates.begin(), rates.end(), line.rate) == rates.end()) {
                rates.push_back(line.rate);
            }
        }
        return rates;
    }
};
