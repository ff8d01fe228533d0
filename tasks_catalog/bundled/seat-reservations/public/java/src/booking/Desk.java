package booking;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/** Keeps the venues and which one each client is in; answers one line after the other. */
public final class Desk {
    private static final String REFUSED = "refused bad_step";

    private final Map<String, Venue> venues = new HashMap<>();
    private final Map<String, String> venueOf = new HashMap<>();

    public List<String> answer(String line) {
        List<String> fields = List.of(line.split(" ", -1));
        if (fields.size() < 3) {
            return List.of(REFUSED);
        }
        List<String> rest = fields.subList(3, fields.size());
        if (fields.get(0).equals("venue")) {
            return List.of(openVenue(fields.get(1), rest));
        }
        return List.of(carryOut(fields.get(0), fields.get(2), rest));
    }

    private String openVenue(String name, List<String> rows) {
        Venue venue = new Venue();
        for (String field : rows) {
            String[] parts = field.split(":", 2);
            venue.addRow(parts[0], parts.length < 2 ? 0 : number(parts[1]));
        }
        venues.put(name, venue);
        return "ok " + venue.seats.size();
    }

    private String carryOut(String operation, String client, List<String> rest) {
        if (operation.equals("begin")) {
            return begin(client, rest);
        }
        Venue venue = venues.get(venueOf.get(client));
        if (venue == null) {
            return REFUSED;
        }
        List<String> afterFirst = rest.subList(Math.min(1, rest.size()), rest.size());
        switch (operation) {
            case "read":
                return read(venue, rest);
            case "hold":
                return change(venue, afterFirst, Status.FREE, "", Status.HELD, client);
            case "extend":
                return change(venue, afterFirst, Status.HELD, client, Status.HELD, client);
            case "release":
                return change(venue, rest, Status.HELD, client, Status.FREE, "");
            case "confirm":
                return confirm(venue, client, afterFirst);
            case "cancel":
                venueOf.remove(client);
                return ok(venue.freeAllOf(client));
            case "wait":
                venue.waiting.add(client);
                return "ok " + venue.waiting.size();
            default:
                return REFUSED;
        }
    }

    private String begin(String client, List<String> rest) {
        if (rest.isEmpty() || !venues.containsKey(rest.get(0))) {
            return REFUSED;
        }
        venueOf.put(client, rest.get(0));
        return "ok";
    }

    private static String read(Venue venue, List<String> names) {
        List<String> answers = new ArrayList<>();
        for (String name : names) {
            Seat seat = venue.seats.get(name);
            if (seat == null) {
                return REFUSED;
            }
            answers.add(name + "=" + seat.status.word() + "/" + seat.version);
        }
        return ok(answers);
    }

    private static String change(
            Venue venue, List<String> names, Status status, String owner, Status newStatus, String newOwner) {
        for (String name : names) {
            Seat seat = venue.seats.get(name);
            if (seat == null || seat.status != status || !seat.client.equals(owner)) {
                return REFUSED;
            }
            if (newStatus != status) {
                seat.change(newStatus, newOwner);
            }
        }
        return ok(names);
    }

    private String confirm(Venue venue, String client, List<String> names) {
        for (String name : names) {
            Seat seat = venue.seats.get(name);
            if (seat == null || seat.status == Status.BOOKED) {
                return REFUSED;
            }
            seat.change(Status.BOOKED, client);
        }
        venue.freeAllOf(client);
        venueOf.remove(client);
        return ok(names);
    }

    /** The number that a field holds; 0 if it holds none. */
    private static int number(String text) {
        return text.matches("[0-9]{1,2}") ? Integer.parseInt(text) : 0;
    }

    private static String ok(List<String> parts) {
        return parts.isEmpty() ? "ok" : "ok " + String.join(" ", parts);
    }
}
