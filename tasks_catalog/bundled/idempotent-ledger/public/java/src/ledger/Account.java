package ledger;

import java.util.ArrayList;
import java.util.List;

/** One account. */
final class Account {
    /** One posting as this account sees it. */
    record Entry(long at, String transaction, String other, long amount, long balance) {}

    final long overdraft;
    final List<Entry> entries = new ArrayList<>();
    long balance;
    long held;

    Account(long overdraft) {
        this.overdraft = overdraft;
    }

    long available() {
        return balance - held + overdraft;
    }

    void book(long at, String transaction, String other, long amount) {
        balance += amount;
        entries.add(new Entry(at, transaction, other, amount, balance));
    }
}
