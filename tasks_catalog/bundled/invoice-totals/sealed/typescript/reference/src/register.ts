// Carries out commands.

import { formatDecimal, formatShortest } from "./decimals";
import { Currency, Document, sumOf } from "./document";
import { Refused } from "./refusal";
import { FINEST, Request, parse } from "./request";
import { HALF_EVEN, HALF_UP } from "./rounding";

// Keeps currencies and documents; answers one command line after the other.
export class Register {
  readonly #currencies = new Map<string, Currency>();
  readonly #documents = new Map<string, Document>();

  // Returns the lines of the answer.
  answer(line: string): string[] {
    try {
      return this.#carryOut(parse(line));
    } catch (error) {
      if (error instanceof Refused) {
        return [`refused ${error.reason}`];
      }
      throw error;
    }
  }

  #carryOut(request: Request): string[] {
    switch (request.command) {
      case "currency":
        return this.#currency(request.word("code"), request.word("digits"));
      case "open":
        return this.#open(request.word("doc"), request.word("code"), request.word("rounding"));
    }
    const document = this.#document(request.word("doc"));
    switch (request.command) {
      case "lines":
        return lines(document);
      case "total":
        return total(document);
    }
    return [`ok ${amount(document, change(document, request))}`];
  }

  #currency(code: string, digits: string): string[] {
    if (this.#currencies.has(code)) {
      throw new Refused("currency_exists");
    }
    this.#currencies.set(code, { code, digits: Number(digits) });
    return ["ok"];
  }

  #open(doc: string, code: string, rounding: string): string[] {
    if (this.#documents.has(doc)) {
      throw new Refused("document_exists");
    }
    const currency = this.#currencies.get(code);
    if (currency === undefined) {
      throw new Refused("unknown_currency");
    }
    this.#documents.set(doc, new Document(doc, currency, rounding === HALF_UP ? HALF_UP : HALF_EVEN));
    return ["ok"];
  }

  #document(name: string): Document {
    const document = this.#documents.get(name);
    if (document === undefined) {
      throw new Refused("unknown_document");
    }
    return document;
  }
}

function change(document: Document, request: Request): bigint {
  switch (request.command) {
    case "line":
      return document.addLine(
        request.word("line"),
        request.number("quantity"),
        request.number("price"),
        request.number("rate"),
      );
    case "discount":
      return document.discount(request.word("line"), request.word("kind"), request.number("value"));
    default:
      return document.rebate(request.word("kind"), request.number("value"));
  }
}

function lines(document: Document): string[] {
  const items = document.lines.map((line) => {
    const rate = formatShortest(line.rate, FINEST);
    const figures = `amount ${amount(document, line.amount)} rebate ${amount(document, line.rebate)}`;
    return `item ${line.name} rate ${rate} ${figures} net ${amount(document, line.net)}`;
  });
  return [`lines ${items.length}`, ...items];
}

function total(document: Document): string[] {
  const groups = document.groups();
  const { net, tax } = sumOf(groups);
  const gross = amount(document, net + tax);
  const sums = `net ${amount(document, net)} tax ${amount(document, tax)} gross ${gross}`;
  const rates = groups.map((group) => {
    const rate = formatShortest(group.rate, FINEST);
    return `rate ${rate} net ${amount(document, group.net)} tax ${amount(document, group.tax)}`;
  });
  return [`total ${document.name} ${document.currency.code} ${sums}`, ...rates];
}

function amount(document: Document, units: bigint): string {
  return formatDecimal(units, document.currency.digits);
}
