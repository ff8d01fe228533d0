// Why a request is refused.

/** A request that is not carried out; `kind` is one of the ticket's error kinds. */
export class Refused extends Error {
  constructor(kind) {
    super(kind);
    this.name = "Refused";
    this.kind = kind;
  }
}
