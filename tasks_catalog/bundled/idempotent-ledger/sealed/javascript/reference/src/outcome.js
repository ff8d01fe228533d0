// The two ways in which a command is not carried out.

// The command leaves no trace; `reason` is one of the ticket's.
export class Refused extends Error {
  constructor(reason) {
    super(reason);
    this.reason = reason;
  }
}

// The command is remembered, but moves nothing; `reason` is one of the ticket's.
export class Declined extends Error {
  constructor(reason) {
    super(reason);
    this.reason = reason;
  }
}
