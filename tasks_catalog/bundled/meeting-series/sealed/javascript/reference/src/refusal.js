// Why a command is refused.

/** A command that is not carried out; `kind` is one of the ticket's kinds. */
export class Refused extends Error {
  constructor(kind) {
    super(kind);
    this.kind = kind;
  }
}
