// The two ways in which a command is not carried out.

// The command leaves no trace; `reason` is one of the ticket's.
export class Refused extends Error {
  constructor(readonly reason: string) {
    super(reason);
  }
}

// The command is remembered, but moves nothing; `reason` is one of the ticket's.
export class Declined extends Error {
  constructor(readonly reason: string) {
    super(reason);
  }
}
