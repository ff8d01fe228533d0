// Answers commands: the clock, the keys, and the words of the answers.

import { Account } from "./account";
import { Book } from "./book";
import { Keys } from "./keys";
import { Declined, Refused } from "./outcome";
import { Request, parse } from "./request";

// Answers one command line after the other.
export class Desk {
  readonly #book = new Book();
  readonly #keys = new Keys();
  #clock = 0n;

  // Returns the lines of the answer.
  answer(line: string): string[] {
    try {
      const request = parse(line);
      return request.isKeyed ? [this.#keyed(request)] : this.#plain(request);
    } catch (error) {
      if (error instanceof Refused) {
        return [`refused ${error.reason}`];
      }
      throw error;
    }
  }

  #keyed(request: Request): string {
    const [at, client, key] = [request.number("at"), request.name("client"), request.name("key")];
    if (at < this.#clock) {
      throw new Refused("time_backwards");
    }
    let answer = this.#keys.recall(client, key, at, request.content);
    if (answer === null) {
      answer = this.#carryOut(request, at);
      this.#keys.remember(client, key, at, request.content, answer);
    }
    // only now: nothing above has been refused
    this.#clock = at;
    return answer;
  }

  #carryOut(request: Request, at: bigint): string {
    try {
      return `ok ${this.#apply(request, at)}`;
    } catch (error) {
      if (error instanceof Declined) {
        return `declined ${error.reason}`;
      }
      throw error;
    }
  }

  #apply(request: Request, at: bigint): string {
    switch (request.command) {
      case "post":
        return this.#book.post(at, request.postings);
      case "hold":
        return this.#book.hold(at, request.name("account"), request.number("amount"), request.number("until"));
      case "capture":
        return this.#book.capture(at, request.name("hold"), request.name("payee"), request.number("amount"));
      case "release":
        return this.#book.release(at, request.name("hold"));
      default:
        return this.#book.reverse(at, request.name("transaction"));
    }
  }

  #plain(request: Request): string[] {
    const name = request.name("account");
    switch (request.command) {
      case "account":
        this.#book.open(name, request.name("currency"), request.number("overdraft"));
        return ["ok"];
      case "balance":
        return [balance(this.#book.account(name), request.number("at"))];
      default:
        return statement(this.#book.account(name), request.number("start"), request.number("end"));
    }
  }
}

function balance(account: Account, at: bigint): string {
  const [booked, held] = [account.balanceAt(at), account.heldAt(at)];
  return `balance ${booked} held ${held} available ${booked - held + account.overdraft}`;
}

function statement(account: Account, start: bigint, end: bigint): string[] {
  const entries = account.entries.filter((entry) => start <= entry.at && entry.at < end);
  const opening = account.balanceAt(start - 1n);
  const closing = entries.at(-1)?.balance ?? opening;
  return [
    `statement ${entries.length} opening ${opening} closing ${closing}`,
    ...entries.map((e) => `entry ${e.at} ${e.transaction} ${e.other} ${e.amount} ${e.balance}`),
  ];
}
