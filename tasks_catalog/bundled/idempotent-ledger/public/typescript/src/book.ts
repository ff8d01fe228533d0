// Accounts, transactions and holds. Amounts are bigint.

export interface Posting {
  readonly payer: Account;
  readonly payee: Account;
  readonly amount: bigint;
}

interface Entry {
  readonly at: number;
  readonly transaction: string;
  readonly other: string;
  readonly amount: bigint;
  readonly balance: bigint;
}

interface Hold {
  readonly account: Account;
  amount: bigint;
}

export class Account {
  balance = 0n;
  held = 0n;
  readonly entries: Entry[] = [];

  constructor(
    readonly name: string,
    readonly overdraft: bigint,
  ) {}

  get available(): bigint {
    return this.balance - this.held + this.overdraft;
  }

  book(at: number, transaction: string, other: string, amount: bigint): void {
    this.balance += amount;
    this.entries.push({ at, transaction, other, amount, balance: this.balance });
  }
}

// Carries out postings, holds and reversals; null means that the money is not there.
export class Book {
  readonly accounts = new Map<string, Account>();
  readonly transactions = new Map<string, readonly Posting[]>();
  readonly holds = new Map<string, Hold>();

  open(name: string, overdraft: bigint): void {
    this.accounts.set(name, new Account(name, overdraft));
  }

  // Books the postings and returns the name of the transaction.
  post(at: number, postings: readonly Posting[]): string | null {
    const name = `T${this.transactions.size + 1}`;
    for (const { payer, payee, amount } of postings) {
      if (payer.available < amount) {
        return null;
      }
      payer.book(at, name, payee.name, -amount);
      payee.book(at, name, payer.name, amount);
    }
    this.transactions.set(name, postings);
    return name;
  }

  // Sets an amount aside and returns the name of the hold.
  hold(account: Account, amount: bigint): string | null {
    if (account.available < amount) {
      return null;
    }
    const name = `H${this.holds.size + 1}`;
    this.holds.set(name, { account, amount });
    account.held += amount;
    return name;
  }

  // Books what was held and returns the name of the transaction.
  capture(at: number, hold: Hold, payee: Account, amount: bigint): string | null {
    if (hold.amount < amount) {
      return null;
    }
    hold.amount -= amount;
    hold.account.held -= amount;
    return this.post(at, [{ payer: hold.account, payee, amount }]);
  }

  // Frees what is still held.
  release(hold: Hold): void {
    hold.account.held -= hold.amount;
    hold.amount = 0n;
  }

  // Books the opposite of a transaction and returns the name of the new one.
  reverse(at: number, postings: readonly Posting[]): string | null {
    return this.post(at, postings.map(({ payer, payee, amount }) => ({ payer: payee, payee: payer, amount })));
  }
}
