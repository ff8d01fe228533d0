// One account: what was booked on it and what is held of it. Instants and amounts are BigInt.

// Live from `made` up to, but not including, `ends`.
export class Hold {
  constructor(name, account, amount, made, ends) {
    this.name = name;
    this.account = account;
    this.amount = amount;
    this.made = made;
    this.ends = ends;
  }

  isLive(at) {
    return this.made <= at && at < this.ends;
  }
}

// Entries stand in the order of booking, which is also the order of their instants.
export class Account {
  entries = [];
  holds = [];

  constructor(name, currency, overdraft) {
    this.name = name;
    this.currency = currency;
    this.overdraft = overdraft;
  }

  get balance() {
    return this.entries.at(-1)?.balance ?? 0n;
  }

  // Returns the balance after all that was booked at this instant or before.
  balanceAt(at) {
    return this.entries.findLast((entry) => entry.at <= at)?.balance ?? 0n;
  }

  heldAt(at) {
    const live = this.holds.filter((hold) => hold.isLive(at));
    return live.reduce((held, hold) => held + hold.amount, 0n);
  }

  // The amount is less than zero if this account pays.
  book(at, transaction, other, amount) {
    const balance = this.balance + amount;
    this.entries.push({ at, transaction, other, amount, balance });
  }
}
