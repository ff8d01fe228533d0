package ledger;

import java.util.ArrayList;
import java.util.List;

/** What was booked on one account and what is held of it. */
final class Account {
    /** One posting as this account sees it; the amount is less than zero if it pays. */
    record Entry(long at, String transaction, String other, long amount, long balance) {}

    final String name;
    final String currency;
    final long overdraft;

    /** In the order of booking, which is also the order of their instants. */
    final List<Entry> entries = new ArrayList<>();

    final List<Hold> holds = new ArrayList<>();

    Account(String name, String currency, long overdraft) {
        this.name = name;
        this.currency = currency;
        this.overdraft = overdraft;
    }

    long balance() {
        return entries.isEmpty() ? 0 : entries.get(entries.size() - 1).balance();
    }

    /** Returns the balance after all that was booked at this instant or before. */
    long balanceAt(long at) {
        long balance = 0;
        for (Entry entry : entries) {
            if (entry.at() <= at) {
                balance = entry.balance();
            }
        }
        return balance;
    }

    long heldAt(long at) {
        return holds.stream().filter(hold -> hold.isLive(at)).mapToLong(hold -> hold.amount).sum();
    }

    void book(long at, String transaction, String other, long amount) {
        entries.add(new Entry(at, transaction, other, amount, balance() + amount));
    }
}
