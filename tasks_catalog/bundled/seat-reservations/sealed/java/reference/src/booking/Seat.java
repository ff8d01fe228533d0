package booking;

/** A numbered seat. `client` and `until` mean something only while the status calls for them. */
final class Seat {
    final String row;
    final int number;
    Status status = Status.FREE;
    String client = "";
    long until = 0;
    long version = 0;

    Seat(String row, int number) {
        this.row = row;
        this.number = number;
    }

    Seat copy() {
        Seat twin = new Seat(row, number);
        twin.status = status;
        twin.client = client;
        twin.until = until;
        twin.version = version;
        return twin;
    }

    String name() {
        return row + number;
    }

    boolean isFree() {
        return status == Status.FREE;
    }

    boolean isHeldBy(String asked) {
        return status == Status.HELD && client.equals(asked);
    }

    void hold(String newClient, long newUntil) {
        change(Status.HELD, newClient, newUntil);
    }

    void book(String newClient) {
        change(Status.BOOKED, newClient, 0);
    }

    void free() {
        change(Status.FREE, "", 0);
    }

    private void change(Status newStatus, String newClient, long newUntil) {
        status = newStatus;
        client = newClient;
        until = newUntil;
        version++;
    }
}
