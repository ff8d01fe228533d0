package ledger

// Refused is the reason of a command that leaves no trace: one of the ticket's.
type Refused string

func (r Refused) Error() string { return "refused " + string(r) }

// Declined is the reason of a command that is remembered, but moves nothing: one of the ticket's.
type Declined string

func (d Declined) Error() string { return "declined " + string(d) }
