package breakerguard;

/** How a breaker stands. */
enum State {
    CLOSED("closed"),
    OPEN("open"),
    HALF_OPEN("half_open");

    final String text;

    State(String text) {
        this.text = text;
    }
}
