package booking;

import java.util.HashMap;
import java.util.Map;

/** `known` maps the name of a seat to the version that the transaction knows. */
final class Transaction {
    final String venue;
    final Map<String, Long> known;

    Transaction(String venue, Map<String, Long> known) {
        this.venue = venue;
        this.known = new HashMap<>(known);
    }

    Transaction copy() {
        return new Transaction(venue, known);
    }

    void learn(Seat seat) {
        known.put(seat.name(), seat.version);
    }
}
