package invoicing;

import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;

/** One document: its lines in the order in which they were added, its rebate and what they come to. */
final class Document {
    final String name;
    final String code;
    final List<Line> lines = new ArrayList<>();

    Document(String name, String code) {
        this.name = name;
        this.code = code;
    }

    /** Adds a line and returns its amount. */
    long addLine(String name, long quantity, long price, long rate) {
        Line line = new Line(name, rate, quantity * price);
        lines.add(line);
        return line.amount;
    }

    /** Returns the line of that name, or null. */
    Line find(String name) {
        for (Line line : lines) {
            if (line.name.equals(name)) {
                return line;
            }
        }
        return null;
    }

    /** Lowers all lines and returns the rebate. */
    long rebatePercent(long percent) {
        long rebate = 0;
        for (Line line : lines) {
            line.rebate = percentOf(line.amount, percent);
            rebate += line.rebate;
        }
        return rebate;
    }

    /** Lowers the first line and returns the rebate. */
    long rebateAmount(long rebate) {
        if (!lines.isEmpty()) {
            lines.get(0).rebate = rebate;
        }
        return rebate;
    }

    /** Returns the rates of the lines, each once. */
    Set<Long> rates() {
        Set<Long> rates = new LinkedHashSet<>();
        for (Line line : lines) {
            rates.add(line.rate);
        }
        return rates;
    }

    static long percentOf(long units, long percent) {
        // rounded half up: the division goes down, also below zero
        return Math.floorDiv(units * percent + 50, 100);
    }
}
