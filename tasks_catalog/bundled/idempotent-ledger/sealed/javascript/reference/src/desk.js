// Answers commands: the clock, the keys, and the words of the answers.

import { Book } from "./book.js";
import { Keys } from "./keys.js";
import { Declined, Refused } from "./outcome.js";
import { parse } from "./request.js";

// Answers one command line after the other.
export class Desk {
  #book = new Book();
  #keys = new Keys();
  #clock = 0n;

  // Returns the lines of the answer.
  answer(line) {
    try {
      const request = parse(line);
      return request.fields.key === undefined ? this.#plain(request) : [this.#keyed(request)];
    } catch (error) {
      if (error instanceof Refused) {
        return [`refused ${error.reason}`];
      }
      throw error;
    }
  }

  #keyed(request) {
    const { at, client, key } = request.fields;
    if (at < this.#clock) {
      throw new Refused("time_backwards");
    }
    let answer = this.#keys.recall(client, key, at, request.content);
    if (answer === null) {
      answer = this.#carryOut(request);
      this.#keys.remember(client, key, at, request.content, answer);
    }
    // only now: nothing above has been refused
    this.#clock = at;
    return answer;
  }

  #carryOut(request) {
    try {
      return `ok ${this.#apply(request)}`;
    } catch (error) {
      if (error instanceof Declined) {
        return `declined ${error.reason}`;
      }
      throw error;
    }
  }

  #apply({ command, fields, postings }) {
    const { at, account, amount, until, hold, payee, transaction } = fields;
    switch (command) {
      case "post":
        return this.#book.post(at, postings);
      case "hold":
        return this.#book.hold(at, account, amount, until);
      case "capture":
        return this.#book.capture(at, hold, payee, amount);
      case "release":
        return this.#book.release(at, hold);
      default:
        return this.#book.reverse(at, transaction);
    }
  }

  #plain({ command, fields }) {
    switch (command) {
      case "account":
        this.#book.open(fields.account, fields.currency, fields.overdraft);
        return ["ok"];
      case "balance":
        return [balance(this.#book.account(fields.account), fields.at)];
      default:
        return statement(this.#book.account(fields.account), fields.start, fields.end);
    }
  }
}

function balance(account, at) {
  const [booked, held] = [account.balanceAt(at), account.heldAt(at)];
  return `balance ${booked} held ${held} available ${booked - held + account.overdraft}`;
}

function statement(account, start, end) {
  const entries = account.entries.filter((entry) => start <= entry.at && entry.at < end);
  const opening = account.balanceAt(start - 1n);
  const closing = entries.at(-1)?.balance ?? opening;
  return [
    `statement ${entries.length} opening ${opening} closing ${closing}`,
    ...entries.map((e) => `entry ${e.at} ${e.transaction} ${e.other} ${e.amount} ${e.balance}`),
  ];
}
