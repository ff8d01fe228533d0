package invoice

// Refusal is the reason why a command is not carried out: one of the ticket's.
type Refusal string

func (r Refusal) Error() string { return string(r) }
