package invoicing;

import invoicing.Decimals.Decimal;
import java.math.BigInteger;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/** Keeps its lines in the order in which they were added. Every change is made whole or not at all. */
final class Document {
    private static final BigInteger LARGEST = BigInteger.valueOf(999_999_999_999_999L);
    private static final int QUANTITY_PLACES = 3;
    private static final int PRICE_PLACES = 6;
    private static final BigInteger PERCENT_DIVISOR = BigInteger.valueOf(100 * Decimals.powerOfTen(Request.FINEST));

    /** A declared currency. */
    record Currency(String code, int digits) {}

    /** What the lines of one rate come to. */
    record Group(long rate, BigInteger net, BigInteger tax) {}

    final String name;
    final Currency currency;
    private final Rounding rounding;
    private List<Line> lines = new ArrayList<>();
    private boolean hasRebate;

    Document(String name, Currency currency, Rounding rounding) {
        this.name = name;
        this.currency = currency;
        this.rounding = rounding;
    }

    List<Line> lines() {
        return lines;
    }

    /** Adds a line and returns its amount. */
    BigInteger addLine(String name, Decimal quantity, Decimal price, Decimal rate) throws Refused {
        refuseAfterRebate();
        if (find(name) >= 0) {
            throw new Refused("line_exists");
        }
        BigInteger product = whole(quantity.scaled(QUANTITY_PLACES)).multiply(whole(price.scaled(PRICE_PLACES)));
        BigInteger exact = product.multiply(whole(Decimals.powerOfTen(currency.digits())));
        BigInteger amount = rounding.divide(exact, whole(Decimals.powerOfTen(QUANTITY_PLACES + PRICE_PLACES)));
        List<Line> changed = new ArrayList<>(lines);
        changed.add(new Line(name, rate.scaled(Request.FINEST), amount, BigInteger.ZERO));
        change(changed, List.of());
        return amount;
    }

    /** Lowers a line and returns the amount that is left. */
    BigInteger discount(String name, String kind, Decimal value) throws Refused {
        refuseAfterRebate();
        int place = find(name);
        if (place < 0) {
            throw new Refused("unknown_line");
        }
        Line line = lines.get(place);
        BigInteger before = line.amount().abs();
        BigInteger left = before.subtract(reduction(kind, value, before));
        BigInteger amount = line.amount().signum() < 0 ? left.negate() : left;
        List<Line> changed = new ArrayList<>(lines);
        changed.set(place, new Line(name, line.rate(), amount, BigInteger.ZERO));
        change(changed, List.of());
        return amount;
    }

    /** Lowers all lines that are no credits and returns the rebate. */
    BigInteger rebate(String kind, Decimal value) throws Refused {
        refuseAfterRebate();
        List<BigInteger> weights = lines.stream().map(line -> line.amount().max(BigInteger.ZERO)).toList();
        BigInteger rebate = reduction(kind, value, sum(weights));
        List<BigInteger> parts = Allocation.allocate(rebate, weights);
        List<Line> changed = new ArrayList<>();
        for (Line line : lines) {
            changed.add(new Line(line.name(), line.rate(), line.amount(), parts.get(changed.size())));
        }
        change(changed, List.of(rebate));
        hasRebate = true;
        return rebate;
    }

    /** Returns what the lines of each rate come to, in ascending order of the rates. */
    List<Group> groups() {
        return groupsOf(lines);
    }

    private List<Group> groupsOf(List<Line> lines) {
        Map<Long, BigInteger> nets = new TreeMap<>();
        for (Line line : lines) {
            nets.merge(line.rate(), line.net(), BigInteger::add);
        }
        List<Group> groups = new ArrayList<>();
        nets.forEach((rate, net) -> groups.add(new Group(rate, net, percentOf(net, rate))));
        return groups;
    }

    private void refuseAfterRebate() throws Refused {
        if (hasRebate) {
            throw new Refused("rebate_given");
        }
    }

    private int find(String name) {
        for (int place = 0; place < lines.size(); place++) {
            if (lines.get(place).name().equals(name)) {
                return place;
            }
        }
        return -1;
    }

    private BigInteger reduction(String kind, Decimal value, BigInteger base) throws Refused {
        if (kind.equals(Request.PERCENT)) {
            return percentOf(base, value.scaled(Request.FINEST));
        }
        if (value.places() > currency.digits()) {
            throw new Refused("too_precise");
        }
        BigInteger reduction = whole(value.scaled(currency.digits()));
        if (reduction.compareTo(base) > 0) {
            throw new Refused("discount_too_large");
        }
        return reduction;
    }

    private BigInteger percentOf(BigInteger units, long thousandths) {
        return rounding.divide(units.multiply(whole(thousandths)), PERCENT_DIVISOR);
    }

    private void change(List<Line> changed, List<BigInteger> more) throws Refused {
        List<Group> groups = groupsOf(changed);
        BigInteger net = netOf(groups);
        BigInteger tax = taxOf(groups);
        List<BigInteger> shown = new ArrayList<>(more);
        shown.addAll(List.of(net, tax, net.add(tax)));
        changed.forEach(line -> shown.addAll(List.of(line.amount(), line.net())));
        groups.forEach(group -> shown.addAll(List.of(group.net(), group.tax())));
        if (shown.stream().anyMatch(figure -> figure.abs().compareTo(LARGEST) > 0)) {
            throw new Refused("overflow");
        }
        lines = changed;
    }

    static BigInteger netOf(List<Group> groups) {
        return sum(groups.stream().map(Group::net).toList());
    }

    static BigInteger taxOf(List<Group> groups) {
        return sum(groups.stream().map(Group::tax).toList());
    }

    static BigInteger sum(List<BigInteger> figures) {
        return figures.stream().reduce(BigInteger.ZERO, BigInteger::add);
    }

    private static BigInteger whole(long number) {
        return BigInteger.valueOf(number);
    }
}
