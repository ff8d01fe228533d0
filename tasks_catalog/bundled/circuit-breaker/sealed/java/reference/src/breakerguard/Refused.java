package breakerguard;

/** A request that is not carried out. */
final class Refused extends Exception {
    private static final long serialVersionUID = 1L;

    /** Why: the ticket's error kinds. */
    enum Kind {
        INVALID_JSON("invalid_json"),
        NOT_AN_OBJECT("not_an_object"),
        MISSING_FIELD("missing_field"),
        WRONG_TYPE("wrong_type"),
        UNKNOWN_OPERATION("unknown_operation"),
        OUT_OF_RANGE("out_of_range"),
        CONFLICTING_STATUSES("conflicting_statuses"),
        ALREADY_CONFIGURED("already_configured"),
        UNKNOWN_TARGET("unknown_target"),
        TIME_BACKWARDS("time_backwards"),
        DUPLICATE_CALL("duplicate_call"),
        UNKNOWN_CALL("unknown_call");

        final String text;

        Kind(String text) {
            this.text = text;
        }
    }

    final Kind kind;

    Refused(Kind kind) {
        super(kind.text);
        this.kind = kind;
    }
}
