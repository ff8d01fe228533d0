// Carries out commands.

import { formatDecimal, formatShortest } from "./decimals.js";
import { Document, sumOf } from "./document.js";
import { Refused } from "./refusal.js";
import { FINEST, parse } from "./request.js";

// Keeps currencies and documents; answers one command line after the other.
export class Register {
  #currencies = new Map();
  #documents = new Map();

  // Returns the lines of the answer.
  answer(line) {
    try {
      return this.#carryOut(parse(line));
    } catch (error) {
      if (error instanceof Refused) {
        return [`refused ${error.reason}`];
      }
      throw error;
    }
  }

  #carryOut(request) {
    switch (request.command) {
      case "currency":
        return this.#currency(request);
      case "open":
        return this.#open(request);
    }
    const document = this.#document(request.doc);
    switch (request.command) {
      case "lines":
        return lines(document);
      case "total":
        return total(document);
    }
    return [`ok ${formatDecimal(change(document, request), document.currency.digits)}`];
  }

  #currency({ code, digits }) {
    if (this.#currencies.has(code)) {
      throw new Refused("currency_exists");
    }
    this.#currencies.set(code, { code, digits: Number(digits) });
    return ["ok"];
  }

  #open({ doc, code, rounding }) {
    if (this.#documents.has(doc)) {
      throw new Refused("document_exists");
    }
    if (!this.#currencies.has(code)) {
      throw new Refused("unknown_currency");
    }
    this.#documents.set(doc, new Document(doc, this.#currencies.get(code), rounding));
    return ["ok"];
  }

  #document(name) {
    if (!this.#documents.has(name)) {
      throw new Refused("unknown_document");
    }
    return this.#documents.get(name);
  }
}

function change(document, { command, line, quantity, price, rate, kind, value }) {
  switch (command) {
    case "line":
      return document.addLine(line, quantity, price, rate);
    case "discount":
      return document.discount(line, kind, value);
    default:
      return document.rebate(kind, value);
  }
}

function lines(document) {
  const items = document.lines.map((line) => {
    const rate = formatShortest(line.rate, FINEST);
    const [amount, rebate, net] = amounts(document, line.amount, line.rebate, line.net);
    return `item ${line.name} rate ${rate} amount ${amount} rebate ${rebate} net ${net}`;
  });
  return [`lines ${items.length}`, ...items];
}

function total(document) {
  const groups = document.groups();
  const sums = sumOf(groups);
  const [net, tax, gross] = amounts(document, sums.net, sums.tax, sums.net + sums.tax);
  const rates = groups.map((group) => {
    const [groupNet, groupTax] = amounts(document, group.net, group.tax);
    return `rate ${formatShortest(group.rate, FINEST)} net ${groupNet} tax ${groupTax}`;
  });
  return [`total ${document.name} ${document.currency.code} net ${net} tax ${tax} gross ${gross}`, ...rates];
}

function amounts(document, ...figures) {
  return figures.map((units) => formatDecimal(units, document.currency.digits));
}
