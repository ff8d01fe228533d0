// Carries out commands.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "decimals.hpp"
#include "document.hpp"
#include "words.hpp"

using Answer = std::vector<std::string>;

// Keeps documents; answers one command line after the other.
class Register {
public:
    // The lines of the answer.
    Answer answer(const std::string& line) {
        std::vector<std::string> words = split_words(line);
        if (words.size() < 2) {
            return refused();
        }
        const std::string& command = words[0];
        if (command == "currency") {
            return {"ok"};
        }
        if (command == "open" && words.size() > 2) {
            documents_[words[1]] = Document{words[1], words[2], {}};
            return {"ok"};
        }
        auto found = documents_.find(words[1]);
        if (found == documents_.end()) {
            return refused();
        }
        Document& document = found->second;
        if (command == "line" && words.size() == 6) {
            return add_line(document, words[2], words[3], words[4], words[5]);
        }
        if (command == "discount" && words.size() == 5) {
            return discount(document, words[2], words[3], words[4]);
        }
        if (command == "rebate" && words.size() == 4) {
            return rebate(document, words[2], words[3]);
        }
        if (command == "lines") {
            return lines(document);
        }
        if (command == "total") {
            return total(document);
        }
        return refused();
    }

private:
    static Answer refused() { return {"refused bad_command"}; }

    static Answer add_line(Document& document, const std::string& name, const std::string& quantity,
                           const std::string& price, const std::string& rate) {
        auto count = parse_hundredths(quantity);
        auto cents = parse_hundredths(price);
        auto percent = parse_hundredths(rate);
        if (!count || !cents || !percent) {
            return refused();
        }
        return {"ok " + format_hundredths(document.add_line(name, *count / 100, *cents, *percent / 100))};
    }

    static Answer discount(Document& document, const std::string& name, const std::string& kind,
                           const std::string& value) {
        Line* line = document.find(name);
        auto cents = parse_hundredths(value);
        if (line == nullptr || !cents) {
            return refused();
        }
        line->amount -= kind == "percent" ? percent_of(line->amount, *cents / 100) : *cents;
        return {"ok " + format_hundredths(line->amount)};
    }

    static Answer rebate(Document& document, const std::string& kind, const std::string& value) {
        auto cents = parse_hundredths(value);
        if (!cents) {
            return refused();
        }
        std::int64_t rebate = kind == "percent" ? document.rebate_percent(*cents / 100) : document.rebate_amount(*cents);
        return {"ok " + format_hundredths(rebate)};
    }

    static Answer lines(const Document& document) {
        Answer answer{"lines " + std::to_string(document.lines.size())};
        for (const Line& line : document.lines) {
            answer.push_back("item " + line.name + " rate " + std::to_string(line.rate) + " amount " +
                             format_hundredths(line.amount) + " rebate " + format_hundredths(line.rebate) + " net " +
                             format_hundredths(line.net()));
        }
        return answer;
    }

    static Answer total(const Document& document) {
        std::int64_t net = 0;
        std::int64_t tax = 0;
        Answer rates;
        for (std::int64_t rate : document.rates()) {
            std::int64_t group_net = 0;
            std::int64_t group_tax = 0;
            for (const Line& line : document.lines) {
                if (line.rate == rate) {
                    group_net += line.net();
                    group_tax += line.tax();
                }
            }
            net += group_net;
            tax += group_tax;
            rates.push_back("rate " + std::to_string(rate) + " net " + format_hundredths(group_net) + " tax " +
                            format_hundredths(group_tax));
        }
        rates.insert(rates.begin(), "total " + document.name + " " + document.code + " net " + format_hundredths(net) +
                                        " tax " + format_hundredths(tax) + " gross " + format_hundredths(net + tax));
        return rates;
    }

    std::map<std::string, Document> documents_;
};
