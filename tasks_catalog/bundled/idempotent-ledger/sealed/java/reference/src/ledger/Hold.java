package ledger;

/** Live from the instant at which it was made up to, but not including, that at which it ends. */
final class Hold {
    final String name;
    final Account account;
    final long made;
    long amount;
    long ends;

    Hold(String name, Account account, long amount, long made, long ends) {
        this.name = name;
        this.account = account;
        this.amount = amount;
        this.made = made;
        this.ends = ends;
    }

    boolean isLive(long at) {
        return made <= at && at < ends;
    }
}
