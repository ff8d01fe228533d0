// One document: its lines, its rebate and what they come to.
#pragma once

#include <algorithm>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "allocation.hpp"
#include "decimals.hpp"
#include "refusal.hpp"
#include "request.hpp"
#include "rounding.hpp"

constexpr Units largest = 999'999'999'999'999;
constexpr int quantity_places = 3;
constexpr int price_places = 6;

struct Currency {
    std::string code;
    int digits;
};

// A line; amounts are smallest units of the currency, the rate is in thousandths.
struct Line {
    std::string name;
    Units rate;
    Units amount;
    Units rebate = 0;

    Units net() const { return amount - rebate; }
};

// What the lines of one rate come to.
struct Group {
    Units rate;
    Units net;
    Units tax;
};

// The net and the tax of all groups together.
inline std::pair<Units, Units> sum_of(const std::vector<Group>& groups) {
    Units net = 0;
    Units tax = 0;
    for (const Group& group : groups) {
        net += group.net;
        tax += group.tax;
    }
    return {net, tax};
}

// Keeps its lines in the order in which they were added. Every change is made whole or not at all;
// what is refused throws Refused.
class Document {
public:
    Document(std::string name, Currency currency, Rounding rounding)
        : name_(std::move(name)), currency_(std::move(currency)), rounding_(rounding) {}

    const std::string& name() const { return name_; }
    const Currency& currency() const { return currency_; }
    const std::vector<Line>& lines() const { return lines_; }

    // Adds a line and returns its amount.
    Units add_line(const std::string& name, const Decimal& quantity, const Decimal& price, const Decimal& rate) {
        refuse_after_rebate();
        if (find(name) < lines_.size()) {
            throw Refused{"line_exists"};
        }
        Units product = quantity.scaled(quantity_places) * price.scaled(price_places);
        Units exact = product * power_of_ten(currency_.digits);
        Units amount = divide(exact, power_of_ten(quantity_places + price_places), rounding_);
        std::vector<Line> lines = lines_;
        lines.push_back(Line{name, rate.scaled(finest), amount});
        change(std::move(lines));
        return amount;
    }

    // Lowers a line and returns the amount that is left.
    Units discount(const std::string& name, const std::string& kind, const Decimal& value) {
        refuse_after_rebate();
        std::size_t place = find(name);
        if (place == lines_.size()) {
            throw Refused{"unknown_line"};
        }
        std::vector<Line> lines = lines_;
        Units before = lines[place].amount;
        Units left = magnitude(before) - reduction(kind, value, magnitude(before));
        lines[place].amount = before < 0 ? -left : left;
        change(std::move(lines));
        return lines_[place].amount;
    }

    // Lowers all lines that are no credits and returns the rebate.
    Units rebate(const std::string& kind, const Decimal& value) {
        refuse_after_rebate();
        std::vector<Units> weights;
        for (const Line& line : lines_) {
            weights.push_back(std::max(line.amount, Units{0}));
        }
        Units rebate = reduction(kind, value, sum(weights));
        std::vector<Units> parts = allocate(rebate, weights);
        std::vector<Line> lines = lines_;
        for (std::size_t i = 0; i < lines.size(); ++i) {
            lines[i].rebate = parts[i];
        }
        change(std::move(lines), {rebate});
        has_rebate_ = true;
        return rebate;
    }

    // What the lines of each rate come to, in ascending order of the rates.
    std::vector<Group> groups() const { return groups_of(lines_); }

private:
    std::vector<Group> groups_of(const std::vector<Line>& lines) const {
        std::map<Units, Units> nets;
        for (const Line& line : lines) {
            nets[line.rate] += line.net();
        }
        std::vector<Group> groups;
        for (const auto& [rate, net] : nets) {
            groups.push_back(Group{rate, net, percent_of(net, rate)});
        }
        return groups;
    }

    void refuse_after_rebate() const {
        if (has_rebate_) {
            throw Refused{"rebate_given"};
        }
    }

    // The place of the line of that name, or behind the last one.
    std::size_t find(const std::string& name) const {
        auto found = std::find_if(lines_.begin(), lines_.end(), [&](const Line& line) { return line.name == name; });
        return static_cast<std::size_t>(found - lines_.begin());
    }

    Units reduction(const std::string& kind, const Decimal& value, Units base) const {
        if (kind == "percent") {
            return percent_of(base, value.scaled(finest));
        }
        if (value.places > currency_.digits) {
            throw Refused{"too_precise"};
        }
        Units taken = value.scaled(currency_.digits);
        if (taken > base) {
            throw Refused{"discount_too_large"};
        }
        return taken;
    }

    Units percent_of(Units units, Units thousandths) const {
        return divide(units * thousandths, 100 * power_of_ten(finest), rounding_);
    }

    void change(std::vector<Line> lines, std::vector<Units> shown = {}) {
        std::vector<Group> groups = groups_of(lines);
        auto [net, tax] = sum_of(groups);
        shown.insert(shown.end(), {net, tax, net + tax});
        for (const Line& line : lines) {
            shown.insert(shown.end(), {line.amount, line.net()});
        }
        for (const Group& group : groups) {
            shown.insert(shown.end(), {group.net, group.tax});
        }
        for (Units figure : shown) {
            if (magnitude(figure) > largest) {
                throw Refused{"overflow"};
            }
        }
        lines_ = std::move(lines);
    }

    std::string name_;
    Currency currency_;
    Rounding rounding_;
    std::vector<Line> lines_;
    bool has_rebate_ = false;
};
