// One account: what was booked on it and what is held of it. Instants and amounts are BigInt.

export interface Entry {
  readonly at: bigint;
  readonly transaction: string;
  readonly other: string;
  // less than zero if this account pays
  readonly amount: bigint;
  readonly balance: bigint;
}

// Live from `made` up to, but not including, `ends`.
export class Hold {
  constructor(
    readonly name: string,
    readonly account: Account,
    public amount: bigint,
    readonly made: bigint,
    public ends: bigint,
  ) {}

  isLive(at: bigint): boolean {
    return this.made <= at && at < this.ends;
  }
}

// Entries stand in the order of booking, which is also the order of their instants.
export class Account {
  readonly entries: Entry[] = [];
  readonly holds: Hold[] = [];

  constructor(
    readonly name: string,
    readonly currency: string,
    readonly overdraft: bigint,
  ) {}

  get balance(): bigint {
    return this.entries.at(-1)?.balance ?? 0n;
  }

  // Returns the balance after all that was booked at this instant or before.
  balanceAt(at: bigint): bigint {
    return this.entries.filter((entry) => entry.at <= at).at(-1)?.balance ?? 0n;
  }

  heldAt(at: bigint): bigint {
    const live = this.holds.filter((hold) => hold.isLive(at));
    return live.reduce((held, hold) => held + hold.amount, 0n);
  }

  book(at: bigint, transaction: string, other: string, amount: bigint): void {
    const balance = this.balance + amount;
    this.entries.push({ at, transaction, other, amount, balance });
  }
}
