package booking;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/**
 * Answers one line after the other.
 *
 * A step works on a copy of the state, which replaces the state if the step is carried out: a
 * refused step must leave no trace, not even of the time that passed before it was judged.
 */
public final class Desk {
    private State state = new State();

    /** The answer line of a step, with its event lines around it. */
    public List<String> answer(String line) {
        try {
            Step step = Step.parse(line);
            State next = state.copy();
            List<String> lines = carryOut(next, step);
            state = next;
            return lines;
        } catch (Refused refusal) {
            return List.of(refusal.getMessage());
        }
    }

    private static List<String> carryOut(State state, Step step) {
        if (step.operation.equals("venue")) {
            return List.of(openVenue(state, step));
        }
        if (step.at < state.clock) {
            throw new Refused("time_backwards");
        }
        List<String> lines = state.advance(step.at);
        lines.add(answer(state, step));
        for (Venue venue : state.venues.values()) {
            lines.addAll(state.promote(venue, step.at));
        }
        return lines;
    }

    private static String answer(State state, Step step) {
        if (step.operation.equals("begin")) {
            return begin(state, step);
        }
        if (step.operation.equals("confirm") && state.tickets.containsKey(ticketKey(step))) {
            return confirmAgain(state, step);
        }
        Transaction transaction = state.transactions.get(step.client);
        if (transaction == null) {
            throw new Refused("not_open");
        }
        Venue venue = state.venues.get(transaction.venue);
        return switch (step.operation) {
            case "read" -> read(transaction, venue, step);
            case "hold" -> hold(transaction, venue, step);
            case "extend" -> extend(venue, step);
            case "release" -> release(transaction, venue, step);
            case "confirm" -> confirm(state, transaction, venue, step);
            case "cancel" -> ok(end(state, venue, step.client));
            default -> await(venue, step);
        };
    }

    private static String openVenue(State state, Step step) {
        if (state.venues.containsKey(step.venue)) {
            throw new Refused("venue_exists");
        }
        List<Seat> seats = new ArrayList<>();
        for (Step.Row row : step.rows) {
            for (int number = 1; number <= row.count(); number++) {
                seats.add(new Seat(row.name(), number));
            }
        }
        state.venues.put(step.venue, new Venue(step.venue, step.limit, seats, List.of()));
        return "ok " + seats.size();
    }

    private static String begin(State state, Step step) {
        if (!state.venues.containsKey(step.venue)) {
            throw new Refused("unknown_venue");
        }
        if (state.transactions.containsKey(step.client)) {
            throw new Refused("already_open");
        }
        state.transactions.put(step.client, new Transaction(step.venue, Map.of()));
        return "ok";
    }

    private static String read(Transaction transaction, Venue venue, Step step) {
        List<String> answers = new ArrayList<>();
        for (Seat seat : find(venue, step)) {
            transaction.learn(seat);
            answers.add(seat.name() + "=" + seat.status.word() + "/" + seat.version);
        }
        return ok(answers);
    }

    private static String hold(Transaction transaction, Venue venue, Step step) {
        if (step.until <= step.at) {
            throw new Refused("not_later");
        }
        List<Seat> seats = find(venue, step);
        if (venue.wouldExceed(step.client, step.wished())) {
            throw new Refused("over_limit");
        }
        for (Seat seat : seats) {
            if (!seat.isFree()) {
                throw new Refused("taken", seat.name());
            }
        }
        if (step.together > 0) {
            seats = venue.sideBySide(step.together);
            if (seats.isEmpty()) {
                throw new Refused("no_room");
            }
        }
        for (Seat seat : seats) {
            seat.hold(step.client, step.until);
            transaction.learn(seat);
        }
        return ok(seats.stream().map(Seat::name).toList());
    }

    private static String extend(Venue venue, Step step) {
        List<Seat> seats = findHeld(venue, step);
        for (Seat seat : seats) {
            if (step.until <= seat.until) {
                throw new Refused("not_longer", seat.name());
            }
        }
        for (Seat seat : seats) {
            seat.until = step.until;
        }
        return ok(step.seats);
    }

    private static String release(Transaction transaction, Venue venue, Step step) {
        for (Seat seat : findHeld(venue, step)) {
            seat.free();
            transaction.learn(seat);
        }
        return ok(step.seats);
    }

    private static String confirm(State state, Transaction transaction, Venue venue, Step step) {
        List<Seat> seats = find(venue, step);
        for (Seat seat : seats) {
            if (!transaction.known.containsKey(seat.name())) {
                throw new Refused("not_read", seat.name());
            }
        }
        if (venue.countBookedBy(step.client) + seats.size() > venue.limit) {
            throw new Refused("over_limit");
        }
        for (Seat seat : seats) {
            if (seat.version != transaction.known.get(seat.name())) {
                throw new Refused("lost_update", seat.name());
            }
        }
        for (Seat seat : seats) {
            if (!seat.isFree() && !seat.isHeldBy(step.client)) {
                throw new Refused("taken", seat.name());
            }
        }
        for (Seat seat : seats) {
            seat.book(step.client);
        }
        state.tickets.put(ticketKey(step), step.seats);
        end(state, venue, step.client);
        return ok(step.seats);
    }

    private static String confirmAgain(State state, Step step) {
        if (!state.tickets.get(ticketKey(step)).equals(step.seats)) {
            throw new Refused("ticket_used");
        }
        return ok(step.seats);
    }

    private static String await(Venue venue, Step step) {
        if (venue.isWaiting(step.client)) {
            throw new Refused("already_waiting");
        }
        find(venue, step);
        if (venue.wouldExceed(step.client, step.wished())) {
            throw new Refused("over_limit");
        }
        if (!venue.available(step).isEmpty()) {
            throw new Refused("not_needed");
        }
        venue.waiting.add(step);
        return "ok " + venue.waiting.size();
    }

    /** Ends the client's transaction; returns the names of the seats that this frees. */
    private static List<String> end(State state, Venue venue, String client) {
        List<Seat> seats = venue.heldBy(client);
        for (Seat seat : seats) {
            seat.free();
        }
        venue.forgetWish(client);
        state.transactions.remove(client);
        return seats.stream().map(Seat::name).toList();
    }

    private static List<Seat> find(Venue venue, Step step) {
        List<Seat> seats = new ArrayList<>();
        for (String name : step.seats) {
            Seat seat = venue.find(name);
            if (seat == null) {
                throw new Refused("unknown_seat", name);
            }
            seats.add(seat);
        }
        return seats;
    }

    private static List<Seat> findHeld(Venue venue, Step step) {
        List<Seat> seats = find(venue, step);
        for (Seat seat : seats) {
            if (!seat.isHeldBy(step.client)) {
                throw new Refused("not_held", seat.name());
            }
        }
        return seats;
    }

    private static State.TicketKey ticketKey(Step step) {
        return new State.TicketKey(step.client, step.ticket);
    }

    private static String ok(List<String> parts) {
        return parts.isEmpty() ? "ok" : "ok " + String.join(" ", parts);
    }
}
