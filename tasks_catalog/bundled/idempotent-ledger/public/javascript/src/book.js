// Accounts, transactions and holds. Amounts are BigInt.

class Account {
  balance = 0n;
  held = 0n;
  entries = [];

  constructor(overdraft) {
    this.overdraft = overdraft;
  }

  get available() {
    return this.balance - this.held + this.overdraft;
  }

  book(at, transaction, other, amount) {
    this.balance += amount;
    this.entries.push({ at, transaction, other, amount, balance: this.balance });
  }
}

// Carries out postings, holds and reversals; null means that the money is not there.
export class Book {
  accounts = new Map();
  #transactions = new Map();
  #holds = new Map();

  open(name, overdraft) {
    this.accounts.set(name, new Account(overdraft));
  }

  // Books the postings ({ payer, payee, amount }) and returns the name of the transaction.
  post(at, postings) {
    const name = `T${this.#transactions.size + 1}`;
    for (const { payer, payee, amount } of postings) {
      if (this.accounts.get(payer).available < amount) {
        return null;
      }
      this.accounts.get(payer).book(at, name, payee, -amount);
      this.accounts.get(payee).book(at, name, payer, amount);
    }
    this.#transactions.set(name, postings);
    return name;
  }

  // Sets an amount aside and returns the name of the hold.
  hold(account, amount) {
    if (this.accounts.get(account).available < amount) {
      return null;
    }
    const name = `H${this.#holds.size + 1}`;
    this.#holds.set(name, { account, amount });
    this.accounts.get(account).held += amount;
    return name;
  }

  hasHold(name) {
    return this.#holds.has(name);
  }

  // Books what was held and returns the name of the transaction.
  capture(at, name, payee, amount) {
    const hold = this.#holds.get(name);
    if (hold.amount < amount) {
      return null;
    }
    hold.amount -= amount;
    this.accounts.get(hold.account).held -= amount;
    return this.post(at, [{ payer: hold.account, payee, amount }]);
  }

  // Frees what is still held and returns the name of the hold.
  release(name) {
    const hold = this.#holds.get(name);
    this.accounts.get(hold.account).held -= hold.amount;
    hold.amount = 0n;
    return name;
  }

  hasTransaction(name) {
    return this.#transactions.has(name);
  }

  // Books the opposite of a transaction and returns the name of the new one.
  reverse(at, name) {
    const opposite = ({ payer, payee, amount }) => ({ payer: payee, payee: payer, amount });
    return this.post(at, this.#transactions.get(name).map(opposite));
  }
}
