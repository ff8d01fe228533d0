package ledger;

/** The command is remembered, but moves nothing; the reason is one of the ticket's. */
final class Declined extends Exception {
    private static final long serialVersionUID = 1L;

    Declined(String reason) {
        super(reason);
    }

    String reason() {
        return getMessage();
    }
}
