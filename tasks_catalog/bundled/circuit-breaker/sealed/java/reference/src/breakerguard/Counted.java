package breakerguard;

/** What a result counted as. */
enum Counted {
    SUCCESS("success"),
    FAILURE("failure"),
    NEITHER("neither"),
    LATE("late");

    final String text;

    Counted(String text) {
        this.text = text;
    }
}
