/** Input that is no block; the kind is one of the ticket's kinds. */
final class Refused extends Exception {
    private static final long serialVersionUID = 1L;

    final String kind;

    Refused(String kind) {
        super(kind);
        this.kind = kind;
    }
}
