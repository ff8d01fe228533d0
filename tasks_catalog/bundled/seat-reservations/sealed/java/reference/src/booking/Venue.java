package booking;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/** Seats in plan order, and the `wait` steps that were not granted yet in order of arrival. */
final class Venue {
    final String name;
    final int limit;
    final List<Seat> seats;
    final List<Step> waiting;
    private final Map<String, Seat> byName = new HashMap<>();

    Venue(String name, int limit, List<Seat> seats, List<Step> waiting) {
        this.name = name;
        this.limit = limit;
        this.seats = seats;
        this.waiting = new ArrayList<>(waiting);
        for (Seat seat : seats) {
            byName.put(seat.name(), seat);
        }
    }

    Venue copy() {
        return new Venue(name, limit, seats.stream().map(Seat::copy).toList(), waiting);
    }

    /** The seat of this name, or null. */
    Seat find(String asked) {
        return byName.get(asked);
    }

    List<Seat> heldBy(String client) {
        return seats.stream().filter(seat -> seat.isHeldBy(client)).toList();
    }

    int countBookedBy(String client) {
        return (int) seats.stream()
                .filter(seat -> seat.status == Status.BOOKED && seat.client.equals(client))
                .count();
    }

    /** Whether so many seats on top of what the client has are too many. */
    boolean wouldExceed(String client, int wished) {
        return heldBy(client).size() + countBookedBy(client) + wished > limit;
    }

    boolean isWaiting(String client) {
        return waiting.stream().anyMatch(wish -> wish.client.equals(client));
    }

    void forgetWish(String client) {
        waiting.removeIf(wish -> wish.client.equals(client));
    }

    /** The seats that a wish would get now; none if it cannot be met completely. */
    List<Seat> available(Step wish) {
        if (wish.together > 0) {
            return sideBySide(wish.together);
        }
        List<Seat> wished = wish.seats.stream().map(this::find).toList();
        return wished.stream().allMatch(Seat::isFree) ? wished : List.of();
    }

    /** The first `count` seats of the shortest gap that is long enough; none if there is no such gap. */
    List<Seat> sideBySide(int count) {
        List<Seat> chosen = List.of();
        for (List<Seat> gap : gaps()) {
            if (gap.size() >= count && (chosen.isEmpty() || gap.size() < chosen.size())) {
                chosen = gap;
            }
        }
        return chosen.subList(0, Math.min(count, chosen.size()));
    }

    private List<List<Seat>> gaps() {
        List<List<Seat>> gaps = new ArrayList<>();
        List<Seat> gap = new ArrayList<>();
        for (Seat seat : seats) {
            if (!gap.isEmpty() && (!seat.row.equals(gap.get(0).row) || !seat.isFree())) {
                gaps.add(gap);
                gap = new ArrayList<>();
            }
            if (seat.isFree()) {
                gap.add(seat);
            }
        }
        if (!gap.isEmpty()) {
            gaps.add(gap);
        }
        return gaps;
    }
}
