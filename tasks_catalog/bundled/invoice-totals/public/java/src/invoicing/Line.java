package invoicing;

/** A line of a document; amounts are cents. */
final class Line {
    final String name;
    final long rate;
    long amount;
    long rebate;

    Line(String name, long rate, long amount) {
        this.name = name;
        this.rate = rate;
        this.amount = amount;
    }

    long net() {
        return amount - rebate;
    }

    long tax() {
        return Document.percentOf(net(), rate);
    }
}
