// Why a command is refused.

/** A command that changes nothing; the message is the answer. */
export class Refused extends Error {
  constructor(kind: string, subject?: string | number) {
    super(subject === undefined ? `refused ${kind}` : `refused ${kind} ${subject}`);
  }
}
