// One document: its lines, its rebate and what they come to.

import { allocate, compare, sum } from "./allocation.js";
import { magnitude, powerOfTen } from "./decimals.js";
import { Refused } from "./refusal.js";
import { AMOUNT, FINEST } from "./request.js";
import { divide } from "./rounding.js";

const LARGEST = 999_999_999_999_999n;
const QUANTITY_PLACES = 3;
const PRICE_PLACES = 6;
const PERCENT_DIVISOR = 100n * powerOfTen(FINEST);

// A line; amounts are smallest units of the currency, the rate is in thousandths.
class Line {
  constructor(name, rate, amount, rebate = 0n) {
    this.name = name;
    this.rate = rate;
    this.amount = amount;
    this.rebate = rebate;
  }

  get net() {
    return this.amount - this.rebate;
  }
}

// Keeps its lines in the order in which they were added. Every change is made whole or not at all.
export class Document {
  #rounding;
  #hasRebate = false;

  constructor(name, currency, rounding) {
    this.name = name;
    this.currency = currency;
    this.lines = [];
    this.#rounding = rounding;
  }

  // Adds a line and returns its amount.
  addLine(name, quantity, price, rate) {
    this.#refuseAfterRebate();
    if (this.#find(name) >= 0) {
      throw new Refused("line_exists");
    }
    const product = quantity.scaled(QUANTITY_PLACES) * price.scaled(PRICE_PLACES);
    const exact = product * powerOfTen(this.currency.digits);
    const amount = this.#rounded(exact, powerOfTen(QUANTITY_PLACES + PRICE_PLACES));
    this.#change([...this.lines, new Line(name, rate.scaled(FINEST), amount)]);
    return amount;
  }

  // Lowers a line and returns the amount that is left.
  discount(name, kind, value) {
    this.#refuseAfterRebate();
    const place = this.#find(name);
    if (place < 0) {
      throw new Refused("unknown_line");
    }
    const line = this.lines[place];
    const before = magnitude(line.amount);
    const left = before - this.#reduction(kind, value, before);
    const changed = new Line(name, line.rate, line.amount < 0n ? -left : left);
    this.#change(this.lines.with(place, changed));
    return changed.amount;
  }

  // Lowers all lines that are no credits and returns the rebate.
  rebate(kind, value) {
    this.#refuseAfterRebate();
    const weights = this.lines.map((line) => (line.amount > 0n ? line.amount : 0n));
    const rebate = this.#reduction(kind, value, sum(weights));
    const parts = allocate(rebate, weights);
    const lines = this.lines.map((line, i) => new Line(line.name, line.rate, line.amount, parts[i]));
    this.#change(lines, rebate);
    this.#hasRebate = true;
    return rebate;
  }

  // Returns what the lines of each rate come to, in ascending order of the rates.
  groups(lines = this.lines) {
    const nets = new Map();
    for (const line of lines) {
      nets.set(line.rate, (nets.get(line.rate) ?? 0n) + line.net);
    }
    return [...nets]
      .sort(([one], [other]) => compare(one, other))
      .map(([rate, net]) => ({ rate, net, tax: this.#rounded(net * rate, PERCENT_DIVISOR) }));
  }

  #refuseAfterRebate() {
    if (this.#hasRebate) {
      throw new Refused("rebate_given");
    }
  }

  #find(name) {
    return this.lines.findIndex((line) => line.name === name);
  }

  #reduction(kind, value, base) {
    if (kind !== AMOUNT) {
      return this.#rounded(base * value.scaled(FINEST), PERCENT_DIVISOR);
    }
    if (value.places > this.currency.digits) {
      throw new Refused("too_precise");
    }
    const reduction = value.scaled(this.currency.digits);
    if (reduction > base) {
      throw new Refused("discount_too_large");
    }
    return reduction;
  }

  #rounded(numerator, divisor) {
    return divide(numerator, divisor, this.#rounding);
  }

  #change(lines, ...more) {
    const groups = this.groups(lines);
    const { net, tax } = sumOf(groups);
    const shown = [...more, net, tax, net + tax];
    shown.push(...lines.flatMap((line) => [line.amount, line.net]));
    shown.push(...groups.flatMap((group) => [group.net, group.tax]));
    if (shown.some((figure) => magnitude(figure) > LARGEST)) {
      throw new Refused("overflow");
    }
    this.lines = lines;
  }
}

// Returns the net and the tax of all groups together.
export function sumOf(groups) {
  return { net: sum(groups.map((group) => group.net)), tax: sum(groups.map((group) => group.tax)) };
}
