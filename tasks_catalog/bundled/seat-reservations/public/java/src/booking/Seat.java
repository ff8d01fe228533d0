package booking;

/** One numbered seat and who has it. */
final class Seat {
    final String name;
    Status status = Status.FREE;
    String client = "";
    long version = 0;

    Seat(String name) {
        this.name = name;
    }

    void change(Status newStatus, String newClient) {
        status = newStatus;
        client = newClient;
        version++;
    }
}
