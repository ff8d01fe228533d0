package booking;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.OptionalLong;
import java.util.stream.Collectors;

/** All that steps can change, and what time does to it. */
final class State {
    /** Every client has tickets of its own. */
    record TicketKey(String client, String ticket) {}

    long clock = 0;
    final Map<String, Venue> venues = new LinkedHashMap<>();
    final Map<String, Transaction> transactions = new HashMap<>();
    final Map<TicketKey, List<String>> tickets = new HashMap<>();

    State copy() {
        State twin = new State();
        twin.clock = clock;
        venues.forEach((name, venue) -> twin.venues.put(name, venue.copy()));
        transactions.forEach((client, each) -> twin.transactions.put(client, each.copy()));
        twin.tickets.putAll(tickets);
        return twin;
    }

    /** Lets all holds expire that end up to `at`; returns the event lines. */
    List<String> advance(long at) {
        List<String> events = new ArrayList<>();
        OptionalLong due = nextExpiry();
        while (due.isPresent() && due.getAsLong() <= at) {
            for (Venue venue : venues.values()) {
                events.addAll(expire(venue, due.getAsLong()));
            }
            due = nextExpiry();
        }
        clock = at;
        return events;
    }

    /** Grants each wish on the waiting list that can be met now; returns the event lines. */
    List<String> promote(Venue venue, long at) {
        List<String> events = new ArrayList<>();
        for (Step wish : List.copyOf(venue.waiting)) {
            List<Seat> seats = venue.available(wish);
            if (seats.isEmpty() || venue.wouldExceed(wish.client, seats.size())) {
                continue;
            }
            venue.forgetWish(wish.client);
            long until = at + wish.lasting;
            for (Seat seat : seats) {
                seat.hold(wish.client, until);
                transactions.get(wish.client).learn(seat);
            }
            String names = seats.stream().map(Seat::name).collect(Collectors.joining(" "));
            events.add("promoted " + at + " " + venue.name + " " + wish.client + " " + until + " " + names);
        }
        return events;
    }

    private OptionalLong nextExpiry() {
        return venues.values().stream()
                .flatMap(venue -> venue.seats.stream())
                .filter(seat -> seat.status == Status.HELD)
                .mapToLong(seat -> seat.until)
                .min();
    }

    private List<String> expire(Venue venue, long due) {
        List<String> events = new ArrayList<>();
        for (Seat seat : venue.seats) {
            if (seat.status == Status.HELD && seat.until == due) {
                events.add("expired " + due + " " + venue.name + " " + seat.name() + " " + seat.client);
                seat.free();
            }
        }
        events.addAll(promote(venue, due));
        return events;
    }
}
