package booking;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** The seats by name, in plan order, and the clients who wait for one. */
final class Venue {
    final Map<String, Seat> seats = new LinkedHashMap<>();
    final List<String> waiting = new ArrayList<>();

    void addRow(String row, int count) {
        for (int number = 1; number <= count; number++) {
            String name = row + number;
            seats.put(name, new Seat(name));
        }
    }

    /** Frees what the client holds; returns the names of these seats. */
    List<String> freeAllOf(String client) {
        List<String> names = new ArrayList<>();
        for (Seat seat : seats.values()) {
            if (seat.status == Status.HELD && seat.client.equals(client)) {
                seat.change(Status.FREE, "");
                names.add(seat.name);
            }
        }
        return names;
    }
}
