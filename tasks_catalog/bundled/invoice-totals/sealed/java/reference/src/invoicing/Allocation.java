package invoicing;

import java.math.BigInteger;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;

/** Dividing a whole number of units over weights. */
final class Allocation {
    private Allocation() {}

    private record Share(int place, BigInteger rest, BigInteger weight) {}

    /**
     * Returns one part for each weight (largest remainder); the parts add up to the units. The units
     * are at most the sum of the weights, and no weight is negative.
     */
    static List<BigInteger> allocate(BigInteger units, List<BigInteger> weights) {
        BigInteger total = Document.sum(weights);
        List<BigInteger> parts = new ArrayList<>();
        List<Share> shares = new ArrayList<>();
        for (BigInteger weight : weights) {
            BigInteger[] exact = {BigInteger.ZERO, BigInteger.ZERO};
            if (total.signum() > 0) {
                exact = units.multiply(weight).divideAndRemainder(total);
            }
            shares.add(new Share(parts.size(), exact[1], weight));
            parts.add(exact[0]);
        }
        if (total.signum() == 0) {
            return parts;
        }
        // sorting is stable: what is equal in both stays in the order of the weights
        shares.sort(Comparator.comparing(Share::rest).thenComparing(Share::weight).reversed());
        int left = units.subtract(Document.sum(parts)).intValue();
        for (Share share : shares.subList(0, Math.max(left, 0))) {
            parts.set(share.place(), parts.get(share.place()).add(BigInteger.ONE));
        }
        return parts;
    }
}
