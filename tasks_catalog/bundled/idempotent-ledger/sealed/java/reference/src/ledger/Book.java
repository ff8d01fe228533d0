package ledger;

import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import ledger.Request.Posting;

/**
 * Accounts, transactions and holds: what is not a matter of keys or of the clock. Every change is made
 * whole or not at all.
 */
final class Book {
    private static final class Transaction {
        final List<Posting> postings;
        final boolean isReversal;
        boolean isReversed;

        Transaction(List<Posting> postings, boolean isReversal) {
            this.postings = postings;
            this.isReversal = isReversal;
        }
    }

    private final Map<String, Account> accounts = new HashMap<>();
    private final Map<String, Transaction> transactions = new HashMap<>();
    private final Map<String, Hold> holds = new HashMap<>();

    void open(String name, String currency, long overdraft) throws Refused {
        if (accounts.containsKey(name)) {
            throw new Refused("account_exists");
        }
        accounts.put(name, new Account(name, currency, overdraft));
    }

    Account account(String name) throws Refused {
        Account account = accounts.get(name);
        if (account == null) {
            throw new Refused("unknown_account");
        }
        return account;
    }

    /** Books a batch and returns the name of its transaction. */
    String post(long at, List<Posting> postings) throws Refused, Declined {
        checkPostings(postings);
        return book(at, new Transaction(postings, false), null);
    }

    /** Sets an amount aside and returns the name of the hold. */
    String hold(long at, String name, long amount, long until) throws Refused, Declined {
        if (until <= at) {
            throw new Refused("until_passed");
        }
        Account account = account(name);
        if (account.balance() - account.heldAt(at) - amount + account.overdraft < 0) {
            throw new Declined("insufficient_funds");
        }
        Hold hold = new Hold("H" + (holds.size() + 1), account, amount, at, until);
        holds.put(hold.name, hold);
        account.holds.add(hold);
        return hold.name;
    }

    /** Books what was held, or a part of it, and returns the name of the transaction. */
    String capture(long at, String name, String payee, long amount) throws Refused, Declined {
        Hold hold = hold(name);
        List<Posting> postings = List.of(new Posting(hold.account.name, payee, amount));
        checkPostings(postings);
        if (!hold.isLive(at)) {
            throw new Declined("hold_ended");
        }
        if (amount > hold.amount) {
            throw new Declined("more_than_held");
        }
        String captured = book(at, new Transaction(postings, false), hold);
        hold.ends = at;
        return captured;
    }

    /** Ends a hold and returns its name. */
    String release(long at, String name) throws Refused, Declined {
        Hold hold = hold(name);
        if (!hold.isLive(at)) {
            throw new Declined("hold_ended");
        }
        hold.ends = at;
        return name;
    }

    /** Books the opposite of a transaction and returns the name of the new one. */
    String reverse(long at, String name) throws Refused, Declined {
        Transaction undone = transactions.get(name);
        if (undone == null) {
            throw new Refused("unknown_transaction");
        }
        if (undone.isReversal) {
            throw new Declined("not_reversible");
        }
        if (undone.isReversed) {
            throw new Declined("already_reversed");
        }
        List<Posting> postings = new ArrayList<>(undone.postings);
        Collections.reverse(postings);
        postings.replaceAll(Posting::opposite);
        String reversal = book(at, new Transaction(postings, true), null);
        undone.isReversed = true;
        return reversal;
    }

    private Hold hold(String name) throws Refused {
        Hold hold = holds.get(name);
        if (hold == null) {
            throw new Refused("unknown_hold");
        }
        return hold;
    }

    private void checkPostings(List<Posting> postings) throws Refused {
        if (!postings.stream().allMatch(p -> accounts.containsKey(p.payer()) && accounts.containsKey(p.payee()))) {
            throw new Refused("unknown_account");
        }
        if (postings.stream().anyMatch(p -> p.payer().equals(p.payee()))) {
            throw new Refused("same_account");
        }
        if (!postings.stream().allMatch(p -> currency(p.payer()).equals(currency(p.payee())))) {
            throw new Refused("currency_mismatch");
        }
    }

    private String currency(String account) {
        return accounts.get(account).currency;
    }

    private String book(long at, Transaction transaction, Hold freed) throws Declined {
        checkFunds(at, transaction.postings, freed);
        String name = "T" + (transactions.size() + 1);
        transactions.put(name, transaction);
        for (Posting posting : transaction.postings) {
            accounts.get(posting.payer()).book(at, name, posting.payee(), -posting.amount());
            accounts.get(posting.payee()).book(at, name, posting.payer(), posting.amount());
        }
        return name;
    }

    /** The hold that is being captured, if any, is taken as ended. */
    private void checkFunds(long at, List<Posting> postings, Hold freed) throws Declined {
        Map<String, Long> changes = new LinkedHashMap<>();
        for (Posting posting : postings) {
            changes.merge(posting.payer(), -posting.amount(), Long::sum);
            changes.merge(posting.payee(), posting.amount(), Long::sum);
        }
        for (String name : changes.keySet()) {
            Account account = accounts.get(name);
            long held = account.heldAt(at) - (freed != null && freed.account == account ? freed.amount : 0);
            if (account.balance() + changes.get(name) - held + account.overdraft < 0) {
                throw new Declined("insufficient_funds");
            }
        }
        for (String name : changes.keySet()) {
            if (Math.abs(accounts.get(name).balance() + changes.get(name)) > Request.LARGEST) {
                throw new Declined("overflow");
            }
        }
    }
}
