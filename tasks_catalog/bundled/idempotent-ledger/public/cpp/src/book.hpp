// Accounts, transactions and holds.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

struct Entry {
    std::int64_t at;
    std::string transaction;
    std::string other;
    std::int64_t amount;
    std::int64_t balance;
};

struct Account {
    std::int64_t overdraft = 0;
    std::int64_t balance = 0;
    std::int64_t held = 0;
    std::vector<Entry> entries;

    std::int64_t available() const { return balance - held + overdraft; }

    void book(std::int64_t at, const std::string& transaction, const std::string& other, std::int64_t amount) {
        balance += amount;
        entries.push_back(Entry{at, transaction, other, amount, balance});
    }
};

struct Posting {
    std::string payer;
    std::string payee;
    std::int64_t amount;
};

struct Hold {
    std::string account;
    std::int64_t amount;
};

// Carries out postings, holds and reversals; nothing returned means that the money is not there.
struct Book {
    std::map<std::string, Account> accounts;
    std::map<std::string, std::vector<Posting>> transactions;
    std::map<std::string, Hold> holds;

    void open(const std::string& name, std::int64_t overdraft) {
        accounts[name] = Account{};
        accounts[name].overdraft = overdraft;
    }

    // Books the postings and returns the name of the transaction.
    std::optional<std::string> post(std::int64_t at, const std::vector<Posting>& postings) {
        std::string name = "T" + std::to_string(transactions.size() + 1);
        for (const Posting& posting : postings) {
            if (accounts[posting.payer].available() < posting.amount) {
                return std::nullopt;
            }
            accounts[posting.payer].book(at, name, posting.payee, -posting.amount);
            accounts[posting.payee].book(at, name, posting.payer, posting.amount);
        }
        transactions[name] = postings;
        return name;
    }

    // Sets an amount aside and returns the name of the hold.
    std::optional<std::string> hold(const std::string& account, std::int64_t amount) {
        if (accounts[account].available() < amount) {
            return std::nullopt;
        }
        std::string name = "H" + std::to_string(holds.size() + 1);
        holds[name] = Hold{account, amount};
        accounts[account].held += amount;
        return name;
    }

    // Books what was held and returns the name of the transaction.
    std::optional<std::string> capture(std::int64_t at, const std::string& name, const std::string& payee,
                                       std::int64_t amount) {
        Hold& hold = holds[name];
        if (hold.amount < amount) {
            return std::nullopt;
        }
        hold.amount -= amount;
        accounts[hold.account].held -= amount;
        return post(at, {Posting{hold.account, payee, amount}});
    }

    // Frees what is still held and returns the name of the hold.
    std::optional<std::string> release(const std::string& name) {
        Hold& hold = holds[name];
        accounts[hold.account].held -= hold.amount;
        hold.amount = 0;
        return name;
    }

    // Books the opposite of a transaction and returns the name of the new one.
    std::optional<std::string> reverse(std::int64_t at, const std::string& name) {
        std::vector<Posting> postings;
        for (const Posting& posting : transactions[name]) {
            postings.push_back(Posting{posting.payee, posting.payer, posting.amount});
        }
        return post(at, postings);
    }
};
