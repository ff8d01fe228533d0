package ledger;

/** The command leaves no trace; the reason is one of the ticket's. */
final class Refused extends Exception {
    private static final long serialVersionUID = 1L;

    Refused(String reason) {
        super(reason);
    }

    String reason() {
        return getMessage();
    }
}
