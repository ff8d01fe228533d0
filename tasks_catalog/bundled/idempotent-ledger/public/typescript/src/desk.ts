// Answers commands.

import { Book, Posting } from "./book";

const REFUSED: string[] = ["refused bad_command"];
const LENGTHS = new Map([
  ["account", 4],
  ["hold", 7],
  ["capture", 7],
  ["release", 5],
  ["reverse", 5],
  ["balance", 3],
  ["statement", 4],
]);

// Keeps the book and the answers to keys; answers one command line after the other.
export class Desk {
  readonly #book = new Book();
  readonly #answers = new Map<string, string[]>();

  // Returns the lines of the answer.
  answer(line: string): string[] {
    const words = line.split(" ");
    const [command = "", first = "", second = "", third = ""] = words;
    if (command === "post") {
      if (words.length < 7 || words.length % 3 !== 1) {
        return REFUSED;
      }
    } else if (LENGTHS.get(command) !== words.length) {
      return REFUSED;
    }
    switch (command) {
      case "account":
        return this.#account(first, third);
      case "balance":
        return this.#balance(second);
      case "statement":
        return this.#statement(first, second, third);
    }
    const answered = this.#answers.get(third) ?? this.#carryOut(command, first, words.slice(4));
    this.#answers.set(third, answered);
    return answered;
  }

  #account(name: string, overdraft: string): string[] {
    if (!isNumber(overdraft)) {
      return REFUSED;
    }
    this.#book.open(name, BigInt(overdraft));
    return ["ok"];
  }

  #balance(name: string): string[] {
    const account = this.#book.accounts.get(name);
    if (account === undefined) {
      return REFUSED;
    }
    return [`balance ${account.balance} held ${account.held} available ${account.available}`];
  }

  #statement(start: string, end: string, name: string): string[] {
    const account = this.#book.accounts.get(name);
    if (account === undefined || !isNumber(start) || !isNumber(end)) {
      return REFUSED;
    }
    const entries = account.entries.filter((entry) => Number(start) <= entry.at && entry.at <= Number(end));
    return [
      `statement ${entries.length} opening 0 closing ${account.balance}`,
      ...entries.map((e) => `entry ${e.at} ${e.transaction} ${e.other} ${e.amount} ${e.balance}`),
    ];
  }

  #carryOut(command: string, instant: string, words: string[]): string[] {
    if (!isNumber(instant)) {
      return REFUSED;
    }
    const at = Number(instant);
    const [first = "", second = "", third = ""] = words;
    switch (command) {
      case "post":
        return this.#post(at, words);
      case "hold":
        return this.#hold(first, second);
      case "capture":
        return this.#capture(at, first, second, third);
      case "release":
        return this.#release(first);
      default:
        return this.#reverse(at, first);
    }
  }

  #post(at: number, words: string[]): string[] {
    const postings: Posting[] = [];
    for (let i = 0; i < words.length; i += 3) {
      const [from = "", to = "", amount = ""] = words.slice(i, i + 3);
      const payer = this.#book.accounts.get(from);
      const payee = this.#book.accounts.get(to);
      if (payer === undefined || payee === undefined || !isNumber(amount)) {
        return REFUSED;
      }
      postings.push({ payer, payee, amount: BigInt(amount) });
    }
    return answer(this.#book.post(at, postings));
  }

  #hold(name: string, amount: string): string[] {
    const account = this.#book.accounts.get(name);
    if (account === undefined || !isNumber(amount)) {
      return REFUSED;
    }
    return answer(this.#book.hold(account, BigInt(amount)));
  }

  #capture(at: number, name: string, to: string, amount: string): string[] {
    const hold = this.#book.holds.get(name);
    const payee = this.#book.accounts.get(to);
    if (hold === undefined || payee === undefined || !isNumber(amount)) {
      return REFUSED;
    }
    return answer(this.#book.capture(at, hold, payee, BigInt(amount)));
  }

  #release(name: string): string[] {
    const hold = this.#book.holds.get(name);
    if (hold === undefined) {
      return REFUSED;
    }
    this.#book.release(hold);
    return answer(name);
  }

  #reverse(at: number, name: string): string[] {
    const postings = this.#book.transactions.get(name);
    return postings === undefined ? REFUSED : answer(this.#book.reverse(at, postings));
  }
}

function answer(name: string | null): string[] {
  return name === null ? ["declined insufficient_funds"] : [`ok ${name}`];
}

function isNumber(word: string): boolean {
  return /^[0-9]{1,15}$/.test(word);
}
