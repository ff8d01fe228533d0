// One account: what was booked on it and what is held of it.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

// One posting as this account sees it; the amount is less than zero if it pays.
struct Entry {
    std::int64_t at;
    std::string transaction;
    std::string other;
    std::int64_t amount;
    std::int64_t balance;
};

// Live from the instant at which it was made up to, but not including, that at which it ends.
struct Hold {
    std::string name;
    std::string account;
    std::int64_t amount;
    std::int64_t made;
    std::int64_t ends;

    bool is_live(std::int64_t at) const { return made <= at && at < ends; }
};

// Entries stand in the order of booking, which is also the order of their instants.
struct Account {
    std::string currency;
    std::int64_t overdraft = 0;
    std::vector<Entry> entries;
    std::vector<std::shared_ptr<Hold>> holds;

    std::int64_t balance() const { return entries.empty() ? 0 : entries.back().balance; }

    // The balance after all that was booked at this instant or before.
    std::int64_t balance_at(std::int64_t at) const {
        std::int64_t balance = 0;
        for (const Entry& entry : entries) {
            if (entry.at <= at) {
                balance = entry.balance;
            }
        }
        return balance;
    }

    std::int64_t held_at(std::int64_t at) const {
        std::int64_t held = 0;
        for (const auto& hold : holds) {
            if (hold->is_live(at)) {
                held += hold->amount;
            }
        }
        return held;
    }

    void book(std::int64_t at, const std::string& transaction, const std::string& other, std::int64_t amount) {
        entries.push_back(Entry{at, transaction, other, amount, balance() + amount});
    }
};
