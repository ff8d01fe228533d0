// One document: its lines, its rebate and what they come to. Amounts are cents (BigInt).

export class Line {
  rebate = 0n;

  constructor(
    readonly name: string,
    readonly rate: bigint,
    public amount: bigint,
  ) {}

  get net(): bigint {
    return this.amount - this.rebate;
  }

  get tax(): bigint {
    return percentOf(this.net, this.rate);
  }
}

// Keeps its lines in the order in which they were added.
export class Document {
  readonly lines: Line[] = [];

  constructor(
    readonly name: string,
    readonly code: string,
  ) {}

  // Adds a line and returns its amount.
  addLine(name: string, quantity: bigint, price: bigint, rate: bigint): bigint {
    const line = new Line(name, rate, quantity * price);
    this.lines.push(line);
    return line.amount;
  }

  // Returns the line of that name, or undefined.
  find(name: string): Line | undefined {
    return this.lines.find((line) => line.name === name);
  }

  // Lowers all lines and returns the rebate.
  rebatePercent(percent: bigint): bigint {
    for (const line of this.lines) {
      line.rebate = percentOf(line.amount, percent);
    }
    return sum(this.lines.map((line) => line.rebate));
  }

  // Lowers the first line and returns the rebate.
  rebateAmount(rebate: bigint): bigint {
    for (const line of this.lines.slice(0, 1)) {
      line.rebate = rebate;
    }
    return rebate;
  }

  // Returns the rates of the lines, each once.
  rates(): bigint[] {
    return [...new Set(this.lines.map((line) => line.rate))];
  }
}

export function percentOf(units: bigint, percent: bigint): bigint {
  // rounded half up, also below zero
  const exact = units * percent + 50n;
  return exact % 100n < 0n ? exact / 100n - 1n : exact / 100n;
}

export function sum(figures: readonly bigint[]): bigint {
  return figures.reduce((total, figure) => total + figure, 0n);
}
