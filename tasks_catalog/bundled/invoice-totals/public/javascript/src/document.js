// One document: its lines, its rebate and what they come to. Amounts are cents (BigInt).

export class Line {
  constructor(name, rate, amount) {
    this.name = name;
    this.rate = rate;
    this.amount = amount;
    this.rebate = 0n;
  }

  get net() {
    return this.amount - this.rebate;
  }

  get tax() {
    return percentOf(this.net, this.rate);
  }
}

// Keeps its lines in the order in which they were added.
export class Document {
  constructor(name, code) {
    this.name = name;
    this.code = code;
    this.lines = [];
  }

  // Adds a line and returns its amount.
  addLine(name, quantity, price, rate) {
    const line = new Line(name, rate, quantity * price);
    this.lines.push(line);
    return line.amount;
  }

  // Returns the line of that name, or undefined.
  find(name) {
    return this.lines.find((line) => line.name === name);
  }

  // Lowers all lines and returns the rebate.
  rebatePercent(percent) {
    for (const line of this.lines) {
      line.rebate = percentOf(line.amount, percent);
    }
    return sum(this.lines.map((line) => line.rebate));
  }

  // Lowers the first line and returns the rebate.
  rebateAmount(rebate) {
    for (const line of this.lines.slice(0, 1)) {
      line.rebate = rebate;
    }
    return rebate;
  }

  // Returns the rates of the lines, each once.
  rates() {
    return [...new Set(this.lines.map((line) => line.rate))];
  }
}

export function percentOf(units, percent) {
  // rounded half up, also below zero
  const exact = units * percent + 50n;
  return exact % 100n < 0n ? exact / 100n - 1n : exact / 100n;
}

export function sum(figures) {
  return figures.reduce((total, figure) => total + figure, 0n);
}
