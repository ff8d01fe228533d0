// Accounts, transactions and holds. Every change is made whole or not at all.
#pragma once

#include <algorithm>
#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "account.hpp"
#include "outcome.hpp"
#include "request.hpp"

// Carries out what is not a matter of keys or of the clock; throws Refused and Declined.
class Book {
public:
    void open(const std::string& name, const std::string& currency, std::int64_t overdraft) {
        if (accounts_.count(name) > 0) {
            throw Refused{"account_exists"};
        }
        accounts_[name] = Account{currency, overdraft, {}, {}};
    }

    Account& account(const std::string& name) {
        auto found = accounts_.find(name);
        if (found == accounts_.end()) {
            throw Refused{"unknown_account"};
        }
        return found->second;
    }

    // Books a batch and returns the name of its transaction.
    std::string post(std::int64_t at, const std::vector<Posting>& postings) {
        check_postings(postings);
        return book(at, Transaction{postings});
    }

    // Sets an amount aside and returns the name of the hold.
    std::string hold(std::int64_t at, const std::string& name, std::int64_t amount, std::int64_t until) {
        if (until <= at) {
            throw Refused{"until_passed"};
        }
        Account& holder = account(name);
        if (holder.balance() - holder.held_at(at) - amount + holder.overdraft < 0) {
            throw Declined{"insufficient_funds"};
        }
        std::string made = "H" + std::to_string(holds_.size() + 1);
        holds_[made] = std::make_shared<Hold>(Hold{made, name, amount, at, until});
        holder.holds.push_back(holds_[made]);
        return made;
    }

    // Books what was held, or a part of it, and returns the name of the transaction.
    std::string capture(std::int64_t at, const std::string& name, const std::string& payee, std::int64_t amount) {
        Hold& hold = find_hold(name);
        std::vector<Posting> postings{Posting{hold.account, payee, amount}};
        check_postings(postings);
        if (!hold.is_live(at)) {
            throw Declined{"hold_ended"};
        }
        if (amount > hold.amount) {
            throw Declined{"more_than_held"};
        }
        std::string captured = book(at, Transaction{postings}, &hold);
        hold.ends = at;
        return captured;
    }

    // Ends a hold and returns its name.
    std::string release(std::int64_t at, const std::string& name) {
        Hold& hold = find_hold(name);
        if (!hold.is_live(at)) {
            throw Declined{"hold_ended"};
        }
        hold.ends = at;
        return name;
    }

    // Books the opposite of a transaction and returns the name of the new one.
    std::string reverse(std::int64_t at, const std::string& name) {
        auto undone = transactions_.find(name);
        if (undone == transactions_.end()) {
            throw Refused{"unknown_transaction"};
        }
        if (undone->second.is_reversal) {
            throw Declined{"not_reversible"};
        }
        if (undone->second.is_reversed) {
            throw Declined{"already_reversed"};
        }
        std::vector<Posting> postings;
        for (const Posting& posting : undone->second.postings) {
            postings.push_back(Posting{posting.payee, posting.payer, posting.amount});
        }
        std::reverse(postings.begin(), postings.end());
        std::string reversal = book(at, Transaction{postings, true});
        undone->second.is_reversed = true;
        return reversal;
    }

private:
    struct Transaction {
        std::vector<Posting> postings;
        bool is_reversal = false;
        bool is_reversed = false;
    };

    Hold& find_hold(const std::string& name) {
        auto found = holds_.find(name);
        if (found == holds_.end()) {
            throw Refused{"unknown_hold"};
        }
        return *found->second;
    }

    void check_postings(const std::vector<Posting>& postings) {
        for (const Posting& posting : postings) {
            account(posting.payer);
            account(posting.payee);
        }
        for (const Posting& posting : postings) {
            if (posting.payer == posting.payee) {
                throw Refused{"same_account"};
            }
        }
        for (const Posting& posting : postings) {
            if (account(posting.payer).currency != account(posting.payee).currency) {
                throw Refused{"currency_mismatch"};
            }
        }
    }

    std::string book(std::int64_t at, const Transaction& transaction, const Hold* freed = nullptr) {
        check_funds(at, transaction.postings, freed);
        std::string name = "T" + std::to_string(transactions_.size() + 1);
        transactions_[name] = transaction;
        for (const Posting& posting : transaction.postings) {
            account(posting.payer).book(at, name, posting.payee, -posting.amount);
            account(posting.payee).book(at, name, posting.payer, posting.amount);
        }
        return name;
    }

    // The hold that is being captured, if any, is taken as ended.
    void check_funds(std::int64_t at, const std::vector<Posting>& postings, const Hold* freed) {
        std::map<std::string, std::int64_t> changes;
        for (const Posting& posting : postings) {
            changes[posting.payer] -= posting.amount;
            changes[posting.payee] += posting.amount;
        }
        for (const auto& [name, change] : changes) {
            check_available(at, name, change, freed);
        }
        for (const auto& [name, change] : changes) {
            std::int64_t balance = account(name).balance() + change;
            if (balance > largest || balance < -largest) {
                throw Declined{"overflow"};
            }
        }
    }

    void check_available(std::int64_t at, const std::string& name, std::int64_t change, const Hold* freed) {
        const Account& changed = account(name);
        std::int64_t held = changed.held_at(at);
        if (freed != nullptr && freed->account == name) {
            held -= freed->amount;
        }
        if (changed.balance() + change - held + changed.overdraft < 0) {
            throw Declined{"insufficient_funds"};
        }
    }

    std::map<std::string, Account> accounts_;
    std::map<std::string, Transaction> transactions_;
    std::map<std::string, std::shared_ptr<Hold>> holds_;
};
