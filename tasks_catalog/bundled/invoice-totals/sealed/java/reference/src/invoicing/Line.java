package invoicing;

import java.math.BigInteger;

/** A line of a document; amounts are smallest units of the currency, the rate is in thousandths. */
record Line(String name, long rate, BigInteger amount, BigInteger rebate) {
    BigInteger net() {
        return amount.subtract(rebate);
    }
}
