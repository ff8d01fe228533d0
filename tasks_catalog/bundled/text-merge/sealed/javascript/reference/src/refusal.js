// Why input is refused.

/** Input that is no block; `kind` is one of the ticket's kinds. */
export class Refused extends Error {
  constructor(kind) {
    super(kind);
    this.kind = kind;
  }
}
