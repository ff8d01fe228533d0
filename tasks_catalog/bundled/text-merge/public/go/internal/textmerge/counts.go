package textmerge

import "fmt"

// counts is how a merge went: kept lines, and regions by what decided them.
type counts struct {
	kept      int
	theirs    int
	mine      int
	same      int
	conflicts int
}

func (c counts) text() string {
	return fmt.Sprintf("kept=%d theirs=%d mine=%d same=%d conflicts=%d",
		c.kept, c.theirs, c.mine, c.same, c.conflicts)
}
