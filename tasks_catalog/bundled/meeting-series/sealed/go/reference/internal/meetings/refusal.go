package meetings

// Refused is why a command is not carried out: one of the ticket's kinds.
type Refused string

func (r Refused) Error() string { return "refused " + string(r) }
