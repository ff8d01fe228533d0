package booking;

enum Status {
    FREE,
    HELD,
    BOOKED;

    String word() {
        return switch (this) {
            case FREE -> "free";
            case HELD -> "held";
            case BOOKED -> "booked";
        };
    }
}
