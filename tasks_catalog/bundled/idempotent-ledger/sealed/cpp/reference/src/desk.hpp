// Answers commands: the clock, the keys, and the words of the answers.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "account.hpp"
#include "book.hpp"
#include "keys.hpp"
#include "outcome.hpp"
#include "request.hpp"

using Answer = std::vector<std::string>;

// Answers one command line after the other.
class Desk {
public:
    // The lines of the answer.
    Answer answer(const std::string& line) {
        try {
            Request request = parse(line);
            return request.is_keyed() ? Answer{keyed(request)} : plain(request);
        } catch (const Refused& refusal) {
            return {"refused " + refusal.reason};
        }
    }

private:
    std::string keyed(const Request& request) {
        std::int64_t at = request.number("at");
        const std::string& client = request.name("client");
        const std::string& key = request.name("key");
        if (at < clock_) {
            throw Refused{"time_backwards"};
        }
        std::optional<std::string> answer = keys_.recall(client, key, at, request.content);
        if (!answer) {
            answer = carry_out(request, at);
            keys_.remember(client, key, at, request.content, *answer);
        }
        // only now: nothing above has been refused
        clock_ = at;
        return *answer;
    }

    std::string carry_out(const Request& request, std::int64_t at) {
        try {
            return "ok " + apply(request, at);
        } catch (const Declined& declined) {
            return "declined " + declined.reason;
        }
    }

    std::string apply(const Request& request, std::int64_t at) {
        if (request.command == "post") {
            return book_.post(at, request.postings);
        }
        if (request.command == "hold") {
            return book_.hold(at, request.name("account"), request.number("amount"), request.number("until"));
        }
        if (request.command == "capture") {
            return book_.capture(at, request.name("hold"), request.name("payee"), request.number("amount"));
        }
        if (request.command == "release") {
            return book_.release(at, request.name("hold"));
        }
        return book_.reverse(at, request.name("transaction"));
    }

    Answer plain(const Request& request) {
        const std::string& name = request.name("account");
        if (request.command == "account") {
            book_.open(name, request.name("currency"), request.number("overdraft"));
            return {"ok"};
        }
        if (request.command == "balance") {
            return {balance(book_.account(name), request.number("at"))};
        }
        return statement(book_.account(name), request.number("start"), request.number("end"));
    }

    static std::string balance(const Account& account, std::int64_t at) {
        std::int64_t balance = account.balance_at(at);
        std::int64_t held = account.held_at(at);
        return "balance " + std::to_string(balance) + " held " + std::to_string(held) + " available " +
               std::to_string(balance - held + account.overdraft);
    }

    static Answer statement(const Account& account, std::int64_t start, std::int64_t end) {
        std::int64_t opening = account.balance_at(start - 1);
        std::int64_t closing = opening;
        Answer answer;
        for (const Entry& entry : account.entries) {
            if (start <= entry.at && entry.at < end) {
                closing = entry.balance;
                answer.push_back("entry " + std::to_string(entry.at) + " " + entry.transaction + " " + entry.other +
                                 " " + std::to_string(entry.amount) + " " + std::to_string(entry.balance));
            }
        }
        answer.insert(answer.begin(), "statement " + std::to_string(answer.size()) + " opening " +
                                          std::to_string(opening) + " closing " + std::to_string(closing));
        return answer;
    }

    Book book_;
    Keys keys_;
    std::int64_t clock_ = 0;
};
