// Why a step is refused.

/** A step that changes nothing; the message is the answer. */
export class Refused extends Error {
  constructor(kind, subject = "") {
    super(subject === "" ? `refused ${kind}` : `refused ${kind} ${subject}`);
  }
}
