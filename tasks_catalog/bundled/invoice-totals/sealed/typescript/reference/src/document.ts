// One document: its lines, its rebate and what they come to.

import { allocate, compare, sum } from "./allocation";
import { Decimal, magnitude, powerOfTen } from "./decimals";
import { Refused } from "./refusal";
import { AMOUNT, FINEST } from "./request";
import { Rounding, divide } from "./rounding";

const LARGEST = 999_999_999_999_999n;
const QUANTITY_PLACES = 3;
const PRICE_PLACES = 6;
const PERCENT_DIVISOR = 100n * powerOfTen(FINEST);

export interface Currency {
  readonly code: string;
  readonly digits: number;
}

// A line; amounts are smallest units of the currency, the rate is in thousandths.
export class Line {
  constructor(
    readonly name: string,
    readonly rate: bigint,
    readonly amount: bigint,
    readonly rebate: bigint = 0n,
  ) {}

  get net(): bigint {
    return this.amount - this.rebate;
  }
}

// What the lines of one rate come to.
export interface Group {
  readonly rate: bigint;
  readonly net: bigint;
  readonly tax: bigint;
}

// Keeps its lines in the order in which they were added. Every change is made whole or not at all.
export class Document {
  lines: readonly Line[] = [];
  readonly #rounding: Rounding;
  #hasRebate = false;

  constructor(
    readonly name: string,
    readonly currency: Currency,
    rounding: Rounding,
  ) {
    this.#rounding = rounding;
  }

  // Adds a line and returns its amount.
  addLine(name: string, quantity: Decimal, price: Decimal, rate: Decimal): bigint {
    this.#refuseAfterRebate();
    if (this.#find(name) !== undefined) {
      throw new Refused("line_exists");
    }
    const product = quantity.scaled(QUANTITY_PLACES) * price.scaled(PRICE_PLACES);
    const exact = product * powerOfTen(this.currency.digits);
    const amount = this.#rounded(exact, powerOfTen(QUANTITY_PLACES + PRICE_PLACES));
    this.#change([...this.lines, new Line(name, rate.scaled(FINEST), amount)]);
    return amount;
  }

  // Lowers a line and returns the amount that is left.
  discount(name: string, kind: string, value: Decimal): bigint {
    this.#refuseAfterRebate();
    const line = this.#find(name);
    if (line === undefined) {
      throw new Refused("unknown_line");
    }
    const before = magnitude(line.amount);
    const left = before - this.#reduction(kind, value, before);
    const changed = new Line(name, line.rate, line.amount < 0n ? -left : left);
    this.#change(this.lines.map((other) => (other === line ? changed : other)));
    return changed.amount;
  }

  // Lowers all lines that are no credits and returns the rebate.
  rebate(kind: string, value: Decimal): bigint {
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
  groups(lines: readonly Line[] = this.lines): Group[] {
    const nets = new Map<bigint, bigint>();
    for (const line of lines) {
      nets.set(line.rate, (nets.get(line.rate) ?? 0n) + line.net);
    }
    return [...nets]
      .sort(([one], [other]) => compare(one, other))
      .map(([rate, net]) => ({ rate, net, tax: this.#rounded(net * rate, PERCENT_DIVISOR) }));
  }

  #refuseAfterRebate(): void {
    if (this.#hasRebate) {
      throw new Refused("rebate_given");
    }
  }

  #find(name: string): Line | undefined {
    return this.lines.find((line) => line.name === name);
  }

  #reduction(kind: string, value: Decimal, base: bigint): bigint {
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

  #rounded(numerator: bigint, divisor: bigint): bigint {
    return divide(numerator, divisor, this.#rounding);
  }

  #change(lines: readonly Line[], ...more: bigint[]): void {
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
export function sumOf(groups: readonly Group[]): { net: bigint; tax: bigint } {
  return { net: sum(groups.map((group) => group.net)), tax: sum(groups.map((group) => group.tax)) };
}
