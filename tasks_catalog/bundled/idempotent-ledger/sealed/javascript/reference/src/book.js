// Accounts, transactions and holds. Every change is made whole or not at all.

import { Account, Hold } from "./account.js";
import { Declined, Refused } from "./outcome.js";
import { LARGEST } from "./request.js";

// Carries out what is not a matter of keys or of the clock.
export class Book {
  #accounts = new Map();
  #transactions = new Map();
  #holds = new Map();

  open(name, currency, overdraft) {
    if (this.#accounts.has(name)) {
      throw new Refused("account_exists");
    }
    this.#accounts.set(name, new Account(name, currency, overdraft));
  }

  account(name) {
    if (!this.#accounts.has(name)) {
      throw new Refused("unknown_account");
    }
    return this.#accounts.get(name);
  }

  // Books a batch of { payer, payee, amount } and returns the name of its transaction.
  post(at, postings) {
    this.#checkPostings(postings);
    return this.#book(at, { postings, isReversal: false, isReversed: false });
  }

  // Sets an amount aside and returns the name of the hold.
  hold(at, name, amount, until) {
    if (until <= at) {
      throw new Refused("until_passed");
    }
    const account = this.account(name);
    if (account.balance - account.heldAt(at) - amount + account.overdraft < 0n) {
      throw new Declined("insufficient_funds");
    }
    const hold = new Hold(`H${this.#holds.size + 1}`, account, amount, at, until);
    this.#holds.set(hold.name, hold);
    account.holds.push(hold);
    return hold.name;
  }

  // Books what was held, or a part of it, and returns the name of the transaction.
  capture(at, name, payee, amount) {
    const hold = this.#hold(name);
    const postings = [{ payer: hold.account.name, payee, amount }];
    this.#checkPostings(postings);
    if (!hold.isLive(at)) {
      throw new Declined("hold_ended");
    }
    if (amount > hold.amount) {
      throw new Declined("more_than_held");
    }
    const captured = this.#book(at, { postings, isReversal: false, isReversed: false }, hold);
    hold.ends = at;
    return captured;
  }

  // Ends a hold and returns its name.
  release(at, name) {
    const hold = this.#hold(name);
    if (!hold.isLive(at)) {
      throw new Declined("hold_ended");
    }
    hold.ends = at;
    return name;
  }

  // Books the opposite of a transaction and returns the name of the new one.
  reverse(at, name) {
    const undone = this.#transactions.get(name);
    if (undone === undefined) {
      throw new Refused("unknown_transaction");
    }
    if (undone.isReversal) {
      throw new Declined("not_reversible");
    }
    if (undone.isReversed) {
      throw new Declined("already_reversed");
    }
    const opposite = ({ payer, payee, amount }) => ({ payer: payee, payee: payer, amount });
    const postings = [...undone.postings].reverse().map(opposite);
    const reversal = this.#book(at, { postings, isReversal: true, isReversed: false });
    undone.isReversed = true;
    return reversal;
  }

  #hold(name) {
    if (!this.#holds.has(name)) {
      throw new Refused("unknown_hold");
    }
    return this.#holds.get(name);
  }

  #checkPostings(postings) {
    const pairs = postings.map(({ payer, payee }) => [this.account(payer), this.account(payee)]);
    if (pairs.some(([payer, payee]) => payer === payee)) {
      throw new Refused("same_account");
    }
    if (pairs.some(([payer, payee]) => payer.currency !== payee.currency)) {
      throw new Refused("currency_mismatch");
    }
  }

  #book(at, transaction, freed = null) {
    this.#checkFunds(at, transaction.postings, freed);
    const name = `T${this.#transactions.size + 1}`;
    this.#transactions.set(name, transaction);
    for (const { payer, payee, amount } of transaction.postings) {
      this.account(payer).book(at, name, payee, -amount);
      this.account(payee).book(at, name, payer, amount);
    }
    return name;
  }

  // The hold that is being captured, if any, is taken as ended.
  #checkFunds(at, postings, freed) {
    const balances = new Map();
    const change = (account, amount) => balances.set(account, (balances.get(account) ?? account.balance) + amount);
    for (const { payer, payee, amount } of postings) {
      change(this.account(payer), -amount);
      change(this.account(payee), amount);
    }
    for (const [account, balance] of balances) {
      const held = account.heldAt(at) - (freed?.account === account ? freed.amount : 0n);
      if (balance - held + account.overdraft < 0n) {
        throw new Declined("insufficient_funds");
      }
    }
    if ([...balances.values()].some((balance) => balance > LARGEST || balance < -LARGEST)) {
      throw new Declined("overflow");
    }
  }
}
