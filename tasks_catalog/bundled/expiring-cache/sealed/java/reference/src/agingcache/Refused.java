package agingcache;

/** A command that changes nothing; the message is the answer. */
final class Refused extends RuntimeException {
    private static final long serialVersionUID = 1L;

    Refused(String kind) {
        super("refused " + kind);
    }

    Refused(String kind, Object subject) {
        super("refused " + kind + " " + subject);
    }
}
