// Why a command is refused.

// A command that is not carried out; `reason` is one of the ticket's reasons.
export class Refused extends Error {
  constructor(reason) {
    super(reason);
    this.reason = reason;
  }
}
