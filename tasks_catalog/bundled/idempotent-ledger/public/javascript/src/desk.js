// Answers commands.

import { Book } from "./book.js";

const REFUSED = ["refused bad_command"];
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
  #book = new Book();
  #answers = new Map();

  // Returns the lines of the answer.
  answer(line) {
    const words = line.split(" ");
    const command = words[0];
    if (command === "post") {
      if (words.length < 7 || words.length % 3 !== 1) {
        return REFUSED;
      }
    } else if (LENGTHS.get(command) !== words.length) {
      return REFUSED;
    }
    switch (command) {
      case "account":
        return this.#account(words[1], words[3]);
      case "balance":
        return this.#balance(words[2]);
      case "statement":
        return this.#statement(words[1], words[2], words[3]);
    }
    const key = words[3];
    if (!this.#answers.has(key)) {
      this.#answers.set(key, this.#carryOut(command, words[1], words.slice(4)));
    }
    return this.#answers.get(key);
  }

  #account(name, overdraft) {
    if (!isNumber(overdraft)) {
      return REFUSED;
    }
    this.#book.open(name, BigInt(overdraft));
    return ["ok"];
  }

  #balance(name) {
    const account = this.#book.accounts.get(name);
    if (account === undefined) {
      return REFUSED;
    }
    return [`balance ${account.balance} held ${account.held} available ${account.available}`];
  }

  #statement(start, end, name) {
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

  #carryOut(command, instant, words) {
    if (!isNumber(instant)) {
      return REFUSED;
    }
    const at = Number(instant);
    switch (command) {
      case "post":
        return this.#post(at, words);
      case "hold":
        return this.#hold(words[0], words[1]);
      case "capture":
        return this.#capture(at, words[0], words[1], words[2]);
      case "release":
        return this.#book.hasHold(words[0]) ? answer(this.#book.release(words[0])) : REFUSED;
      default:
        return this.#book.hasTransaction(words[0]) ? answer(this.#book.reverse(at, words[0])) : REFUSED;
    }
  }

  #post(at, words) {
    const postings = [];
    for (let i = 0; i < words.length; i += 3) {
      const [payer, payee, amount] = words.slice(i, i + 3);
      if (!this.#has(payer) || !this.#has(payee) || !isNumber(amount)) {
        return REFUSED;
      }
      postings.push({ payer, payee, amount: BigInt(amount) });
    }
    return answer(this.#book.post(at, postings));
  }

  #hold(name, amount) {
    if (!this.#has(name) || !isNumber(amount)) {
      return REFUSED;
    }
    return answer(this.#book.hold(name, BigInt(amount)));
  }

  #capture(at, hold, payee, amount) {
    if (!this.#book.hasHold(hold) || !this.#has(payee) || !isNumber(amount)) {
      return REFUSED;
    }
    return answer(this.#book.capture(at, hold, payee, BigInt(amount)));
  }

  #has(name) {
    return this.#book.accounts.has(name);
  }
}

function answer(name) {
  return name === null ? ["declined insufficient_funds"] : [`ok ${name}`];
}

function isNumber(word) {
  return /^[0-9]{1,15}$/.test(word);
}
