package textmerge

import "fmt"

// refused is why input is no block: one of the ticket's kinds.
type refused string

func (r refused) Error() string { return string(r) }

// refusal is the number of the wrong line and what is wrong.
type refusal struct {
	line int
	kind string
}

func (r refusal) text() string { return fmt.Sprintf("refused %d %s\n", r.line, r.kind) }
