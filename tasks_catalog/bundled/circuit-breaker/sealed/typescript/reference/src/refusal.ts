// Why a request is refused.

export type RefusalKind =
  | "invalid_json"
  | "not_an_object"
  | "missing_field"
  | "wrong_type"
  | "unknown_operation"
  | "out_of_range"
  | "conflicting_statuses"
  | "already_configured"
  | "unknown_target"
  | "time_backwards"
  | "duplicate_call"
  | "unknown_call";

/** A request that is not carried out; `kind` is one of the ticket's error kinds. */
export class Refused extends Error {
  override readonly name = "Refused";

  constructor(readonly kind: RefusalKind) {
    super(kind);
  }
}
