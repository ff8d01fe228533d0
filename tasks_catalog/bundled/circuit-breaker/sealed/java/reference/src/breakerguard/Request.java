package breakerguard;

/** A request that has every field in its type and range. */
sealed interface Request {
    String target();

    /** Makes a target known. */
    record Configure(String target, Settings settings) implements Request {}

    /** Asks whether a call may go out. */
    record Call(String target, String call, long at) implements Request {}

    /** Reports the status code that came back. */
    record Result(String target, String call, long at, long status) implements Request {}

    /** Asks how a target is. */
    record Query(String target, long at) implements Request {}
}
