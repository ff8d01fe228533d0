// Answers commands.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "book.hpp"
#include "words.hpp"

using Answer = std::vector<std::string>;
using Words = std::vector<std::string>;

// Keeps the book and the answers to keys; answers one command line after the other.
class Desk {
public:
    // The lines of the answer.
    Answer answer(const std::string& line) {
        Words words = split_words(line);
        if (!has_right_length(words)) {
            return refused();
        }
        if (words[0] == "account") {
            return account(words[1], words[3]);
        }
        if (words[0] == "balance") {
            return balance(words[2]);
        }
        if (words[0] == "statement") {
            return statement(words[1], words[2], words[3]);
        }
        auto known = answers_.find(words[3]);
        if (known == answers_.end()) {
            known = answers_.emplace(words[3], carry_out(words)).first;
        }
        return known->second;
    }

private:
    static bool has_right_length(const Words& words) {
        static const std::map<std::string, std::size_t> lengths{
            {"account", 4}, {"hold", 7},    {"capture", 7},   {"release", 5},
            {"reverse", 5}, {"balance", 3}, {"statement", 4},
        };
        if (words[0] == "post") {
            return words.size() >= 7 && words.size() % 3 == 1;
        }
        auto length = lengths.find(words[0]);
        return length != lengths.end() && length->second == words.size();
    }

    static Answer refused() { return {"refused bad_command"}; }

    static Answer answered(const std::optional<std::string>& name) {
        return {name ? "ok " + *name : "declined insufficient_funds"};
    }

    static std::optional<std::int64_t> number(const std::string& word) {
        if (word.empty() || word.size() > 15 || word.find_first_not_of("0123456789") != std::string::npos) {
            return std::nullopt;
        }
        return std::stoll(word);
    }

    bool has(const std::string& name) const { return book_.accounts.count(name) > 0; }

    Answer account(const std::string& name, const std::string& word) {
        auto overdraft = number(word);
        if (!overdraft) {
            return refused();
        }
        book_.open(name, *overdraft);
        return {"ok"};
    }

    Answer balance(const std::string& name) {
        if (!has(name)) {
            return refused();
        }
        const Account& account = book_.accounts[name];
        return {"balance " + std::to_string(account.balance) + " held " + std::to_string(account.held) +
                " available " + std::to_string(account.available())};
    }

    Answer statement(const std::string& from, const std::string& to, const std::string& name) {
        auto start = number(from);
        auto end = number(to);
        if (!has(name) || !start || !end) {
            return refused();
        }
        const Account& account = book_.accounts[name];
        Answer answer;
        for (const Entry& entry : account.entries) {
            if (*start <= entry.at && entry.at <= *end) {
                answer.push_back("entry " + std::to_string(entry.at) + " " + entry.transaction + " " + entry.other +
                                 " " + std::to_string(entry.amount) + " " + std::to_string(entry.balance));
            }
        }
        answer.insert(answer.begin(), "statement " + std::to_string(answer.size()) + " opening 0 closing " +
                                          std::to_string(account.balance));
        return answer;
    }

    Answer carry_out(const Words& words) {
        auto at = number(words[1]);
        if (!at) {
            return refused();
        }
        if (words[0] == "post") {
            return post(*at, words);
        }
        if (words[0] == "hold") {
            auto amount = number(words[5]);
            return has(words[4]) && amount ? answered(book_.hold(words[4], *amount)) : refused();
        }
        if (words[0] == "capture") {
            auto amount = number(words[6]);
            bool known = book_.holds.count(words[4]) > 0 && has(words[5]);
            return known && amount ? answered(book_.capture(*at, words[4], words[5], *amount)) : refused();
        }
        if (words[0] == "release") {
            return book_.holds.count(words[4]) > 0 ? answered(book_.release(words[4])) : refused();
        }
        return book_.transactions.count(words[4]) > 0 ? answered(book_.reverse(*at, words[4])) : refused();
    }

    Answer post(std::int64_t at, const Words& words) {
        std::vector<Posting> postings;
        for (std::size_t i = 4; i < words.size(); i += 3) {
            auto amount = number(words[i + 2]);
            if (!has(words[i]) || !has(words[i + 1]) || !amount) {
                return refused();
            }
            postings.push_back(Posting{words[i], words[i + 1], *amount});
        }
        return answered(book_.post(at, postings));
    }

    Book book_;
    std::map<std::string, Answer> answers_;
};
