package invoicing;

/** A command that is not carried out; the reason is one of the ticket's reasons. */
final class Refused extends Exception {
    private static final long serialVersionUID = 1L;

    Refused(String reason) {
        super(reason);
    }

    String reason() {
        return getMessage();
    }
}
