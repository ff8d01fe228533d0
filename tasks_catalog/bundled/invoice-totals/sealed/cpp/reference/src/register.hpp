// Carries out commands.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "decimals.hpp"
#include "document.hpp"
#include "refusal.hpp"
#include "request.hpp"
#include "rounding.hpp"

using Answer = std::vector<std::string>;

// Keeps currencies and documents; answers one command line after the other.
class Register {
public:
    // The lines of the answer.
    Answer answer(const std::string& line) {
        try {
            return carry_out(parse(line));
        } catch (const Refused& refusal) {
            return {"refused " + refusal.reason};
        }
    }

private:
    Answer carry_out(const Request& request) {
        if (request.command == "currency") {
            return currency(request.word("code"), request.word("digits"));
        }
        if (request.command == "open") {
            return open(request.word("doc"), request.word("code"), request.word("rounding"));
        }
        auto found = documents_.find(request.word("doc"));
        if (found == documents_.end()) {
            throw Refused{"unknown_document"};
        }
        Document& document = found->second;
        if (request.command == "lines") {
            return lines(document);
        }
        if (request.command == "total") {
            return total(document);
        }
        Units figure = change(document, request);
        return {"ok " + amount(document, figure)};
    }

    Answer currency(const std::string& code, const std::string& digits) {
        if (currencies_.count(code) > 0) {
            throw Refused{"currency_exists"};
        }
        currencies_.emplace(code, Currency{code, std::stoi(digits)});
        return {"ok"};
    }

    Answer open(const std::string& doc, const std::string& code, const std::string& rounding) {
        if (documents_.count(doc) > 0) {
            throw Refused{"document_exists"};
        }
        auto found = currencies_.find(code);
        if (found == currencies_.end()) {
            throw Refused{"unknown_currency"};
        }
        Rounding declared = rounding == "half-up" ? Rounding::half_up : Rounding::half_even;
        documents_.emplace(doc, Document(doc, found->second, declared));
        return {"ok"};
    }

    static Units change(Document& document, const Request& request) {
        if (request.command == "line") {
            return document.add_line(request.word("line"), request.number("quantity"), request.number("price"),
                                     request.number("rate"));
        }
        if (request.command == "discount") {
            return document.discount(request.word("line"), request.word("kind"), request.number("value"));
        }
        return document.rebate(request.word("kind"), request.number("value"));
    }

    static Answer lines(const Document& document) {
        Answer answer{"lines " + std::to_string(document.lines().size())};
        for (const Line& line : document.lines()) {
            answer.push_back("item " + line.name + " rate " + format_shortest(line.rate, finest) + " amount " +
                             amount(document, line.amount) + " rebate " + amount(document, line.rebate) + " net " +
                             amount(document, line.net()));
        }
        return answer;
    }

    static Answer total(const Document& document) {
        std::vector<Group> groups = document.groups();
        auto [net, tax] = sum_of(groups);
        Answer answer{"total " + document.name() + " " + document.currency().code + " net " + amount(document, net) +
                      " tax " + amount(document, tax) + " gross " + amount(document, net + tax)};
        for (const Group& group : groups) {
            answer.push_back("rate " + format_shortest(group.rate, finest) + " net " + amount(document, group.net) +
                             " tax " + amount(document, group.tax));
        }
        return answer;
    }

    static std::string amount(const Document& document, Units units) {
        return format_decimal(units, document.currency().digits);
    }

    std::map<std::string, Currency> currencies_;
    std::map<std::string, Document> documents_;
};
