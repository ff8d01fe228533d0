// Carries out commands.

import { formatHundredths, parseHundredths, parseWhole } from "./decimals.js";
import { Document, percentOf, sum } from "./document.js";

const REFUSED = ["refused bad_command"];

// Keeps documents; answers one command line after the other.
export class Register {
  #documents = new Map();

  // Returns the lines of the answer.
  answer(line) {
    const [command, name, ...words] = line.split(" ");
    if (name === undefined) {
      return REFUSED;
    }
    if (command === "currency") {
      return ["ok"];
    }
    if (command === "open" && words.length > 0) {
      this.#documents.set(name, new Document(name, words[0]));
      return ["ok"];
    }
    const document = this.#documents.get(name);
    if (document === undefined) {
      return REFUSED;
    }
    if (command === "line" && words.length === 4) {
      return addLine(document, ...words);
    }
    if (command === "discount" && words.length === 3) {
      return discount(document, ...words);
    }
    if (command === "rebate" && words.length === 2) {
      return rebate(document, ...words);
    }
    if (command === "lines") {
      return lines(document);
    }
    if (command === "total") {
      return total(document);
    }
    return REFUSED;
  }
}

function addLine(document, name, quantity, price, rate) {
  const [count, cents, percent] = [parseWhole(quantity), parseHundredths(price), parseWhole(rate)];
  if (count === null || cents === null || percent === null) {
    return REFUSED;
  }
  return [`ok ${formatHundredths(document.addLine(name, count, cents, percent))}`];
}

function discount(document, name, kind, value) {
  const line = document.find(name);
  const [cents, percent] = [parseHundredths(value), parseWhole(value)];
  if (line === undefined || cents === null || percent === null) {
    return REFUSED;
  }
  line.amount -= kind === "percent" ? percentOf(line.amount, percent) : cents;
  return [`ok ${formatHundredths(line.amount)}`];
}

function rebate(document, kind, value) {
  const [cents, percent] = [parseHundredths(value), parseWhole(value)];
  if (cents === null || percent === null) {
    return REFUSED;
  }
  const figure = kind === "percent" ? document.rebatePercent(percent) : document.rebateAmount(cents);
  return [`ok ${formatHundredths(figure)}`];
}

function lines(document) {
  const items = document.lines.map((line) => {
    const [amount, rebate, net] = [line.amount, line.rebate, line.net].map(formatHundredths);
    return `item ${line.name} rate ${line.rate} amount ${amount} rebate ${rebate} net ${net}`;
  });
  return [`lines ${document.lines.length}`, ...items];
}

function total(document) {
  const net = sum(document.lines.map((line) => line.net));
  const tax = sum(document.lines.map((line) => line.tax));
  const sums = `net ${formatHundredths(net)} tax ${formatHundredths(tax)} gross ${formatHundredths(net + tax)}`;
  const rates = document.rates().map((rate) => {
    const group = document.lines.filter((line) => line.rate === rate);
    const groupNet = formatHundredths(sum(group.map((line) => line.net)));
    const groupTax = formatHundredths(sum(group.map((line) => line.tax)));
    return `rate ${rate} net ${groupNet} tax ${groupTax}`;
  });
  return [`total ${document.name} ${document.code} ${sums}`, ...rates];
}
