package ledger;

import java.util.HashMap;
import java.util.List;
import java.util.Map;

/** Carries out postings, holds and reversals; null means that the money is not there. */
final class Book {
    record Posting(String payer, String payee, long amount) {}

    private static final class Hold {
        final String account;
        long amount;

        Hold(String account, long amount) {
            this.account = account;
            this.amount = amount;
        }
    }

    final Map<String, Account> accounts = new HashMap<>();
    private final Map<String, List<Posting>> transactions = new HashMap<>();
    private final Map<String, Hold> holds = new HashMap<>();

    void open(String name, long overdraft) {
        accounts.put(name, new Account(overdraft));
    }

    /** Books the postings and returns the name of the transaction. */
    String post(long at, List<Posting> postings) {
        String name = "T" + (transactions.size() + 1);
        for (Posting posting : postings) {
            Account payer = accounts.get(posting.payer());
            if (payer.available() < posting.amount()) {
                return null;
            }
            payer.book(at, name, posting.payee(), -posting.amount());
            accounts.get(posting.payee()).book(at, name, posting.payer(), posting.amount());
        }
        transactions.put(name, postings);
        return name;
    }

    /** Sets an amount aside and returns the name of the hold. */
    String hold(String account, long amount) {
        if (accounts.get(account).available() < amount) {
            return null;
        }
        String name = "H" + (holds.size() + 1);
        holds.put(name, new Hold(account, amount));
        accounts.get(account).held += amount;
        return name;
    }

    boolean hasHold(String name) {
        return holds.containsKey(name);
    }

    /** Books what was held and returns the name of the transaction. */
    String capture(long at, String name, String payee, long amount) {
        Hold hold = holds.get(name);
        if (hold.amount < amount) {
            return null;
        }
        hold.amount -= amount;
        accounts.get(hold.account).held -= amount;
        return post(at, List.of(new Posting(hold.account, payee, amount)));
    }

    /** Frees what is still held and returns the name of the hold. */
    String release(String name) {
        Hold hold = holds.get(name);
        accounts.get(hold.account).held -= hold.amount;
        hold.amount = 0;
        return name;
    }

    boolean hasTransaction(String name) {
        return transactions.containsKey(name);
    }

    /** Books the opposite of a transaction and returns the name of the new one. */
    String reverse(long at, String name) {
        return post(at, transactions.get(name).stream()
                .map(posting -> new Posting(posting.payee(), posting.payer(), posting.amount()))
                .toList());
    }
}
